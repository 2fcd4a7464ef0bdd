//! File names may hold anything: each format has them so that none breaks it, and that they can be had back.

use crate::common::trace::{Part, writes};
use crate::common::{Dir, calls};
use crate::table;

pub const HOSTILE: [&[u8]; 7] = [
    b"/a\tTAB\nnewline\rreturn",
    b"/b,comma \"quotes\" 'single'",
    b"/c\xFF\xFEnot UTF-8",
    b"/d<script>alert(1)</script>&amp;",
    b"/e\\backslash\\x41\\n",
    b"/f\x1B[31m\xC2\x9B\x7F",
    "/g \u{e4}\u{202e} [x] {y}".as_bytes(),
];

pub fn trace() -> Dir {
    let mut part = Part::new(0, 1, 0);
    for (id, name) in (1..).zip(HOSTILE) {
        part.file(id, name);
        let write = writes(1, 8).remove(0);
        part.calls(&[iota_trace::Record {
            file: id,
            id,
            ..write
        }]);
    }
    Dir::new().with("run.iota", &part.finish())
}

pub fn printable(name: &[u8]) -> String {
    let mut text = Vec::new();
    iota_trace::Printable(name).put(&mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn tables_have_names_that_can_be_had_back() {
    let dir = trace();
    dir.run(["convert", "run.iota", "-o", "run.csv"]).whole();
    dir.run(["convert", "run.iota", "-o", "run.parquet"])
        .whole();
    let csv = table::csv(&std::fs::read_to_string(dir.file("run.csv")).unwrap());
    let names: Vec<_> = csv.iter().map(|row| row["path"].clone()).collect();
    assert_eq!(names, HOSTILE.map(printable));
    assert_eq!(
        csv,
        table::parquet(std::fs::read(dir.file("run.parquet")).unwrap())
    );
}

#[test]
fn names_come_back_from_text_and_dxt() {
    let dir = trace();
    let text = dir.run(["text", "-v", "run.iota"]).whole();
    for ending in ["txt", "dxt"] {
        let (log, back) = (format!("run.{ending}"), format!("{ending}.iota"));
        dir.run(["convert", "run.iota", "-o", &log]).whole();
        dir.run(["convert", &log, "-o", &back]);
        let again = dir.run(["text", "-v", &back]).whole();
        // Of a descriptor without a number the path stands in its place.
        let path = |line: &&str| {
            let fields: Vec<_> = line.split('\t').collect();
            let place = if fields[14] == "-" { 6 } else { 14 };
            fields[place].to_owned()
        };
        let paths = |text: &str| calls(text).iter().map(path).collect::<Vec<_>>();
        assert_eq!(paths(&again), paths(&text), "{ending}");
    }
}

#[test]
fn names_of_logs_are_harmless() {
    let dir = trace();
    dir.run(["convert", "run.iota", "--to", "ioplots", "-o", "logs"])
        .whole();
    let list = std::fs::read_to_string(dir.file("logs/files.txt")).unwrap();
    assert_eq!(list.lines().count(), 7);
    for (line, name) in list.lines().zip(HOSTILE) {
        let (log, path) = line.split_once('\t').unwrap();
        assert_eq!(path, printable(name));
        assert!(
            log.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)),
            "{log}"
        );
        assert!(dir.file("logs").join(log).exists());
    }
}

#[test]
fn perfetto_has_them_escaped() {
    let dir = trace();
    dir.run(["convert", "run.iota", "-o", "run.pftrace"])
        .whole();
    let bytes = std::fs::read(dir.file("run.pftrace")).unwrap();
    for name in HOSTILE.map(printable) {
        assert!(
            bytes
                .windows(name.len())
                .any(|some| some == name.as_bytes()),
            "{name}"
        );
    }
}
