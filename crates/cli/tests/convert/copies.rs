//! Copies from file to file: the one is read, the other is written, whichever the call names first.

use crate::common::Dir;
use crate::darshan::Log;
use crate::printed::{archive, events, is_wanted};

/// `/in` is read at 0 and 40, `/out` is written at 0 and 60.
const STRACE: &str = "\
100 1700000000.000000 openat(AT_FDCWD</tmp>, \"/in\", O_RDONLY) = 3</in> <0.000010>
100 1700000000.100000 openat(AT_FDCWD</tmp>, \"/out\", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 4</out> <0.000010>
100 1700000000.200000 copy_file_range(3</in>, NULL, 4</out>, NULL, 100, 0) = 60 <0.000020>
100 1700000000.300000 sendfile(4</out>, 3</in>, [40], 100) = 40 <0.000020>
";

fn copied() -> Dir {
    let dir = Dir::new().with("log.strace", STRACE.as_bytes());
    dir.run(["convert", "log.strace", "-o", "run.iota"]);
    dir
}

#[test]
fn darshan_has_sendfile_read_its_second_file() {
    let log = Log::of(&copied(), "run.iota");
    let posix = log.module(1);
    // Reads and writes, bytes read and written.
    let counted = posix.chunks(88).map(|record| {
        let counters = &record[2..];
        [counters[3], counters[4], counters[14], counters[15]]
    });
    let mut counted: Vec<_> = counted.collect();
    counted.sort();
    assert_eq!(counted, [[0, 2, 0, 100], [2, 0, 100, 0]]);
}

#[test]
fn transfers_have_sendfile_read_its_second_file() {
    let dir = copied();
    let of = |file: &str| {
        let args = ["convert", "run.iota", "--to", "ioplots", "--file", file];
        let log = dir.run([&args[..], &["-o", "-"]].concat()).whole();
        let words = |line: &str| {
            line.split(' ')
                .skip(1)
                .take(3)
                .collect::<Vec<_>>()
                .join(" ")
        };
        log.lines().map(words).collect::<Vec<_>>()
    };
    assert_eq!(of("/in"), ["r 0 60", "r 40 40"]);
    assert_eq!(of("/out"), ["w 0 60", "w 60 40"]);
    let dxt = dir.run(["convert", "run.iota", "--to", "dxt", "-o", "-"]);
    let dxt = dxt.whole();
    let count = |way: &str| dxt.lines().filter(|line| line.contains(way)).count();
    let [first, second] = ["/in", "/out"].map(|file| dxt.find(file).unwrap());
    let (reads, writes) = match first < second {
        true => dxt.split_at(second),
        false => (&dxt[first..], &dxt[..first]),
    };
    assert_eq!((count(" read "), count(" write ")), (2, 2), "{dxt}");
    assert!(
        !reads.contains(" write ") && !writes.contains(" read "),
        "{dxt}"
    );
}

#[test]
fn otf2_has_sendfile_read_its_second_file() {
    if !is_wanted() {
        return;
    }
    let dir = copied();
    let archive = archive(&dir, &[]);
    let ways: Vec<_> = events(&archive)
        .iter()
        .filter(|event| event.kind == "IO_OPERATION_BEGIN")
        .map(|event| {
            let fd = if event.fields.contains("\"fd 3\"") {
                3
            } else {
                4
            };
            (fd, event.fields.contains("Mode: READ"))
        })
        .collect();
    assert_eq!(ways, [(3, true), (4, false), (3, true), (4, false)]);
}
