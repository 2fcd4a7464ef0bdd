//! Processes that start others or become another program: each has its part, with what it did itself and nothing else.

use iota_tests::{Call, Case, Part, Trace, Way, machine::TERMINAL};
use iota_trace::part::reason;

fn traced(way: Way) -> Trace {
    let case = Case::new("spawning.c").way(way);
    let ran = case.run();
    ran.assert_same_as(&case.run_bare());
    let trace = ran.trace();
    trace.assert_whole();
    trace
}

/// The parts of this program in which a call was made on a file of this name.
fn parts_with<'t>(trace: &'t Trace, name: &str) -> Vec<&'t Part> {
    let has = |part: &&Part| part.calls.iter().any(|call| is_on(call, name));
    trace.parts.iter().filter(has).collect()
}

fn is_on(call: &Call, name: &str) -> bool {
    call.path.ends_with(format!("/{name}").as_bytes())
}

fn every_process_has_a_part(way: Way) {
    let trace = traced(way);
    let count = |name| parts_with(&trace, name).len();
    let forked = if TERMINAL.is_here() { 3 } else { 2 };
    assert_eq!(count("in-child"), forked, "fork, _Fork, forkpty");
    assert_eq!(count("before-daemon"), 1);
    assert_eq!(count("in-daemon"), 1);
    let replaced = parts_with(&trace, "before-exec");
    assert_eq!(replaced.len(), 9, "one for each form of exec");
    for part in replaced {
        let end = part.end.as_ref().expect("an end");
        assert_eq!(end.reason, reason::EXEC);
    }
    let forks = trace
        .calls()
        .filter(|call| ["fork", "_Fork", "forkpty"].contains(&&*call.op));
    let (made, failed): (Vec<i64>, Vec<i64>) = forks.map(|call| call.ret).partition(|pid| *pid > 0);
    assert!(made.len() >= 9 + forked, "{made:?}");
    assert_eq!(failed, vec![-1; 3 - forked], "of forkpty");
}

fn children_of_vfork_leave_their_parent_alone(way: Way) {
    let trace = traced(way);
    assert!(
        parts_with(&trace, "in-vfork-child").is_empty(),
        "they are their parent's until they are another program"
    );
    let parent = parts_with(&trace, "kept");
    assert_eq!(parent.len(), 1);
    let kept = parent[0].calls.iter().filter(|call| is_on(call, "kept"));
    let offsets: Vec<i64> = kept
        .filter(|call| &*call.op == "write")
        .map(|call| call.offset)
        .collect();
    assert_eq!(
        offsets,
        [0, 8, 16, 24],
        "the descriptor that they closed is open here"
    );
    let vforks = parent[0].calls.iter().filter(|call| &*call.op == "vfork");
    assert_eq!(vforks.filter(|call| call.ret > 0).count(), 3);
}

fn an_exec_that_fails_is_a_call(way: Way) {
    let trace = traced(way);
    let errno_of = |op: &str, path: &str| {
        let mut calls = trace.calls();
        let call = calls.find(|call| &*call.op == op && call.path.ends_with(path.as_bytes()));
        call.map(|call| (call.ret, call.errno))
    };
    assert_eq!(
        errno_of("execve", "/no-such-program"),
        Some((-1, libc::ENOENT))
    );
    assert_eq!(errno_of("execv", "/etc/passwd"), Some((-1, libc::EACCES)));
    assert_eq!(
        errno_of("execl", "/no/such/program"),
        Some((-1, libc::ENOENT))
    );
    assert_eq!(errno_of("posix_spawn", "/bin/sh"), Some((0, 0)));
    assert_eq!(
        errno_of("posix_spawn", "/no/such"),
        Some((-1, libc::ENOENT)),
        "an error number"
    );
    let spawned = trace
        .calls()
        .filter(|call| call.op.starts_with("posix_spawn"));
    let children: Vec<u64> = spawned
        .filter(|call| call.ret == 0)
        .map(|call| call.length)
        .collect();
    assert_eq!(children.len(), 2);
    assert!(children.iter().all(|&pid| pid > 1), "{children:?}");
    assert_eq!(parts_with(&trace, "still-here").len(), 1);
}

fn children_in_their_parent_s_memory_are_not_it(way: Way) {
    let case = Case::new("clone.c").way(way);
    let ran = case.run().succeeded().quiet();
    ran.assert_same_as(&case.run_bare());
    let trace = ran.trace();
    trace.assert_whole();
    assert!(parts_with(&trace, "by-child").is_empty());
    let [parent] = parts_with(&trace, "by-parent")[..] else {
        panic!("one part of the parent's");
    };
    let offsets = |name: &str| -> Vec<i64> {
        let on_it = parent.calls.iter().filter(|call| is_on(call, name));
        let writes = on_it.filter(|call| &*call.op == "write");
        writes.map(|call| call.offset).collect()
    };
    let all: Vec<i64> = (0..5000).map(|i| 6 * i).collect();
    assert_eq!(offsets("by-parent"), all);
    assert_eq!(offsets("work/kept"), [0], "closed by the children alone");
    assert_eq!(offsets("work/last"), [0], "in the parent's folder");
    let clones = parent.calls.iter().filter(|call| &*call.op == "clone");
    let children: Vec<bool> = clones.map(|call| call.ret > 0).collect();
    assert_eq!(children, [true, true, true, true, false]);
    for name in ["by-clone", "by-number"] {
        let [child] = parts_with(&trace, name)[..] else {
            panic!("one part with {name}");
        };
        assert_ne!(child.pid, parent.pid);
    }
}

macro_rules! ways {
    ($($test:ident)*) => { $(mod $test {
        use super::*;
        #[test] fn dynamic() { super::$test(Way::Dynamic) }
        #[test] fn linked_statically() { super::$test(Way::Static) }
        #[test] fn preload() { super::$test(Way::Preload) }
    })* };
}

ways! {
    every_process_has_a_part
    children_of_vfork_leave_their_parent_alone
    an_exec_that_fails_is_a_call
    children_in_their_parent_s_memory_are_not_it
}
