//! Beside other preloaded libraries, before them and behind: each does what it does, and the trace has the calls.

use iota_tests::{Build, Case, Program, Scratch, Way, command_output, root, wanted};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A library of the system, by its name below /usr/lib.
fn library(name: &str) -> Option<PathBuf> {
    let roots = std::fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten();
    let candidates = roots.map(|root| root.path().join(name));
    candidates.into_iter().find(|path| path.exists())
}

const WRITES: &str = "
import os, sys, time
with open(\"a\", \"wb\", buffering=0) as f:
    [f.write(b\"x\" * 1000) for _ in range(100)]
    os.fsync(f.fileno())
os.chown(\"a\", os.getuid(), os.getgid())
status = os.stat(\"a\")
print(status.st_size, status.st_uid, status.st_gid, time.localtime().tm_year)
";

/// Runs the script with the other library alone, then with the tracer on either side of it.
fn beside(other: &str, package: &str, prefix: &str) {
    let found = library(other);
    if !wanted(package, found.is_some(), &format!("install {package}")) {
        return;
    }
    let (other, iota) = (
        found.unwrap_or_default(),
        Build::first().library("libiota.so"),
    );
    let case = |preload: String| {
        Case::shell(&format!("{prefix} /usr/bin/python3 -c '{WRITES}'"))
            .way(Way::Preload)
            .env("FAKETIME", "@2001-02-03 04:05:06")
            .env("LD_PRELOAD", preload)
    };
    let (other, iota) = (other.display().to_string(), iota.display().to_string());
    let alone = case(other.clone()).run().succeeded();
    for order in [format!("{other} {iota}"), format!("{iota} {other}")] {
        let ran = case(order.clone()).run();
        ran.assert_same_as(&alone);
        let trace = ran.trace();
        let on_a = |op: &str| {
            let calls = trace.calls().filter(|call| &*call.op == op);
            calls.filter(|call| call.path.ends_with(b"/work/a")).count()
        };
        assert_eq!(on_a("write"), 100, "{order}");
        assert!(
            on_a("open64") + on_a("open") + on_a("openat") > 0,
            "{order}"
        );
    }
}

#[test]
fn an_allocator() {
    beside("libjemalloc.so.2", "libjemalloc2", "");
}

#[test]
fn a_library_that_swallows_fsync() {
    beside("libeatmydata.so", "libeatmydata1", "");
}

#[test]
fn a_clock_of_its_own() {
    beside("faketime/libfaketime.so.1", "libfaketime", "");
}

/// It sets LD_PRELOAD itself, before what is there already; within it, a user may set it again.
#[test]
fn a_root_of_its_own() {
    let found = iota_tests::find("fakeroot");
    if !wanted("fakeroot", found.is_some(), "install fakeroot") {
        return;
    }
    let iota = Build::first().library("libiota.so").display().to_string();
    let inner = format!("export LD_PRELOAD=\"{iota} $LD_PRELOAD\"");
    for (outside, inside) in [(iota.as_str(), ":"), ("", inner.as_str())] {
        let script =
            format!("fakeroot sh -c '{inside}; touch f; chown 12:34 f; stat -c %u:%g f; id -u'");
        let ran = Case::shell(&script)
            .way(Way::Preload)
            .env("LD_PRELOAD", outside)
            .run();
        let ran = ran.succeeded();
        assert_eq!(ran.stdout(), "12:34\n0\n");
        let chowns = ran
            .trace()
            .calls()
            .filter(|call| call.op.contains("chown"))
            .count();
        assert!(chowns > 0, "outside {outside:?}, inside {inside:?}");
    }
}

/// Its functions have the names that ours have in a link, and stand behind ours where we are preloaded.
#[test]
fn another_tracer_that_the_program_was_linked_with() {
    let scratch = Scratch::new();
    let (cc, sources) = (Build::first().value("CC"), root().join("tests/programs"));
    let (other, program) = (
        scratch.path().join("libother.so"),
        scratch.path().join("wrapped"),
    );
    let compile = |args: &[&str], source: &str, to: &Path| {
        let mut command = Command::new(cc);
        command
            .args(["-fno-builtin", "-o"])
            .arg(to)
            .arg(sources.join(source));
        command_output(command.args(args));
    };
    compile(&["-shared", "-fPIC"], "other_tracer.c", &other);
    let other = other.display().to_string();
    // Without PIE it has no symbol for others, and GNU ld does not say how many it wants.
    let wraps = ["-no-pie", "-Wl,--wrap=write,--wrap=fclose", &other];
    compile(&wraps, "wrapped.c", &program);
    let case = Case::of(Program::command(&program.display().to_string())).way(Way::Preload);
    let ran = case.run().succeeded();
    ran.assert_same_as(&case.run_bare());
    assert!(
        ran.stdout().ends_with("the other tracer saw 107\n"),
        "{}",
        ran.stdout()
    );
    let trace = ran.trace();
    trace.assert_whole();
    // It asks for the write behind itself, and so behind us; its fclose is everybody's.
    assert_eq!((trace.count("write"), trace.count("fclose")), (0, 1));
    assert_eq!(trace.count("fopen"), 1);
}
