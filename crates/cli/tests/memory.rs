//! Whatever a trace holds, a command takes no more memory than the limit: it reads on in less, or says that it would not.

mod common;

use common::trace::{Group, Part, call, gathered, process, writes};
use common::{Dir, Said};
use iota_trace::Record;
use iota_trace::part::Process;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read};
use std::process::Stdio;

/// MiB that no command takes more of
fn limit() -> i64 {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    512.max(128 * cores as i64)
}

/// What one says that would
const REFUSAL: &str =
    "of memory would be needed, which is the limit; select fewer calls, or set IOTA_MEMORY to more";

/// What one says of too many names
const NAMES: &str =
    "MiB of memory, which is the limit: the others are unknown; set IOTA_MEMORY to more";

/// What a command said, of which `lines` are read before its output is closed, and the MiB that it took
fn measured(dir: &Dir, args: &[&str], lines: usize) -> (Said, i64) {
    within(limit(), dir, args, lines)
}

/// The same within so many MiB
#[expect(
    clippy::zombie_processes,
    reason = "wait4 waits, and says what it took"
)]
fn within(most: i64, dir: &Dir, args: &[&str], lines: usize) -> (Said, i64) {
    let mut command = dir.optimised_iota();
    command
        .args(args)
        .env("IOTA_MEMORY", format!("{most}m"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut err = child.stderr.take().unwrap();
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        err.read_to_string(&mut text).unwrap();
        text
    });
    let out = BufReader::new(child.stdout.take().unwrap());
    let out: Vec<String> = out.lines().take(lines).map(Result::unwrap).collect();
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: waits for our own child; both places are ours.
    let usage = unsafe {
        assert_eq!(
            libc::wait4(child.id() as i32, &mut status, 0, usage.as_mut_ptr()),
            child.id() as i32
        );
        usage.assume_init()
    };
    assert!(libc::WIFEXITED(status), "{args:?} ended by {status:#x}");
    let said = Said {
        status: libc::WEXITSTATUS(status),
        out: out.join("\n"),
        err: errors.join().unwrap(),
    };
    let took = usage.ru_maxrss / 1024;
    eprintln!("{}: {took} MiB, status {}", args.join(" "), said.status);
    assert!(took < most, "{args:?} took {took} MiB: {said:?}");
    (said, took)
}

/// That is well
fn reads(dir: &Dir, args: &[&str]) -> Said {
    let (said, _) = measured(dir, args, 100_000);
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{args:?}");
    said
}

/// That is well, or says what it would take
fn reads_or_refuses(dir: &Dir, args: &[&str]) -> Said {
    let (said, _) = measured(dir, args, 100_000);
    if said.status != 0 {
        let refuses = said.failed().contains(REFUSAL) || said.err.contains(NAMES);
        assert!(refuses, "{args:?}: {}", said.err);
    }
    said
}

/// Threads whose calls overlap, each with so many
fn threads(threads: u32, calls: u32) -> Vec<u8> {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/scratch/all");
    let records = writes(calls, 8);
    for thread in 0..threads {
        part.calls_of(thread + 1, &records);
    }
    part.finish()
}

#[test]
fn threads_that_overlap() {
    let dir = Dir::new().with("run.iota", &threads(5000, 600));
    let said = reads(&dir, &["text", "run.iota"]);
    assert_eq!(said.calls().len(), 100_000 - 7);
    for format in ["text", "csv"] {
        reads(
            &dir,
            &["convert", "--yes", "--to", format, "-o", "-", "run.iota"],
        );
    }
}

#[test]
fn threads_that_overlap_come_in_order() {
    let dir = Dir::new().with("run.iota", &threads(700, 900));
    let said = dir.run(["text", "run.iota"]).whole();
    let calls = common::calls(&said);
    assert_eq!(calls.len(), 700 * 900);
}

/// Calls of several processes of a rank that are all there at once
fn processes(count: u32, calls: u32) -> Vec<u8> {
    let part = |n: u32| {
        let of_its_own = Process {
            random: n + 1,
            ..process(1, 0)
        };
        let mut part = Part::bare(0, &of_its_own);
        part.set_pid(5000 + n);
        part.name_ops(&["pwrite64"]);
        part.file(1, b"/scratch/all")
            .calls(&writes(calls, 8))
            .finish()
    };
    gathered(&(0..count).map(part).collect::<Vec<_>>())
}

#[test]
fn processes_that_overlap() {
    let dir = Dir::new().with("run.iota", &processes(4000, 500));
    assert_eq!(
        reads(&dir, &["text", "run.iota"]).calls().len(),
        100_000 - 7
    );
    let csv = ["convert", "--yes", "--to", "csv", "-o", "-", "run.iota"];
    reads(&dir, &csv);
}

#[test]
fn paths_that_share_ever_longer_prefixes() {
    let longest = vec![b'x'; 120_000];
    let paths = (1..=12_000).map(|n| &longest[..10 * n]);
    let trace = Part::new(0, 1, 0)
        .files(paths)
        .calls(&writes(10, 8))
        .finish();
    assert!(trace.len() < 250_000, "{}", trace.len());
    let dir = Dir::new().with("run.iota", &trace);
    for command in ["text", "info", "stat", "head"] {
        let said = reads_or_refuses(&dir, &[command, "run.iota"]);
        let place = said.failed().strip_prefix("iota: run.iota: byte ");
        assert!(place.is_some(), "{}", said.err);
    }
    let csv = ["convert", "--to", "csv", "-o", "out.csv", "run.iota"];
    assert_eq!(reads_or_refuses(&dir, &csv).status, 2);
}

#[test]
fn ids_of_files_that_are_far_apart() {
    let far = |write: &Record| Record {
        file: 1 << 31,
        ..*write
    };
    let calls: Vec<Record> = writes(10, 8).iter().map(far).collect();
    let trace = Part::new(0, 1, 0)
        .file(1 << 31, b"/far")
        .file(u32::MAX, b"/end")
        .calls(&calls)
        .finish();
    let dir = Dir::new().with("run.iota", &trace);
    for args in [
        &["text", "-v", "run.iota"][..],
        &["stat", "--by", "file", "run.iota"],
        &["convert", "-o", "-", "--to", "csv", "run.iota"],
    ] {
        let (said, took) = measured(&dir, args, 1000);
        assert!(
            said.status == 0 && took < 128,
            "{args:?}: {took} MiB, {said:?}"
        );
        assert!(said.out.contains("far"), "{}", said.out);
    }
    let (said, took) = measured(&dir, &["info", "run.iota"], 1000);
    assert!(
        said.out.contains("/far") && took < 128,
        "{took} MiB: {said:?}"
    );
}

/// A tenth of a million files in a fifth of the memory that a million may take
#[test]
fn very_many_files() {
    const FILES: u32 = 100_000;
    const MOST: i64 = 103;
    let name = |n: u32| format!("/scratch/data/set/{n:07}.jpg");
    let names: Vec<String> = (0..FILES).map(name).collect();
    let opened = |n: u32| Record {
        id: n + 1,
        file: n + 1,
        fd: 3,
        ret: 3,
        ..call("open", 1000 * u64::from(n), 500)
    };
    let mut part = Part::new(0, 1, 0);
    part.files(names.iter().map(|name| name.as_bytes()));
    let calls: Vec<Record> = (0..FILES).map(opened).collect();
    let dir = Dir::new().with("run.iota", &part.calls(&calls).finish());
    drop((names, calls));
    for args in [
        &["convert", "-o", "-", "--to", "csv", "run.iota"][..],
        &["info", "run.iota"],
        &["stat", "--by", "file", "run.iota"],
        &["convert", "-o", "run.parquet", "run.iota"],
        &["plot", "-o", "run.svg", "run.iota"],
    ] {
        let (said, _) = within(MOST, &dir, args, FILES as usize + 10);
        assert_eq!(said.status, 0, "{args:?}: {}", said.err);
    }
    let mut less = dir.iota();
    less.env("IOTA_MEMORY", "25m").args(["stat", "run.iota"]);
    let told = String::from_utf8(less.output().unwrap().stderr).unwrap();
    assert!(told.starts_with("iota: run.iota: byte "), "{told}");
    assert!(
        told.contains(REFUSAL) && told.contains("25.0 MiB"),
        "{told}"
    );
}

/// A job as large as machines are: each rank writes a file of its own, with gaps
#[test]
fn as_many_ranks_as_large_machines_have() {
    const RANKS: u32 = 110_000;
    const MOST: i64 = 256;
    let with_gaps = |mut call: Record| {
        call.offset *= 2;
        call
    };
    let calls: Vec<Record> = writes(12, 4096).into_iter().map(with_gaps).collect();
    let dir = Dir::new();
    let file = File::create(dir.file("run.iota")).unwrap();
    let mut group = Group::new(BufWriter::new(file));
    for rank in 0..RANKS {
        let mut part = Part::bare(rank, &process(RANKS, 0));
        part.name_ops(&["pwrite64"]);
        part.file(1, format!("/scratch/run/checkpoint.{rank:06}").as_bytes());
        group.part(&part.calls(&calls).finish()).unwrap();
    }
    drop(group.finish().unwrap());
    for args in [
        &["stat", "run.iota"][..],
        &["report", "-o", "run.html", "run.iota"],
        &["plot", "-o", "run.svg", "run.iota"],
    ] {
        let (said, _) = within(MOST, &dir, args, 1000);
        assert_eq!(said.status, 0, "{args:?}: {}", said.err);
    }
}

#[test]
fn transfers_of_any_length_are_repeated() {
    let opened = Record {
        id: 1,
        file: 1,
        ret: 3,
        length: 0o644 << 32 | 0o102,
        ..call("open", 0, 500)
    };
    let read = |n: u32| Record {
        id: n + 2,
        file: 1,
        fd: 3,
        offset: 0,
        length: 1 << 40,
        ..call("read", 1000 + 1000 * u64::from(n), 500)
    };
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/scratch/a").calls(&[opened]);
    for thread in 0..64 {
        part.calls_of(9000 + thread, &[read(thread)]);
    }
    let dir = Dir::new().with("run.iota", &part.finish());
    let (said, _) = measured(
        &dir,
        &[
            "load", "-replay", "run.iota", "-file", "again", "-speed", "max",
        ],
        1000,
    );
    assert_eq!(said.status, 0, "{said:?}");
}

#[test]
fn logs_of_very_many_processes() {
    let line = |n: u32| {
        format!(
            "{} 1795240800.{n:06} write(3</scratch/{n}>, \"\", 8) = 8 <0.000001>\n",
            1000 + n
        )
    };
    let log: String = (0..300_000).map(line).collect();
    let dir = Dir::new().with("log", log.as_bytes());
    drop(log);
    let said = reads_or_refuses(
        &dir,
        &["convert", "--from", "strace", "-o", "run.iota", "log"],
    );
    assert!(
        said.failed().starts_with("iota: log: byte "),
        "{}",
        said.err
    );
    assert_eq!(dir.names(), ["log"]);
}

#[test]
fn the_limit_is_the_user_s() {
    let dir = Dir::new().with("run.iota", &common::small(2));
    let with = |limit: &str| {
        dir.iota()
            .env("IOTA_MEMORY", limit)
            .args(["text", "run.iota"])
            .output()
            .unwrap()
    };
    assert!(with("64m").status.success());
    let refused = with("64k");
    let told = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        told.contains("of memory would be needed, which is the limit"),
        "{told}"
    );
    let wrong = with("much");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        String::from_utf8(wrong.stderr)
            .unwrap()
            .starts_with("iota: IOTA_MEMORY: ")
    );
}
