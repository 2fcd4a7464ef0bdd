//! `iota load` and the tracer: each is the other's strongest test.

mod agreement;
mod ranks;
mod replay;

use iota_tests::{Build, Call, Case, Program, Ran, Trace};

/// A load under `iota run`, with words separated by blanks; `{}` is the test's directory.
fn traced_load(words: &str) -> Ran {
    let iota = Build::first().iota().display().to_string();
    let under = format!("{iota} run --quiet --");
    Case::of(Program::command(&iota))
        .args(&format!("load -quiet {words}"))
        .under(&under)
        .seconds(120)
        .run()
        .succeeded()
}

/// The calls on files of a load, in the order in which they began.
fn on_files(trace: &Trace) -> Vec<&Call> {
    let mut calls: Vec<&Call> = trace.calls().filter(|call| is_of_load(call)).collect();
    calls.sort_by_key(|call| (call.start, call.id));
    calls
}

fn is_of_load(call: &Call) -> bool {
    call.path.windows(7).any(|part| part == b".filen.")
}
