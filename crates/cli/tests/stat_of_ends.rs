//! Reads that meet the end of a file, in `iota stat`.

mod common;

use common::Dir;
use common::trace::{Part, call};
use iota_trace::Record;
use serde_json::Value;

#[test]
fn what_moves_nothing_has_no_size() {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/a");
    // Each file is read up to its end, which a read of nothing tells; the rest is a loop.
    let ends = [100, 0, 100, 0, 100, 0].into_iter().chain([0; 200]);
    let mut records: Vec<Record> = (0..)
        .zip(ends)
        .map(|(n, length)| Record {
            ret: length,
            length: 100,
            file: 1,
            fd: 3,
            ..call("read", 1000 + 2000 * n, 1500)
        })
        .collect();
    for (id, record) in (1..).zip(&mut records) {
        record.id = id;
    }
    part.calls(&records);
    let dir = Dir::new().with("run.iota", &part.finish());
    let said = dir.run(["stat", "run.iota", "--by", "op", "--json"]);
    let object: Value = serde_json::from_str(&said.whole()).expect("JSON");
    assert_eq!(object["read"]["calls"], 206);
    for size in [
        &object["read"]["size"],
        &object["tables"][0]["rows"][0]["size"],
    ] {
        assert_eq!((&size["p50"], &size["max"]), (&100.into(), &100.into()));
    }
}
