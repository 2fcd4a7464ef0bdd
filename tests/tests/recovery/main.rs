//! What a process that was killed had recorded, `iota recover` brings back: every call that had returned, once.
//!
//! `IOTA_KILLS` says how often each program is killed; 1,000 are for long runs.

mod command;
mod damaged;
mod ranks;

use iota_tests::{Build, Call, Case, Limited, Ran, Trace, Way, limited, mpi_is_wanted};
use iota_trace::part::reason;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Kills of a program in one test.
fn kills() -> u64 {
    let wished = std::env::var("IOTA_KILLS").ok();
    wished.map_or(6, |kills| kills.parse().expect("IOTA_KILLS is a number"))
}

/// A number below `limit`, another one each time.
fn random(limit: u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let mixed = now.expect("after 1970").as_nanos() as u64 ^ u64::from(std::process::id());
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % limit
}

fn recover(ran: &Ran, args: &[&str]) -> Limited {
    let mut command = Command::new(Build::first().iota());
    command
        .arg("recover")
        .args(args)
        .args(["--spool", "../spool"]);
    command
        .current_dir(ran.trace_dir())
        .env_remove("IOTA_SPOOL");
    limited(&mut command, b"", Duration::from_secs(120))
}

/// Recovers all, and fails unless nothing is left to do.
fn recovered(ran: &Ran) -> Trace {
    let said = recover(ran, &["run.iota"]);
    assert_eq!(said.code(), 0, "{}", said.errors());
    assert_eq!(ran.spooled(), Vec::<String>::new(), "{}", said.errors());
    let trace = Trace::read(&ran.trace_dir().join("run.iota"));
    trace.assert_whole();
    trace
}

/// Killed after so many calls that a buffer of 1 MiB was full.
const SPILLED: &str = "kill 500000";

/// Loops without end, killed after so many microseconds.
fn killed(threads: u64, micros: u64, how: &str) -> Case {
    Case::new("killed.c").args(&format!("{threads} {micros} {how}"))
}

/// What each thread had counted when it was killed.
fn returned(ran: &Ran, threads: u64) -> Vec<u64> {
    let bytes = std::fs::read(ran.work().join("returned")).expect("the program wrote it");
    let counts = bytes.as_chunks::<8>().0.iter().copied();
    counts
        .map(u64::from_le_bytes)
        .take(threads as usize)
        .collect()
}

/// Fails unless the trace holds of each thread what had returned, in order, and at most the call in flight.
fn assert_all_there(ran: &Ran, trace: &Trace, threads: u64) {
    for (thread, returned) in (0..threads).zip(returned(ran, threads)) {
        let writes = writes(trace, thread);
        let found = writes.len() as u64;
        assert!(
            (returned..=returned + 1).contains(&found),
            "thread {thread}: {returned} had returned, {found} recovered"
        );
        assert!(writes.is_sorted_by_key(|call| call.id), "in their order");
        assert_renames(trace, thread, returned);
    }
}

/// A thread's writes, of which each must be there once.
fn writes(trace: &Trace, thread: u64) -> Vec<&Call> {
    let of = |call: &&Call| &*call.op == "pwrite" && call.offset as u64 >> 50 == thread;
    let writes: Vec<&Call> = trace.calls().filter(of).collect();
    let numbers = writes
        .iter()
        .map(|call| call.offset as u64 >> 20 & 0x3FFF_FFFF);
    assert!(
        numbers.eq(0..writes.len() as u64),
        "thread {thread}: each write once"
    );
    writes
}

/// Calls of two paths, with their names, each new.
fn assert_renames(trace: &Trace, thread: u64, returned: u64) {
    let prefix = format!("/from-{thread}-");
    let of = |call: &&Call| {
        &*call.op == "rename" && String::from_utf8_lossy(&call.path).contains(&prefix)
    };
    let renames: Vec<&Call> = trace.calls().filter(of).collect();
    let least = returned.div_ceil(64);
    assert!(
        (least..=least + 1).contains(&(renames.len() as u64)),
        "thread {thread}: {} renames of {least}",
        renames.len()
    );
    for (n, call) in renames.iter().enumerate() {
        let names = [&call.path, &call.second_path].map(|path| path.escape_ascii().to_string());
        let number = n * 64;
        assert!(
            names[0].ends_with(&format!("/from-{thread}-{number}"))
                && names[1].ends_with(&format!("/to-{thread}-{number}")),
            "{call}, {}",
            names[1]
        );
    }
}

fn assert_killed_and_recovered(case: &Case, threads: u64) -> Trace {
    let ran = case.run().ended_with(128 + libc::SIGKILL);
    let trace = recovered(&ran);
    assert_all_there(&ran, &trace, threads);
    let end = trace.only().end.expect("whole");
    assert_eq!(end.reason, reason::RECOVERED);
    trace
}

fn killed_at_random(way: Way, threads: u64) {
    for _ in 0..kills() {
        assert_killed_and_recovered(&killed(threads, random(1 << 16), "").way(way), threads);
    }
}

#[test]
fn static_programs_killed() {
    killed_at_random(Way::Static, 1);
}

#[test]
fn dynamic_programs_killed() {
    killed_at_random(Way::Dynamic, 1);
}

#[test]
fn preloaded_programs_killed() {
    killed_at_random(Way::Preload, 1);
}

#[test]
fn threads_killed() {
    for way in Way::TRACED {
        killed_at_random(way, 3);
    }
}

/// Forked, it has a spool of its own; its parent ends as usual.
#[test]
fn forked_children_killed() {
    for way in Way::TRACED {
        for _ in 0..kills().div_ceil(3) {
            let case = killed(2, random(1 << 16), "kill 1 child").way(way);
            let ran = case.run().succeeded();
            let trace = recovered(&ran);
            assert_all_there(&ran, &trace, 2);
            let ends = trace.parts.iter().map(|part| part.end.as_ref());
            let mut reasons: Vec<u8> = ends.map(|end| end.expect("whole").reason).collect();
            reasons.sort();
            assert_eq!(reasons, [reason::EXIT, reason::RECOVERED]);
        }
    }
}

#[test]
fn killed_after_spilling() {
    for _ in 0..kills().div_ceil(3) {
        let case = killed(2, random(1 << 16), SPILLED).env("IOTA_BUFFER", "1m");
        assert_killed_and_recovered(&case.way(Way::Static), 2);
    }
}

#[test]
fn killed_while_flushing() {
    for _ in 0..kills().div_ceil(3) {
        let case = killed(1, random(1 << 16), SPILLED).env("IOTA_FLUSH", "1");
        let ran = case.way(Way::Preload).run().ended_with(128 + libc::SIGKILL);
        assert_eq!(ran.trace_files(), ["run.0.iota"], "something was spilled");
        assert_all_there(&ran, &recovered(&ran), 1);
        assert_eq!(ran.trace_files(), ["run.iota"]);
    }
}

#[test]
fn faults_and_aborts() {
    let ran = killed(2, 20_000, "segv").way(Way::Dynamic).run();
    let ran = ran.ended_with(128 + libc::SIGSEGV);
    assert_all_there(&ran, &recovered(&ran), 2);
    // abort is a call that the tracer sees: it writes the trace itself, while the other thread goes on.
    let ran = killed(1, 20_000, "abort").way(Way::Static).run();
    let ran = ran.ended_with(128 + libc::SIGABRT).quiet();
    let trace = ran.trace();
    trace.assert_whole();
    let found = writes(&trace, 0).len() as u64;
    assert!((1..=returned(&ran, 1)[0] + 1).contains(&found), "{found}");
}
