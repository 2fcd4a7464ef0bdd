//! Transfers of the kernel's: libaio, liburing and rings by hand. The program says what it did, and the trace has it.

use iota_tests::machine::{IO_URING, header_is_here};
use iota_tests::{Build, Call, Case, Ran, Way, command_output, in_each_way};
use std::process::Command;

/// Lines `= NAME OFFSET LENGTH RESULT`; a length of -1 is that of a call whose length means something else.
fn said(ran: &Ran) -> Vec<String> {
    let lines = ran.stdout();
    let ends = lines.lines().filter_map(|line| line.strip_prefix("= "));
    let mut ends: Vec<String> = ends.map(String::from).collect();
    ends.sort();
    ends
}

fn line(call: &Call) -> String {
    let has_no_length = ["openat", "statx", "unlinkat"]
        .iter()
        .any(|name| call.op.ends_with(name));
    let length = if has_no_length {
        -1
    } else {
        call.length as i64
    };
    format!("{} {} {length} {}", call.op, call.offset, call.ret)
}

fn is_request(call: &Call) -> bool {
    call.op.starts_with("io_") && call.op.contains("_prep_")
}

fn is_traced(case: Case, way: Way) -> Ran {
    let case = case.way(way);
    let ran = case.run().succeeded().quiet();
    ran.assert_same_as(&case.run_bare());
    let trace = ran.trace();
    trace.assert_whole();
    let requests = || trace.calls().filter(|call| is_request(call));
    let mut traced: Vec<String> = requests().map(line).collect();
    traced.sort();
    let said = said(&ran);
    assert!(said.len() > 20, "{said:?}");
    assert_eq!(traced, said, "the trace, then the program ({way:?})");
    assert!(requests().all(|call| call.start < call.end));
    ran
}

/// A program with its library behind all else.
fn program(source: &str, library: &str) -> Case {
    Case::new(source).with(|program| program.behind(library))
}

fn files(ran: &Ran, name: &str) -> usize {
    let trace = ran.trace();
    let of = |call: &&Call| is_request(call) && call.path.ends_with(name.as_bytes());
    trace.calls().filter(of).count()
}

#[test]
fn libaio_preloaded() {
    if !header_is_here("libaio.h") {
        return;
    }
    let ran = is_traced(program("libaio.c", "-laio"), Way::Preload);
    assert_eq!(files(&ran, "/transfers"), 47);
    let trace = ran.trace();
    for (op, count) in [("io_setup", 1), ("io_destroy", 2), ("io_getevents", 5)] {
        assert_eq!(trace.count(op), count, "{op}, and not another within it");
    }
}

#[test]
fn libaio_linked() {
    if !header_is_here("libaio.h") {
        return;
    }
    let library = "-Wl,--no-as-needed -laio";
    is_traced(
        Case::new("libaio.c").with(|p| p.flags(library)),
        Way::Dynamic,
    );
}

#[test]
fn libaio_linked_before_the_tracer() {
    if !header_is_here("libaio.h") {
        return;
    }
    is_traced(program("libaio.c", "-Wl,--as-needed -laio"), Way::Dynamic);
}

#[test]
fn liburing_preloaded() {
    if !header_is_here("liburing.h") || !IO_URING.is_here() {
        return;
    }
    let ran = is_traced(program("liburing.c", "-luring"), Way::Preload);
    let trace = ran.trace();
    assert_eq!(trace.count("io_uring_queue_init"), 1);
    assert_eq!(trace.count("io_uring_queue_exit"), 1);
    // All but those without a descriptor, and the one by its place in the ring's table.
    assert_eq!(files(&ran, "/requests"), 200 + 13);
}

#[test]
fn liburing_with_wide_entries() {
    if !header_is_here("liburing.h") || !IO_URING.is_here() {
        return;
    }
    is_traced(program("liburing.c", "-luring").args("wide"), Way::Preload);
}

/// The library comes along although nothing but what iota hooks may need it.
#[test]
fn liburing_behind_the_tracer_as_needed() {
    if !header_is_here("liburing.h") || !IO_URING.is_here() {
        return;
    }
    is_traced(
        program("liburing.c", "-Wl,--as-needed -luring"),
        Way::Dynamic,
    );
}

#[test]
fn a_ring_by_hand() {
    if !IO_URING.is_here() {
        return;
    }
    for way in [Way::Preload, Way::Dynamic, Way::Static] {
        let ran = is_traced(Case::new("rings.c"), way);
        assert_eq!(files(&ran, "/requests"), 40);
    }
}

/// fio enters its rings by an instruction of its own: no function is called that could be intercepted.
#[test]
fn requests_that_nobody_saw_are_counted() {
    if !IO_URING.is_here() {
        return;
    }
    for args in ["inline", "inline unmapped"] {
        let ran = Case::new("rings.c").args(args).way(Way::Preload).run();
        let mut info = Command::new(Build::first().iota());
        let info = command_output(info.arg("info").arg(ran.succeeded().trace_dir()));
        let verdict = info.lines().find(|line| line.starts_with("complete"));
        assert!(
            verdict.is_some_and(|line| line.contains("no: 40 requests of io_uring not seen")),
            "{info}"
        );
    }
}

#[test]
fn a_transfer_that_fails_says_what_it_was() {
    let trace = Case::new("aio.c")
        .way(Way::Preload)
        .run()
        .succeeded()
        .trace();
    let failed = |call: &&Call| call.op.starts_with("aio_") && call.ret < 0;
    let failed: Vec<(i32, u64, i32)> = trace
        .calls()
        .filter(failed)
        .map(|call| (call.fd, call.length, call.errno))
        .collect();
    let [(none, 8, libc::EBADF), (some, 8, libc::EINVAL)] = failed[..] else {
        panic!("{failed:?}");
    };
    assert!(none == -1 && some > 2, "{failed:?}");
}

#[test]
fn a_transfer_that_another_thread_ends_says_where_it_began() {
    for way in [Way::Preload, Way::Dynamic] {
        let ran = Case::new("aio_threads.c")
            .way(way)
            .run()
            .succeeded()
            .quiet();
        let trace = ran.trace();
        trace.assert_whole();
        let writes = trace.calls().filter(|call| &*call.op == "aio_write");
        let mut writes: Vec<_> = writes
            .map(|call| (call.length, call.thread, call.details.as_str()))
            .collect();
        writes.sort();
        let expected = [(32, 0, ""), (64, 1, "cause{thread=0 call=-}")];
        assert_eq!(writes, expected, "{way:?}");
    }
}

/// Of each aio transfer: length, result, errno.
fn uncollected_transfers_are_traced((how, transfers): (&str, &[(u64, i64, i32)]), way: Way) {
    let case = Case::new("aio_left.c").args(how).way(way);
    let ran = case.run().succeeded();
    ran.assert_same_as(&case.run_bare());
    let trace = ran.trace();
    trace.assert_whole();
    let transfer = |call: &&Call| call.op.starts_with("aio_") && !call.op.starts_with("aio_sus");
    let traced = trace.calls().filter(transfer);
    let mut traced: Vec<_> = traced
        .map(|call| (call.length, call.ret, call.errno))
        .collect();
    traced.sort();
    assert_eq!(traced, transfers);
}

in_each_way! {
    uncollected_transfers_are_traced:
    of_which_the_end_was_told in dynamic, preload: ("polled", &[(5000, 5000, 0)]);
    of_which_the_end_was_told_twice in dynamic, preload: ("collected", &[(5000, 5000, 0)]);
    before_another_of_the_same_block in dynamic, preload: ("reused", &[(5000, 5000, 0), (5000, 5000, 0)]);
    before_another_program in dynamic, preload: ("exec", &[(5000, 5000, 0)]);
    when_the_process_returns in dynamic, preload: ("end", &[(7, -1, libc::EINPROGRESS), (5000, 5000, 0)]);
    when_the_process_exits_at_once in dynamic, preload: ("_exit", &[(7, -1, libc::EINPROGRESS), (5000, 5000, 0)]);
}
