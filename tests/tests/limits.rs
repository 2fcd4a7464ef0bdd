//! Memory, descriptors and rights that end while a program runs: the host goes on, what was recorded stays, and what could not
//! be is counted.

use iota_tests::{Build, Case, Ran, Trace, Way, command_output, in_each_way, machine};
use std::os::unix::fs::MetadataExt;
use std::process::Command;

/// What the program says that it made.
fn made(ran: &Ran) -> u64 {
    said(ran, "made ")
}

/// The number that stands behind a word.
fn said(ran: &Ran, word: &str) -> u64 {
    let printed = ran.stdout();
    let line = printed.lines().find_map(|line| line.strip_prefix(word));
    line.unwrap_or_else(|| panic!("no number in {printed}"))
        .parse()
        .expect("a number")
}

/// The trace as it is, or as it is recovered.
fn trace(ran: &Ran) -> Trace {
    if !ran.spooled().is_empty() {
        let mut recover = Command::new(Build::first().iota());
        let dir = ran.trace_dir();
        recover.args(["recover", "run.iota", "--spool", "../spool"]);
        command_output(recover.current_dir(dir));
    }
    ran.trace()
}

fn assert_counted(ran: &Ran, may_lose: bool) {
    let trace = trace(ran);
    assert_eq!(trace.problems, Vec::<String>::new());
    let ends = trace.parts.iter().filter_map(|part| part.end);
    let (captured, lost) = ends.fold((0, 0), |sum, end| {
        (sum.0 + end.captured, sum.1 + end.lost + end.filtered)
    });
    assert_eq!(captured + lost, made(ran), "{captured} and {lost}");
    assert!(may_lose || lost == 0, "{lost} lost");
}

fn ends(args: &str, way: Way) -> Case {
    let case = Case::new("memory_ends.c").with(|program| program.flags("-pthread"));
    case.args(args).way(way)
}

/// What the first thread needs is there before memory ends.
fn memory_that_ends_takes_no_call_of_the_first_thread(how: &str, way: Way) {
    let ran = ends(&format!("{how} 0"), way).run().succeeded();
    assert_counted(&ran, false);
}

in_each_way! {
    memory_that_ends_takes_no_call_of_the_first_thread:
    address_space: "as";
    file_size: "file";
    locked_memory in dynamic: "locked";
}

/// `as`: each call of a thread without memory had the file system promise more, until it was full.
fn a_spool_does_not_grow_where_memory_ends(threads: u64, way: Way) {
    let ran = ends(&format!("as {threads} kill"), way).run();
    assert_eq!(ran.output.code(), 137, "{}", ran.output.errors());
    let names = ran.spooled();
    let [spool] = &names[..] else {
        panic!("one spool: {names:?}")
    };
    let data = ran.scratch_file("spool").join(spool).metadata();
    let data = data.expect("it was listed");
    // docs/RELIABILITY.md: the arena, and a slot for each thread.
    let slot = iota_trace::spool::SLOT as u64;
    let bound = (iota_trace::spool::HEADER as u64) + (16 << 20) + (threads + 2) * slot;
    assert!(data.blocks() * 512 <= bound, "{} blocks", data.blocks());
    assert_counted(&ran, true);
}

in_each_way! {
    a_spool_does_not_grow_where_memory_ends:
    threads_without_memory: 40;
}

/// What lies in /dev/shm counts as memory of the group: the arena, and 2 MB.
fn a_control_group_with_room_for_the_arena_ends_nothing(setting: (&str, &str), limit: &str) {
    if !machine::LIMITED_MEMORY.is_here() {
        return;
    }
    for way in [Way::Preload, Way::Static] {
        let case = Case::new("many.c").args("1500000").way(way);
        let case = case.env("IOTA_SPOOL", "/dev/shm").env("LIMIT", limit);
        let case = case.env(setting.0, setting.1).script(machine::MEMORY_LIMIT);
        let ran = case.seconds(200).run().succeeded();
        assert_eq!(ran.trace().count("pwrite"), 1_500_000);
    }
}

#[test]
fn a_control_group_with_room_for_the_arena() {
    a_control_group_with_room_for_the_arena_ends_nothing(("IOTA_BUFFER", "2m"), "5m");
}

#[test]
fn a_control_group_with_room_for_what_is_flushed() {
    a_control_group_with_room_for_the_arena_ends_nothing(("IOTA_FLUSH", "1"), "4m");
}

/// States of many threads at once, in a file that grows by a slot for each.
#[test]
fn thousands_of_threads() {
    let ran = ends("none 3000", Way::Dynamic).seconds(200).run();
    assert_counted(&ran.succeeded(), false);
}

fn rights_that_go_leave_what_was_recorded(what: &str, way: Way) {
    let needs_root = matches!(what, "user" | "root");
    if needs_root && !machine::SECOND_USER.is_here() {
        return;
    }
    let case = Case::new("rights_go.c").with(|program| program.flags("-pthread"));
    let ran = case.args(&format!("{what} 5000"));
    let ran = ran.way(way).run().succeeded();
    assert_eq!(ran.output.errors(), "", "not a word on the host's stream");
    assert_counted(&ran, false);
}

in_each_way! {
    rights_that_go_leave_what_was_recorded:
    setuid: "user";
    chroot: "root";
    descriptors_used_up: "descriptors";
    closed_umask: "umask";
}

/// Rings of threads that came later were in memory that the kill took, and nothing told of it.
fn a_kill_after_rights_went_takes_no_call_of_later_threads(what: &str, way: Way) {
    let needs_root = matches!(what, "user" | "root");
    if needs_root && !machine::SECOND_USER.is_here() {
        return;
    }
    let case = Case::new("rights_go.c").with(|program| program.flags("-pthread"));
    let ran = case.args(&format!("{what} 3000 kill")).way(way).run();
    assert_eq!(ran.output.code(), 137, "{}", ran.output.errors());
    assert_counted(&ran, false);
}

in_each_way! {
    a_kill_after_rights_went_takes_no_call_of_later_threads:
    killed_after_setuid: "user";
    killed_after_chroot: "root";
    killed_without_descriptors: "descriptors";
}

/// A thread of two calls took 20 KiB. The header, and the arena with a block or two, take some more.
fn a_thread_of_two_calls_takes_two_pages(program: &str, way: Way) {
    let is_there = std::path::Path::new("/dev/shm").is_dir();
    if !machine::wanted("/dev/shm", is_there, "mount a tmpfs there") {
        return;
    }
    let case = Case::new(program).with(|program| program.flags("-pthread"));
    let case = case.way(way).env("IOTA_SPOOL", "/dev/shm");
    let ran = case.run().succeeded();
    let allocated = said(&ran, "allocated ");
    assert!(allocated <= 1000 * 8 + 64, "{allocated} KiB");
    assert_eq!(ran.trace().count("pwrite"), 2000);
}

in_each_way! {
    a_thread_of_two_calls_takes_two_pages:
    crowd: "crowd.c";
}
