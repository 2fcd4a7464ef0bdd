//! Long runs: memory that does not grow with the number of calls, files and threads, and nothing lost. `make test` runs
//! them small; `make soak` at full size, printing the figures that stand in docs/RELIABILITY.md.

use iota_tests::{Case, Ran, Way};

/// What the program printed: calls that went well, most memory in KiB.
fn figures(ran: &Ran) -> (u64, u64) {
    let words: Vec<String> = ran.stdout().split_whitespace().map(String::from).collect();
    match words.as_slice() {
        [_, good, _, memory] => (
            good.parse().expect("a number"),
            memory.parse().expect("a number"),
        ),
        other => panic!("it printed {other:?}"),
    }
}

/// Runs it bare and traced, and holds the memory that tracing added against `most` MB.
fn soak(what: &str, count: u64, calls_each: u64, most: f64, env: &[(&str, &str)]) {
    let mut case = Case::new("soak.c")
        .args(&format!("{what} {count}"))
        .seconds(1200)
        .way(Way::Static);
    for (name, value) in env {
        case = case.env(name, value);
    }
    let (bare, traced) = (case.run_bare().succeeded(), case.run().succeeded());
    let ((_, before), (good, memory)) = (figures(&bare), figures(&traced));
    assert_eq!(good, count);
    let events: u64 = traced.captured();
    let added = memory.saturating_sub(before) as f64 / 1024.0;
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
