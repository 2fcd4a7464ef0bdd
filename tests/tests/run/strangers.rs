//! `iota run` on programs that take no library before their own: of sanitizers, and of another C library.

use super::{only_trace, run, shell};
use iota_tests::{Case, Program, find, wanted};
use std::process::Command;

fn sanitized(flags: &str) -> Program {
    Program::new("sanitized.c").flags(&format!("-g {flags}"))
}

fn by(compiler: &str, package: &str) -> bool {
    wanted(
        compiler,
        find(compiler).is_some(),
        &format!("install {package}"),
    )
}

/// Debian has clang's sanitizers in a package of their own.
fn clang_has_sanitizers() -> bool {
    let there = Command::new("sh")
        .args(["-c", "ls $(clang --print-runtime-dir)/libclang_rt.asan*.a"])
        .output();
    wanted(
        "clang with its sanitizers",
        there.is_ok_and(|output| output.status.success()),
        "install clang and libclang-rt-dev",
    )
}

/// As bare, and its calls are in the trace.
fn as_bare(program: &Program, args: &str) -> iota_tests::Trace {
    let case = || Case::of(program.clone()).args(args).seconds(60);
    let bare = case().run();
    let ran = run(case(), "--quiet");
    ran.assert_same_as(&bare);
    only_trace(&ran)
}

fn threads_are_traced(program: &Program, threads: usize) {
    let trace = as_bare(program, &threads.to_string());
    assert_eq!(trace.count("open"), 300 * threads);
}

/// The report as it is bare: which error it was, and how the program ended.
fn error_is_found(program: &Program, args: &str, report: &str) {
    let case = || Case::of(program.clone()).args(args);
    let (bare, ran) = (case().run(), run(case(), ""));
    for said in [bare.output.errors(), ran.output.errors()] {
        assert!(said.contains(report), "{said}");
    }
    assert_ne!(bare.output.code(), 9, "the sanitizer's own status");
    ran.ended_with(bare.output.code());
}

#[test]
fn address_sanitizer_does_not_mind_who_comes_first() {
    let program = sanitized("-fsanitize=address");
    threads_are_traced(&program, 4);
    error_is_found(&program, "overflow", "heap-buffer-overflow");
    error_is_found(&program, "leak", "detected memory leaks");
}

#[test]
fn a_program_with_options_of_its_own_for_address_sanitizer() {
    threads_are_traced(&sanitized("-fsanitize=address -DOWN_OPTIONS"), 4);
}

#[test]
fn address_sanitizer_in_the_program_itself() {
    threads_are_traced(&sanitized("-fsanitize=address -static-libasan"), 4);
    if clang_has_sanitizers() {
        let program = sanitized("-fsanitize=address").by("clang");
        threads_are_traced(&program, 4);
        error_is_found(&program, "overflow", "heap-buffer-overflow");
    }
}

#[test]
fn a_shell_starts_a_program_with_address_sanitizer() {
    let case = Case::of(sanitized("-fsanitize=address"));
    let script = format!("{}; echo $?", case.executable().display());
    let ran = shell(&script, "").succeeded();
    assert_eq!(ran.stdout(), "done\n9\n", "{}", ran.output.errors());
    assert_eq!(only_trace(&ran).count("open"), 1200);
}

#[test]
fn thread_sanitizer_sees_no_race_in_the_tracer() {
    for flags in ["-fsanitize=thread", "-fsanitize=thread -static-libtsan"] {
        threads_are_traced(&sanitized(flags), 64);
    }
    error_is_found(&sanitized("-fsanitize=thread"), "race", "data race");
    if clang_has_sanitizers() {
        threads_are_traced(&sanitized("-fsanitize=thread").by("clang"), 64);
    }
}

#[test]
fn other_sanitizers() {
    threads_are_traced(&sanitized("-fsanitize=undefined"), 4);
    error_is_found(
        &sanitized("-fsanitize=leak"),
        "leak",
        "detected memory leaks",
    );
    if clang_has_sanitizers() {
        threads_are_traced(&sanitized("-fsanitize=memory").by("clang"), 4);
    }
}

fn of_musl(source: &str) -> Program {
    Program::new(source).by("musl-gcc")
}

#[test]
fn a_program_of_musl_starts_and_is_traced() {
    if !by("musl-gcc", "musl-tools") {
        return;
    }
    threads_are_traced(&of_musl("sanitized.c"), 4);
    let said = run(Case::of(of_musl("sanitized.c")), "").output.errors();
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn a_shell_starts_a_program_of_musl() {
    if !by("musl-gcc", "musl-tools") {
        return;
    }
    let program = Case::of(of_musl("sanitized.c")).executable();
    let script = format!("{}; echo $?", program.display());
    let ran = shell(&script, "").succeeded();
    assert_eq!(ran.stdout(), "done\n9\n", "{}", ran.output.errors());
    assert_eq!(only_trace(&ran).count("open"), 1200);
}

#[test]
fn a_program_of_musl_behind_a_launcher() {
    let Some((build, _turn)) = iota_tests::mpi_is_wanted("openmpi") else {
        return;
    };
    if !by("musl-gcc", "musl-tools") {
        return;
    }
    let program = Case::of(of_musl("sanitized.c")).executable();
    let launcher = [build.words("MPIEXEC"), build.words("MPIEXEC_FLAGS")].concat();
    let script = format!(
        "exec {} run {} -n 2 {} 1",
        build.iota().display(),
        launcher.join(" "),
        program.display()
    );
    let ran = Case::shell(&script).run();
    assert_eq!(ran.stdout(), "done\ndone\n", "{}", ran.output.errors());
    assert_eq!(only_trace(&ran).count("open"), 600);
}
