//! Kernels that lack something: Linux 4.18, which a build serves, and those that refuse single calls, as some containers do.
//! A filter of seccomp stands for them (tests/programs/older_kernel.c).

use iota_tests::{Build, Case, Trace, Way, in_each_way};
use std::collections::BTreeMap;

fn on(kernel: &str, case: &Case, command: &str) -> Case {
    let filter = Case::new("older_kernel.c").executable();
    let under = format!("{} {kernel} {command}", filter.display());
    case.clone().under(&under)
}

fn under_iota() -> String {
    format!("{} run --quiet --", Build::first().iota().display())
}

/// How many calls of each op there are.
fn counts(trace: &Trace) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for call in trace.calls() {
        *counts.entry(call.op.to_string()).or_default() += 1;
    }
    counts
}

/// As a program without iota on the same kernel, and with the same calls as here.
fn same_on_each(case: Case, way: Way) {
    let case = case.way(way);
    let here = counts(&case.run().trace());
    // A program that is preloaded is the one that comes behind the filter.
    let command = match way {
        Way::Preload => under_iota(),
        _ => String::new(),
    };
    let (case, bare) = (case.clone().way(way.link()), case.way(way.bare()));
    for kernel in ["4.18", "statx", "membarrier"] {
        let ran = on(kernel, &case, &command).run().quiet();
        ran.assert_same_as(&on(kernel, &bare, "").run());
        ran.trace().assert_whole();
        assert_eq!(counts(&ran.trace()), here, "on {kernel}");
    }
}

in_each_way! {
    same_on_each:
    data: Case::new("data.c");
    offsets: Case::new("offsets.c");
    streams: Case::new("streams.c");
    metadata: Case::new("metadata.c");
    paths: Case::new("at.c");
    directories: Case::new("directories.c");
    asynchronous: Case::new("aio.c");
    threads: Case::new("threads.c");
    many_threads: Case::new("many_threads.c");
    processes: Case::new("processes.c");
    spawning: Case::new("spawning.c");
    before_and_after_main: Case::new("lifecycle.c");
    replaced_by_another: Case::new("exit_now.c").args("exec");
}

#[test]
fn an_mpi_job() {
    let case = Case::mpi("mpi_files.c", Build::first(), 3);
    let ran = on("4.18", &case, "").run().succeeded().quiet();
    ran.trace().assert_whole();
    // How often the library waits for other ranks depends on time.
    let of_files = |trace: &Trace| {
        let mut counts = counts(trace);
        counts.retain(|op, _| op.starts_with("MPI_File_") || op == "pwrite");
        counts
    };
    assert_eq!(
        of_files(&ran.trace()),
        of_files(&case.run().succeeded().trace())
    );
}

/// `iota` itself, from the run to tables, pages and pictures.
#[test]
fn commands() {
    let iota = Build::first().iota();
    let many = Case::new("many.c").executable();
    let script = format!(
        "set -e; iota={}; $iota run --quiet -o t.iota -- {} 100 >/dev/null; $iota stat t.iota; $iota text t.iota | wc -l; \
         $iota plot -o p.svg t.iota; $iota report -o r.html t.iota; $iota convert --to parquet -o t.parquet t.iota; \
         $iota recover . 2>/dev/null",
        iota.display(),
        many.display()
    );
    let ran = on("4.18", &Case::shell(&script), "").run().succeeded();
    assert!(ran.stdout().contains("pwrite"), "{}", ran.stdout());
    assert_eq!(ran.output.errors(), "");
}

/// The program runs as ever, and the log says why there is no trace.
#[test]
fn no_memory_that_a_forked_child_finds_empty() {
    for way in [Way::Dynamic, Way::Static] {
        let case = Case::new("processes.c").way(way);
        let ran = on("wipeonfork", &case, "").run();
        ran.assert_same_as(&on("wipeonfork", &case.way(way.bare()), "").run());
        assert_eq!(ran.trace_files(), Vec::<String>::new());
        assert!(ran.log().contains("MADV_WIPEONFORK"), "{}", ran.log());
    }
}

/// The hooks are there whatever the C library has. Where it lacks the function, they make its system call.
#[test]
fn functions_that_only_newer_c_libraries_have() {
    let case = Case::new("newer_functions.c").with(|program| program.flags("-ldl"));
    for kernel in ["here", "4.18"] {
        let case = case.clone().way(Way::Preload);
        let ran = match kernel {
            "here" => case.run(),
            _ => on(kernel, &case.way(Way::Bare), &under_iota()).run(),
        };
        let ran = ran.succeeded().quiet();
        assert_eq!(ran.stdout(), "opened 1\nclosed 1\n");
        let trace = ran.trace();
        let opened = trace.calls().find(|call| &*call.op == "openat2");
        assert_eq!(opened.is_some_and(|call| call.ret >= 0), kernel == "here");
        assert_eq!(trace.count("closefrom"), 1);
    }
}
