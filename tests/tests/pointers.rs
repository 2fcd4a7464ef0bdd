//! Pointers that lie: what the host passes may be no address, or end where nothing can be read. A call then fails, or dies,
//! as it does without iota.

use gen_wraps::{Libc, pointers};
use iota_tests::{Case, Program, Way, in_each_way};
use std::sync::OnceLock;

/// Every function of the table with arguments of every sort; what comes of each call is printed.
fn every_function() -> Case {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    let render = || {
        let source = pointers(&Libc::probe().expect("a C library"));
        Program::rendered("pointers.c", &source).flags("-w")
    };
    Case::of(PROGRAM.get_or_init(render).clone())
}

fn ends_the_same(case: Case, way: Way) {
    let case = case.way(way);
    let (bare, traced) = (case.run_bare().succeeded(), case.run().succeeded());
    let (bare, traced) = (bare.stdout(), traced.stdout());
    let differ = bare
        .lines()
        .zip(traced.lines())
        .filter(|(bare, traced)| bare != traced);
    let differ = differ.map(|(bare, traced)| format!("{bare}, traced {traced}"));
    assert_eq!(differ.collect::<Vec<_>>(), Vec::<String>::new());
    assert_eq!(bare.lines().count(), traced.lines().count());
}

fn looks_the_same(case: Case, way: Way) {
    let case = case.way(way);
    let (bare, traced) = (case.run_bare().succeeded(), case.run());
    traced.assert_same_as(&bare);
}

fn refused(which: &str) -> Case {
    Case::new("refused.c").args(which)
}

in_each_way! {
    ends_the_same:
    every_function_of_the_table: every_function();
}

in_each_way! {
    looks_the_same:
    a_path_without_an_end: refused("path");
    times_that_stay_and_no_path: refused("utimensat");
    a_path_that_pathconf_does_not_read: refused("pathconf");
    an_offset_that_nothing_is_copied_from: refused("splice");
    a_command_that_the_child_cannot_read: refused("system");
    a_name_that_cannot_be_run: refused("exec");
    a_list_in_no_mode_of_lio_listio in dynamic, preload: refused("lio_listio");
    a_control_block_cut_off in dynamic, preload: refused("aio");
    a_sync_of_no_kind in dynamic, preload: refused("aio_fsync");
    numbers_of_system_calls: refused("syscall");
}

/// What can be read of a refused call is recorded, and nothing else.
#[test]
fn a_refused_path_is_recorded_as_far_as_it_can_be_read() {
    let trace = refused("names").way(Way::Preload).run().succeeded().trace();
    let opens = trace.calls().filter(|call| call.op.as_ref() == "open");
    let paths = opens.map(|call| String::from_utf8_lossy(&call.path).into_owned());
    let names = paths.map(|path| path.rsplit('/').next().unwrap_or_default().to_string());
    assert_eq!(names.collect::<Vec<_>>(), ["absent", "", "", ""]);
}
