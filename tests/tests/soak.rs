//! Long runs: memory that does not grow with the number of calls, files and threads, and nothing lost. `make test-all`
//! runs them small; `make soak` at full size, printing the figures that stand in docs/RELIABILITY.md.

use iota_tests::Way;
use iota_tests::soak::{self, Printed};

/// Runs it bare and traced, and holds the memory that tracing added against `most` MB.
fn soak(what: &str, count: u64, calls_each: u64, most: f64, env: &[(&str, &str)]) {
    let mut case = soak::case(what, count).way(Way::Static);
    for (name, value) in env {
        case = case.env(name, value);
    }
    let (bare, traced) = (case.run_bare().succeeded(), case.run().succeeded());
    let (before, after) = (Printed::of(&bare), Printed::of(&traced));
    assert_eq!(after.good, count);
    let events: u64 = traced.captured();
    let added = (after.memory - before.memory).max(0.0);
    println!("{count} {what}: {events} calls in the trace, {added:.1} MB more memory than bare");
    assert!(events >= count * calls_each, "{events} calls in the trace");
    assert!(added < most, "{added:.1} MB more than bare");
}

/// Flushing; the buffer that waits for the end of the job has a size of its own.
const FLUSHING: &[(&str, &str)] = &[("IOTA_FLUSH", "1")];

#[test]
fn many_calls() {
    soak("calls", 1_000_000, 1, 8.0, FLUSHING);
    soak("calls", 1_000_000, 1, 24.0, &[]);
}

#[test]
fn many_files() {
    soak("files", 20_000, 4, 8.0, FLUSHING);
}

#[test]
fn many_threads() {
    soak("threads", 100, 3, 8.0, FLUSHING);
}

#[test]
#[ignore = "make soak runs it"]
fn a_hundred_million_calls() {
    soak("calls", 100_000_000, 1, 8.0, FLUSHING);
    soak("calls", 100_000_000, 1, 24.0, &[]);
}

#[test]
#[ignore = "make soak runs it"]
fn a_million_files() {
    soak("files", 1_000_000, 4, 8.0, FLUSHING);
}

#[test]
#[ignore = "make soak runs it"]
fn a_thousand_threads_one_after_another() {
    soak("threads", 1_000, 3, 8.0, FLUSHING);
}
