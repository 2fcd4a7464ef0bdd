//! Probes in links, and of functions that have versions.

use super::{counts, enclosing, of_user, run};
use iota_tests::{Build, Case, Program, Scratch, Way, command_output, in_each_way, root};
use std::path::PathBuf;
use std::process::Command;

/// What `gen-wraps --probe` makes: the object's source, and the linker's flags.
pub fn probes(scratch: &Scratch, names: &[&str]) -> (PathBuf, PathBuf) {
    let (object, flags) = (
        scratch.path().join("probes.s"),
        scratch.path().join("probes.rsp"),
    );
    let source = gen_wraps::probe_object(names).expect("names of functions");
    std::fs::write(&object, source).expect("there is room");
    std::fs::write(&flags, gen_wraps::probe_flags(names)).expect("there is room");
    (object, flags)
}

/// Functions of the program itself, in every link.
fn linked(_: (), way: Way) {
    let scratch = Scratch::new();
    let (object, flags) = probes(&scratch, &["p_ints", "p_checkpoint", "p_variadic"]);
    let program = Program::new("probed_linked.c").object("probed_library.c");
    let program = program.object(object.to_str().expect("UTF-8"));
    let program = program.behind(&format!("-Wl,@{}", flags.display()));
    let ran = Case::of(program).way(way).run().succeeded();
    assert_eq!(ran.stdout(), "285 30\n11.00\n");
    let trace = ran.trace();
    let calls = &trace.only().calls;
    assert_eq!(counts(&of_user(&ran)).values().sum::<usize>(), 3);
    let writes = calls.iter().filter(|call| &*call.op == "pwrite64");
    let above = writes.filter_map(|call| enclosing(call, calls));
    assert_eq!(above.filter(|call| &*call.op == "p_checkpoint").count(), 3);
}

in_each_way! {
    linked:
    functions_of_the_program_that_a_link_wraps in dynamic, linked_statically: ();
}

/// The unwinder of a static program has the calls recorded that an exception leaves.
fn throwing(_: (), way: Way) {
    let scratch = Scratch::new();
    let (object, flags) = probes(&scratch, &["p_call"]);
    let program = Program::new("probed_throws.cpp").library("probed_library.c");
    let program = program.object(object.to_str().expect("UTF-8"));
    let program = program.behind(&format!("-Wl,@{}", flags.display()));
    let case = Case::of(program).way(way);
    if case.can_be_built() {
        let ran = case.run().succeeded();
        super::passed_calls(&ran.trace().only().calls);
    }
}

in_each_way! {
    throwing:
    exceptions_leave_functions_that_a_link_wraps in dynamic, linked_statically: ();
}

/// A library of a test, or a program of its own: the compiler with these words, in a folder.
pub fn compile(scratch: &Scratch, words: &str) {
    let programs = root().join("tests/programs").display().to_string();
    let mut command = Command::new(Build::first().value("CC"));
    command.current_dir(scratch.path());
    command.args(
        words
            .split_whitespace()
            .map(|word| word.replace("PROGRAMS", &programs)),
    );
    command_output(&mut command);
}

/// Each has a table of its own, which its constructor registers.
#[test]
fn threads_load_probe_objects_at_the_same_time() {
    let scratch = Scratch::new();
    probes(&scratch, &["p_ints"]);
    compile(
        &scratch,
        "-shared -fPIC -DPLUGIN PROGRAMS/probed_objects.c PROGRAMS/probed_library.c probes.s -Wl,@probes.rsp -o plugin.so",
    );
    let plugin = scratch.path().join("plugin.so");
    let script = format!(
        "for i in $(seq 0 15); do cp {} p$i.so; done; exec \"$@\"",
        plugin.display()
    );
    let case = Case::of(Program::new("probed_objects.c")).way(Way::Dynamic);
    for _ in 0..10 {
        let ran = case.clone().script(&script).run().succeeded();
        assert_eq!(ran.stdout(), "1600\n");
        assert_eq!(counts(&of_user(&ran))["p_ints"], 1600);
    }
}

#[test]
fn functions_that_have_versions() {
    let scratch = Scratch::new();
    let versions = "V0 { p_both; p_old; }; V1 { global: p_both; p_new; local: *; } V0;";
    std::fs::write(scratch.path().join("versions"), versions).expect("there is room");
    compile(
        &scratch,
        "-shared -fPIC -DLIBRARY PROGRAMS/probed_versions.c -Wl,--version-script=versions -o libversions.so",
    );
    compile(
        &scratch,
        "PROGRAMS/probed_versions.c libversions.so -Wl,-rpath,$ORIGIN -o versions-program",
    );
    let folder = scratch.path().display().to_string();
    let command = format!("cp {folder}/libversions.so . && {folder}/versions-program");
    let case = |names: &str| run(Case::shell(&command), names).succeeded();
    let ran = case("--probe p_both,p_old,p_new");
    assert_eq!(ran.stdout(), "1 0 3 2 0 2\n");
    let all = of_user(&ran);
    let counts = counts(&all);
    assert_eq!(
        (counts["p_both"], counts["p_new"], counts["p_old"]),
        (3, 1, 2)
    );
    let mut results: Vec<_> = all.iter().map(|call| (&*call.op, call.ret)).collect();
    results.sort_unstable();
    let both = results.iter().filter(|(op, _)| *op == "p_both");
    assert_eq!(both.map(|(_, ret)| *ret).collect::<Vec<_>>(), [0, 0, 1]);
}
