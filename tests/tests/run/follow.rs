//! Programs that cannot be preloaded, and system calls without the C library: what strace sees is in the trace.

use super::{only_trace, run, wait_until};
use iota_calls::{Arguments, SYSTEM_CALLS};
use iota_tests::machine::STRACE;
use iota_tests::{Build, Call, Case, Program, Scratch, Way, ended, strace};
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A system call, whether it failed, what it returned, and the last part of the path that it is on
type Seen = (String, bool, i64, String);

fn is_followed(name: &str) -> bool {
    let call = SYSTEM_CALLS.iter().find(|call| call.name == name);
    let arguments = call.and_then(|call| call.arguments());
    arguments.is_some_and(|arguments| arguments != Arguments::Clone)
}

/// Whether its first argument is a descriptor on which something is done
fn is_on_descriptor(name: &str) -> bool {
    use Arguments::*;
    let call = SYSTEM_CALLS.iter().find(|call| call.name == name);
    let arguments = call.and_then(|call| call.arguments());
    matches!(
        arguments,
        Some(Close | Transfer(_) | Seek | Dup | Fcntl | Descriptor(..))
    )
}

/// A path of a run's own directory has another name in another run, and an address is another.
fn seen(name: &str, ret: i64, path: &str) -> Seen {
    let ret = if name == "mmap" { 0 } else { ret };
    let is_on_file = path.contains("iota-test-") && is_on_descriptor(name);
    let file = path.rsplit('/').next().filter(|_| is_on_file);
    let file = file.unwrap_or_default().to_owned();
    (name.to_owned(), ret == -1, ret, file)
}

fn of_strace(call: &strace::Syscall) -> Option<Seen> {
    let is_memory = call.name == "mmap" && call.args.contains("MAP_ANONYMOUS");
    let is_seen = is_followed(&call.name) && !is_memory;
    // As a string of C
    let path = call
        .on()
        .unwrap_or_default()
        .replace("\\t", "\t")
        .replace("\\n", "\n")
        .replace("\\377", "\u{FFFD}")
        .replace("\\\\", "\\");
    is_seen.then(|| seen(&call.name, call.ret, &path))
}

fn of_trace(call: &Call) -> Seen {
    seen(&call.op, call.ret, &String::from_utf8_lossy(&call.path))
}

/// The system calls of a bare program that strace saw after its start
fn by_strace(case: &Case) -> Vec<Seen> {
    let ran = case.clone().under("strace -f -qq -y -o {}/strace").run();
    let calls = strace::read(&ran.scratch_file("strace"));
    // Those of processes that end by a signal have no result.
    calls.iter().skip(1).filter_map(of_strace).collect()
}

fn static_program(source: &str) -> Case {
    Case::new(source).way(Way::BareStatic)
}

/// One thread, so one order
fn is_as_strace_sees_it(source: &str) {
    if !STRACE.is_here() {
        return;
    }
    let case = static_program(source);
    let expected = by_strace(&case);
    let trace = only_trace(&run(case, "-q").succeeded());
    let calls = &trace.only().calls;
    for (nth, (call, expected)) in calls.iter().zip(&expected).enumerate() {
        assert_eq!(of_trace(call), *expected, "call {nth} of {source}");
    }
    assert_eq!(calls.len(), expected.len(), "{source}");
    assert!(expected.len() > 10, "{source}");
}

macro_rules! as_strace_sees_it {
    ($($name:ident: $source:literal;)*) => {
        $(#[test]
        fn $name() {
            is_as_strace_sees_it($source);
        })*
    };
}

as_strace_sees_it! {
    data: "data.c";
    streams: "streams.c";
    metadata: "metadata.c";
    directories_as_arguments: "at.c";
    descriptors: "fcntl.c";
    failures: "failing.c";
    far_offsets: "far.c";
    system_calls: "system_calls.c";
}

/// Threads and processes have no order: what each call did, and how often.
fn all_of_them(source: &str, args: &str) {
    if !STRACE.is_here() {
        return;
    }
    let case = static_program(source).args(args).seconds(120);
    let mut sums = BTreeMap::<(String, bool), i64>::new();
    for (name, failed, ..) in by_strace(&case) {
        *sums.entry((name, failed)).or_default() += 1;
    }
    let trace = only_trace(&run(case, "-q").succeeded());
    for call in trace.calls() {
        *sums
            .entry((call.op.to_string(), call.ret == -1))
            .or_default() -= 1;
    }
    sums.retain(|_, difference| *difference != 0);
    assert_eq!(sums, BTreeMap::new(), "{source}: strace less the trace");
}

#[test]
fn a_thousand_threads() {
    all_of_them("many_threads.c", "");
}

#[test]
fn positions_that_processes_share() {
    all_of_them("offsets.c", "");
}

#[test]
fn children() {
    all_of_them("forks.c", "");
}

fn completeness(ran: &iota_tests::Ran) -> serde_json::Value {
    let output = ran.iota("info --json run.iota");
    let info: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    info["completeness"].clone()
}

/// Offsets of the hundred writes that no hook sees, static and dynamic
#[test]
fn direct_calls_of_any_program() {
    if !STRACE.is_here() {
        return;
    }
    for (way, options) in [(Way::BareStatic, "-q"), (Way::Bare, "-q --follow")] {
        let case = Case::new("direct.c").way(way).makes_system_calls();
        let ran = run(case, options).succeeded();
        let trace = only_trace(&ran);
        let writes = trace.calls().filter(|call| &*call.op == "write");
        let offsets: Vec<i64> = writes.map(|call| call.offset).collect();
        let expected: Vec<i64> = (0..100).map(|nth| nth * 1000).collect();
        assert_eq!(offsets, expected, "{way:?}");
        let completeness = completeness(&ran);
        assert_eq!(completeness["complete"], "yes", "{completeness:#}");
        let opens = trace.calls().filter(|call| call.path.ends_with(b"/data"));
        assert_eq!(opens.count(), 101, "one open, seen once, {way:?}");
    }
}

/// What goes through the C library is recorded by hooks, and once: what is left is the report, which the test program writes
/// past it.
#[test]
fn nothing_is_recorded_twice() {
    if !STRACE.is_here() {
        return;
    }
    let calls = |options| {
        let ran = run(Case::new("data.c").way(Way::Bare), options).succeeded();
        let trace = only_trace(&ran);
        let of = |is_followed| {
            let parts = trace.parts.iter();
            let parts = parts.filter(|part| part.is_followed == is_followed);
            let calls = parts.flat_map(|part| &part.calls);
            calls.map(|call| call.op.to_string()).collect()
        };
        let both: [Vec<String>; 2] = [of(false), of(true)];
        both
    };
    let [hooked, none] = calls("-q");
    let [as_before, followed] = calls("-q --follow");
    assert_eq!((hooked, none.len()), (as_before, 0));
    assert_eq!(followed, ["newfstatat", "write"]);
}

/// Its hooks record it; what goes past them is counted by the kernel, as without `--follow`.
#[test]
fn a_static_program_that_is_linked_with_iota_has_its_hooks() {
    if !STRACE.is_here() {
        return;
    }
    let case = Case::new("direct.c").way(Way::Static).makes_system_calls();
    let ran = run(case, "-q --follow").succeeded();
    assert_eq!(only_trace(&ran).count("write"), 0);
    let completeness = completeness(&ran);
    assert_eq!(completeness["uncalled"]["written"], 100_000);
    assert_eq!(completeness["complete"], "no");
}

#[test]
fn it_is_said_once_and_can_be_left() {
    if !STRACE.is_here() {
        return;
    }
    let ran = run(static_program("many.c").args("10"), "").succeeded();
    let said = ran.output.errors();
    assert!(
        said.contains("is static: its system calls are followed"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 2, "{said}");
    let ran = run(static_program("many.c").args("10"), "--no-follow").succeeded();
    let said = ran.output.errors();
    assert!(said.contains("preloading does not trace it") && said.contains("nothing was traced"));
}

#[test]
fn only_the_files_that_are_asked_for() {
    if !STRACE.is_here() {
        return;
    }
    let case = static_program("direct.c").makes_system_calls();
    let ran = run(case, "-q --exclude */data").succeeded();
    let trace = only_trace(&ran);
    assert_eq!(trace.count("write"), 0);
    let filtered: u64 = trace
        .parts
        .iter()
        .filter_map(|part| part.end.as_ref())
        .map(|end| end.filtered)
        .sum();
    assert_eq!(filtered, 101);
}

/// A program of a script, and what it makes
#[test]
fn static_programs_that_dynamic_ones_start() {
    if !STRACE.is_here() {
        return;
    }
    let program = Program::new("direct.c").executable(Way::BareStatic);
    let script = format!(
        "{}; cat data | wc -c; {}",
        program.display(),
        program.display()
    );
    let ran = run(Case::shell(&script).makes_system_calls(), "-q --follow").succeeded();
    assert_eq!(ran.stdout(), "100000\n");
    let trace = only_trace(&ran);
    let written = trace
        .calls()
        .filter(|call| &*call.op == "write" && call.ret == 1000);
    assert_eq!(written.count(), 200);
    assert_eq!(completeness(&ran)["complete"], "yes");
}

#[test]
fn exit_statuses_and_deaths_are_its_own() {
    if !STRACE.is_here() {
        return;
    }
    let ran = run(static_program("direct.c").args("exit"), "-q");
    assert_eq!(ran.output.code(), 0);
    let ran = run(static_program("killed.c").args("1 1000 self"), "-q");
    assert_eq!(ran.output.status.signal(), Some(libc::SIGKILL));
    assert!(only_trace(&ran).calls().count() > 0);
}

/// Without whoever follows, the kernel would refuse the calls at which it stops.
#[test]
fn the_command_goes_on_if_iota_is_killed() {
    if !STRACE.is_here() {
        return;
    }
    let scratch = Scratch::new();
    let program = Program::new("slow_writes.c").executable(Way::BareStatic);
    let mut command = Command::new(Build::first().iota());
    command.args(["run", "-q", "-o", "run.iota"]).arg(program);
    command.current_dir(scratch.path()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("iota runs");
    wait_until(|| scratch.path().join("ready").exists());
    child.kill().expect("it runs");
    std::fs::write(scratch.path().join("go"), "").expect("writable");
    let output = ended(child, Duration::from_secs(60));
    assert_eq!(output.text(), "100 writes\n");
    let part = || {
        let dirs = std::fs::read_dir(scratch.path())
            .expect("a directory")
            .flatten();
        let mut files = dirs.flat_map(|dir| {
            std::fs::read_dir(dir.path())
                .into_iter()
                .flatten()
                .flatten()
        });
        files.any(|file| file.file_name().to_string_lossy().ends_with(".iota"))
    };
    wait_until(part);
}
