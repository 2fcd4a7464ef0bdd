//! What `iota stat` finds and what it does not: a trace with a fault, and one without, for each.

mod common;

use common::Dir;
use common::trace::{Part, call, gathered};
use iota_trace::Record;
use serde_json::Value;

fn page(dir: &Dir) -> String {
    dir.run(["stat", "run.iota"]).whole()
}

fn json(dir: &Dir, only: &str) -> Value {
    let args = ["stat", "run.iota", "--json", "--where", only];
    serde_json::from_str(&dir.run(args).whole()).unwrap()
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
    assert!(page.contains(", 191 MiB/s in that time"), "{page}");
    assert!(
        page.contains(", 95.4 MiB/s by the sum of their times"),
        "{page}"
    );
    assert!(page.contains("median 95.4 MiB,"), "{page}");
}
