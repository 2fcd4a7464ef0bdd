//! What findings about single ranks and about files of several ranks cost: the time of those that they name, as far as the run
//! could save it.

mod common;

use common::trace::{Part, call, gathered};
use common::{Dir, findings_have_calls};
use iota_trace::Record;
use serde_json::Value;

const US: u64 = 1_000;
const RANKS: u32 = 4;

/// A call on file `file` that lasts from `start` so long
fn moved(name: &str, file: u32, start: u64, lasts: u64, (offset, length): (i64, u64)) -> Record {
    Record {
        ret: length as i64,
        length,
        offset,
        file,
        fd: 3,
        ..call(name, start, start + lasts)
    }
}

/// A trace of ranks that make the calls which `calls` gives them on files 1 and 2
fn ranks(calls: impl Fn(u32) -> Vec<Record>) -> Value {
    let part = |rank| {
        let mut part = Part::new(rank, RANKS, 0);
        part.file(1, b"/scratch/out").file(2, b"/scratch/other");
        let numbered = (1u32..)
            .zip(calls(rank))
            .map(|(id, record)| Record { id, ..record });
        part.calls(&numbered.collect::<Vec<_>>());
        part.finish()
    };
    let parts: Vec<_> = (0..RANKS).map(part).collect();
    let dir = Dir::new().with("run.iota", &gathered(&parts));
    let object =
        serde_json::from_str(&dir.run(["stat", "run.iota", "--json", "--all"]).whole()).unwrap();
    findings_have_calls(&dir, "run.iota", &object);
    object
}

fn cost(object: &Value, kind: &str) -> Option<u64> {
    let findings = object["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["kind"] == kind)?;
    found["cost"].as_u64()
}

#[test]
fn a_rank_that_moves_the_bytes_costs_its_own_time() {
    let object = ranks(|rank| match rank {
        1 => vec![moved("write", 1, 0, 700 * US, (0, 64 << 20))],
        // Longer in I/O, for a few bytes.
        2 => vec![moved("write", 2, 0, 900 * US, (0, 4096))],
        _ => vec![moved("read", 2, 0, US, (0, 4096))],
    });
    assert_eq!(cost(&object, "one-rank"), Some(700 * US));
}

#[test]
fn bytes_that_several_ranks_write_cost_the_time_of_their_file() {
    let object = ranks(|rank| {
        let first = moved("write", 1, 0, 100 * US, (0, 1 << 20));
        // Of the other file rank 0 writes what the others read.
        let name = if rank == 0 { "write" } else { "read" };
        vec![first, moved(name, 2, 200 * US, 1_000 * US, (0, 1 << 20))]
    });
    // Of the writes of rank 0, which writes most, as much as of all writes are of this file.
    assert_eq!(cost(&object, "overwrites"), Some(400 * US * 1_300 / 1_600));
}
