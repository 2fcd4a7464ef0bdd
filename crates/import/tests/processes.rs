//! Processes of a log stay apart, and a log that is read twice is the same processes.

use iota_import::{Import, Log, Tool};
use iota_trace::read::{Options, Trace};
use std::path::{Path, PathBuf};

/// One call of a rank, as `iota text -v` prints it; all have the same process id
fn line(rank: u32) -> String {
    format!("{rank}\t0.5\t0.1\t0\twrite\t8\t3\t-\t8\t7\t-\tPOSIX\t7.1\t-\t/a\t-\t7\n")
}

/// A log as a file of a trace
fn imported(dir: &Path, name: &str, text: &str) -> PathBuf {
    imported_from(Tool::Text, dir, name, text)
}

fn imported_from(tool: Tool, dir: &Path, name: &str, text: &str) -> PathBuf {
    let mut import = Import::new(tempfile::tempfile().unwrap(), name.into(), None);
    let log = Log {
        name: "log".into(),
        path: Path::new("log"),
        from: Box::new(text.as_bytes()),
        progress: &|_| {},
    };
    let found = import.log(log, Some(tool)).unwrap();
    assert_eq!(found.bad, 0, "{found:?}");
    let path = dir.join(name);
    import
        .finish(std::fs::File::create(&path).unwrap())
        .unwrap();
    path
}

/// Calls of files that are read as one trace
fn calls(files: &[PathBuf]) -> usize {
    let trace = Trace::open(files, Options::default()).unwrap();
    trace.parts().iter().map(|part| part.events().count()).sum()
}

#[test]
fn ranks_on_several_nodes_may_have_the_same_process_id() {
    let dir = tempfile::tempdir().unwrap();
    let both = imported(dir.path(), "both", &(line(0) + &line(1)));
    assert_eq!(calls(&[both]), 2);
}

#[test]
fn a_log_that_is_converted_twice_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    let [first, again, other] = [("first", 0), ("again", 0), ("other", 1)]
        .map(|(name, rank)| imported(dir.path(), name, &line(rank)));
    assert_eq!(calls(&[first.clone(), again]), 1);
    assert_eq!(calls(&[first, other]), 2);
}

#[test]
fn any_earlier_line_of_strace_may_name_the_working_directory() {
    const LOG: &str = "\
7 1700000000.0 mkdir(\"unknown\", 0777) = 0 <0.1>
7 1700000001.0 openat(AT_FDCWD</tmp/a>, \"/etc/ld.so.cache\", O_RDONLY) = 3</etc/ld.so.cache> <0.1>
8 1700000002.0 nobody_knows(AT_FDCWD</tmp/b>, \"x\") = 0 <0.1>
7 1700000003.0 mkdir(\"new\", 0777) = 0 <0.1>
8 1700000004.0 mkdir(\"new\", 0777) = 0 <0.1>
7 1700000005.0 chdir(\"new\") = 0 <0.1>
7 1700000006.0 rmdir(\"x\") = 0 <0.1>
";
    let dir = tempfile::tempdir().unwrap();
    let file = imported_from(Tool::Strace, dir.path(), "run", LOG);
    let trace = Trace::open(&[file], Options::default()).unwrap();
    let mut paths = Vec::new();
    for part in trace.parts() {
        let names = part.names();
        let path = |file| String::from_utf8_lossy(names.file(file).unwrap()).into_owned();
        paths.extend(part.events().map(|timed| path(timed.event.file)));
    }
    let expected = [
        "unknown",
        "/etc/ld.so.cache",
        "/tmp/a/new",
        "/tmp/a/new",
        "/tmp/a/new/x",
        "/tmp/b/new",
    ];
    assert_eq!(paths, expected);
}

/// Name, offset, path and length of each call
fn told(log: &str) -> Vec<(String, i64, String, u64)> {
    let dir = tempfile::tempdir().unwrap();
    let file = imported_from(Tool::Strace, dir.path(), "run", log);
    let trace = Trace::open(&[file], Options::default()).unwrap();
    let part = &trace.parts()[0];
    let names = part.names();
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into();
    let call = |event: iota_trace::Event| {
        let op = names.op(event.op).map(|op| op.name);
        let path = text(names.file(event.file));
        (text(op), event.offset, path, event.length)
    };
    part.events().map(|timed| call(timed.event)).collect()
}

#[test]
fn what_is_appended_goes_to_the_end_of_the_file_that_has_the_name() {
    const LOG: &str = r#"
7 1.00 openat(AT_FDCWD, "/d/log", O_WRONLY|O_CREAT|O_EXCL, 0600) = 3 <0.001>
7 1.01 write(3, "x", 300) = 300 <0.001>
7 1.02 rename("/d/log", "/d/log.1") = 0 <0.001>
7 1.03 openat(AT_FDCWD, "/d/log", O_WRONLY|O_CREAT|O_APPEND, 0600) = 4 <0.001>
7 1.04 write(4, "new", 40) = 40 <0.001>
7 1.05 write(4, "new", 2) = 2 <0.001>
7 1.06 write(3, "old", 7) = 7 <0.001>
7 1.07 openat(AT_FDCWD, "/d/log.1", O_WRONLY|O_APPEND) = 5 <0.001>
7 1.08 write(5, "old", 1) = 1 <0.001>
7 1.09 unlink("/d/log") = 0 <0.001>
7 1.10 openat(AT_FDCWD, "/d/log", O_WRONLY|O_CREAT|O_APPEND, 0600) = 6 <0.001>
7 1.11 write(6, "third", 11) = 11 <0.001>
7 1.12 write(4, "gone", 3) = 3 <0.001>
7 1.13 truncate("/d/log", 1000) = 0 <0.001>
7 1.14 write(6, "third", 11) = 11 <0.001>
7 1.15 fallocate(6, 0, 0, 5000) = 0 <0.001>
7 1.16 write(6, "third", 1) = 1 <0.001>
7 1.17 pwrite64(6, "third", 1, 0) = 1 <0.001>
7 1.18 newfstatat(AT_FDCWD, "/d/link", {st_mode=S_IFLNK|0777, st_size=5, ...}, AT_SYMLINK_NOFOLLOW) = 0 <0.001>
7 1.19 openat(AT_FDCWD, "/d/link", O_WRONLY|O_APPEND) = 7 <0.001>
7 1.20 write(7, "x", 10) = 10 <0.001>
7 1.21 openat(AT_FDCWD, "/d/c", O_RDWR|O_TRUNC) = 8 <0.001>
7 1.22 write(8, "x", 100) = 100 <0.001>
7 1.23 lseek(8, 10, SEEK_SET) = 10 <0.001>
7 1.24 fcntl(8, F_SETFL, O_RDWR|O_APPEND) = 0 <0.001>
7 1.25 write(8, "x", 20) = 20 <0.001>
7 1.26 sendfile(8, 3, [0] => [50], 50) = -1 EINVAL (Invalid argument) <0.001>
7 1.27 fcntl(8, F_SETFL, O_RDWR) = 0 <0.001>
7 1.28 sendfile(8, 3, [0] => [50], 50) = 50 <0.001>
7 1.29 openat(AT_FDCWD, "/d/c", O_WRONLY|O_APPEND) = 9 <0.001>
7 1.30 write(9, "x", 1) = 1 <0.001>
"#;
    let is_write = |name: &str| name.contains("write");
    let writes = told(LOG).into_iter().filter(|call| is_write(&call.0));
    let places: Vec<_> = writes.map(|(_, offset, ..)| offset).collect();
    let expected = [0, 0, 40, 300, 307, 0, 42, 1000, 5000, 5001, -1, 0, 100, 170];
    assert_eq!(places, expected);
}

#[test]
fn a_flag_of_one_call_says_whether_it_appends() {
    const LOG: &str = r#"
7 1.0 openat(AT_FDCWD, "/d/a", O_RDWR|O_CREAT|O_TRUNC, 0600) = 3 <0.001>
7 1.1 write(3, "x", 10) = 10 <0.001>
7 1.2 lseek(3, 2, SEEK_SET) = 2 <0.001>
7 1.3 pwritev2(3, [{iov_base="once", iov_len=4}], 1, 0, RWF_APPEND) = 4 <0.001>
7 1.4 pwritev2(3, [{iov_base="once", iov_len=4}], 1, -1, RWF_DSYNC|RWF_APPEND) = 4 <0.001>
7 1.5 write(3, "x", 1) = 1 <0.001>
7 1.6 fcntl(3, F_SETFL, O_RDWR|O_APPEND) = 0 <0.001>
7 1.7 pwritev2(3, [{iov_base="once", iov_len=4}], 1, 1, RWF_NOAPPEND) = 4 <0.001>
"#;
    let writes = told(LOG)
        .into_iter()
        .filter(|call| call.0.contains("write"));
    let places: Vec<_> = writes.map(|(_, offset, ..)| offset).collect();
    assert_eq!(places, [0, 10, 14, 18, 1]);
}

#[test]
fn sockets_files_without_a_name_and_modes_are_as_strace_prints_them() {
    const LOG: &str = r#"
7 1.0 openat2(AT_FDCWD</d>, "a", {flags=O_RDWR|O_CREAT, mode=0751, resolve=0}, 24) = 3</d/a> <0.1>
7 1.1 write(4<TCP:[127.0.0.1:36874->127.0.0.1:80]>, "x", 10) = 10 <0.1>
7 1.2 read(5</d/gone>(deleted), "x", 30) = 30 <0.1>
"#;
    let mode = 0o751 << 32 | (libc::O_RDWR | libc::O_CREAT) as u64;
    let expected = [
        ("openat2", -1, "/d/a", mode),
        ("write", -1, "", 10),
        ("read", -1, "/d/gone", 30),
    ]
    .map(|(name, offset, path, length)| (name.to_owned(), offset, path.to_owned(), length));
    assert_eq!(told(LOG), expected);
}

#[test]
fn descriptors_that_a_range_marks_are_closed_by_the_next_program() {
    const LOG: &str = r#"
7 1.0 openat(AT_FDCWD, "/a", O_RDONLY) = 3 <0.1>
7 1.1 close_range(3, 4294967295, CLOSE_RANGE_CLOEXEC) = 0 <0.1>
7 1.2 read(3, "x", 1) = 1 <0.1>
7 1.3 execve("/bin/x", ["x"], 0x7ffe /* 3 vars */) = 0 <0.1>
7 1.4 read(3, 0x7ffe, 1) = -1 EBADF (Bad file descriptor) <0.1>
"#;
    let reads = told(LOG).into_iter().filter(|call| call.0 == "read");
    let paths: Vec<_> = reads.map(|(.., path, _)| path).collect();
    assert_eq!(paths, ["/a", ""]);
}

/// strace names a process only while there are several, and says in the midst of a line that one has come.
#[test]
fn a_log_from_a_terminal_has_the_same_processes_throughout() {
    const LOG: &str = r#"
1.000 openat(AT_FDCWD, "/f", O_RDWR|O_CREAT|O_TRUNC, 0644) = 3 <0.00001>
1.001 write(3, "aaaa", 4) = 4 <0.00001>
1.002 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLDstrace: Process 21 attached
 <unfinished ...>
[pid    21] 1.003 set_robust_list(0x7f5ab3360a20, 24 <unfinished ...>
[pid    20] 1.004 <... clone resumed>, child_tidptr=0x7f5ab3360a10) = 21 <0.002>
[pid    20] 1.005 write(3, "parent", 6 <unfinished ...>
[pid    21] 1.006 <... set_robust_list resumed>) = 0 <0.003>
[pid    20] 1.007 <... write resumed>) = 6 <0.002>
[pid    21] 1.008 write(3, "child", 5) = 5 <0.00001>
[pid    20] 1.009 wait4(21,  <unfinished ...>
[pid    21] 1.010 exit_group(0) = ?
[pid    21] 1.011 +++ exited with 0 +++
1.012 <... wait4 resumed>NULL, 0, NULL) = 21 <0.003>
1.013 --- SIGCHLD {si_signo=SIGCHLD, si_pid=21} ---
1.014 write(3, "alone", 5) = 5 <0.00001>
1.015 clone(child_stack=NULL, flags=SIGCHLDstrace: Process 22 attached
, child_tidptr=0x7f5ab3360a10) = 22 <0.0001>
[pid    20] 1.016 exit_group(0) = ?
[pid    20] 1.017 +++ exited with 0 +++
1.018 write(3, "orphan", 6) = 6 <0.00001>
1.019 +++ exited with 0 +++
"#;
    let dir = tempfile::tempdir().unwrap();
    let file = imported_from(Tool::Strace, dir.path(), "run", LOG);
    let trace = Trace::open(&[file], Options::default()).unwrap();
    let mut writes = Vec::new();
    for part in trace.parts() {
        let calls = part.events().map(|timed| timed.event);
        let moved = calls.filter(|event| event.offset >= 0 && event.ret > 0);
        writes.extend(moved.map(|event| (part.pid(), event.offset, event.ret)));
    }
    writes.sort_unstable();
    let expected = [(1, 0, 4), (1, 4, 6), (1, 15, 5), (21, 10, 5), (22, 20, 6)];
    assert_eq!(writes, expected);
}

/// Of every process: its number, its calls and the last path in it, in the order of their first calls
fn processes(log: &str) -> Vec<(u32, usize, String)> {
    let dir = tempfile::tempdir().unwrap();
    let file = imported_from(Tool::Strace, dir.path(), "run", log);
    let trace = Trace::open(&[file], Options::default()).unwrap();
    let parts = trace.parts().iter().map(|part| {
        let (mut calls, mut first, mut path) = (0, i64::MAX, String::new());
        for timed in part.events() {
            calls += 1;
            first = first.min(timed.event.start);
            path = String::from_utf8_lossy(part.names().file(timed.event.file).unwrap()).into();
        }
        (first, (part.pid(), calls, path))
    });
    let mut parts: Vec<_> = parts.collect();
    parts.sort();
    parts.into_iter().map(|(_, told)| told).collect()
}

#[test]
fn a_process_number_that_is_used_again_is_another_process() {
    const LOG: &str = "\
7 1700000000.0 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3 <0.1>
7 1700000001.0 vfork( <unfinished ...>
8 1700000001.1 openat(AT_FDCWD, \"/b\", O_RDONLY) = 4 <0.1>
8 1700000001.3 +++ exited with 0 +++
7 1700000001.4 <... vfork resumed>) = 8 <0.4>
7 1700000002.0 openat(AT_FDCWD, \"/c\", O_RDONLY) = 4 <0.1>
7 1700000003.0 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 8 <0.1>
8 1700000004.0 read(4, \"\", 1) = 0 <0.1>
8 1700000004.5 close(4) = 0 <0.1>
8 1700000005.0 +++ exited with 0 +++
7 1700000006.0 close(3) = 0 <0.1>
";
    let expected = [(7, 3, "/a"), (8, 1, "/b"), (8, 2, "/c")];
    assert_eq!(
        processes(LOG),
        expected.map(|(pid, calls, path)| (pid, calls, path.to_owned()))
    );
}

#[test]
fn processes_of_the_same_number_count_each_though_they_do_the_same() {
    // By a clock that stands still.
    const LOG: &str = "\
7 1700000001.0 vfork() = 8 <0.1>
8 1700000002.0 openat(AT_FDCWD, \"/b\", O_RDONLY) = 4 <0.1>
8 1700000003.0 +++ exited with 0 +++
7 1700000001.0 vfork() = 8 <0.1>
8 1700000002.0 openat(AT_FDCWD, \"/b\", O_RDONLY) = 4 <0.1>
8 1700000003.0 +++ exited with 0 +++
";
    let dir = tempfile::tempdir().unwrap();
    let trace = imported_from(Tool::Strace, dir.path(), "trace", LOG);
    assert_eq!(calls(&[trace]), 2);
}

#[test]
fn results_tell_which_of_two_calls_made_a_process() {
    const LOG: &str = "\
7 1700000000.0 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3 <0.1>
8 1700000000.5 openat(AT_FDCWD, \"/b\", O_RDONLY) = 3 <0.1>
7 1700000001.0 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>
8 1700000001.1 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>
9 1700000001.2 read(3, \"\", 1) = 0 <0.1>
10 1700000001.4 close(3) = 0 <0.1>
10 1700000001.6 +++ exited with 0 +++
8 1700000001.7 <... clone resumed>) = 10 <0.5>
7 1700000001.8 <... clone resumed>) = 9 <0.7>
9 1700000002.0 close(3) = 0 <0.1>
";
    let expected = [(7, 1, "/a"), (8, 1, "/b"), (9, 2, "/a"), (10, 1, "/b")];
    assert_eq!(
        processes(LOG),
        expected.map(|(pid, calls, path)| (pid, calls, path.to_owned()))
    );
}

#[test]
fn any_thread_may_run_another_program() {
    const LOG: &str = "\
7 1700000000.0 clone(child_stack=NULL, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD) = 8 <0.1>
7 1700000001.0 futex(0x7f, FUTEX_WAIT, 8, NULL <unfinished ...>
8 1700000002.0 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3 <0.1>
8 1700000002.5 openat(AT_FDCWD, \"/b\", O_RDONLY|O_CLOEXEC) = 4 <0.1>
8 1700000003.0 execve(\"/bin/new\", [\"new\"], 0x7fff /* 5 vars */ <unfinished ...>
7 1700000003.1 <... futex resumed>) = ?
7 1700000003.2 +++ superseded by execve in pid 8 +++
7 1700000003.3 <... execve resumed>) = 0 <0.3>
7 1700000004.0 openat(AT_FDCWD, \"/c\", O_RDONLY) = 4 <0.1>
7 1700000005.0 read(4, \"\", 1) = 0 <0.1>
7 1700000005.5 read(3, \"\", 1) = 0 <0.1>
";
    let dir = tempfile::tempdir().unwrap();
    let file = imported_from(Tool::Strace, dir.path(), "run", LOG);
    let trace = Trace::open(&[file], Options::default()).unwrap();
    let argv = trace
        .parts()
        .iter()
        .map(|part| part.process().unwrap().fields().argv.to_vec());
    assert_eq!(argv.collect::<Vec<_>>(), [b"new\0".to_vec()]);
    assert_eq!(processes(LOG), [(7, 6, "/a".to_owned())]);
}

#[test]
fn a_thread_may_have_descriptors_of_its_own() {
    const LOG: &str = "\
7 1700000000.0 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3 <0.1>
7 1700000000.5 clone(child_stack=NULL, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD) = 8 <0.1>
8 1700000001.0 unshare(CLONE_FILES) = 0 <0.1>
8 1700000002.0 close(3) = 0 <0.1>
8 1700000003.0 openat(AT_FDCWD, \"/b\", O_RDONLY) = 3 <0.1>
7 1700000004.0 read(3, \"\", 1) = 0 <0.1>
";
    assert_eq!(processes(LOG), [(7, 4, "/a".to_owned())]);
}

#[test]
fn on_a_terminal_clone3_goes_on_behind_what_strace_says() {
    const LOG: &str = "\
1700000000.0 openat(AT_FDCWD, \"/a\", O_RDONLY) = 3 <0.1>
1700000001.0 clone3({flags=0, exit_signal=SIGCHLD}strace: Process 8 attached
 => {parent_tid=[0]}, 88) = 8 <0.1>
[pid     8] 1700000002.0 read(3, \"\", 1) = 0 <0.1>
";
    let told = processes(LOG).into_iter().map(|told| (told.1, told.2));
    let expected = [(1, "/a".to_owned()), (1, "/a".to_owned())];
    assert_eq!(told.collect::<Vec<_>>(), expected);
}
