//! Probes: calls of functions that the user names, whatever their signature, and however they are left.

mod inner;
mod links;
mod patched;
mod told;
mod unwinders;

use iota_calls::Layer;
use iota_tests::{Build, Call, Case, Program, Ran, Way, in_each_way};
use std::collections::BTreeMap;

/// A program that calls the library of probed_library.c.
fn caller(source: &str) -> Case {
    Case::of(Program::new(source).shared("probed_library.c"))
}

fn probed(case: Case, patterns: &str) -> Case {
    case.env("IOTA_PROBE", patterns).env("LD_BIND_NOW", "1")
}

/// Runs the case with and without probes, of which it must not know.
fn same(case: Case, way: Way) -> Ran {
    let case = case.way(way);
    let ran = probed(case.clone(), "p_*").run();
    ran.assert_same_as(&case.run_bare());
    ran.trace().assert_whole();
    ran
}

fn of_user(ran: &Ran) -> Vec<Call> {
    let trace = ran.trace();
    let of_user = |call: &&Call| call.layer == Layer::User as u8;
    trace.calls().filter(of_user).cloned().collect()
}

fn counts(calls: &[Call]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for call in calls {
        *counts.entry(&*call.op).or_default() += 1;
    }
    counts
}

fn enclosing<'c>(call: &Call, all: &'c [Call]) -> Option<&'c Call> {
    let is_it = |other: &&Call| other.thread == call.thread && other.id == call.parent;
    all.iter().find(is_it)
}

fn every_kind_of_argument(_: (), way: Way) {
    let ran = same(caller("probed_calls.c"), way);
    let calls = of_user(&ran);
    let counts = counts(&calls);
    // By the program, by p_tail, and by p_tail that p_by_table called.
    assert_eq!(counts["p_ints"], 3 * 3, "{counts:?}");
    assert_eq!(counts["p_deep"] + counts["p_deeper"], 3 * 301, "{counts:?}");
    assert_eq!(counts["p_chosen"], 3, "an IFUNC: {counts:?}");
    assert_eq!(counts["p_checkpoint"], 1, "{counts:?}");
    assert!(!counts.contains_key("p_pointer"), "data: {counts:?}");
    let failed = calls.iter().find(|call| &*call.op == "p_fails");
    assert_eq!(failed.map(|call| (call.ret, call.errno)), Some((-1, 0)));
    assert!(ran.log().contains("probe: p_ints of "), "{}", ran.log());
}

in_each_way! {
    every_kind_of_argument:
    arguments_and_results_of_every_kind_pass in dynamic, preload: ();
}

/// Builds probed_trampoline.c for a processor and runs it; what it printed.
fn trampoline(compiler: &str, processor: &str, runner: &[&str]) -> String {
    let scratch = iota_tests::Scratch::new();
    let root = iota_tests::root();
    let program = scratch.path().join("trampoline");
    let mut words = compiler.split_whitespace();
    let mut command = std::process::Command::new(words.next().expect("a compiler"));
    command
        .args(words)
        .args(["-DIOTA_PRELOAD", "-O1", "-Wall", "-Wextra", "-o"]);
    command.arg(&program);
    let sources = ["probed_trampoline.c", "probed_library.c"];
    command.args(sources.map(|source| root.join("tests/programs").join(source)));
    command.arg(root.join(format!("c-shim/probe/{processor}.S")));
    command.arg(root.join("c-shim/left.c")).arg("-pthread");
    iota_tests::command_output(&mut command);
    let words: Vec<_> = runner
        .iter()
        .map(std::path::Path::new)
        .chain([&*program])
        .collect();
    let mut run = std::process::Command::new(words[0]);
    iota_tests::command_output(run.args(&words[1..]))
}

/// What each processor's trampoline prints.
fn assert_passes_all(printed: &str) {
    let lines: Vec<_> = printed.lines().collect();
    assert_eq!(lines.len(), 14, "{printed}");
    let numbers =
        "285 385.0 80.75 35 some 7 1.5 2.25 3.125 1099511627776 4.250000 11.0 2.0 3.0 5.0 -6 0";
    for pair in lines[..12].chunks(2) {
        assert_eq!(pair, [numbers, "2.0 1.0 6 3.0 3 57 22140"]);
    }
    assert_eq!(lines[12], "59 59 59 6, begun 50, ended 50");
    assert_eq!(lines[13], "ended 8, left 4");
}

#[test]
fn the_trampoline_keeps_what_the_tracer_may_change() {
    let compiler = Build::first().value("CC").to_owned();
    assert_passes_all(&trampoline(&compiler, std::env::consts::ARCH, &[]));
}

/// aarch64's, on whatever machine.
#[test]
fn the_other_trampoline_as_well() {
    let tools = ["aarch64-linux-gnu-gcc", "qemu-aarch64"];
    let are_there = tools.iter().all(|tool| iota_tests::find(tool).is_some());
    let remedy = "scripts/deps.sh test gets them as root";
    if iota_tests::wanted("aarch64-linux-gnu-gcc and qemu-aarch64", are_there, remedy) {
        let compiler = "aarch64-linux-gnu-gcc -static";
        assert_passes_all(&trampoline(compiler, "aarch64", &["qemu-aarch64"]));
    }
}

/// The tree that a user wants: the checkpoint, and below it what it did.
#[test]
fn what_a_function_causes_has_it_as_parent() {
    let ran = same(caller("probed_calls.c"), Way::Preload);
    let trace = ran.trace();
    let calls = &trace.only().calls;
    let writes: Vec<_> = calls
        .iter()
        .filter(|call| &*call.op == "pwrite64")
        .collect();
    assert_eq!(writes.len(), 5);
    for write in writes {
        let above = enclosing(write, calls).expect("a parent");
        assert_eq!(&*above.op, "p_checkpoint");
        assert!(above.start <= write.start && write.end <= above.end);
        assert_ne!(write.flags & iota_trace::flags::UNDER_LIBRARY, 0);
        assert_ne!(write.flags & iota_trace::flags::UNDER_PROBE, 0);
    }
    let tail = calls.iter().filter(|call| &*call.op == "p_tail");
    let above: Vec<_> = tail.filter_map(|call| enclosing(call, calls)).collect();
    assert!(above.iter().all(|call| &*call.op == "p_by_table"));
    assert_eq!(above.len(), 3, "a function whose address is in a table");
}

fn ways(what: &str, way: Way) -> Ran {
    same(caller("probed_ways.c").args(what).seconds(120), way)
}

/// A call that was left by longjmp is no parent of those that come later.
#[test]
fn longjmp_leaves_probed_calls() {
    let ran = ways("jumps", Way::Preload);
    let trace = ran.trace();
    let calls = &trace.only().calls;
    assert!(calls.iter().all(|call| call.parent == 0), "{calls:?}");
    assert_eq!(calls.len(), 3);
}

#[test]
fn handlers_interrupt_probed_calls_and_leave_by_siglongjmp() {
    ways("handlers", Way::Preload);
}

/// What they wait in is recorded, and not what an asynchronous cancellation keeps from beginning or from ending.
#[test]
fn threads_are_cancelled_in_probed_calls() {
    let ran = ways("cancels", Way::Preload);
    let calls = of_user(&ran);
    let waits: Vec<_> = calls.iter().filter(|call| &*call.op == "p_call").collect();
    assert!(waits.iter().all(|call| call.ret == -1));
    assert!(waits.len() > 50, "{}", waits.len());
}

/// A call in which a thread ends is recorded when it does, with what it caused below it; so is the call around it.
#[test]
fn threads_end_in_probed_calls() {
    let ran = ways("exits", Way::Preload);
    let trace = ran.trace();
    let calls = &trace.only().calls;
    let left: Vec<_> = calls.iter().filter(|call| &*call.op == "p_call").collect();
    assert_eq!(left.len(), 20);
    assert!(left.iter().all(|call| call.ret == -1 && call.errno == 0));
    let inner = left.iter().filter_map(|call| enclosing(call, calls));
    assert_eq!(inner.filter(|call| &*call.op == "p_call").count(), 10);
    let writes = calls
        .iter()
        .filter(|call| &*call.op == "write" && call.length == 1);
    let above = writes.filter_map(|call| enclosing(call, calls));
    assert_eq!(above.filter(|call| &*call.op == "p_call").count(), 10);
}

#[test]
fn a_thousand_threads_make_probed_calls() {
    let ran = ways("threads", Way::Preload);
    assert_eq!(counts(&of_user(&ran))["p_ints"], 20_000);
}

/// In the child the call is its parent's, and those that it makes afterwards are its own.
#[test]
fn fork_in_a_probed_call() {
    let ran = ways("forks", Way::Preload);
    let trace = ran.trace();
    assert_eq!(trace.parts.len(), 2);
    let counts = trace.parts.iter().map(|part| counts(&part.calls)["p_call"]);
    let mut counts: Vec<_> = counts.collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 2]);
}

#[test]
fn coroutines_change_stacks_in_probed_calls() {
    let ran = ways("coroutines", Way::Preload);
    assert_eq!(ran.trace().count("write"), 11);
}

/// The copy of the arguments does not go beyond the stack.
#[test]
fn a_stack_ends_just_above_the_arguments() {
    let ran = ways("edge", Way::Preload);
    assert_eq!(ran.trace().count("write"), 64);
}

#[test]
fn functions_that_call_each_other_deeply() {
    let ran = ways("deep", Way::Preload);
    assert_eq!(of_user(&ran).len(), 4001);
}

#[test]
fn exceptions_pass_through_probed_calls() {
    let case = caller("probed_throws.cpp");
    if case.can_be_built() {
        let ran = same(case, Way::Preload);
        let trace = ran.trace();
        let last = trace.calls().filter(|call| &*call.op == "pwrite").last();
        assert_eq!(last.map(|call| call.parent), Some(0));
        passed_calls(&trace.only().calls);
    }
}

/// Calls that an exception left are recorded, and so is what destructors do before it is caught: each is in the call whose
/// function it belongs to.
fn passed_calls(calls: &[Call]) {
    let left = calls.iter().filter(|call| &*call.op == "p_call");
    let (inner, outer): (Vec<_>, Vec<_>) = left.partition(|call| call.parent != 0);
    assert_eq!((inner.len(), outer.len()), (1000, 1000));
    for call in inner.iter().chain(&outer) {
        assert_eq!((call.ret, call.errno), (-1, 0));
    }
    let of_destructors = calls.iter().filter(|call| call.length == 3);
    let mut around = [0, 0];
    for call in of_destructors {
        let above = enclosing(call, calls).expect("a call that was left later");
        assert!(above.start <= call.start && call.end <= above.end);
        around[usize::from(above.parent == 0)] += 1;
    }
    assert_eq!(around, [1000, 1000]);
}

#[test]
fn a_checkpoint_of_a_fortran_program() {
    let program = Program::new("probed_model.f90").shared("probed_model_library.f90");
    let case = Case::of(program).way(Way::Preload);
    if !case.can_be_built() {
        return;
    }
    let ran = probed(case.clone(), "write_checkpoint_").run();
    ran.assert_same_as(&case.run_bare());
    let trace = ran.trace();
    let calls = &trace.only().calls;
    assert_eq!(counts(&of_user(&ran))["write_checkpoint_"], 3);
    let writes = calls
        .iter()
        .filter(|call| &*call.op == "write" && call.length == 800);
    let above = writes.filter_map(|call| enclosing(call, calls));
    assert_eq!(
        above
            .filter(|call| &*call.op == "write_checkpoint_")
            .count(),
        3
    );
}

/// By the addresses that `dlsym` gives, and inside the library; again each time that it is loaded.
#[test]
fn functions_of_libraries_that_are_loaded_later() {
    let program = Program::new("probed_later.c").plugin("probed_library.c");
    let ran = same(Case::of(program).seconds(120), Way::Preload);
    let calls = of_user(&ran);
    let counts = counts(&calls);
    assert_eq!(counts["p_by_table"], 20, "{counts:?}");
    assert_eq!(counts["p_tail"], 20, "{counts:?}");
    assert_eq!(counts["p_ints"], 20 + 20 + 4 * 200, "{counts:?}");
}

/// Each waited for what the other held: the dynamic linker's list, and its lock for those who open something.
#[test]
fn threads_that_load_libraries_waited_for_each_other() {
    let program = Program::new("probed_later.c").plugin("probed_library.c");
    let case = Case::of(program).seconds(60).way(Way::Preload);
    for _ in 0..20 {
        probed(case.clone(), "p_*").run().succeeded();
    }
}

/// Python's way to a library, which no slot of a program leads to.
#[test]
fn functions_that_python_calls_by_ctypes() {
    let script = "import ctypes; m = ctypes.CDLL('libm.so.6'); m.cbrt.restype = ctypes.c_double; \
                  m.cbrt.argtypes = [ctypes.c_double]; print([m.cbrt(8.0) for _ in range(5)])";
    let python = iota_tests::find("python3");
    if !iota_tests::wanted("python3", python.is_some(), "install it") {
        return;
    }
    let ran = run(
        Case::shell(&format!("python3 -c \"{script}\"")),
        "--probe cbrt,[n]owhere",
    )
    .succeeded();
    assert!(ran.stdout().contains("2.0, 2.0"), "{}", ran.stdout());
    assert_eq!(counts(&of_user(&ran))["cbrt"], 5);
}

/// The library of HDF5, wherever the system has it.
fn hdf5() -> Option<String> {
    let folders = std::fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten();
    let files = folders.map(|folder| folder.path().join("libhdf5_serial.so.103"));
    let file = files.into_iter().find(|file| file.exists());
    file.and_then(|file| file.to_str().map(str::to_owned))
}

#[test]
fn a_dataset_of_hdf5_has_its_writes_below_it() {
    let library = hdf5();
    if !iota_tests::wanted("libhdf5-103-1", library.is_some(), "install it") {
        return;
    }
    let program = Program::new("hdf5_writes.c").behind(&library.unwrap_or_default());
    let ran = run(Case::of(program), "--probe H5D*").succeeded();
    assert_eq!(ran.stdout(), "0 0\n");
    let trace = ran.trace();
    let calls = &trace.only().calls;
    let large = calls.iter().find(|call| call.length == 800_000);
    let mut above = vec![large.expect("the dataset's write")];
    while let Some(call) = enclosing(above[above.len() - 1], calls) {
        above.push(call);
    }
    assert_eq!(above.last().map(|call| &*call.op), Some("H5Dwrite"));
    assert_eq!(above.last().map(|call| call.ret), Some(0));
}

/// Calls that no process finished writing are recovered with their names.
#[test]
fn names_are_recovered_from_a_spool() {
    let case = caller("probed_killed.c").way(Way::Preload);
    let ran = probed(case, "p_*").run();
    let spool = ran.scratch_file("spool");
    let iota = Build::first().iota();
    let recovered = std::process::Command::new(iota)
        .arg("recover")
        .arg("--spool")
        .arg(&spool)
        .arg(ran.trace_dir())
        .output()
        .expect("iota runs");
    assert!(recovered.status.success(), "{recovered:?}");
    assert_eq!(counts(&of_user(&ran))["p_ints"], 100);
}

fn run(case: Case, options: &str) -> Ran {
    let command = format!("{} run {options} --", Build::first().iota().display());
    case.under(&command).run()
}
