//! What the libraries show and need: nothing of Rust's panic machinery, nothing exported that is not iota's to export.

use gen_wraps::{Flavour, exported_symbols};
use iota_calls::glibc::{FLOOR, release};
use iota_tests::{Build, command_output, symbols};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every archive and shared object of every build.
fn libraries(ending: &str) -> Vec<PathBuf> {
    // Builds for several MPIs have the same libraries.
    let dirs: BTreeSet<_> = Build::all()
        .iter()
        .map(|build| PathBuf::from(build.value("IOTA_LIB")))
        .collect();
    let libraries = dirs.iter().flat_map(|dir| {
        let entries =
            std::fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
        entries.map(|entry| entry.expect("a listed entry").path())
    });
    let found: Vec<PathBuf> = libraries
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        // One jump, and nothing of the tracer's (c-shim/link)
        .filter(|path| !path.ends_with("libiota-program.a"))
        .collect();
    assert!(found.len() >= dirs.len(), "libraries: {found:?}");
    found
}

#[test]
fn no_library_can_panic() {
    for file in libraries("a").into_iter().chain(libraries("so")) {
        let all = symbols::of(&file);
        let wrong: Vec<&str> = all
            .iter()
            .map(|symbol| symbol.name.as_str())
            .filter(|name| panics(name))
            .collect();
        assert!(wrong.is_empty(), "{}: {wrong:#?}", file.display());
    }
}

/// The handler itself, which every no_std library must define, is never called when nothing else is there.
fn panics(name: &str) -> bool {
    let machinery = [
        "panic",
        "unwrap_failed",
        "expect_failed",
        "slice_index",
        "begin_unwind",
        "rust_eh_personality",
    ];
    machinery.iter().any(|part| name.contains(part))
}

#[test]
fn stripping_hides_no_panic() {
    // What nm cannot name it cannot clear: the archives keep the names of their local functions.
    for file in libraries("a") {
        let locals = symbols::of(&file)
            .iter()
            .filter(|symbol| symbol.kind == 't')
            .count();
        assert!(
            locals > 100,
            "{} has {locals} local functions",
            file.display()
        );
    }
}

fn table(flavour: Flavour) -> BTreeSet<String> {
    let names = exported_symbols(flavour);
    names.lines().map(String::from).collect()
}

/// The entries of the archive's members for functions that the oldest C library lacks.
fn newer() -> BTreeSet<String> {
    let rows = gen_wraps::traced(Flavour::Wrap).into_iter();
    let newer = rows.filter(|(_, call)| Flavour::Wrap.is_member(call));
    newer
        .map(|(_, call)| format!("__wrap_{}", call.name))
        .collect()
}

#[test]
fn archives_show_what_is_theirs_to_export() {
    for file in libraries("a") {
        let symbols = symbols::of(&file);
        let shown = symbols
            .iter()
            .filter(|symbol| symbol.is_export())
            .map(|symbol| symbol.name.clone());
        let entries = gen_wraps::above_rows();
        let entries = entries.map(|(_, call)| format!("__wrap_{}", call.name));
        let all = &(&table(Flavour::Wrap) | &entries.collect()) | &newer();
        assert_are_ours(&file, shown.collect(), &all);
    }
}

#[test]
fn shared_objects_show_what_is_theirs_to_export() {
    for file in libraries("so") {
        let all = symbols::dynamic(&file);
        let shown = all
            .iter()
            .filter(|symbol| symbol.is_export())
            .map(|symbol| symbol.name.clone());
        assert_are_ours(&file, shown.collect(), &table(Flavour::Preload));
    }
}

/// In the table, or plainly iota's own, or an entry of MPI's: its start or its end.
fn assert_are_ours(file: &std::path::Path, shown: BTreeSet<String>, table: &BTreeSet<String>) {
    let is_mpi = |name: &str| {
        let plain = name
            .trim_start_matches("__wrap_")
            .trim_start_matches('P')
            .to_lowercase();
        let plain = plain.trim_end_matches('_').trim_end_matches("_f08");
        iota_calls::mpi::without_events().any(|entry| entry.to_lowercase() == plain)
    };
    let asked_by_asan = |name: &str| name == "__asan_default_options";
    let own = |name: &str| name.starts_with("iota_") || is_mpi(name) || asked_by_asan(name);
    let foreign: Vec<&String> = shown
        .iter()
        .filter(|name| !table.contains(*name) && !own(name))
        .collect();
    assert!(
        foreign.is_empty(),
        "{} exports {foreign:#?}",
        file.display()
    );
    assert!(
        shown.len() > 100,
        "{} exports only {shown:?}",
        file.display()
    );
}

/// Of names that C leaves to programs, a program's own function stands before the C library's.
#[test]
fn libraries_ask_for_no_name_that_a_program_may_have() {
    // c-shim/libc.c, c-shim/tls.c
    let of_musl = ["dirfd", "fileno", "getauxval", "pthread_atfork"];
    for file in libraries("so") {
        let all = symbols::dynamic(&file);
        let asked = all.iter().filter(|symbol| symbol.is_import());
        let foreign: Vec<&str> = asked
            // What GNU ld adds to a variable: the variable's other names.
            .filter(|symbol| symbol.kind != 'v')
            .filter(|symbol| symbol.kind != 'w' || !of_musl.contains(&symbol.name.as_str()))
            .map(|symbol| symbol.name.as_str())
            .filter(|name| !is_reserved(name))
            .collect();
        assert!(
            foreign.is_empty(),
            "{} asks for {foreign:?}",
            file.display()
        );
    }
    let archive = Build::first().library("libiota.a");
    let all = symbols::of(&archive);
    let wrapped = &table(Flavour::Wrap) | &newer();
    let asked = all.iter().filter(|symbol| symbol.is_import());
    let asked = asked.map(|symbol| symbol.name.as_str());
    let foreign: BTreeSet<&str> = asked
        .filter(|name| !is_reserved(name) && !wrapped.contains(&format!("__wrap_{name}")))
        .collect();
    assert!(foreign.is_empty(), "the archive asks for {foreign:?}");
}

/// Of C, of iota or of MPI; or what a program defines only to stand before the C library on purpose.
fn is_reserved(name: &str) -> bool {
    let on_purpose = [
        "dl_iterate_phdr",
        "dladdr",
        "dlclose",
        "dlerror",
        "dlopen",
        "dlsym",
        "stdin",
        "stdout",
    ];
    let ours = ["_", "iota_", "PMPI_", "MPI_", "MPIR_", "ompi_"];
    on_purpose.contains(&name) || ours.iter().any(|start| name.starts_with(start))
}

#[test]
fn archives_need_nothing_but_libc_and_mpi() {
    for file in libraries("a") {
        let all = symbols::of(&file);
        let defined: BTreeSet<&str> = all
            .iter()
            .filter(|symbol| !symbol.is_import())
            .map(|symbol| symbol.name.as_str())
            .collect();
        let needed = all
            .iter()
            .filter(|symbol| symbol.is_import())
            .map(|symbol| symbol.name.as_str());
        let odd: Vec<&str> = needed
            .filter(|name| !defined.contains(name))
            .filter(|name| {
                name.contains("rust") || name.starts_with("_ZN") || name.starts_with("_R")
            })
            .collect();
        assert!(odd.is_empty(), "{} needs {odd:#?}", file.display());
    }
}

#[test]
fn what_is_built_here_runs_with_the_oldest_c_library() {
    let mut files = libraries("so");
    let bin = Path::new(Build::first().value("IOTA_BIN"));
    files.push(bin.join("iota"));
    for file in files {
        let text = command_output(Command::new("nm").arg("-D").arg(&file));
        let versions = text
            .split_whitespace()
            .filter_map(|word| word.split_once('@'));
        let wanted = versions.filter(|(_, version)| version.starts_with("GLIBC_"));
        let wanted = wanted.collect::<Vec<_>>();
        assert!(!wanted.is_empty(), "{}: no versions", file.display());
        let newer = wanted
            .iter()
            .filter(|(_, version)| release(version) > release(FLOOR));
        assert_eq!(newer.count(), 0, "{}: {wanted:?}", file.display());
    }
}
