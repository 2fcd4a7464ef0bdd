//! Signal handlers that make calls at any instruction of the tracer: what was captured, filtered and lost are the calls that
//! were made, and nothing is lost.

use iota_tests::machine::STRACE;
use iota_tests::{Case, Part, Ran, Way, in_each_way, wanted};

/// The number behind a word of what the program printed.
fn number(ran: &Ran, word: &str) -> u64 {
    let printed = ran.stdout();
    let line = printed.lines().find_map(|line| line.strip_prefix(word));
    let digits = line.unwrap_or_else(|| panic!("no {word} in {printed}"));
    let number = digits.trim().split(',').next().and_then(|n| n.parse().ok());
    number.unwrap_or_else(|| panic!("no number behind {word} in {printed}"))
}

/// The part of the process that made the calls.
fn largest(ran: &Ran) -> Part {
    let trace = ran.trace();
    trace.assert_whole();
    let parts = trace.parts.into_iter();
    parts
        .max_by_key(|part| part.calls.len())
        .expect("there is one")
}

/// Where one process may step through another.
fn may_step() -> bool {
    let remedy = "its registers are what the stepping program knows";
    wanted("x86_64 processor", cfg!(target_arch = "x86_64"), remedy) && STRACE.is_here()
}

fn stepped(args: &str, way: Way) -> Ran {
    let ran = Case::new("stepped.c").args(args).way(way).seconds(120);
    let ran = ran.run().succeeded().quiet();
    assert!(ran.stdout().contains("ended 0"), "{}", ran.stdout());
    ran
}

/// Each open has the path that its mode tells, whatever came between the tracer's instructions.
fn assert_paths(part: &Part) {
    let opens = part.calls.iter().filter(|call| &*call.op == "open");
    for call in opens.filter(|call| call.errno == libc::ENOENT) {
        let path = String::from_utf8_lossy(&call.path).into_owned();
        let number = format!("/none/{:08x}", call.length >> 32);
        assert!(path.ends_with(&number), "{path} instead of {number}");
    }
}

fn calls_at_every_instruction(calls: u32, way: Way) {
    if !may_step() {
        return;
    }
    // A thread's first call takes thousands of instructions.
    for when in ["", "later"] {
        let ran = stepped(&format!("{calls} 4000 {when}"), way);
        assert_eq!(number(&ran, "sent "), 4000);
        let part = largest(&ran);
        assert_eq!(part.calls.len() as u64, number(&ran, "made "));
        assert_paths(&part);
    }
}

in_each_way! {
    calls_at_every_instruction:
    a_handler_without_calls_at_every_instruction in dynamic: 0;
    a_handler_with_one_call_at_every_instruction in dynamic: 1;
    a_handler_with_two_calls_at_every_instruction: 2;
    a_handler_with_three_calls_at_every_instruction in dynamic: 3;
    a_handler_with_four_calls_at_every_instruction in dynamic: 4;
    a_handler_with_five_calls_at_every_instruction: 5;
}

/// A call that a handler left for good may be there or not; none that returned is missing.
fn jumps_at_every_instruction(calls: u32, way: Way) {
    if !may_step() {
        return;
    }
    let ran = stepped(&format!("{calls} 700 jump"), way);
    let part = largest(&ran);
    let (made, found) = (number(&ran, "made "), part.calls.len() as u64);
    // One in each round was left, and each of a handler's closes is two calls.
    let most = made + 700 + 700 * u64::from(calls);
    assert!((made..=most).contains(&found), "{found} of {made}");
    assert_paths(&part);
}

in_each_way! {
    jumps_at_every_instruction:
    a_handler_that_jumps_away_at_every_instruction: 2;
    a_handler_without_calls_that_jumps_away_at_every_instruction in dynamic: 0;
}

/// `storm7`: two calls in a handler emptied a place that was taken, and sealing stopped there for good.
fn two_calls_in_a_handler_do_not_stop_the_ring(signals: u64, way: Way) {
    let case = Case::new("storm.c").args(&format!("{signals} 2")).way(way);
    let ran = case.seconds(300).run().succeeded().quiet();
    let end = ran.trace().only().end.expect("an end");
    let made = number(&ran, "made ");
    assert_eq!((end.captured, end.filtered, end.lost), (made, 0, 0));
}

in_each_way! {
    two_calls_in_a_handler_do_not_stop_the_ring:
    storm: 30_000;
}

fn names_in_a_storm(more: &str, way: Way) {
    let args = format!("3000 {more}");
    let case = Case::new("storm_of_names.c").args(&args).way(way);
    let ran = case.run().succeeded().quiet();
    let trace = ran.trace();
    trace.assert_whole();
    let mut opens = 0;
    for part in &trace.parts {
        assert_paths(part);
        opens += part.calls.iter().filter(|call| &*call.op == "open").count() as u64;
    }
    let made = number(&ran, "made ");
    // What was left for good is there or not; a child's calls come on top.
    let (least, most) = if more.is_empty() {
        (made, made)
    } else {
        (made - made / 10, u64::MAX)
    };
    assert!((least..=most).contains(&opens), "{opens} of {made}");
}

in_each_way! {
    names_in_a_storm:
    a_storm_of_names: "";
    a_storm_of_names_that_are_left: "left";
    a_storm_of_names_of_threads_that_are_ended: "ended";
}

#[test]
#[ignore = "a minute or two: make soak"]
fn a_storm_of_a_million_signals() {
    two_calls_in_a_handler_do_not_stop_the_ring(1_000_000, Way::Dynamic);
}
