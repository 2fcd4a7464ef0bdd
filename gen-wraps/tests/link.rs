//! What is rendered links and works: statically, dynamically and preloaded, with ld, gold, lld and mold.

mod built;

use built::{Built, built, run, source};
use gen_wraps::{Flavour, above_rows, exported_symbols, traced, wraps_line};
use iota_tests::{find, wanted};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The linkers that are here
fn linkers() -> impl Iterator<Item = &'static str> {
    ["bfd", "gold", "lld", "mold"].into_iter().filter(|name| {
        let linker = format!("ld.{name}");
        let remedy = "Debian: binutils for bfd and gold, lld, mold";
        wanted(&linker, find(&linker).is_some(), remedy)
    })
}

const PRINTED: &str = "printed 3 0.25\n1.5 2\n";

/// Links program.c with extra flags by a compiler that uses this linker
fn linked(built: &Built, name: &str, linker: &str, flags: &[&str]) -> PathBuf {
    let program = built.path(&format!("{name}-{linker}"));
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-U_FORTIFY_SOURCE", "-Wall", "-Wextra", "-Werror"])
        .arg("-I")
        .arg(&built.dir);
    cc.arg(format!("-fuse-ld={linker}"))
        .arg(source("program.c"))
        .arg("-o")
        .arg(&program);
    run(cc.args(flags));
    program
}

/// A command that runs it in an empty directory
fn program(path: &Path, counted: &str) -> Command {
    let dir = path.with_extension("dir");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir(&dir).expect("a directory");
    let mut command = Command::new(path);
    command.arg(dir).arg(counted);
    command
}

fn wraps(built: &Built) -> String {
    wraps_line(&built.dir, "")
}

#[test]
fn a_dynamic_link_takes_the_shared_object_and_counts_each_call_once() {
    let built = built();
    let wraps = wraps(built);
    let flags = wraps.split_whitespace().collect::<Vec<_>>();
    for linker in linkers() {
        let path = linked(built, "dynamic", linker, &flags);
        assert_eq!(run(&mut program(&path, "counted")), PRINTED, "{linker}");
    }
}

#[test]
fn a_static_link_takes_the_archive_and_counts_each_call_once() {
    let built = built();
    let wraps = wraps(built);
    for linker in linkers() {
        let mut flags = vec!["-static", "-DSTATIC", "-Wl,--fatal-warnings"];
        flags.extend(wraps.split_whitespace());
        let path = linked(built, "static", linker, &flags);
        assert_eq!(run(&mut program(&path, "counted")), PRINTED, "{linker}");
    }
}

#[test]
fn a_static_link_may_collect_sections() {
    let built = built();
    let wraps = wraps(built);
    let mut flags = vec!["-static", "-DSTATIC", "-Wl,--gc-sections"];
    flags.extend(wraps.split_whitespace());
    for linker in linkers() {
        let path = linked(built, "collected", linker, &flags);
        assert_eq!(run(&mut program(&path, "counted")), PRINTED, "{linker}");
    }
}

#[test]
fn a_bare_program_does_the_same_alone_and_preloaded() {
    let built = built();
    let path = linked(built, "bare", "bfd", &[]);
    assert_eq!(run(&mut program(&path, "bare")), PRINTED);
    let preloaded = run(program(&path, "counted").env("LD_PRELOAD", built.path("libiota.so")));
    assert_eq!(preloaded, PRINTED);
}

#[test]
fn gfortran_takes_the_flags() {
    if !wanted("gfortran", find("gfortran").is_some(), "install it") {
        return;
    }
    let built = built();
    let text =
        "program p\n  open(10, file='/dev/null')\n  write(10, *) 1\n  close(10)\nend program\n";
    let source = built.path("p.f90");
    std::fs::write(&source, text).expect("a written file");
    let mut gfortran = Command::new("gfortran");
    gfortran
        .arg(source)
        .arg("-o")
        .arg(built.path("p"))
        .args(wraps(built).split_whitespace());
    run(&mut gfortran);
    run(&mut Command::new(built.path("p")));
}

/// Global symbols of a file that nm lists as defined, with their addresses
fn defined(path: &Path, options: &[&str]) -> BTreeMap<String, String> {
    let listing = run(Command::new("nm")
        .args(["-g", "--defined-only"])
        .args(options)
        .arg(path));
    let words = listing
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    // The names of versions are absolute.
    words
        .filter(|words| words.get(1) != Some(&"A"))
        .filter_map(|words| Some((words.get(2)?.to_string(), words[0].to_string())))
        .collect()
}

#[test]
fn libraries_export_what_is_listed_and_nothing_else() {
    let built = built();
    let listed = |flavour| {
        let names = exported_symbols(flavour);
        let ours = ["iota_start", "iota_seen", "iota_resolved"].map(String::from);
        names
            .lines()
            .map(String::from)
            .chain(ours)
            .collect::<BTreeSet<_>>()
    };
    let exported = |name, options| -> BTreeSet<_> {
        defined(&built.path(name), options).into_keys().collect()
    };
    let newer = traced(Flavour::Wrap).into_iter();
    let newer = newer.filter(|(_, call)| Flavour::Wrap.is_member(call));
    let entries = above_rows().chain(newer);
    let entries = entries.map(|(_, call)| format!("__wrap_{}", call.name));
    let entries = entries.collect();
    let archive = &listed(Flavour::Wrap) | &entries;
    assert_eq!(archive, exported("libiota.a", &[]));
    assert_eq!(listed(Flavour::Preload), exported("libiota.so", &["-D"]));
}
