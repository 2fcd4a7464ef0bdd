//! What findings about single ranks and about files of several ranks cost: the time of those that they name, as far as the run
//! could save it.

mod common;

use common::trace::{Part, call, gathered, process};
use common::{Dir, findings_have_calls};
use iota_trace::Record;
use iota_trace::part::Process;
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
    ranks_on(RANKS, |_| b"node01", calls).1
}

/// The same of so many ranks, each on its host
fn ranks_on(
    count: u32,
    host: impl Fn(u32) -> &'static [u8],
    calls: impl Fn(u32) -> Vec<Record>,
) -> (Dir, Value) {
    let part = |rank| {
        let mut part = Part::of(
            rank,
            &Process {
                host: host(rank),
                ..process(count, 0)
            },
        );
        part.file(1, b"/scratch/out").file(2, b"/scratch/other");
        let numbered = (1u32..)
            .zip(calls(rank))
            .map(|(id, record)| Record { id, ..record });
        part.calls(&numbered.collect::<Vec<_>>());
        part.finish()
    };
    let parts: Vec<_> = (0..count).map(part).collect();
    let dir = Dir::new().with("run.iota", &gathered(&parts));
    let object =
        serde_json::from_str(&dir.run(["stat", "run.iota", "--json", "--all"]).whole()).unwrap();
    findings_have_calls(&dir, "run.iota", &object);
    (dir, object)
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

#[test]
fn shares_do_not_show_what_orders_writes() {
    let write = |_| vec![moved("write", 1, 0, 100 * US, (0, 1 << 20))];
    let (dir, object) = ranks_on(RANKS, |_| b"node01", write);
    let conflict = |of: &Value| of["files"]["conflicts"][0]["order_known"].clone();
    assert_eq!(conflict(&object), true);
    let share = ["stat", "run.iota", "--all", "--shard", "0/1", "-o", "share"];
    dir.run(share).whole();
    let merged = dir.run(["stat", "--merge", "share"]).whole();
    let words: Vec<&str> = merged.split_whitespace().collect();
    let unknown = "whether calls order these writes is not known";
    assert!(words.join(" ").contains(unknown), "{merged}");
}

/// More ranges than are kept exactly of a file: they are looked at once more
#[test]
fn bytes_that_several_ranks_write_in_very_many_places() {
    const PLACES: i64 = 70_000;
    let object = ranks(|rank| match rank {
        0 | 1 => (0..PLACES)
            .map(|n| moved("write", 1, n as u64 * 1000, 500, (n * 4096, 1024)))
            .collect(),
        _ => vec![moved("read", 2, 0, 1000, (0, 4096))],
    });
    let conflict = &object["files"]["conflicts"][0];
    let of = &conflict["write_write"];
    assert_eq!(of["bytes"], PLACES * 1024, "{conflict}");
    assert_eq!(
        (&of["blocks"], &conflict["order_known"]),
        (&0.into(), &true.into())
    );
    assert!(cost(&object, "overwrites").is_some());
}

#[test]
fn a_node_whose_ranks_are_slower_than_others() {
    let hosts: [&[u8]; 3] = [b"node01", b"node02", b"node03"];
    let on_nodes = |lasts: fn(u32) -> u64| {
        let host = |rank: u32| hosts[rank as usize / 4];
        let (_, object) = ranks_on(12, host, |rank| {
            let at = i64::from(rank) << 20;
            vec![moved("write", 1, 0, lasts(rank) * US, (at, 1 << 20))]
        });
        object
    };
    let object = on_nodes(|rank| if rank / 4 == 1 { 900 } else { 300 });
    let findings = object["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0]["kind"], "node-imbalance");
    assert_eq!(
        findings[0]["what"],
        "ranks on node02 are in I/O 3.0 times as long as those on other nodes"
    );
    assert_eq!(findings[0]["cost"], 600 * US);
    assert_eq!(findings[0]["select"], "host=node02,on=storage");
    // One rank of it does not make a node slow.
    let object = on_nodes(|rank| if rank == 5 { 3_000 } else { 300 });
    assert_eq!(cost(&object, "node-imbalance"), None);
    assert!(cost(&object, "imbalance").is_some(), "{object:#}");
}
