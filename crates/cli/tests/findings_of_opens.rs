//! Files that are opened for nothing, and directories with very many of them.

mod common;

use common::trace::{Part, call};
use common::{Dir, findings_have_calls};
use iota_trace::Record;
use serde_json::Value;

/// A trace of one rank that has so many files, and does this with each
fn stat(files: u32, names: &[&str], threshold: &str) -> Value {
    let mut part = Part::new(0, 1, 0);
    let paths: Vec<String> = (0..files).map(|n| format!("/scratch/d/f{n}")).collect();
    part.files(paths.iter().map(String::as_bytes));
    let each = |file: u32| names.iter().map(move |name| (file, *name));
    let calls = (1..=files).flat_map(each).zip(1u32..);
    let calls = calls.map(|((file, name), id)| {
        let transfers = matches!(name, "read" | "write");
        let length = if transfers { 1 << 20 } else { 0 };
        Record {
            id,
            file,
            fd: 3,
            ret: if transfers { 1 << 20 } else { 3 },
            length,
            ..call(name, u64::from(id) * 100_000, 90_000)
        }
    });
    part.calls(&calls.collect::<Vec<_>>());
    let dir = Dir::new().with("run.iota", &part.finish());
    let args = ["stat", "run.iota", "--json", "--threshold", threshold];
    let found = serde_json::from_str(&dir.run(args).whole()).unwrap();
    findings_have_calls(&dir, "run.iota", &found);
    found
}

fn kinds(found: &Value) -> Vec<&str> {
    let findings = found["findings"].as_array().unwrap().iter();
    findings.filter_map(|one| one["kind"].as_str()).collect()
}

const WORTH: &str = "worth=0";

#[test]
fn files_that_are_opened_and_closed() {
    let found = stat(1000, &["open", "fstat", "close"], WORTH);
    assert_eq!(kinds(&found), ["unused-opens"]);
    let finding = &found["findings"][0];
    assert_eq!(
        finding["what"],
        "100.0 % of opens are of files with which nothing is done"
    );
    let evidence = finding["evidence"].as_str().unwrap();
    assert!(
        evidence.starts_with("1,000 opens of 1,000 files are neither read nor written"),
        "{evidence}"
    );
    assert_eq!(finding["cost"], 1000 * 3 * 90_000);
    // Reads of most, or anything else of all.
    for used in ["read", "mmap", "flock", "readdir"] {
        let found = stat(1000, &["open", used, "close"], WORTH);
        assert!(
            !kinds(&found).contains(&"unused-opens"),
            "{used}: {found:#}"
        );
    }
    assert_eq!(
        kinds(&stat(50, &["open", "close"], WORTH))
            .iter()
            .filter(|kind| **kind == "unused-opens")
            .count(),
        0
    );
}

#[test]
fn a_directory_with_very_many_files() {
    let found = stat(12_000, &["open", "write", "close"], "small-bytes=1");
    let kinds = kinds(&found);
    assert!(kinds.contains(&"crowded-directory"), "{found:#}");
    assert!(!kinds.contains(&"metadata"), "{found:#}");
    let findings = found["findings"].as_array().unwrap();
    let crowd = findings
        .iter()
        .find(|one| one["kind"] == "crowded-directory")
        .unwrap();
    assert_eq!(crowd["what"], "12,000 files of one directory are opened");
    assert_eq!(crowd["cost"], 12_000_u64 * 2 * 90_000);
    assert_eq!(
        crowd["select"],
        "class=open,close,seek,meta,map,other,dir=/scratch/d"
    );
    let found = stat(12_000, &["open", "write", "close"], "directory-files=12001");
    assert!(!self::kinds(&found).contains(&"crowded-directory"));
}
