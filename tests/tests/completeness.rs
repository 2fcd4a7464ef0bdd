//! Every call that goes through libc is in the trace: once, in order, with the op, result, errno, position and path that
//! the program saw itself; and the kernel, asked by strace, saw the same calls.

use iota_tests::{Call, Case, Expected, Way, canonical, in_each_way, machine::STRACE, strace};

/// The report of a program that one thread made, against the calls that the trace has of it.
fn is_traced(case: Case, way: Way) {
    let ran = case.way(way).run().succeeded().quiet();
    let trace = ran.trace();
    trace.assert_whole();
    let part = &trace.parts[0];
    let calls: Vec<Call> = part
        .between_markers()
        .iter()
        .filter(|call| !["umask", "fork"].contains(&&*call.op))
        .cloned()
        .collect();
    Expected::assert_traced(&ran.stdout(), &calls);
}

// In a static link `__open` and its like are not wrapped, as libc's own calls would be, too; nor aio, which would pull
// threads in.
in_each_way! {
    is_traced:
    aliases in dynamic, preload: Case::new("aliases.c");
    asynchronous in dynamic, preload: Case::new("aio.c");
    data: Case::new("data.c");
    data_with_64_bit_offsets: Case::new("data.c").with(|p| p.flags("-D_FILE_OFFSET_BITS=64"));
    offsets: Case::new("offsets.c");
    streams: Case::new("streams.c");
    big_streams: Case::new("big_streams.c");
    metadata: Case::new("metadata.c");
    paths: Case::new("at.c");
    failing: Case::new("failing.c");
    fcntl: Case::new("fcntl.c");
    modes: Case::new("modes.c");
    large_files: Case::new("far.c");
    system_calls: Case::new("system_calls.c");
}

/// 3,000 for each handler, and one before.
fn writes_at_the_end_are_traced((how, writes): (&str, usize), way: Way) {
    let trace = Case::new("exit_now.c").args(how).way(way).run().trace();
    trace.assert_whole();
    assert_eq!(trace.count("write"), writes);
}

in_each_way! {
    writes_at_the_end_are_traced:
    in_handlers_of_quick_exit: ("quick_exit_handled", 6001);
    in_a_handler_of_abort: ("abort_handled", 3001);
    in_a_handler_of_abort_that_is_blocked: ("abort_blocked", 3001);
    in_a_handler_of_abort_that_exits: ("abort_exit", 3001);
    behind_an_abort_that_its_handler_leaves: ("abort_left", 6001);
}

#[test]
fn fortified_calls_are_traced_under_their_own_names() {
    let flags = "-O2 -D_FORTIFY_SOURCE=2";
    for way in Way::TRACED {
        let ran = Case::new("fortified.c")
            .with(|program| program.flags(flags))
            .way(way)
            .run()
            .succeeded();
        let trace = ran.trace();
        let names = "__open_2 __open64_2 __openat_2 __openat64_2 __read_chk __pread_chk __pread64_chk __fread_chk \
            __fread_unlocked_chk __fgets_chk __fgets_unlocked_chk __fprintf_chk __printf_chk __dprintf_chk __readlink_chk \
            __readlinkat_chk";
        for name in names.split_whitespace() {
            assert_eq!(trace.count(name), 1, "{name}, {way:?}");
        }
    }
}

#[test]
fn the_standard_streams_are_traced() {
    let ran = Case::new("stdout.c")
        .input("x12 word\nline\nrest\n")
        .way(Way::Static)
        .run()
        .succeeded();
    let trace = ran.trace();
    for name in [
        "printf",
        "puts",
        "putchar",
        "fputs",
        "dprintf",
        "getchar",
        "fgets",
        "getchar_unlocked",
    ] {
        assert!(trace.count(name) > 0, "{name}");
    }
    let fds: Vec<i32> = ["puts", "fputs", "fgets"]
        .iter()
        .map(|op| fd_of(&trace, op))
        .collect();
    assert_eq!(
        fds,
        [1, 2, 0],
        "puts goes to 1, the fputs to 2, fgets comes from 0"
    );
}

fn fd_of(trace: &iota_tests::Trace, op: &str) -> i32 {
    trace
        .calls()
        .find(|call| &*call.op == op)
        .expect("it is there")
        .fd
}

#[test]
fn calls_within_calls_know_the_outer_one() {
    for way in Way::TRACED {
        let trace = Case::new("cookie.c").way(way).run().succeeded().trace();
        let call = |op: &str| {
            trace
                .calls()
                .find(|call| &*call.op == op)
                .unwrap_or_else(|| panic!("no {op}"))
        };
        for (inner, outer) in [("write", "fflush"), ("read", "fread")] {
            assert_eq!(
                call(inner).parent,
                call(outer).id,
                "{inner} within {outer}, {way:?}"
            );
        }
        assert_eq!(call("lseek").parent, 0, "a call of its own");
    }
}

#[test]
fn every_thread_of_many_is_traced() {
    let trace = Case::new("many_threads.c")
        .way(Way::Static)
        .run()
        .succeeded()
        .quiet()
        .trace();
    trace.assert_whole();
    assert_eq!(trace.count("pwrite"), 2 * 500 * 20);
}

#[test]
fn every_forked_child_is_traced() {
    let ran = Case::new("fork_storm.c")
        .way(Way::Dynamic)
        .run()
        .succeeded();
    let trace = ran.trace();
    assert_eq!(trace.problems, Vec::<String>::new());
    let in_children = trace
        .calls()
        .filter(|call| &*call.op == "write" && call.path.ends_with(b"/children"));
    // A third of them was replaced by another program, and is in the spool.
    assert!(in_children.count() >= 40 * 50);
}

#[test]
fn times_are_those_of_the_wall() {
    let ran = Case::new("slow.c").way(Way::Static).run().succeeded();
    let trace = ran.trace();
    let ms = 1_000_000;
    let read = trace
        .calls()
        .find(|call| &*call.op == "read")
        .expect("it reads");
    assert!(
        (190 * ms..1000 * ms).contains(&(read.end - read.start)),
        "a read of 200 ms: {} ns",
        read.end - read.start
    );
    let writes: Vec<_> = trace.calls().filter(|call| &*call.op == "write").collect();
    let apart = writes[1].start - writes[0].end;
    assert!(
        (299 * ms..1000 * ms).contains(&apart),
        "300 ms apart: {apart} ns"
    );
    let open = trace
        .calls()
        .find(|call| &*call.op == "open")
        .expect("it opens");
    let opened = trace.start + open.start;
    let said: i64 = ran.stdout().trim().parse().expect("a time");
    assert!(
        (0..50 * ms).contains(&(opened - said)),
        "the program says {said}, the trace {opened}"
    );
}

#[test]
fn inlined_stream_calls_are_seen_where_they_reach_libc() {
    let case = Case::new("big_streams.c").with(|program| program.flags("-O2 -fbuiltin"));
    let ran = case.way(Way::Static).run().succeeded();
    assert_eq!(ran.trace().count("fwrite"), 5001);
}

/// The calls of the bare program's main thread that strace saw between the markers, against those of the trace.
fn agrees_with_the_kernel(source: &str) {
    if !STRACE.is_here() {
        return;
    }
    let case = Case::new(source).way(Way::BareStatic);
    let bare = case
        .clone()
        .under("strace -f -qq -o {}/strace")
        .run()
        .succeeded();
    let kernel = kernel_calls(&strace::read(&bare.scratch_file("strace")));
    let traced = case.way(Way::Static).run().succeeded();
    let trace = traced.trace();
    let ours = trace.parts[0].between_markers().iter().filter_map(of_trace);
    let ours: Vec<_> = ours.collect();
    assert!(kernel.len() > 10, "strace saw calls: {kernel:?}");
    for (index, (kernel, ours)) in kernel.iter().zip(&ours).enumerate() {
        assert_eq!(kernel, ours, "call {index}: strace, then the trace");
    }
    assert_eq!(kernel.len(), ours.len());
}

/// What kernel and libc agree on: the class of a call, and its result.
type Seen = (&'static str, i64);

fn kernel_calls(calls: &[strace::Syscall]) -> Vec<Seen> {
    let marker = |name: &str| {
        calls
            .iter()
            .position(|call| call.args.contains(name))
            .expect("the program marks its begin and end")
    };
    let (begin, end) = (marker("test-begins"), marker("test-ends"));
    let main = calls[begin].pid;
    let ours = calls[begin + 1..end].iter().filter(|call| call.pid == main);
    let seen = ours.filter_map(|call| Some((class_of_syscall(&call.name)?, call.ret)));
    seen.map(|(class, ret)| (class, if class == "mmap" { 0 } else { ret }))
        .collect()
}

fn of_trace(call: &Call) -> Option<Seen> {
    let class = class_of_op(&canonical(&call.op))?;
    Some((class, if class == "mmap" { 0 } else { call.ret }))
}

/// Class, ops of libc, system calls. Calls that libc makes of its own accord (a stream's, malloc's) have no class.
const CLASSES: &[(&str, &str, &str)] = &[
    (
        "open",
        "open openat mkstemp mkostemp mkstemps mkostemps",
        "open openat",
    ),
    ("creat", "creat", "creat"),
    ("close", "close", "close"),
    ("read", "read", "read"),
    ("write", "write", "write"),
    ("pread", "pread", "pread64"),
    ("pwrite", "pwrite", "pwrite64"),
    ("readv", "readv", "readv"),
    ("writev", "writev", "writev"),
    ("preadv", "preadv", "preadv"),
    ("pwritev", "pwritev", "pwritev"),
    ("preadv2", "preadv2", "preadv2"),
    ("pwritev2", "pwritev2", "pwritev2"),
    ("lseek", "lseek", "lseek"),
    ("sendfile", "sendfile", "sendfile"),
    ("copy_file_range", "copy_file_range", "copy_file_range"),
    ("fallocate", "fallocate posix_fallocate", "fallocate"),
    ("fadvise", "posix_fadvise", "fadvise64"),
    ("readahead", "readahead", "readahead"),
    ("ftruncate", "ftruncate", "ftruncate"),
    ("fsync", "fsync", "fsync"),
    ("fdatasync", "fdatasync", "fdatasync"),
    ("syncfs", "syncfs", "syncfs"),
    ("sync_file_range", "sync_file_range", "sync_file_range"),
    ("mmap", "mmap", "mmap"),
    ("msync", "msync", "msync"),
    ("dup", "dup", "dup"),
    ("dup2", "dup2", "dup2"),
    ("dup3", "dup3", "dup3"),
    ("fcntl", "fcntl", "fcntl"),
    ("ioctl", "ioctl", "ioctl"),
    ("pipe", "pipe pipe2", "pipe pipe2"),
    ("memfd", "memfd_create", "memfd_create"),
    ("mkdirat", "mkdirat", "mkdirat"),
    ("mkdir", "mkdir", "mkdir"),
    ("unlink", "unlink", "unlink"),
    ("unlinkat", "unlinkat", "unlinkat"),
    ("renameat", "renameat", "renameat"),
    ("chdir", "chdir", "chdir"),
    ("fchdir", "fchdir", "fchdir"),
];

fn class_of_op(op: &str) -> Option<&'static str> {
    CLASSES
        .iter()
        .find(|(_, ops, _)| ops.split(' ').any(|each| each == op))
        .map(|class| class.0)
}

fn class_of_syscall(name: &str) -> Option<&'static str> {
    CLASSES
        .iter()
        .find(|(.., calls)| calls.split(' ').any(|each| each == name))
        .map(|class| class.0)
}

#[test]
fn strace_sees_the_same_data_calls() {
    agrees_with_the_kernel("data.c");
}

#[test]
fn strace_sees_the_same_calls_at_positions() {
    agrees_with_the_kernel("offsets.c");
}

#[test]
fn strace_sees_the_same_fcntl_calls() {
    agrees_with_the_kernel("fcntl.c");
}

#[test]
fn strace_sees_the_same_opens() {
    agrees_with_the_kernel("modes.c");
}

#[test]
fn a_system_call_that_makes_no_file_has_no_mode() {
    let trace = Case::new("system_calls.c").way(Way::Dynamic).run();
    let trace = trace.succeeded().trace();
    let opens = trace.calls().filter(|call| &*call.op == "openat");
    let modes: Vec<_> = opens.map(|call| call.length >> 32).collect();
    assert_eq!(modes, [0o640, 0]);
}

#[test]
fn an_error_number_that_is_returned_stands_as_errno() {
    let script =
        "import os\ntry: os.posix_fallocate(-1, 5, 6)\nexcept OSError as e: print(e.errno)";
    let case = Case::shell(&format!("/usr/bin/python3 -c '{script}'")).way(Way::Preload);
    let ran = case.run().succeeded();
    assert_eq!(ran.stdout(), format!("{}\n", libc::EBADF));
    let trace = ran.trace();
    let mut calls = trace
        .calls()
        .filter(|call| call.op.starts_with("posix_fallocate"));
    let call = calls.next().expect("it is there");
    let all = (call.ret, call.errno, call.fd, call.offset, call.length);
    assert_eq!(all, (-1, libc::EBADF, -1, 5, 6));
}
