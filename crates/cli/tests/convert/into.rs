//! Into a trace: what is understood of each format.

use crate::common::{Dir, calls};

fn text_of(format: &str, log: &str, columns: &[usize]) -> Vec<String> {
    let dir = Dir::new().with("app.log", log.as_bytes());
    let said = dir.run(["convert", "app.log", "-o", "app.iota"]);
    assert_eq!(said.status, 0, "{format}: {said:?}");
    let text = dir.run(["text", "-v", "app.iota"]).whole();
    let line = |line: &&str| {
        let fields: Vec<_> = line.split('\t').collect();
        columns
            .iter()
            .map(|at| fields[*at])
            .collect::<Vec<_>>()
            .join(" ")
    };
    calls(&text).iter().map(line).collect()
}

#[test]
fn ioplots_logs_are_read() {
    let log = "0 w 0 1048576 0.000000 0.012345\n\n# a remark\n1 r 1048576 512 0.5 0.75\n0 r 10 0 1e-3 0.002\n";
    let lines = text_of("ioplots", log, &[0, 1, 2, 3, 4, 5, 8, 6]);
    insta::assert_snapshot!(lines.join("\n"), @r"
    0 0.001000000 0.001000000 10 pread64 0 0 /app
    0 0.000000000 0.012345000 0 pwrite64 1048576 1048576 /app
    1 0.500000000 0.250000000 1048576 pread64 512 512 /app
    ");
}

#[test]
fn moments_of_ioplots_count_from_the_first() {
    let dir = Dir::new().with(
        "a.ioplots",
        b"0 w 0 8 1236204822.250000 1236204822.500000\n0 w 8 8 1236204823.0 1236204823.5\n",
    );
    dir.run([
        "convert",
        "a.ioplots",
        "--file",
        "/data/a.nc",
        "-o",
        "a.iota",
    ]);
    let text = dir.run(["text", "-v", "a.iota"]).whole();
    assert!(text.contains("# start: 1236204822.250000000"), "{text}");
    assert!(
        text.contains("\t0.750000000\t0.500000000\t8\tpwrite64\t8\t"),
        "{text}"
    );
    assert!(text.contains("/data/a.nc"), "{text}");
}

#[test]
fn what_darshan_prints_is_read() {
    let log = "# darshan log version: 3.41\n# exe: ./app -n 4\n# nprocs: 2\n# jobid: 17\n# start_time: 1600000000\n\n\
        # DXT, file_id: 8515199880342690440, file_name: /lustre/a b.RAW\n# DXT, rank: 1, hostname: nid00012\n\
        # DXT, write_count: 2, read_count: 1\n# DXT, mnt_pt: /lustre, fs_type: lustre\n\
        # DXT, Lustre stripe_size: 1048576, Lustre stripe_count: 2\n# DXT, Lustre OST obdidx: 12 40\n\
        # Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)  [OST]\n \
        X_POSIX       1  write        0               0         1048576      4.8324      4.8436  [ 12]\n \
        X_POSIX       1  write        1         1048576         1048576      4.8436      4.8534  [ 40]\n \
        X_POSIX       1   read        0               0             100      4.9000      4.9001  [ 12]\n\n\
        # DXT, file_id: 9, file_name: /lustre/b\n# DXT, rank: 0, hostname: nid00011\n\
        # DXT, write_count: 1, read_count: 0\n# DXT, mnt_pt: /, fs_type: xfs\n \
        X_MPIIO       0  write        0               0               4      0.0029      0.0032\n";
    let lines = text_of("dxt", log, &[0, 1, 2, 3, 4, 5, 7, 11, 6]);
    insta::assert_snapshot!(lines.join("\n"), @r"
    0 0.002900000 0.000300000 0 MPI_File_write_at 4 - MPI-IO /lustre/b
    1 4.832400000 0.011200000 0 pwrite64 1048576 - POSIX /lustre/a b.RAW
    1 4.843600000 0.009800000 1048576 pwrite64 1048576 - POSIX /lustre/a b.RAW
    1 4.900000000 0.000100000 0 pread64 100 - POSIX /lustre/a b.RAW
    ");
    let dir = Dir::new().with("a.dxt", log.as_bytes());
    assert_eq!(dir.run(["convert", "a.dxt", "-o", "a.iota"]).status, 0);
    let again = dir
        .run(["convert", "a.iota", "--to", "dxt", "-o", "-"])
        .whole();
    assert!(
        again.contains("# exe: ./app -n 4\n# jobid: 17\n# start_time: 1600000000\n# nprocs: 2\n")
    );
    assert!(
        again.contains("# DXT, Lustre OST obdidx: 12 40\n"),
        "{again}"
    );
    assert!(
        again.contains("hostname: nid00012") && again.contains("4.853400000  [40]"),
        "{again}"
    );
}

#[test]
fn strace_is_read_with_its_halves_and_descriptors() {
    let log = r#"17  1000.000000 execve("/bin/app", ["app", "-x y"], 0x7ffd /* 3 vars */) = 0 <0.000100>
17  1000.001000 brk(NULL) = 0x5602 <0.000005>
17  1000.002000 openat(AT_FDCWD</work>, "in, \"a\".dat", O_RDONLY|O_CLOEXEC) = 3</work/in, "a".dat> <0.000010>
17  1000.003000 read(3</work/in, "a".dat>, "x"..., 4096) = 100 <0.000010>
17  1000.004000 dup(3) = 4 <0.000001>
17  1000.005000 read(4,  <unfinished ...>
18  1000.005500 openat(AT_FDCWD, "out", O_WRONLY|O_CREAT|O_APPEND, 0644 <unfinished ...>
17  1000.006000 <... read resumed>"y"..., 50) = 50 <0.001000>
18  1000.007000 <... openat resumed>) = 5 <0.001500>
18  1000.008000 write(5, "abc", 3) = 3 <0.000010>
17  1000.009000 lseek(3, 10, SEEK_SET) = 10 <0.000001>
17  1000.010000 pread64(4, "z", 7, 4096) = 7 <0.000002>
17  1000.011000 read(4, "", 5) = 0 <0.000002>
17  1000.012000 close(3) = 0 <0.000002>
17  1000.013000 read(3, 0x7f, 1) = -1 EBADF (Bad file descriptor) <0.000002>
17  1000.014000 writev(4, [{iov_base="ab", iov_len=2}, {iov_base="c", iov_len=1}], 2) = 3 <0.000002>
17  1000.015000 --- SIGCHLD {si_signo=SIGCHLD} ---
17  1000.016000 exit_group(0) = ?
17  1000.017000 +++ exited with 0 +++
"#;
    let lines = text_of("strace", log, &[1, 2, 3, 4, 5, 6, 8, 10, 14, 15, 16]);
    insta::assert_snapshot!(lines.join("\n"), @r#"
    0.000000000 0.000100000 -1 execve 0 /bin/app 0 - - - 17
    0.002000000 0.000010000 -1 openat 3 /work/in, "a".dat 524288 - - - 17
    0.003000000 0.000010000 0 read 100 3 4096 - /work/in, "a".dat - 17
    0.004000000 0.000001000 -1 dup 4 3 0 - /work/in, "a".dat 4 17
    0.005000000 0.001000000 100 read 50 4 50 - /work/in, "a".dat - 17
    0.005500000 0.001500000 -1 openat 5 out 1803886265409 - - - 18
    0.008000000 0.000010000 -1 write 3 5 3 - out - 18
    0.009000000 0.000001000 150 lseek 10 3 10 - /work/in, "a".dat - 17
    0.010000000 0.000002000 4096 pread64 7 4 7 - /work/in, "a".dat - 17
    0.011000000 0.000002000 10 read 0 4 5 - /work/in, "a".dat - 17
    0.012000000 0.000002000 -1 close 0 3 0 - /work/in, "a".dat - 17
    0.013000000 0.000002000 -1 read -1 3 1 EBADF - - 17
    0.014000000 0.000002000 10 writev 3 4 3 - /work/in, "a".dat - 17
    "#);
}

#[test]
fn a_number_that_another_thread_got_during_a_close_is_its_file() {
    let log = r#"17  1.000000 openat(AT_FDCWD, "/a", O_RDONLY) = 3 <0.000001>
17  1.001000 clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD, exit_signal=0}, 88) = 21 <0.000001>
17  1.002000 close(3 <unfinished ...>
21  1.003000 openat(AT_FDCWD, "/b", O_RDONLY) = 3 <0.000001>
17  1.004000 <... close resumed>) = 0 <0.002000>
21  1.005000 read(3, "q", 1) = 1 <0.000001>
"#;
    let lines = text_of("strace", log, &[3, 4, 6, 14]);
    insta::assert_snapshot!(lines.join("\n"), @r"
    -1 openat /a -
    -1 openat /b -
    -1 close 3 -
    0 read 3 /b
    ");
}

#[test]
fn what_strace_says_of_children_is_theirs() {
    let log = r#"17  1.000000 chdir("/a") = 0 <0.000001>
17  1.001000 openat(AT_FDCWD, "f", O_RDWR|O_CREAT|O_TRUNC, 0600) = 3 <0.000001>
17  1.002000 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD <unfinished ...>
20  1.003000 write(3, "12345", 5) = 5 <0.000001>
17  1.004000 <... clone resumed>, child_tidptr=0x7f) = 20 <0.002000>
20  1.005000 chdir("/b") = 0 <0.000001>
20  1.006000 close(3) = 0 <0.000001>
17  1.007000 write(3, "6", 1) = 1 <0.000001>
17  1.008000 clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD, exit_signal=0}, 88) = 21 <0.000001>
21  1.009000 openat(AT_FDCWD, "g", O_RDONLY) = 4 <0.000001>
17  1.010000 read(4, "q", 1) = 1 <0.000001>
20  1.011000 openat(AT_FDCWD, "g", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000001>
"#;
    let lines = text_of("strace", log, &[16, 9, 3, 4, 5, 6, 14]);
    insta::assert_snapshot!(lines.join("\n"), @r"
    17 17 -1 chdir 0 /a -
    17 17 -1 openat 3 /a/f -
    20 20 0 write 5 3 /a/f
    20 20 -1 chdir 0 /b -
    20 20 -1 close 0 3 /a/f
    17 17 5 write 1 3 /a/f
    17 21 -1 openat 4 /a/g -
    17 17 0 read 1 4 /a/g
    20 20 -1 openat -1 /b/g -
    ");
}

#[test]
fn lines_without_times_of_calls_are_taken_and_told() {
    let dir = Dir::new().with(
        "a.strace",
        b"5.0 openat(AT_FDCWD, \"/x\", O_RDONLY) = 3\n6.0 close(3) = 0\n",
    );
    let said = dir.run(["convert", "a.strace", "-o", "a.iota"]);
    assert_eq!(said.status, 0);
    assert!(said.err.contains("run strace with -T"), "{said:?}");
}

#[test]
fn short_lines_of_several_tasks_find_the_paths_of_descriptors() {
    let log = "0\t0.000001000\t0.000002000\t-1\topen\t3\t/a\\tb\n0\t0.000010000\t0.000000400\t0\twrite\t8\t3\n\
        0\t0.000011000\t0.000000400\t-1\tdup\t4\t3\n0\t0.000012000\t0.000000400\t-1\tclose\t0\t3\n\
        0\t0.000013000\t0.000000400\t8\twrite\t8\t4\n0\t0.000014000\t0.000000400\t-1\twrite\t-1\t3\n";
    let lines = text_of("text", log, &[4, 6, 14]);
    assert_eq!(
        lines,
        [
            "open /a\\tb -",
            "write 3 /a\\tb",
            "dup 3 /a\\tb",
            "close 3 /a\\tb",
            "write 4 /a\\tb",
            "write 3 -"
        ]
    );
}
