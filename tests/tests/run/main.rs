//! `iota run`: whatever the command is, it is traced with all that it starts, and does not notice.

mod follow;
mod inherited;
mod namespaces;
mod packed;
mod parallel;
mod places;
mod signals;
mod stacks;
mod strangers;
mod words;

use iota_tests::{Build, Case, Ran, Scratch, Trace, Way, command_output, find, wanted};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A case under `iota run OPTIONS --` of the first build
fn run(case: Case, options: &str) -> Ran {
    run_of(Build::first(), case, options)
}

fn run_of(build: &Build, case: Case, options: &str) -> Ran {
    let command = format!("{} run {options} --", build.iota().display());
    case.under(&command).run()
}

fn shell(script: &str, options: &str) -> Ran {
    run(Case::shell(script), options)
}

fn python_is_wanted() -> bool {
    wanted("python3", find("python3").is_some(), "install it")
}

/// The programs in a trace, without directories
fn programs(trace: &Trace) -> BTreeSet<&str> {
    let names = trace.parts.iter().map(|part| part.exe.rsplit('/').next());
    names.flatten().collect()
}

/// One trace and nothing else, neither beside it nor in the spool
fn only_trace(ran: &Ran) -> Trace {
    assert_eq!(ran.trace_files(), ["run.iota"], "{}", ran.output.errors());
    assert_eq!(ran.spooled(), Vec::<String>::new(), "the spool");
    let trace = ran.trace();
    trace.assert_whole();
    trace
}

#[test]
fn a_program() {
    let ran = run(Case::new("many.c").args("100"), "").succeeded();
    assert_eq!(only_trace(&ran).count("pwrite"), 100);
    let said = ran.output.errors();
    assert!(
        said.contains("run.iota: ") && said.contains(" calls of 1 process, "),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn python_and_its_children() {
    if !python_is_wanted() {
        return;
    }
    let script = "exec python3 -c 'import os, subprocess
open(\"a\", \"w\").write(\"x\" * 100)
print(subprocess.check_output([\"/bin/echo\", \"from a child\"]), flush=True)
if os.fork() == 0: os._exit(os.write(os.open(\"b\", os.O_CREAT | os.O_WRONLY), b\"five\"))
os.wait()'";
    let ran = shell(script, "").succeeded();
    let trace = only_trace(&ran);
    assert!(programs(&trace).contains("echo"), "{:?}", programs(&trace));
    let written = |name: &str| {
        trace
            .calls()
            .filter(|call| call.writes() && call.path.ends_with(name.as_bytes()))
            .count()
    };
    assert_eq!(
        (written("/a"), written("/b")),
        (1, 1),
        "the parent's and the child's"
    );
}

#[test]
fn a_pipeline_of_a_shell() {
    let ran = shell("seq 1000 | sort -r | tail -n 1; cat <&- ; true", "").succeeded();
    assert_eq!(ran.stdout(), "1\n");
    let trace = only_trace(&ran);
    let there = programs(&trace);
    assert!(
        ["seq", "sort", "tail", "cat"]
            .iter()
            .all(|name| there.contains(name)),
        "{there:?}"
    );
}

/// A spool of each was left, which the shell's child made for nothing but `exec`.
#[test]
fn children_that_only_exec_leave_no_spool() {
    let ran = shell("timeout 20 true; timeout 20 true", "").succeeded();
    only_trace(&ran);
}

fn looks_the_same(script: &str) {
    let bare = Case::shell(script).run();
    shell(script, "--quiet").assert_same_as(&bare);
}

#[test]
fn what_a_script_prints_and_leaves_is_the_same() {
    looks_the_same(
        "mkdir d; seq 100 >d/f; tar cf - d | tar tf -; find . | sort; wc -l d/f; rm -r d",
    );
}

#[test]
fn what_python_prints_and_leaves_is_the_same() {
    if python_is_wanted() {
        looks_the_same(
            "python3 -c 'import os, sys; print(sorted(os.listdir()), sys.argv); sys.stderr.write(\"err\"); sys.exit(3)'",
        );
    }
}

#[test]
fn standard_input_is_passed() {
    let ran = run(
        Case::shell("read a; echo got $a; cat").input("one\ntwo\n"),
        "",
    );
    assert_eq!(ran.succeeded().stdout(), "got one\ntwo\n");
}

#[test]
fn exit_statuses_are_the_commands() {
    for code in [0, 1, 7, 255] {
        shell(&format!("exit {code}"), "").ended_with(code);
    }
}

#[test]
fn what_cannot_be_run_ends_as_in_a_shell() {
    let iota = Build::first().iota();
    let with = |command: &str| Case::shell(&format!("exec {} run {command}", iota.display())).run();
    let missing = with("no-such-command").ended_with(127);
    assert!(
        missing
            .output
            .errors()
            .contains("no-such-command: command not found")
    );
    let plain = with("/etc/passwd").ended_with(126);
    assert!(
        plain
            .output
            .errors()
            .contains("/etc/passwd: Permission denied")
    );
    assert_eq!(
        (missing.trace_files().len(), plain.trace_files().len()),
        (0, 0)
    );
}

#[test]
fn what_the_user_preloads_stays() {
    let case =
        Case::shell("echo $LD_PRELOAD; grep -c libm.so.6 /proc/self/maps >/dev/null && echo there");
    let ran = run(case.env("LD_PRELOAD", "libm.so.6"), "").succeeded();
    let text = ran.stdout();
    assert!(text.contains("libiota.so:libm.so.6\nthere\n"), "{text}");
}

#[test]
fn a_static_program_that_is_not_followed_is_told_and_run() {
    let case = Case::new("many.c").args("10").way(Way::BareStatic);
    let ran = run(case, "--no-follow").succeeded();
    let said = ran.output.errors();
    assert!(
        said.contains("is static: ") && said.contains("wraps.txt"),
        "{said}"
    );
    assert_eq!(ran.trace_files(), Vec::<String>::new());
    let linked = run(Case::new("many.c").args("10").way(Way::Static), "").succeeded();
    assert_eq!(
        only_trace(&linked).count("pwrite"),
        10,
        "one that was linked with iota"
    );
    assert!(
        !linked.output.errors().contains("is static"),
        "{}",
        linked.output.errors()
    );
}

#[test]
fn a_linked_program_is_traced_once() {
    let ran = run(Case::new("many.c").args("10").way(Way::Dynamic), "").succeeded();
    assert_eq!(only_trace(&ran).count("pwrite"), 10);
}

fn one_untraced(script: &str) {
    let said = shell(script, "").succeeded().output.errors();
    assert!(said.contains("1 program not traced"), "{said}");
}

#[test]
fn programs_that_escape_are_counted() {
    one_untraced("env -i /bin/echo a; /bin/echo b");
    if python_is_wanted() {
        one_untraced(
            "exec python3 -c 'import subprocess; subprocess.run([\"/bin/echo\"], env={})'",
        );
    }
    let said = shell("/bin/echo a; (exit 3); echo b | cat", "")
        .output
        .errors();
    assert!(!said.contains("untraced"), "{said}");
}

#[test]
fn a_daemon_is_told() {
    // The shell stays until its child has become sleep.
    let ran = shell("sleep 5 >/dev/null 2>&1 & sleep 1", "").succeeded();
    let said = ran.output.errors();
    assert!(
        said.contains("1 process of the command still running"),
        "{said}"
    );
    let left = ran.trace_files();
    let dir = left.iter().find(|name| name.starts_with(".iota-run-"));
    let dir = ran
        .trace_dir()
        .join(dir.expect("where it is going to leave its part"));
    wait_until(|| std::fs::read_dir(&dir).is_ok_and(|entries| entries.count() == 1));
}

#[test]
fn a_trace_goes_where_it_is_wanted() {
    let into = |output: &str| {
        let ran = shell("true", &format!("-o {{}}/trace/{output}")).succeeded();
        ran.trace_files().join(" ")
    };
    assert_eq!(into("other"), "other.iota");
    assert_eq!(into("other.iota"), "other.iota");
    assert_eq!(into("%e.%%"), "sh.%.iota");
    let usual = into("");
    assert!(
        usual.starts_with("sh-") && usual.ends_with(".iota"),
        "{usual}"
    );
    let ran = shell("true", "-o {}/nowhere/x").ended_with(125);
    assert!(
        ran.output.errors().contains("nowhere"),
        "{}",
        ran.output.errors()
    );
}

#[test]
fn an_older_trace_stays() {
    let older = |dir: &Path| std::fs::write(dir.join("trace/run.iota"), "older").expect("writable");
    let ran = run(Case::shell("echo a").prepare(older), "").succeeded();
    assert_eq!(ran.trace_files(), ["run.1.iota", "run.iota"]);
    let kept = std::fs::read(ran.trace_dir().join("run.iota")).expect("still there");
    assert_eq!(kept, b"older");
    assert!(
        ran.output.errors().contains("run.1.iota: "),
        "{}",
        ran.output.errors()
    );
}

#[test]
fn settings_reach_the_tracer() {
    let case = || Case::shell("echo a >keep; echo b >leave; echo c >other");
    let ran = run(
        case(),
        "--files */keep --files */leave --exclude *leave --buffer 1m",
    )
    .succeeded();
    let paths: BTreeSet<_> = only_trace(&ran)
        .calls()
        .map(|call| call.path.clone())
        .collect();
    assert!(paths.iter().all(|path| path.ends_with(b"/keep")) && !paths.is_empty());
    only_trace(&run(case(), "--flush --spool {}/spool").succeeded());
}

#[test]
fn lines_of_all_processes_in_one_file() {
    let ran = shell("echo a >x; /bin/echo b >y", "--text").succeeded();
    assert_eq!(ran.trace_files(), ["run.txt"]);
    let text = std::fs::read_to_string(ran.trace_dir().join("run.txt")).expect("text");
    assert!(
        text.starts_with("# iota ") && text.contains("/x\n") && text.contains("/y\n"),
        "{text}"
    );
}

#[test]
fn hundreds_of_processes_make_one_trace() {
    let ran = shell("for i in $(seq 400); do /bin/true; done", "").succeeded();
    assert_eq!(
        programs(&only_trace(&ran)),
        BTreeSet::from(["dash", "seq", "true"])
    );
}

#[test]
fn libraries_that_are_not_there_are_told() {
    let ran = run(Case::shell("true").env("IOTA_LIB", "/no/such"), "").ended_with(125);
    let said = ran.output.errors();
    assert!(
        said.contains("libiota.so is not in /no/such") && said.contains("IOTA_LIB"),
        "{said}"
    );
    let lib = Build::first().library("");
    let spaced = Case::shell(&format!(
        "ln -s {} 'a b'; IOTA_LIB='a b' {} run true",
        lib.display(),
        Build::first().iota().display()
    ));
    let said = spaced.run().ended_with(125).output.errors();
    assert!(said.contains("blank"), "{said}");
}

#[test]
fn installed_it_finds_its_libraries() {
    let (build, scratch) = (Build::first(), Scratch::new());
    let (bin, lib) = (scratch.dir("bin"), scratch.dir("lib"));
    std::fs::copy(build.iota(), bin.join("iota")).expect("built");
    std::fs::copy(build.library("libiota.so"), lib.join("libiota.so")).expect("built");
    let mut command = Command::new(bin.join("iota"));
    command
        .args(["run", "sh", "-c", "echo $LD_PRELOAD"])
        .current_dir(scratch.path());
    let text = command_output(command.env_remove("IOTA_LIB").env_remove("LD_PRELOAD"));
    assert_eq!(text.trim(), lib.join("libiota.so").display().to_string());
}

fn wait_until(done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "it takes too long"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn what_a_kill_left_is_recovered() {
    let killed = "echo a >b; sh -c 'echo c >d; kill -KILL $$'; echo e >f";
    for options in ["", "--flush"] {
        let ran = shell(killed, options).succeeded();
        let (trace, said) = (ran.trace(), ran.output.errors());
        let opened = |name: &[u8]| trace.calls().any(|call| call.path.ends_with(name));
        assert!(opened(b"/b") && opened(b"/d") && opened(b"/f"), "{said}");
        assert!(!said.contains("killed"), "{said}");
        assert_eq!(ran.trace_files(), ["run.iota"], "{said}");
        assert_eq!(ran.spooled(), Vec::<String>::new(), "{said}");
    }
}
