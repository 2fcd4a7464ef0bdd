//! What `iota stat` finds and what it does not: a trace with a fault, and one without, for each.

mod common;

use common::trace::{Part, call, gathered};
use common::{Dir, findings_have_calls};
use iota_trace::Record;
use serde_json::Value;

fn page(dir: &Dir) -> String {
    dir.run(["stat", "run.iota"]).whole()
}

fn json(dir: &Dir, only: &str) -> Value {
    let args = ["stat", "run.iota", "--json", "--where", only];
    let object = serde_json::from_str(&dir.run(args).whole()).unwrap();
    findings_have_calls(dir, "run.iota", &object);
    object
}

/// What every call passes
const ALL: &str = "rank>=0";

fn moved(name: &str, offset: u64, length: u64) -> Record {
    Record {
        ret: length as i64,
        length,
        offset: offset as i64,
        ..call(name, 0, 1500)
    }
}

/// A trace of one rank that makes these calls, numbered, one every 10 us.
fn one_rank(calls: impl Iterator<Item = Record>) -> Vec<u8> {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/scratch/run/out");
    let numbered = (1u32..).zip(calls).map(|(id, record)| Record {
        id,
        start: record.start + u64::from(id) * 10_000,
        end: record.end + u64::from(id) * 10_000,
        file: 1,
        fd: 3,
        ..record
    });
    part.calls(&numbered.collect::<Vec<_>>());
    part.finish()
}

fn seek(from: i64, to: i64) -> Record {
    Record {
        offset: from,
        ret: to,
        ..call("lseek", 0, 4000)
    }
}

fn finding<'o>(object: &'o Value, kind: &str) -> Option<&'o str> {
    let findings = object["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["kind"] == kind)?;
    found["evidence"].as_str()
}

#[test]
fn a_seek_that_asks_and_one_that_moves_are_one_idle_seek() {
    let asks_then_moves = (1..=20_000i64).flat_map(|n| {
        let write = moved("write", n as u64 * 200, 100);
        [seek(n * 100, n * 100), seek(n * 100, n * 200), write]
    });
    let dir = Dir::new().with("run.iota", &one_rank(asks_then_moves));
    let found = json(&dir, ALL);
    assert_eq!(
        finding(&found, "idle-seeks"),
        Some(
            "20,000 of 40,000 seeks leave the position as it is, or are followed at once by another seek"
        )
    );
}

#[test]
fn a_filter_invents_no_idle_seeks() {
    let moves = (0..20_000i64).flat_map(|n| {
        let write = moved("write", n as u64 * 200, 100);
        [seek(n * 200 - 100, n * 200), write]
    });
    let dir = Dir::new().with("run.iota", &one_rank(moves));
    for only in ["class=seek", "class=write"] {
        let found = json(&dir, only);
        assert_eq!(finding(&found, "idle-seeks"), None, "{only}");
    }
}

#[test]
fn flushing_a_stream_is_writing_not_waiting_for_storage() {
    let flushes = (0..200).map(|_| call("fflush", 0, 4000));
    let dir = Dir::new().with("run.iota", &one_rank(flushes));
    let found = json(&dir, ALL);
    assert_eq!(finding(&found, "sync"), None);
    assert_eq!(found["io"]["time"]["sync"], 0);
    assert_eq!(found["io"]["time"]["write"], 200 * 4000);
}

#[test]
fn the_rate_of_a_job_is_by_the_time_in_which_any_rank_was_busy() {
    // Both ranks write 100 MB in the same second.
    let part = |rank: u32| {
        let mut part = Part::new(rank, 2, 0);
        part.file(1, b"/scratch/run/out");
        let write = moved("pwrite64", 0, 100_000_000);
        part.calls(&[Record {
            id: 1,
            file: 1,
            end: write.start + 1_000_000_000,
            ..write
        }]);
        part.finish()
    };
    let dir = Dir::new().with("run.iota", &gathered(&[part(0), part(1)]));
    let page = page(&dir);
    let rate = page.split(" MiB/s in that time").next().unwrap();
    let rate: f64 = rate.rsplit(' ').next().unwrap().parse().unwrap();
    assert!((rate - 190.7).abs() < 2.0, "{page}");
    let has = |text| page.contains(text);
    assert!(has(", 95.4 MiB/s by the sum of their times"), "{page}");
    assert!(has("median 95.4 MiB,"), "{page}");
}

/// Findings of a kind with their evidence, with every call counted
fn found(calls: impl Iterator<Item = Record>, kind: &str) -> Option<String> {
    let dir = Dir::new().with("run.iota", &one_rank(calls));
    finding(&json(&dir, ALL), kind).map(str::to_owned)
}

#[test]
fn bytes_that_are_read_again_are_found_and_those_read_once_are_not() {
    let reads = |blocks: u64| (0..400).map(move |n| moved("pread64", n % blocks * 4096, 4096));
    assert_eq!(
        found(reads(100), "rereads").as_deref(),
        Some(
            "reads moved 1.56 MiB from 400 KiB of the files; most was read again in /scratch/run/out, by 1 process"
        )
    );
    assert_eq!(found(reads(400), "rereads"), None);
    // Where bytes were read is not known: nothing is said.
    let unknown = reads(100).map(|read| Record { offset: -1, ..read });
    assert_eq!(found(unknown, "rereads"), None);
}

#[test]
fn what_every_rank_reads_is_a_case_for_a_broadcast() {
    let part = |rank: u32| {
        let mut part = Part::new(rank, 4, 0);
        part.file(1, b"/scratch/run/in");
        let reads = (1u32..=50).map(|id| {
            let read = moved("pread64", u64::from(id) * 4096, 4096);
            let at = u64::from(id) * 10_000;
            Record {
                id,
                file: 1,
                start: read.start + at,
                end: read.end + at,
                ..read
            }
        });
        part.calls(&reads.collect::<Vec<_>>());
        part.finish()
    };
    let dir = Dir::new().with("run.iota", &gathered(&[0, 1, 2, 3].map(part)));
    let object = json(&dir, ALL);
    assert_eq!(
        finding(&object, "rereads"),
        Some(
            "reads moved 800 KiB from 200 KiB of the files; most was read again in /scratch/run/in, by 4 ranks"
        )
    );
}

#[test]
fn bytes_that_are_written_again_are_found_and_those_written_once_are_not() {
    let writes = |blocks: u64| (0..400).map(move |n| moved("pwrite64", n % blocks * 4096, 4096));
    assert_eq!(
        found(writes(100), "rewrites").as_deref(),
        Some(
            "writes moved 1.56 MiB to 400 KiB of the files; most was written again in /scratch/run/out, by 1 process"
        )
    );
    assert_eq!(found(writes(400), "rewrites"), None);
}

#[test]
fn files_that_are_not_there_are_found_and_those_that_are_there_are_not() {
    let lookups = |errno: u16| {
        (0..300).map(move |n| Record {
            ret: -1,
            errno: if n % 2 == 0 { errno } else { 0 },
            ..call("stat", 0, 2000)
        })
    };
    assert_eq!(
        found(lookups(2), "failed-lookups").as_deref(),
        Some(
            "150 opens and queries found no file and took 300 us; 150 of them in /scratch/run, 150 by process 4000 (flash)"
        )
    );
    // EACCES: they are there.
    assert_eq!(found(lookups(13), "failed-lookups"), None);
    assert_eq!(found(lookups(0), "failed-lookups"), None);
}

/// Opens of a file, with so many reads behind each
fn opened(times: u64, reads: u64) -> Vec<Record> {
    let once = |n: u64| {
        let open = call("open", 0, 9000);
        let reads = (0..reads).map(move |at| moved("pread64", (n * reads + at) * 100, 100));
        let all = std::iter::once(open).chain(reads);
        all.chain([call("close", 0, 2000)])
    };
    (0..times).flat_map(once).collect()
}

#[test]
fn a_file_that_is_opened_for_each_access() {
    let dir = Dir::new().with("run.iota", &one_rank(opened(50, 1).into_iter()));
    let found = json(&dir, ALL);
    assert_eq!(
        finding(&found, "open-per-access"),
        Some(
            "50 opens of 1 file for 50 transfers; process 4000 (flash) opened /scratch/run/out 50 times, where a transfer has 100 B on average"
        )
    );
    assert_eq!(finding(&found, "repeated-opens"), None);
}

#[test]
fn a_file_that_is_opened_again_for_many_accesses() {
    let dir = Dir::new().with("run.iota", &one_rank(opened(50, 3).into_iter()));
    let found = json(&dir, ALL);
    assert_eq!(finding(&found, "open-per-access"), None);
    assert!(finding(&found, "repeated-opens").is_some());
}

#[test]
fn thresholds_decide_what_is_a_finding() {
    let writes = (0..50).map(|n| moved("pwrite64", n * 1000, 1000));
    let dir = Dir::new().with("run.iota", &one_rank(writes));
    let found = |thresholds: &[&str]| {
        let given = thresholds.iter().flat_map(|one| ["--threshold", *one]);
        let args = "stat run.iota --json --all".split(' ').chain(given);
        let object: Value = serde_json::from_str(&dir.run(args).whole()).unwrap();
        let is_found = finding(&object, "small-writes").is_some();
        (is_found, object["write"]["small"].as_u64().unwrap())
    };
    assert_eq!(found(&[]), (false, 50));
    assert_eq!(found(&["few-calls=50"]), (true, 50));
    assert_eq!(found(&["few-calls=50", "small-bytes=1000"]), (false, 0));
}

/// Of what block or stripe ranks should begin at a multiple, the user knows.
#[test]
fn what_is_aligned_is_a_threshold() {
    let part = |rank: u32| {
        let mut part = Part::new(rank, 2, 0);
        part.file(1, b"/scratch/run/out");
        let writes = (1u32..=150).map(|id| Record {
            id,
            file: 1,
            ..moved("pwrite64", u64::from(2 * id + rank) * 12_288, 12_288)
        });
        part.calls(&writes.collect::<Vec<_>>());
        part.finish()
    };
    let dir = Dir::new().with("run.iota", &gathered(&[part(0), part(1)]));
    let found = |threshold: &str| {
        let args = "stat run.iota --json --all --threshold"
            .split(' ')
            .chain([threshold]);
        let object: Value = serde_json::from_str(&dir.run(args).whole()).unwrap();
        let is_found = finding(&object, "unaligned-writes").is_some();
        (is_found, object["write"]["unaligned"].as_u64().unwrap())
    };
    // A run of calls, and each for itself: of 16 KiB every fourth begins one.
    assert_eq!(found("aligned-bytes=4k"), (false, 0));
    assert_eq!(found("aligned-bytes=16k"), (true, 225));
    assert_eq!(found("aligned-bytes=12288"), (false, 0));
    assert_eq!(found("aligned-bytes=36864"), (true, 200));
    let args = [
        "stat",
        "run.iota",
        "--all",
        "--threshold",
        "aligned-bytes=16k",
    ];
    let page = dir.run(args).whole();
    assert!(page.contains("75.0 % not aligned to 16.0 KiB"), "{page}");
    assert!(
        page.contains("at offsets that are not a multiple of 16.0 KiB"),
        "{page}"
    );
}

#[test]
fn shares_have_the_thresholds_of_the_whole() {
    let writes = (0..50).map(|n| moved("pwrite64", n * 1000, 1000));
    let dir = Dir::new().with("run.iota", &one_rank(writes));
    let share = |name: &str, which: &str, threshold: &str| {
        let args = [
            "stat",
            "run.iota",
            "--shard",
            which,
            "-o",
            name,
            "--all",
            "--threshold",
            threshold,
        ];
        dir.run(args).whole();
    };
    share("a", "0/2", "few-calls=50");
    share("b", "1/2", "few-calls=50");
    share("c", "1/2", "few-calls=51");
    let merged = dir.run(["stat", "--merge", "a", "b"]).whole();
    assert!(
        merged.contains("100.0 % of writes of files move less than 64.0 KiB"),
        "{merged}"
    );
    let refused = dir.run(["stat", "--merge", "a", "c"]).failed().to_owned();
    assert!(
        refused.contains(
            "c: the share is of another trace, or was made with other --where or --threshold"
        ),
        "{refused}"
    );
}

#[test]
fn a_threshold_that_is_none_is_refused() {
    let writes = (0..50).map(|n| moved("pwrite64", n * 1000, 1000));
    let dir = Dir::new().with("run.iota", &one_rank(writes));
    for command in ["stat", "layers", "report"] {
        let told = dir
            .run([command, "run.iota", "--threshold", "smal-bytes=1"])
            .failed()
            .to_owned();
        assert!(
            told.contains("--threshold smal-bytes=1: there is no threshold `smal-bytes`"),
            "{told}"
        );
        assert!(told.contains("small-bytes, "), "{told}");
    }
}

/// Python reads its modules in small pieces for longer than the job reads its data; the job's files come first.
#[test]
fn files_of_installations_stand_behind() {
    let module = b"/opt/venv/lib/python3.11/site-packages/x/y.py";
    let reads = |file, n: u32, dur| {
        (0..n).map(move |at| Record {
            file,
            ret: 100,
            length: 100,
            offset: i64::from(at) * 100,
            ..call("read", 0, dur)
        })
    };
    let calls = reads(2, 400, 4000).chain(reads(1, 200, 1500));
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/scratch/in").file(2, module);
    let numbered = (1u32..).zip(calls).map(|(id, record)| Record {
        id,
        start: record.start + u64::from(id) * 10_000,
        end: record.end + u64::from(id) * 10_000,
        fd: 3,
        ..record
    });
    part.calls(&numbered.collect::<Vec<_>>());
    let dir = Dir::new().with("run.iota", &part.finish());
    let found = json(&dir, ALL);
    let what: Vec<_> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| of["what"].as_str().unwrap())
        .collect();
    assert_eq!(
        what,
        [
            "100.0 % of reads of files move less than 64.0 KiB",
            "installed software: 100.0 % of reads of files move less than 64.0 KiB",
        ]
    );
    assert!(
        finding(&found, "small-reads")
            .unwrap()
            .ends_with("most of it in /scratch/in")
    );
    let told = page(&dir);
    let (own, installed) = (told.rfind("  /scratch/in\n"), told.rfind("/x/y.py\n"));
    assert!(own.unwrap() < installed.unwrap(), "{told}");
}
