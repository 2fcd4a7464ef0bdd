//! One wraps.txt for every link: each linker, before and behind the user's libraries, with the options that people use.

use iota_tests::{Case, Program, Way, command_output, find, root, wanted};
use std::process::Command;

fn linker_is_here(name: &str) -> bool {
    let linker = format!("ld.{name}");
    let found = find(&linker).is_some();
    wanted(
        &linker,
        found,
        "Debian: binutils for bfd and gold, lld, mold",
    )
}

/// The program and its library, linked so, traced so.
fn sees_program_and_library(change: impl Fn(Program) -> Program) {
    for way in [Way::Dynamic, Way::Static] {
        let case = Case::new("uses_library.c")
            .with(|program| change(program.library("library.c")))
            .way(way);
        let ran = case.run();
        ran.assert_same_as(&case.run_bare());
        let trace = ran.trace();
        trace.assert_whole();
        for (op, name) in [
            ("write", "/program"),
            ("write", "/written"),
            ("fprintf", "/printed"),
        ] {
            let is_it =
                |call: &&iota_tests::Call| *call.op == *op && call.path.ends_with(name.as_bytes());
            assert_eq!(
                trace.calls().filter(is_it).count(),
                1,
                "{op} on {name}, {way:?}"
            );
        }
    }
}

#[test]
fn wraps_behind_the_libraries() {
    sees_program_and_library(|program| program);
}

#[test]
fn wraps_before_the_libraries() {
    sees_program_and_library(|program| program.wraps_first());
}

fn with_linker(name: &str) {
    if linker_is_here(name) {
        sees_program_and_library(|program| program.linker(name));
        sees_program_and_library(|program| program.linker(name).wraps_first());
    }
}

#[test]
fn gnu_ld() {
    with_linker("bfd");
}

#[test]
fn gold() {
    with_linker("gold");
}

#[test]
fn lld() {
    with_linker("lld");
}

#[test]
fn mold() {
    with_linker("mold");
}

#[test]
fn collected_sections() {
    sees_program_and_library(|program| {
        program.flags("-ffunction-sections -fdata-sections -Wl,--gc-sections")
    });
}

#[test]
fn libraries_only_as_needed() {
    sees_program_and_library(|program| program.flags("-Wl,--as-needed").wraps_first());
}

#[test]
fn all_symbols_bound_at_once() {
    sees_program_and_library(|program| program.flags("-Wl,-z,now -Wl,-z,relro"));
}

#[test]
fn optimised_at_link_time() {
    sees_program_and_library(|program| program.flags("-O2 -flto"));
}

#[test]
fn flags_given_twice() {
    let wraps = iota_tests::Build::first().wraps().join(" ");
    sees_program_and_library(|program| program.flags(&wraps));
}

#[test]
fn static_and_position_independent() {
    let case = Case::new("uses_library.c")
        .with(|program| program.library("library.c").flags("-fPIE -static-pie"));
    let ran = case.way(Way::Dynamic).run().succeeded();
    assert_eq!(ran.trace().count("write"), 2);
}

#[test]
fn an_archive_in_a_dynamic_program() {
    let ran = Case::new("uses_library.c")
        .with(|p| p.library("library.c").archive())
        .way(Way::Dynamic)
        .run()
        .succeeded();
    assert_eq!(ran.trace().count("write"), 2);
    let case = Case::new("uses_library.c")
        .with(|p| p.library("library.c").archive())
        .way(Way::Dynamic);
    let needed = command_output(Command::new("readelf").arg("-d").arg(case.executable()));
    assert!(!needed.contains("libiota"), "{needed}");
}

#[test]
fn a_rust_program_links_the_archive() {
    let case = Case::new("std_fs.rs").with(|program| program.archive());
    if !case.can_be_built() {
        return;
    }
    let ran = case.way(Way::Dynamic).run().succeeded();
    let trace = ran.trace();
    trace.assert_whole();
    assert!(trace.count("open64") > 5, "what std opens");
}

#[test]
fn a_program_s_own_function_of_a_wrapped_name_is_called() {
    let ran = Case::new("uses_own_functions.c")
        .with(|program| program.object("own_functions.c"))
        .way(Way::Dynamic)
        .run()
        .succeeded();
    let trace = ran.trace();
    trace.assert_whole();
    // Its write calls the C library's, once for each of its calls; its getline calls fgets.
    let counts = ["write", "dprintf", "getline", "fgets"].map(|op| trace.count(op));
    assert_eq!(counts, [2, 0, 0, 6]);
}

/// What a program needs of its MPI library (c-shim/link) must not get into libraries without one.
#[test]
fn a_program_without_iota_is_linked_with_a_library_that_has_it() {
    let scratch = iota_tests::Scratch::new();
    let sources = root().join("tests/programs");
    let cc = |words: &[&str]| {
        command_output(
            Command::new("cc")
                .current_dir(scratch.path())
                .arg("-w")
                .args(words),
        )
    };
    let [program, library] = ["uses_library.c", "library.c"].map(|name| sources.join(name));
    let wraps = iota_tests::Build::first().wraps();
    let wraps: Vec<&str> = wraps.iter().map(String::as_str).collect();
    for linker in ["bfd", "gold", "mold"] {
        if !linker_is_here(linker) {
            continue;
        }
        let (by, library) = (format!("-fuse-ld={linker}"), library.display().to_string());
        let shared = ["-shared", "-fPIC", "-o", "libuser.so", &by, &library];
        cc(&[&shared[..], &wraps].concat());
        let program = program.display().to_string();
        cc(&["-fuse-ld=bfd", &program, "./libuser.so", "-o", "program"]);
    }
}

#[test]
fn programs_run_from_any_directory() {
    let executable = Case::new("uses_library.c")
        .with(|program| program.library("library.c"))
        .way(Way::Dynamic)
        .executable();
    let scratch = iota_tests::Scratch::new();
    let mut command = Command::new(executable);
    command
        .current_dir(scratch.path())
        .env_clear()
        .env("IOTA_OUTPUT", scratch.path().join("run"));
    command_output(&mut command);
    assert!(
        scratch.path().join("run.iota").exists(),
        "the shared object was found"
    );
}
