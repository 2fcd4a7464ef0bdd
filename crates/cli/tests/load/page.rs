//! The manual page: the triple loop, its events at their scopes, the report.

use super::{Row, allowed, count, of};
use crate::common::Dir;

/// Times are told to a nanosecond
const EXACT: f64 = 2e-6;

#[test]
fn nine_events_are_logged() {
    let rows = Dir::new().log("-op w -nfiles 2 -nops 3 -npieces 4 -bufsz 1000 -file x");
    let counts = [
        "open",
        "seek",
        "op",
        "atomic_op",
        "stripes",
        "all_stripes",
        "close",
        "file",
        "total",
    ]
    .map(|event| count(&rows, event));
    assert_eq!(counts, [8, 24, 24, 24, 8, 2, 8, 2, 1]);
    assert_eq!(rows.len(), counts.iter().sum::<usize>());
}

#[test]
fn a_functionality_that_is_not_used_logs_no_events() {
    let rows = Dir::new().log("-op w -nops 3 -npieces 2 -bufsz 1000 -file x -noseek -share");
    let counts = ["open", "seek", "op", "atomic_op", "close"].map(|event| count(&rows, event));
    assert_eq!(counts, [1, 0, 6, 0, 1], "one descriptor, no seeks");
    assert_eq!(of(&rows, "close").next().unwrap().piece, Some(0));
}

#[test]
fn files_hold_every_operation_at_its_place() {
    let dir = Dir::new();
    dir.load("-op w -nfiles 3 -nops 5 -npieces 3 -bufsz 1001 -file x")
        .whole();
    assert_eq!(
        dir.names(),
        ["x.filen.00000", "x.filen.00001", "x.filen.00002"]
    );
    for name in dir.names() {
        assert_eq!(dir.file(name).metadata().unwrap().len(), 5005);
    }
}

fn inside(inner: &Row, outer: &Row) {
    let ((start, end), (first, last)) = (inner.span(), outer.span());
    assert!(
        start >= first - EXACT && end <= last + EXACT,
        "{inner:?} is not inside {outer:?}"
    );
}

#[test]
fn scopes_are_nested_exactly() {
    let rows = Dir::new().log("-op w -nfiles 2 -nops 4 -npieces 3 -bufsz 30k -file x");
    for atomic in of(&rows, "atomic_op") {
        let same = |row: &&Row| {
            (row.file, row.piece, row.operation) == (atomic.file, atomic.piece, atomic.operation)
        };
        let [seek, op] = ["seek", "op"].map(|event| of(&rows, event).find(same).unwrap());
        inside(seek, atomic);
        inside(op, atomic);
        assert!(
            (atomic.time - seek.time - op.time).abs() < EXACT,
            "nothing else is in it"
        );
    }
    for stripes in of(&rows, "stripes") {
        let same = |row: &&Row| (row.file, row.piece) == (stripes.file, stripes.piece);
        let atomics: Vec<&Row> = of(&rows, "atomic_op").filter(same).collect();
        let (first, last) = (atomics[0].span().0, atomics.last().unwrap().span().1);
        let (start, end) = stripes.span();
        assert!(
            (start - first).abs() < EXACT && (end - last).abs() < EXACT,
            "{stripes:?}"
        );
    }
    for (outer, inners) in [
        ("all_stripes", &["stripes"][..]),
        ("file", &["open", "all_stripes", "close"]),
    ] {
        for outer in of(&rows, outer) {
            let inner = || {
                rows.iter()
                    .filter(|row| inners.contains(&row.event.as_str()) && row.file == outer.file)
            };
            inner().for_each(|row| inside(row, outer));
            let first = inner().map(|row| row.span().0).fold(f64::MAX, f64::min);
            let last = inner().map(|row| row.span().1).fold(0.0, f64::max);
            assert!(
                (outer.span().0 - first).abs() < EXACT && (outer.span().1 - last).abs() < EXACT,
                "{outer:?}"
            );
        }
    }
}

#[test]
fn total_comes_last_and_has_no_timestamp() {
    let rows = Dir::new().log("-op w -nfiles 2 -file x");
    let total = rows.last().unwrap();
    assert_eq!((total.event.as_str(), total.absolute), ("total", None));
    let last = rows
        .iter()
        .filter_map(|row| Some(row.absolute? + row.time))
        .fold(0.0, f64::max);
    assert!(
        total.time >= last - EXACT,
        "it covers the scope of all files"
    );
}

#[test]
fn times_count_from_the_first_event_and_rates_are_in_two_to_the_twenty() {
    let rows = Dir::new().log("-op w -nops 4 -bufsz 1m -file x");
    let first = rows
        .iter()
        .filter_map(|row| row.absolute)
        .fold(f64::MAX, f64::min);
    assert_eq!(first, 0.0);
    for op in of(&rows, "op") {
        let expected = 1.0 / (op.time / 1e3);
        assert!((op.rate.unwrap() / expected - 1.0).abs() < 1e-3, "{op:?}");
    }
    assert!(
        of(&rows, "seek")
            .chain(of(&rows, "open"))
            .all(|row| row.rate.is_none())
    );
}

#[test]
fn the_header_tells_when_and_how() {
    let text = Dir::new()
        .load("-op w -nfiles 1 -bufsz 64k -file x")
        .whole();
    let mut lines = text.lines();
    assert!(
        lines.next().unwrap().starts_with("# iota load, invoked 20"),
        "{text}"
    );
    assert_eq!(
        lines.next().unwrap(),
        "# flags: -quiet -op w -nfiles 1 -bufsz 64k -file x"
    );
}

#[test]
fn the_header_has_a_line_for_the_flags_whatever_names_are_in_them() {
    let dir = Dir::new();
    let said = dir.run([
        "load", "-quiet", "-op", "w", "-file", "a\nb", "-bufsz", "1k",
    ]);
    let header: Vec<&str> = said.out.lines().take(3).collect();
    assert!(header[1].contains(r"-file a\nb -bufsz 1k"), "{header:?}");
    assert!(header[2].starts_with("# 1 file x"), "{header:?}");
}

#[test]
fn columns_are_aligned_with_spaces() {
    let text = Dir::new()
        .load("-op w -nfiles 2 -nops 3 -npieces 3 -file x")
        .whole();
    let table: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("Event"))
        .take_while(|line| !line.is_empty())
        .collect();
    assert!(table.len() > 40 && !text.contains('\t'));
    assert!(
        table.iter().all(|line| line.len() == table[0].len()),
        "{text}"
    );
}

#[test]
fn each_file_has_minimum_mean_and_maximum_of_op() {
    let dir = Dir::new();
    let report = dir.json("-op w -nfiles 2 -nops 6 -npieces 2 -bufsz 100k -file x");
    let phase = &report["phases"][0];
    for file in phase["files"].as_array().unwrap() {
        let rates: Vec<f64> = phase["events"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["event"] == "op" && event["file"] == file["file"])
            .map(|event| event["mb_per_s"].as_f64().unwrap())
            .collect();
        let expected = [
            rates.iter().copied().fold(f64::MAX, f64::min),
            rates.iter().sum::<f64>() / rates.len() as f64,
            rates.iter().copied().fold(0.0, f64::max),
        ];
        let told =
            ["min", "mean", "max"].map(|which| file[format!("{which}_mb_per_s")].as_f64().unwrap());
        assert_eq!(rates.len(), 12);
        assert!(
            told.iter()
                .zip(expected)
                .all(|(told, expected)| (told / expected - 1.0).abs() < 1e-9),
            "{file}"
        );
    }
}

fn flip(dir: &Dir, name: &str, at: usize) -> (u8, u8) {
    let mut bytes = std::fs::read(dir.file(name)).unwrap();
    let expected = bytes[at];
    bytes[at] ^= 0x10;
    std::fs::write(dir.file(name), &bytes).unwrap();
    (expected, bytes[at])
}

/// Flips a byte of what was written, and looks whether the read finds it.
fn finds(options: &str, at: usize, found: bool) {
    let dir = Dir::new();
    let how = format!("-nfiles 2 -nops 4 -npieces 3 -bufsz 1000 -file x {options}");
    dir.load(&format!("-op w {how}")).whole();
    dir.load(&format!("-op r {how}")).whole();
    let (expected, changed) = flip(&dir, "x.filen.00001", at);
    let said = dir.load(&format!("-op r {how}"));
    if !found {
        said.whole();
        return;
    }
    let place = format!(
        "x.filen.00001: wrong data at offset {at}: expected 0x{expected:02x}, found 0x{changed:02x}; 1 byte"
    );
    assert!(said.failed().contains(&place), "{options}: {said:?}");
    assert!(
        said.out.contains("\ntotal "),
        "the log is printed all the same"
    );
}

#[test]
fn test_buffer_finds_a_single_flipped_byte() {
    for api in allowed(&["unixio", "stdio", "aio", "pio", "mmap", "io_uring"]) {
        finds(&format!("-test buffer -io_api {api}"), 1, true);
    }
    for at in [0, 333, 334, 999, 1000, 1500, 3999] {
        finds("-test buffer", at, true);
    }
}

#[test]
fn test_boundaries_finds_a_byte_beside_a_boundary_alone() {
    // Pieces of 334, 333 and 333 bytes: boundaries in each buffer at 0, 334, 667.
    for at in [0, 3, 330, 333, 334, 337, 663, 667, 996, 1000, 1003, 3999] {
        finds("-test boundaries", at, true);
    }
    for at in [4, 329, 338, 800, 1004] {
        finds("-test boundaries", at, false);
    }
}

#[test]
fn share_opens_one_descriptor_and_lock_atomic_keeps_pieces_apart() {
    let dir = Dir::new();
    let how = "-nops 50 -npieces 4 -bufsz 40k -share -lock_atomic -test buffer -file x";
    let rows = dir.log(&format!("-op w {how}"));
    assert_eq!(count(&rows, "open"), 1);
    let mut spans: Vec<(f64, f64)> = of(&rows, "atomic_op").map(Row::span).collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(spans.len(), 200);
    assert!(
        spans.windows(2).all(|two| two[0].1 <= two[1].0 + EXACT),
        "one at a time"
    );
    dir.load(&format!("-op r {how}")).whole();
}

#[test]
fn h_is_a_table_of_all_arguments_with_defaults() {
    let table = Dir::new().load("-h").whole();
    assert!(table.starts_with("Argument "), "{table}");
    for (argument, default) in [
        ("-op", "r"),
        ("-bufsz", "1m"),
        ("-nfiles", "1"),
        ("-test", "none"),
        ("-io_api", "unixio"),
    ] {
        let line = table
            .lines()
            .find(|line| line.starts_with(&format!("{argument} ")))
            .unwrap();
        assert_eq!(line.split_whitespace().nth(2), Some(default), "{line}");
    }
}

#[test]
fn every_option_of_the_page_is_taken_with_one_dash() {
    let line = "-op w -nfiles 1 -bufsz 10k -nstripes 2 -nops 2 -test boundaries -scope sys -io_api unixio -share -lock_atomic -file y";
    let dir = Dir::new();
    dir.load(line).whole();
    assert_eq!(dir.names(), ["y.filen.00000"]);
}
