//! System calls that a program makes without the C library: no hook sees them, but the kernel counts them, and the verdict on
//! the trace says so. Of programs that make none it says nothing.

use iota_tests::{Case, Ran, Way, in_each_way};
use serde_json::{Value, json};

fn completeness(ran: &Ran) -> Value {
    let output = ran.iota("info --json .");
    let info: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    info["completeness"].clone()
}

fn direct(what: &str) -> Case {
    Case::new("direct.c")
        .with(|p| p.flags("-pthread"))
        .args(what)
        .makes_system_calls()
}

/// What the kernel counted of it beyond its calls, on a trace that is then not complete.
fn is_counted(case: Case, way: Way, [read, reads, written, writes]: [u64; 4]) {
    let ran = case.way(way).run().succeeded().quiet();
    let completeness = completeness(&ran);
    let expected =
        json!({"processes": 1, "read": read, "reads": reads, "written": written, "writes": writes});
    assert_eq!(completeness["uncalled"], expected, "{completeness:#}");
    assert_eq!(completeness["complete"], "no");
}

fn writes_are_counted(case: Case, way: Way) {
    is_counted(case, way, [0, 0, 100_000, 100]);
}

in_each_way! {
    writes_are_counted:
    writes: direct("writes");
    writes_of_threads: direct("threads");
    writes_of_a_parent: direct("parent");
}

fn reads_are_counted(case: Case, way: Way) {
    is_counted(case, way, [2_100_000, 2100, 0, 0]);
}

in_each_way! {
    reads_are_counted:
    reads: direct("reads");
}

fn is_complete(case: Case, way: Way) {
    let ran = case.way(way).run().succeeded();
    let completeness = completeness(&ran);
    assert_eq!(completeness["complete"], "yes", "{completeness:#}");
    assert_eq!(completeness["uncalled"], Value::Null);
}

in_each_way! {
    is_complete:
    what_the_c_library_does_is_known: direct("libc");
}

/// Nobody tells an exit by a system call from a kill.
fn ends_unseen(case: Case, way: Way) {
    let ran = case.way(way).run().succeeded();
    let output = ran.iota("recover run.iota --spool ../spool");
    assert!(output.status.success(), "{output:?}");
    let completeness = completeness(&ran);
    assert_eq!(completeness["complete"], "unknown", "{completeness:#}");
    let reason = "1 process killed, or ended by a system call of its own";
    assert_eq!(completeness["unknown"], json!([reason]));
}

in_each_way! {
    ends_unseen:
    an_exit_of_its_own: direct("exit");
}
