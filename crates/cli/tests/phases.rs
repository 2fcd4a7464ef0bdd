//! When a job reads and writes: phases, how far apart they are, and those that are slower than others.

mod common;

use common::trace::{Part, call};
use common::{Dir, findings_have_calls};
use iota_trace::Record;
use serde_json::Value;

const MS: u64 = 1_000_000;
const CHECKPOINTS: u64 = 8;

/// Writes of 1 MiB, a checkpoint of 40 each second, each call as long as `lasts` has it in ms
fn checkpoints(lasts: impl Fn(u64) -> u64) -> Vec<Record> {
    let mut writes = Vec::new();
    for checkpoint in 0..CHECKPOINTS {
        let (start, each) = (500 + checkpoint * 1000, lasts(checkpoint));
        for n in 0..40 {
            writes.push(Record {
                id: writes.len() as u32 + 1,
                file: 1,
                fd: 3,
                ret: 1 << 20,
                length: 1 << 20,
                offset: (writes.len() as i64) << 20,
                ..call("pwrite64", (start + n * each) * MS, each * MS)
            });
        }
    }
    writes
}

fn dir(calls: &[Record]) -> Dir {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/scratch/run/checkpoint").calls(calls);
    Dir::new().with("run.iota", &part.finish())
}

fn stat(dir: &Dir, more: &[&str]) -> Value {
    let args = ["stat", "run.iota", "--json"];
    let said = dir.run(args.iter().chain(more)).whole();
    serde_json::from_str(&said).unwrap()
}

fn near(value: &Value, ms: u64) -> bool {
    let value = value.as_u64().unwrap();
    value.abs_diff(ms * MS) < 10 * MS
}

#[test]
fn checkpoints_are_phases_with_a_period() {
    let dir = dir(&checkpoints(|_| 5));
    let found = stat(&dir, &[]);
    let [writing] = &found["phases"].as_array().unwrap()[..] else {
        panic!("{found:#}");
    };
    let phases = writing["phases"].as_array().unwrap();
    assert_eq!(writing["class"], "write");
    assert_eq!(phases.len(), CHECKPOINTS as usize);
    assert!(near(&writing["period"], 1000), "{writing:#}");
    for (n, phase) in (0..).zip(phases) {
        assert!(near(&phase["start"], 500 + n * 1000), "{phase}");
        assert!(near(&phase["duration"], 200), "{phase}");
        assert!(near(&phase["busy"], 200), "{phase}");
        assert_eq!(phase["bytes"], 40 << 20, "{phase}");
    }
    assert!(
        found["findings"].as_array().unwrap().is_empty(),
        "{found:#}"
    );
    let page = dir.run(["stat", "run.iota"]).whole();
    let lines: Vec<&str> = page
        .lines()
        .filter(|line| line.contains("phases") || line.contains("MiB/s in the first"))
        .collect();
    let [when, how_fast] = lines[..] else {
        panic!("{page}");
    };
    assert!(
        when.starts_with("phases     writing: 8 phases of "),
        "{when}"
    );
    assert!(
        when.contains(", every 1.00 s, with 100 % of its time"),
        "{when}"
    );
    assert!(how_fast.contains("40.0 MiB each"), "{how_fast}");
}

#[test]
fn a_phase_that_is_slower_than_others_is_found() {
    let dir = dir(&checkpoints(
        |checkpoint| if checkpoint == 5 { 20 } else { 5 },
    ));
    let found = stat(&dir, &[]);
    let findings = found["findings"].as_array().unwrap();
    assert_eq!(findings[0]["kind"], "slow-phases", "{findings:#?}");
    let what = findings[0]["what"].as_str().unwrap();
    assert!(
        what.starts_with("1 of 8 phases of writing is slower than the others: "),
        "{what}"
    );
    let evidence = findings[0]["evidence"].as_str().unwrap();
    assert!(
        evidence.starts_with("number 6, 5.50 s after the start, took 80"),
        "{evidence}"
    );
    assert!(near(&findings[0]["cost"], 600), "{findings:#?}");
    findings_have_calls(&dir, "run.iota", &found);
    let select = findings[0]["select"].as_str().unwrap();
    let calls = dir.run(["text", "run.iota", "--where", select]);
    assert_eq!(calls.calls().len(), 40, "{select}");
    for tolerant in ["phase-times=5", "few-phases=9", "phase-time=1s"] {
        let found = stat(&dir, &["--threshold", tolerant]);
        assert!(
            found["findings"].as_array().unwrap().is_empty(),
            "{tolerant}"
        );
    }
}

#[test]
fn the_rest_of_a_job_that_writes_all_the_time_is_no_pause() {
    let calls: Vec<Record> = checkpoints(|_| 25);
    let found = stat(&dir(&calls), &[]);
    assert!(found["phases"].as_array().unwrap().is_empty(), "{found:#}");
}

#[test]
fn shares_find_the_same_phases() {
    let dir = dir(&checkpoints(|_| 5));
    let whole = stat(&dir, &[]);
    for share in ["0/2", "1/2"] {
        let file = share.replace('/', "-");
        dir.run(["stat", "run.iota", "--shard", share, "-o", &file])
            .whole();
    }
    let merged = dir.run(["stat", "--json", "--merge", "0-2", "1-2"]).whole();
    let merged: Value = serde_json::from_str(&merged).unwrap();
    assert_eq!(merged["phases"], whole["phases"]);
}
