//! First instructions that are patched where something stands against it: threads, the kernel, another file than before,
//! symbols in a file of their own.

use super::links::compile;
use super::{Case, Program, counts, of_user, run};
use iota_tests::machine::NAMESPACES;
use iota_tests::{Build, Scratch, wanted};
use std::path::Path;

/// The program is patched; the library, in which a thread may be anywhere, is not.
#[test]
fn a_library_that_starts_threads_in_its_constructor() {
    let program = Program::new("probed_starts.c").shared("probed_starts_library.c");
    let case = Case::of(program);
    let bare = case.run_bare().succeeded();
    let ran = run(case, "--quiet --probe st_own,st_inner").succeeded();
    assert_eq!(ran.stdout(), bare.stdout());
    assert_eq!(counts(&of_user(&ran)), [("st_own", 1)].into());
    let log = ran.log();
    let told = log.contains("threads run already in a library, which is left as it is");
    assert!(told, "{log}");
}

/// Seccomp, SELinux and hardened kernels may do this. Functions with slots keep their probes.
#[test]
fn a_kernel_that_does_not_write_to_code() {
    for what in ["open", "write"] {
        let case = super::caller("probed_refused.c").args(what);
        let bare = case.run_bare().succeeded();
        let ran = run(case, "--quiet --probe p_ints,rf_inner").succeeded();
        assert_eq!(ran.stdout(), bare.stdout(), "{what}");
        assert_eq!(counts(&of_user(&ran)), [("p_ints", 1)].into(), "{what}");
        let log = ran.log();
        assert!(log.contains("the kernel does not write to code"), "{log}");
    }
}

/// A program that puts another library in the place of its own and starts itself again
fn changing(scratch: &Scratch, flags: &str) -> Case {
    for (name, step) in [("libchanges.so", 1), ("libnext.so", 2)] {
        let source = "-O1 -shared -fPIC -DLIBRARY PROGRAMS/probed_changes.c";
        compile(
            scratch,
            &format!("{source} -DSTEP={step} {flags} -o {name}"),
        );
    }
    let program = "-O1 PROGRAMS/probed_changes.c libchanges.so -Wl,-rpath,$ORIGIN -o changes";
    compile(scratch, program);
    let folder = scratch.path().display().to_string();
    let case = Case::of(Program::command(&format!("{folder}/changes")));
    case.args(&format!("{folder}/libnext.so {folder}/libchanges.so"))
}

#[test]
fn a_library_that_is_another_one_than_before() {
    // The second one has another build id, or the same headers and other instructions.
    for (flags, told) in [
        ("-Wl,--build-id", None),
        (
            "-Wl,--build-id=none",
            Some("ch_inner: other instructions than expected"),
        ),
    ] {
        let bare = Scratch::new();
        let bare = changing(&bare, flags).run_bare().succeeded();
        assert_eq!(bare.stdout(), "200002\n400002\n");
        let scratch = Scratch::new();
        let ran = run(changing(&scratch, flags), "--quiet --probe ch_inner").succeeded();
        assert_eq!(ran.stdout(), bare.stdout(), "{flags}");
        assert_eq!(counts(&of_user(&ran)), [("ch_inner", 2)].into(), "{flags}");
        let log = ran.log();
        assert!(told.is_none_or(|told| log.contains(told)), "{log}");
    }
}

/// A program whose symbols are in app.debug.
fn stripped(scratch: &Scratch) {
    compile(
        scratch,
        "-O0 -Wl,--build-id=0x1234567890 PROGRAMS/probed_inner.c -o app",
    );
    let folder = scratch.path().display();
    let script = format!(
        "cd {folder} && objcopy --only-keep-debug app app.debug && strip app && \
         objcopy --add-gnu-debuglink=app.debug app && mkdir apart .debug"
    );
    iota_tests::command_output(std::process::Command::new("sh").args(["-c", &script]));
}

/// As `numactl`, `taskset` or `time` may start it.
#[test]
fn a_program_that_another_command_starts() {
    let iota = Build::first().iota().display().to_string();
    let command = format!("{iota} run --quiet --probe st_own -- env -u NOTHING");
    let program = Program::new("probed_starts.c").shared("probed_starts_library.c");
    let ran = Case::of(program).under(&command).run().succeeded();
    assert_eq!(counts(&of_user(&ran)), [("st_own", 1)].into());
}

/// Calls of a function that only the file of symbols names
fn found(folder: &Path) -> usize {
    let program = folder.join("app").display().to_string();
    let case = Case::of(Program::command(&program));
    let ran = run(case, "--quiet --probe [i]n_many").succeeded();
    counts(&of_user(&ran)).get("in_many").copied().unwrap_or(0)
}

#[test]
fn symbols_in_a_file_of_their_own() {
    let scratch = Scratch::new();
    stripped(&scratch);
    let folder = scratch.path();
    let rename = |from: &str, to: &str| std::fs::rename(folder.join(from), folder.join(to));
    assert_eq!(found(folder), 1);
    rename("app.debug", ".debug/app.debug").expect("writable");
    assert_eq!(found(folder), 1);
    // One that is not the program's
    rename(".debug/app.debug", "apart/app.debug").expect("writable");
    std::fs::copy(folder.join("app"), folder.join("app.debug")).expect("writable");
    assert_eq!(found(folder), 0);
}

#[test]
fn symbols_under_the_build_id() {
    let has_folder = Path::new("/usr/lib/debug").exists();
    if !NAMESPACES.is_here() || !wanted("/usr/lib/debug", has_folder, "Debian has it") {
        return;
    }
    let scratch = Scratch::new();
    stripped(&scratch);
    let folder = scratch.path().display().to_string();
    let iota = Build::first().iota().display().to_string();
    let script = format!(
        "mount -t tmpfs none /usr/lib/debug && mkdir -p /usr/lib/debug/.build-id/12 && \
         mv {folder}/app.debug /usr/lib/debug/.build-id/12/34567890.debug && \
         exec {iota} run --quiet --probe [i]n_many -- \"$@\""
    );
    let case = Case::of(Program::command(&format!("{folder}/app")));
    let ran = case.in_namespace(&script).run().succeeded();
    assert_eq!(counts(&of_user(&ran)), [("in_many", 1)].into());
}
