//! Traces of a newer iota: what the calls of functions that this one does not know moved, they say themselves.

mod common;

use common::Dir;
use common::trace::{ORIGIN, Part, gathered, process};
use iota_calls::{Counts, Effects, Handles, Kind, Layer};
use iota_trace::Record;
use iota_trace::names::Op;
use serde_json::Value;

const UNKNOWN: [(&str, Kind, Counts, Handles); 5] = [
    ("future_write", Kind::Write, Counts::Bytes, Handles::Keeps),
    ("future_puts", Kind::Write, Counts::Asked, Handles::Keeps),
    ("future_items", Kind::Read, Counts::Items, Handles::Keeps),
    ("future_hint", Kind::Write, Counts::Nothing, Handles::Keeps),
    ("future_copy", Kind::Write, Counts::Bytes, Handles::Copies),
];

/// Two calls of each, one of them failed
fn trace() -> Vec<u8> {
    let mut part = Part::bare(0, &process(1, 0));
    part.file(1, b"/scratch/run/out");
    let mut id = 0;
    for (op, (name, kind, counts, handles)) in (1001..).zip(UNKNOWN) {
        let effects = Effects { counts, handles }.byte();
        part.name_op(
            op,
            Op {
                name: name.as_bytes(),
                layer: Layer::Posix as u8,
                kind: kind as u8,
                effects,
            },
        );
        let mut call = |ret, errno| {
            id += 1;
            let start = ORIGIN + u64::from(id) * 1000;
            Record {
                start,
                end: start + 10,
                ret,
                errno,
                offset: -1,
                length: 100,
                whence: 8,
                id,
                file: 1,
                fd: 3,
                op,
                ..Record::default()
            }
        };
        let calls = [call(7, 0), call(-1, 5)];
        part.calls(&calls);
    }
    gathered(&[part.finish()])
}

/// Bytes read and written by function
fn moved<'v>(functions: &'v Value, name: &str) -> Vec<(&'v str, u64, u64)> {
    let functions = functions.as_array().unwrap().iter();
    let bytes = |function: &Value, key| function[key].as_u64().unwrap();
    let told = |function: &'v Value| {
        (
            function[name].as_str().unwrap(),
            bytes(function, "bytes_read"),
            bytes(function, "bytes_written"),
        )
    };
    let mut all: Vec<_> = functions.map(told).collect();
    all.sort_unstable();
    all
}

#[test]
fn results_of_unknown_functions_count_as_the_trace_says() {
    let dir = Dir::new().with("run.iota", &trace());
    let json = |args: &[&str]| -> Value { serde_json::from_str(&dir.run(args).out).unwrap() };
    let expected = [
        ("future_copy", 7, 7),
        ("future_hint", 0, 0),
        ("future_items", 56, 0),
        ("future_puts", 0, 100),
        ("future_write", 0, 7),
    ];
    let info = json(&["info", "--json", "run.iota"]);
    assert_eq!(moved(&info["functions"], "function"), expected);
    assert_eq!(info["calls"]["bytes_written"], 114);
    let stat = json(&["stat", "--json", "--by", "op", "run.iota"]);
    assert_eq!(
        moved(&stat["tables"][0]["rows"], "name"),
        expected,
        "{stat:#}"
    );
    assert_eq!(stat["io"]["bytes_written"], 114);
    assert_eq!(stat["io"]["bytes_read"], 63);
}
