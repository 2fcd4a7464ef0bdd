//! A trace that is repeated, and traced again, has the same calls: as many, on as many bytes, at the same offsets.

use crate::{on_files, traced_load};
use iota_tests::{Build, Call, Case, Program, Ran, Trace, Way, canonical, command_output};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Per file, by the order in which files are first seen: function, offset, bytes asked for and moved, how often.
type Calls = BTreeMap<(String, i64, u64, i64), usize>;

/// Functions that are repeated as they are.
const REPEATED: [&str; 24] = [
    "open",
    "openat",
    "creat",
    "close",
    "read",
    "write",
    "pread",
    "pwrite",
    "readv",
    "writev",
    "lseek",
    "fsync",
    "fdatasync",
    "ftruncate",
    "fopen",
    "fclose",
    "fread",
    "fwrite",
    "fseek",
    "fseeko",
    "fflush",
    "aio_read",
    "aio_write",
    "unlink",
];

fn summed<'a>(calls: impl Iterator<Item = &'a Call>) -> Calls {
    let mut sums = Calls::new();
    for call in calls.filter(|call| REPEATED.contains(&canonical(&call.op).as_str())) {
        let op = canonical(&call.op);
        // A descriptor's number is the process' own affair.
        let opens = op.contains("open") || op == "creat";
        let ret = if opens {
            call.ret.signum().min(0)
        } else {
            call.ret
        };
        *sums.entry((op, call.offset, call.length, ret)).or_default() += 1;
    }
    sums
}

fn files(trace: &Trace, wanted: &str) -> Vec<Calls> {
    let mut by_path = BTreeMap::<&[u8], Vec<&Call>>::new();
    for call in trace
        .calls()
        .filter(|call| String::from_utf8_lossy(&call.path).contains(wanted))
    {
        by_path.entry(&call.path).or_default().push(call);
    }
    let mut all: Vec<Calls> = by_path
        .values()
        .map(|calls| summed(calls.iter().copied()))
        .collect();
    all.sort();
    all
}

/// Repeats what was traced under the tracer, and holds both traces against each other.
fn repeats(ran: &Ran, wanted: &str, options: &str) -> Ran {
    let trace = ran.trace_dir();
    let again = traced_load(&format!(
        "-replay {} -file again {options}",
        trace.display()
    ));
    let (first, second) = (
        files(&ran.trace(), wanted),
        files(&again.trace(), "/again.filen."),
    );
    assert!(!first.is_empty(), "there is something to repeat");
    let mut rest = second.clone();
    for calls in first {
        let same = rest.iter().position(|other| *other == calls);
        assert!(
            same.is_some(),
            "{options}: {calls:?}\nis not repeated in {second:?}"
        );
        rest.swap_remove(same.unwrap_or(0));
    }
    again
}

#[test]
fn of_a_load_by_every_interface() {
    for api in ["unixio", "pio", "stdio", "aio -qd 2"] {
        let words = format!(
            "-op w -io_api {api} -nfiles 2 -nops 20 -npieces 3 -bufsz 10007 -fsync 5 -file x"
        );
        let ran = traced_load(&words);
        for speed in ["max", "recorded", "4"] {
            repeats(&ran, "/x.filen.", &format!("-speed {speed}"));
        }
    }
}

#[test]
fn of_reads_of_files_that_were_there() {
    let ran = traced_load(
        "-op rw -prepare -io_api pio -nfiles 2 -nops 50 -npieces 2 -bufsz 4096 -access random -file x",
    );
    let again = traced_load(&format!(
        "-replay {} -file again -speed max",
        ran.trace_dir().display()
    ));
    let reads = |trace: &Trace| {
        on_files(trace)
            .iter()
            .filter(|call| canonical(&call.op) == "pread")
            .map(|call| (call.offset, call.ret))
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(reads(&ran.trace()), reads(&again.trace()));
}

#[test]
fn of_ranks_as_threads() {
    let build = Build::first();
    let ran = Case::mpi("mpi_files.c", build, 2)
        .seconds(120)
        .run()
        .succeeded();
    let trace = ran.trace();
    assert!(trace.parts.len() >= 2);
    repeats(&ran, "/work/", "-speed max");
}

/// Bytes read and written of each file.
fn bytes(trace: &Trace, wanted: &str) -> Vec<[i64; 2]> {
    let mut files = BTreeMap::<&[u8], [i64; 2]>::new();
    for call in trace
        .calls()
        .filter(|call| String::from_utf8_lossy(&call.path).contains(wanted))
    {
        let op = canonical(&call.op);
        let which = usize::from(!op.contains("read"));
        if ["read", "fread", "write", "fwrite"].contains(&op.trim_end_matches("_unlocked")) {
            files.entry(&call.path).or_default()[which] += call.ret.max(0);
        }
    }
    files.into_values().collect()
}

#[test]
fn of_a_shell_and_its_programs() {
    let iota = Build::first().iota();
    let script = "dd if=/dev/zero of=in bs=1000 count=100; dd if=in of=out bs=3000; dd <out >end; dd <end >>out; rm in";
    let ran = Case::shell(script)
        .under(&format!("{} run --quiet --", iota.display()))
        .run()
        .succeeded();
    let again = traced_load(&format!(
        "-replay {} -file again -speed max",
        ran.trace_dir().display()
    ));
    let first = bytes(&ran.trace(), "/work/");
    assert_eq!(first.len(), 3, "in, out and end");
    let (mut first, mut second) = (first, bytes(&again.trace(), "/again.filen."));
    second.retain(|moved| first.contains(moved));
    first.sort();
    second.sort();
    assert_eq!(first, second);
}

#[test]
fn times_are_as_recorded_scaled_or_none() {
    let ran = traced_load("-op w -nops 5 -think 60ms -bufsz 4k -file x");
    let took = |speed: &str| {
        let iota = Build::first().iota();
        let out = Path::new("/dev/stdout").display().to_string();
        let work = ran.work();
        let mut command = Command::new(iota);
        let trace = ran.trace_dir();
        command.args([
            "load", "-quiet", "-format", "json", "-file", "again", "-output", &out, "-speed",
            speed, "-replay",
        ]);
        let text = command_output(command.arg(trace).current_dir(work));
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["seconds"]
            .as_f64()
            .expect("seconds")
    };
    let (recorded, double, max) = (took("recorded"), took("2"), took("max"));
    assert!(recorded >= 0.24, "{recorded}");
    assert!((0.12..recorded).contains(&double), "{double} of {recorded}");
    assert!(max < double, "{max}");
}

#[test]
fn what_was_recorded_is_never_overwritten() {
    let ran = traced_load("-op w -bufsz 4k -file x");
    let iota = Build::first().iota().display().to_string();
    let file = ran.work().join("x");
    let words = format!(
        "load -replay {} -file {}",
        ran.trace_dir().display(),
        file.display()
    );
    let refused = Case::of(Program::command(&iota))
        .way(Way::Bare)
        .args(&words)
        .run()
        .ended_with(2);
    let said = refused.output.errors();
    assert!(
        said.lines().count() == 1 && said.contains("would overwrite"),
        "{said}"
    );
}
