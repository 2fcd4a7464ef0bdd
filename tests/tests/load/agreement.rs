//! The tracer's events and the load's own log agree: in count, offset and bytes exactly, in time to 10 us in the
//! median.

use crate::{on_files, traced_load};
use iota_tests::machine::IO_URING;
use iota_tests::{Call, Trace};
use std::collections::BTreeMap;

/// Nanoseconds by which times may differ in the median, on a busy machine as well. Clocks that differ are further apart.
const APART: i64 = 10_000;

/// What both must say of a call: on what, by which descriptor, where, how much.
type Said<'a> = (&'a str, &'a [u8], i32, i64, i64, u64);

fn said(call: &Call) -> Said<'_> {
    (
        &call.op,
        &call.path,
        call.fd,
        call.offset,
        call.ret,
        call.length,
    )
}

/// The calls with these names, thread by thread; threads, which each numbers for itself, by what they did.
fn by_thread<'a>(trace: &'a Trace, names: &[&str]) -> Vec<Vec<&'a Call>> {
    let mut threads = BTreeMap::<u32, Vec<&Call>>::new();
    for call in on_files(trace) {
        if names.contains(&&*call.op) {
            threads.entry(call.thread).or_default().push(call);
        }
    }
    let mut threads: Vec<_> = threads.into_values().collect();
    threads.sort_by(|a, b| {
        a.iter()
            .map(|call| said(call))
            .cmp(b.iter().map(|call| said(call)))
    });
    threads
}

/// Runs a load traced, with a trace of its own, and compares what both say of calls with these names.
fn agree(words: &str, names: &[&str], calls: usize) {
    let median = agree_but_for_times(words, names, calls);
    assert!(
        median.iter().all(|ns| *ns <= APART),
        "{words}: {median:?} ns apart in the median"
    );
}

/// The same; how far starts and ends are apart in the median, in ns.
fn agree_but_for_times(words: &str, names: &[&str], calls: usize) -> [i64; 2] {
    let ran = traced_load(&format!("{words} -file x -trace own.iota"));
    let (traced, own) = (ran.trace(), Trace::read(&ran.work().join("own.iota")));
    own.assert_whole();
    let [ours, theirs] = [&own, &traced].map(|trace| by_thread(trace, names));
    let lengths = [&ours, &theirs].map(|threads| threads.iter().map(Vec::len).collect::<Vec<_>>());
    assert_eq!(
        lengths[0].iter().sum::<usize>(),
        calls,
        "{words}: calls in the load's own log"
    );
    assert_eq!(
        lengths[0], lengths[1],
        "{words}: calls of each thread in both"
    );
    let pairs = || ours.iter().flatten().zip(theirs.iter().flatten());
    if let Some((ours, theirs)) = pairs().find(|(a, b)| said(a) != said(b)) {
        panic!("{words}: the load says {ours}, the tracer {theirs}");
    }
    let apart = |time: fn(&Call) -> i64| {
        let mut apart: Vec<i64> = pairs()
            .map(|(a, b)| ((own.start + time(a)) - (traced.start + time(b))).abs())
            .collect();
        apart.sort_unstable();
        apart[apart.len() / 2]
    };
    [apart(|call| call.start), apart(|call| call.end)]
}

#[test]
fn unixio() {
    let names = ["open", "lseek", "write", "close", "fsync"];
    agree(
        "-op w -nfiles 2 -nops 200 -npieces 2 -bufsz 10001 -fsync end",
        &names,
        4 * (1 + 400 + 1 + 1),
    );
}

#[test]
fn unixio_reads() {
    agree(
        "-op r -prepare -nfiles 2 -nops 200 -npieces 2 -bufsz 10001",
        &["lseek", "read"],
        4 * 400,
    );
}

#[test]
fn unixio_without_seeks() {
    agree(
        "-op w -noseek -nops 300 -npieces 1 -bufsz 4001",
        &["open", "write", "close"],
        302,
    );
}

#[test]
fn unixio_shared_under_a_lock() {
    // Where the shared position was before a seek, the load does not say.
    agree(
        "-op w -share -lock_atomic -nops 100 -npieces 3 -bufsz 9000",
        &["write"],
        300,
    );
}

#[test]
fn stdio() {
    let names = ["fopen", "fwrite", "fclose"];
    agree(
        "-op w -io_api stdio -nfiles 2 -nops 200 -npieces 2 -bufsz 20000",
        &names,
        4 * 202,
    );
    agree(
        "-op r -prepare -io_api stdio -nops 200 -npieces 2 -bufsz 20000",
        &["fopen", "fread", "fclose"],
        2 * 202,
    );
}

#[test]
fn posix_aio() {
    for depth in [1, 4] {
        let names = ["open", "aio_write", "close"];
        agree(
            &format!("-op w -io_api aio -qd {depth} -nfiles 2 -nops 200 -bufsz 8k"),
            &names,
            2 * 202,
        );
    }
}

#[test]
fn pio() {
    let names = ["open", "pwrite", "close"];
    agree(
        "-op w -io_api pio -nfiles 2 -nops 400 -npieces 2 -bufsz 8k -access random",
        &names,
        4 * 402,
    );
    agree(
        "-op rw -prepare -io_api pio -nops 400 -npieces 2 -bufsz 8k",
        &["pread", "pwrite"],
        800,
    );
}

#[test]
fn io_uring_and_mmap_as_far_as_calls_go() {
    // A mapping's transfers are no calls; those of a ring are seen when it is entered, times aside.
    let rings = IO_URING.is_here();
    for api in if rings {
        &["io_uring", "mmap"][..]
    } else {
        &["mmap"]
    } {
        let words = format!("-op w -io_api {api} -nfiles 2 -nops 50 -npieces 2 -bufsz 8k");
        // A thread's first call is when the tracer makes room for it, so that of eight calls four take longer.
        agree_but_for_times(&words, &["open", "close"], 8);
    }
    if !rings {
        return;
    }
    let ran = traced_load("-op w -io_api io_uring -nops 50 -file x");
    assert_eq!(
        on_files(&ran.trace())
            .iter()
            .filter(|call| call.writes())
            .count(),
        50
    );
}
