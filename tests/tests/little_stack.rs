//! A thread, or a handler on a stack of its own, may have little stack: the tracer needs at most so much more of it.

use iota_tests::{Case, Ran, Way, in_each_way};
use std::collections::BTreeMap;

/// docs/RELIABILITY.md says so, and docs/STACKS.md of stacks.
const MOST: i64 = 3 << 10;
const MOST_WITH_STACKS: i64 = 4 << 10;

const CALLS: &str =
    "first write open writes syscalls exit _exit quick_exit abort exec fork spill replaced";

/// Bytes of stack, and how the process ended, by what it did.
fn used(ran: &Ran) -> BTreeMap<String, (i64, i64)> {
    let printed = ran.stdout();
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |n: usize| words[n].parse().expect("a number");
        (words[0].to_owned(), (number(1), number(2)))
    };
    printed.lines().map(line).collect()
}

fn calls_need_little_stack(setting: (&str, &str), way: Way) {
    let most = match setting.0 {
        "IOTA_STACKS" => MOST_WITH_STACKS,
        _ => MOST,
    };
    let case = Case::new("stack.c").with(|program| program.flags("-O1 -Wl,-z,now"));
    let case = case.args(CALLS).env(setting.0, setting.1).way(way);
    let (bare, traced) = (case.run_bare().succeeded(), case.run().succeeded());
    let traced = used(&traced);
    assert_eq!(traced.len(), CALLS.split(' ').count());
    for (what, (bytes, status)) in used(&bare) {
        let (with, ends) = traced[&what];
        assert_eq!(ends, status, "{what}");
        assert!(with - bytes <= most, "{what}: {with} bytes, bare {bytes}");
    }
}

in_each_way! {
    calls_need_little_stack:
    by_default: ("IOTA_BUFFER", "1m");
    flushed: ("IOTA_FLUSH", "1");
    without_a_spool: ("IOTA_SPOOL", "/nowhere");
    with_stacks: ("IOTA_STACKS", "1");
}

fn the_smallest_stacks_are_enough(how: &str, way: Way) {
    let case = Case::new("small_stacks.c").with(|program| program.flags("-pthread"));
    let case = case.args(how).way(way);
    let (bare, traced) = (case.run_bare(), case.run());
    traced.assert_same_as(&bare);
}

in_each_way! {
    the_smallest_stacks_are_enough:
    a_thread_that_exits: "thread exit";
    a_thread_that_exits_at_once: "thread _exit";
    a_thread_that_aborts: "thread abort";
    a_thread_that_becomes_another_program: "thread exec";
    a_handler_that_exits_at_once: "handler _exit";
    a_handler_that_becomes_another_program: "handler exec";
    a_handler_that_forks: "handler fork";
}
