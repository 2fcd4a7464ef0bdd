//! Whatever a file holds, everything whole is printed, then one line says what was not.

mod common;

use common::trace::{Part, gathered, writes};
use common::{Dir, Said, blocks, small, small_part};
use iota_tests::bounded;
use iota_trace::block::{HEADER_SIZE, Header, kind};
use proptest::prelude::*;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

const COMMANDS: [&str; 2] = ["text", "info"];

/// 5000 calls in three blocks
fn large() -> Vec<u8> {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/f").calls(&writes(5000, 8));
    part.finish()
}

fn text(trace: &[u8]) -> Said {
    Dir::new().with("run.iota", trace).run(["text", "run.iota"])
}

/// No command prints anything, each says `expected`
fn nothing(trace: &[u8], expected: &str) {
    let dir = Dir::new().with("run.iota", trace);
    for args in [
        &["text", "run.iota"][..],
        &["info", "run.iota"],
        &["merge", "run.iota", "-o", "new.iota"],
    ] {
        let said = dir.run(args);
        assert!(said.failed().contains(expected), "{said:?}");
        assert_eq!(said.out, "");
        assert_eq!(dir.names(), ["run.iota"]);
    }
}

#[test]
fn empty() {
    nothing(b"", "iota: run.iota: byte 0: the file is empty; ");
}

#[test]
fn foreign() {
    nothing(
        b"\x7fELF and so on, longer than a header of ours, which has 48 bytes",
        "iota: run.iota: byte 0: not an iota trace",
    );
    nothing(b"IOT", "iota: run.iota: byte 0: not an iota trace");
}

#[test]
fn cut_off_in_the_first_block() {
    for len in [20, HEADER_SIZE, HEADER_SIZE + 10] {
        nothing(
            &large()[..len],
            "iota: run.iota: byte 0: the file is cut off within a block",
        );
    }
}

#[test]
fn of_a_later_version() {
    let mut trace = large();
    let mut at = 0;
    while let Some(mut header) = Header::parse(&trace[at..]) {
        let end = at + header.block_len() as usize;
        header.version += 1;
        let sealed = header.sealed(&trace[at + HEADER_SIZE..end], &[]);
        trace[at..at + HEADER_SIZE].copy_from_slice(&sealed);
        at = end;
    }
    nothing(
        &trace,
        "iota: run.iota: byte 0: format version 2, but this iota reads version 1; ",
    );
}

#[test]
fn truncated() {
    let trace = large();
    let events = blocks(&trace, kind::EVENTS);
    let said = text(&trace[..events[2] + HEADER_SIZE + 100]);
    let expected = format!(
        "iota: run.iota: byte {}: the file is cut off within a block; everything else was read",
        events[2]
    );
    assert!(said.failed().starts_with(&expected), "{}", said.failed());
    assert_eq!(said.calls().len(), 4096);
}

#[test]
fn truncated_between_blocks() {
    let trace = large();
    let events = blocks(&trace, kind::EVENTS);
    let said = text(&trace[..events[1]]);
    let expected = format!(
        "iota: run.iota: byte {}: rank 0 (process 4000) ends here without its end block",
        events[1]
    );
    assert!(said.failed().starts_with(&expected), "{}", said.failed());
    assert_eq!(said.calls().len(), 2048);
}

#[test]
fn bits_flipped() {
    let trace = large();
    let events = blocks(&trace, kind::EVENTS);
    for (damaged, left) in [(0, 2952), (1, 2952), (2, 4096)] {
        for byte in [
            events[damaged] + 1,
            events[damaged] + 8,
            events[damaged] + 200,
        ] {
            let mut bad = trace.clone();
            bad[byte] ^= 4;
            let said = text(&bad);
            assert!(
                said.failed()
                    .contains(&format!("byte {}: ", events[damaged])),
                "{}",
                said.failed()
            );
            assert_eq!(said.calls().len(), left);
        }
    }
}

#[test]
fn bytes_lost_in_the_middle() {
    let mut trace = large();
    let events = blocks(&trace, kind::EVENTS);
    trace.drain(events[1] + 100..events[1] + 300);
    let said = text(&trace);
    assert_eq!(said.calls().len(), 2952);
    assert!(
        said.failed().contains(&format!("byte {}: ", events[1])),
        "{}",
        said.failed()
    );
}

#[test]
fn only_one_of_many_parts_is_damaged() {
    let mut parts: Vec<_> = (0..4).map(|rank| small_part(rank, 4).finish()).collect();
    let events = blocks(&parts[2], kind::EVENTS)[0];
    parts[2][events + 60] ^= 1;
    let dir = Dir::new().with("run.iota", &gathered(&parts));
    let said = dir.run(["text", "run.iota"]);
    said.failed();
    let tasks: String = said
        .calls()
        .iter()
        .step_by(5)
        .map(|line| &line[..1])
        .collect();
    assert_eq!(tasks, "013");
    let said = dir.run(["info", "run.iota"]);
    assert!(said.failed().contains("checksum"), "{said:?}");
    assert!(
        said.out
            .contains("no: 5 calls damaged; 1 place of damage, below; 4 parts"),
        "{}",
        said.out
    );
    assert!(
        said.out.contains("\ndamage\nrun.iota: byte "),
        "{}",
        said.out
    );
}

#[test]
fn missing() {
    for command in COMMANDS {
        let said = Dir::new().run([command, "run.iota"]);
        let expected = "iota: run.iota: no such trace, and no part run.<rank>.iota beside it; ";
        assert!(said.failed().starts_with(expected), "{said:?}");
    }
}

#[test]
fn parts_that_were_never_gathered_are_found() {
    let dir = Dir::new().with("run.0.iota", &small_part(0, 3).finish());
    let dir = dir
        .with("run.1.iota", &small_part(1, 3).finish())
        .with("runner.2.iota", &small_part(2, 3).finish());
    let said = dir.run(["text", "run.iota"]);
    assert_eq!(said.calls().len(), 10);
    assert_eq!(
        said.whole(),
        dir.run(["text", "run.1.iota", "run.0.iota"]).whole()
    );
    let info = dir.run(["info", "run.iota"]).whole();
    assert!(info.starts_with("run.0.iota ... run.1.iota\n"), "{info}");
    assert!(
        info.contains("\ncomplete   no: rank 2 missing; 2 parts"),
        "{info}"
    );
}

#[test]
fn a_directory_stands_for_its_traces() {
    let dir = Dir::new()
        .with("a.iota", &small_part(0, 2).finish())
        .with("b.iota", &small_part(1, 2).finish());
    let dir = dir.with("notes.txt", b"nothing of ours");
    assert_eq!(
        dir.run(["text", "."]).whole(),
        dir.run(["text", "a.iota", "b.iota"]).whole()
    );
    let empty = Dir::new();
    assert!(
        empty
            .run(["text", "."])
            .failed()
            .contains("a directory without any file *.iota")
    );
}

#[test]
fn one_of_several_files_is_foreign() {
    let dir = Dir::new().with("a.iota", b"no").with("b.iota", &small(1));
    for command in COMMANDS {
        let said = dir.run([command, "a.iota", "b.iota"]);
        let told = said.failed();
        assert!(
            told.starts_with("iota: a.iota: byte 0: not an iota trace"),
            "{told}"
        );
        assert_eq!(told.matches("a.iota").count(), 1, "{told}");
        assert!(!said.out.is_empty());
    }
}

#[test]
fn a_file_name_may_hold_anything() {
    let name = OsStr::from_bytes(b"a\tb\nc\\\xff\x1b[31m.iota");
    let dir = Dir::new().with(name, &small(1));
    assert_eq!(dir.run([OsStr::new("text"), name]).calls().len(), 5);
    let info = dir.run([OsStr::new("info"), name]).whole();
    assert!(
        info.starts_with("a\\tb\\nc\\\\\\xff\\x1b[31m.iota\n"),
        "{info}"
    );
    for bytes in [&b""[..], b"foreign", &large()[..9000]] {
        let dir = Dir::new().with(name, bytes);
        let said = dir.run([OsStr::new("text"), name]);
        assert!(said.failed().chars().all(|c| !c.is_control()), "{said:?}");
    }
    let said = Dir::new().run([OsStr::new("text"), name]);
    assert!(said.failed().chars().all(|c| !c.is_control()), "{said:?}");
}

#[test]
fn no_event_and_one_event_are_traces() {
    let none = Part::new(0, 1, 0).finish();
    let said = text(&none);
    assert_eq!(said.calls().len(), 0);
    assert_eq!(said.whole().lines().count(), 7);
    let one = Part::new(0, 1, 0)
        .file(1, b"/f")
        .calls(&writes(1, 8))
        .finish();
    assert_eq!(text(&one).calls().len(), 1);
    for trace in [none, one] {
        let dir = Dir::new().with("run.iota", &trace);
        let info = dir.run(["info", "run.iota"]).whole();
        assert!(info.contains("complete   yes"), "{info}");
        dir.run(["info", "--json", "run.iota"]).whole();
        assert_eq!(dir.run(["merge", "run.iota", "-o", "new.iota"]).status, 0);
    }
}

#[test]
fn unreadable() {
    // Root reads everything; a link to itself nobody does.
    let dir = Dir::new();
    std::os::unix::fs::symlink("run.iota", dir.file("run.iota")).unwrap();
    for command in COMMANDS {
        let said = dir.run([command, "run.iota"]);
        assert!(said.failed().contains("run.iota"), "{said:?}");
    }
}

/// Where a file may end as well: behind each footer (docs/design/format.md).
fn ends_of_segments(trace: &[u8]) -> Vec<usize> {
    const FOOTER: u8 = 6;
    let number = |at: usize, bytes: usize| {
        (0..bytes)
            .rev()
            .fold(0, |n, i| n << 8 | usize::from(trace[at + i]))
    };
    let (mut at, mut ends) = (0, Vec::new());
    while at < trace.len() {
        let next = at + number(at + 6, 2) + number(at + 8, 4);
        ends.extend((trace[at + 4] == FOOTER).then_some(next));
        at = next;
    }
    ends
}

#[test]
fn calls_that_seem_to_be_names() {
    let mut trace = small(3);
    let is_events = |at: &usize| trace[*at..].starts_with(b"IOTA") && trace[*at + 4] == 3;
    let last = (0..trace.len() - 4).rfind(is_events).unwrap();
    trace[last + 4] ^= 1;
    text(&trace).failed();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Calls are printed as they were, or not at all, whatever was damaged.
    #[test]
    fn damage_never_invents_calls(place in 0.0..1.0f64, bit in 0..8u32, cut in proptest::bool::ANY) {
        let trace = small(3);
        let whole = text(&trace);
        let mut bad = trace.clone();
        let at = (place * trace.len() as f64) as usize;
        match cut {
            true => bad.truncate(at),
            false => bad[at] ^= 1 << bit,
        }
        let said = text(&bad);
        match cut && ends_of_segments(&trace).contains(&at) {
            // Nothing tells that there was more.
            true => prop_assert_eq!(said.status, 0),
            false => drop(said.failed()),
        }
        let known = whole.calls();
        for line in said.calls() {
            // Without its part's process block a call keeps its columns but not its time, without names not its name.
            let untimed = |line: &str| line.split('\t').skip(3).map(str::to_owned).collect::<Vec<_>>();
            let fits = |known: &&str| untimed(known).iter().zip(untimed(line)).all(|(a, b)| *a == b || b == "-");
            prop_assert!(known.iter().any(fits), "{line}");
        }
    }
}

#[test]
fn a_trace_cut_behind_a_part_has_the_parts_before() {
    let trace = small(3);
    let ends = ends_of_segments(&trace);
    assert_eq!(ends.len(), 4, "three parts and the group around them");
    let calls: Vec<usize> = ends
        .iter()
        .map(|&end| {
            text(&trace[..end])
                .whole()
                .lines()
                .filter(|line| !line.starts_with('#'))
                .count()
        })
        .collect();
    assert_eq!(calls, [5, 10, 15, 15]);
}

#[test]
fn a_file_of_four_bytes() {
    nothing(
        b"IOTA",
        "iota: run.iota: byte 0: the file is cut off within a block",
    );
}

#[test]
fn one_missing_among_several() {
    let dir = Dir::new().with("run.iota", &small(1));
    let said = dir.run(["text", "run.iota", "none.iota"]);
    assert!(
        said.failed().contains("none.iota: no such trace"),
        "{said:?}"
    );
    assert_eq!(said.calls().len(), 5, "the other one is printed whole");
}

/// A job of more tasks than a process may hold files open, each with a part of its own.
#[test]
fn more_parts_than_descriptors() {
    let dir = (0..400).fold(Dir::new(), |dir, rank| {
        dir.with(format!("run.{rank}.iota"), &small_part(rank, 400).finish())
    });
    let mut shell = std::process::Command::new("sh");
    let output = bounded(&mut shell)
        .args(["-c", "ulimit -n 300 && exec \"$0\" text run.iota"])
        .arg(env!("CARGO_BIN_EXE_iota"))
        .current_dir(dir.path())
        .output()
        .expect("a shell");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(common::calls(&text).len(), 400 * 5);
}
