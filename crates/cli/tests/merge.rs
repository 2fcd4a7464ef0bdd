//! `iota merge`: one file that says the same, under its name only when it is whole.

mod common;

use common::trace::{Part, writes};
use common::{Dir, blocks, calls, small_part};
use iota_trace::block::kind;
use std::fs;

fn parts() -> Dir {
    let part = |rank| small_part(rank, 3).finish();
    Dir::new()
        .with("run.0.iota", &part(0))
        .with("run.1.iota", &part(1))
        .with("run.2.iota", &part(2))
}

#[test]
fn parts_become_one_file() {
    let dir = parts();
    let before = dir.run(["text", "-v", "run.iota"]).whole();
    let said = dir.run(["merge", "run.iota", "-o", "all.iota"]);
    assert_eq!((said.status, said.out.as_str()), (0, ""));
    assert!(
        said.err.starts_with("all.iota: 3 parts, 15 calls, "),
        "{said:?}"
    );
    assert_eq!(
        dir.names(),
        ["all.iota", "run.0.iota", "run.1.iota", "run.2.iota"]
    );
    assert_eq!(dir.run(["text", "-v", "all.iota"]).whole(), before);
    assert_eq!(calls(&before).len(), 15);
}

#[test]
fn merged_traces_can_be_merged() {
    let dir = parts();
    dir.run(["merge", "run.2.iota", "run.0.iota", "-o", "a.iota"]);
    dir.run(["merge", "a.iota", "run.1.iota", "-o", "b.iota"]);
    assert_eq!(
        dir.run(["text", "b.iota"]).whole(),
        dir.run(["text", "run.iota"]).whole()
    );
}

#[test]
fn an_existing_file_is_kept() {
    let dir = parts().with("all.iota", b"precious");
    let said = dir.run(["merge", "run.iota", "-o", "all.iota"]);
    assert_eq!(
        said.failed(),
        "iota: all.iota: exists already; give another name, or --force"
    );
    assert_eq!(fs::read(dir.file("all.iota")).unwrap(), b"precious");
    let forced = dir.run(["merge", "run.iota", "-o", "all.iota", "--force"]);
    assert_eq!(forced.status, 0);
    assert_eq!(dir.run(["text", "all.iota"]).calls().len(), 15);
    assert_eq!(dir.names().len(), 4);
}

#[test]
fn of_a_damaged_part_what_is_whole_is_kept() {
    let mut part = Part::new(0, 1, 0);
    let whole = part.file(1, b"/f").calls(&writes(5000, 8)).finish();
    let dir = Dir::new().with("cut.iota", &whole[..blocks(&whole, kind::EVENTS)[2] + 60]);
    let cut = dir.run(["text", "cut.iota"]);
    let said = dir.run(["merge", "cut.iota", "-o", "new.iota"]);
    assert_eq!(said.status, 2);
    assert!(
        said.err
            .lines()
            .last()
            .unwrap()
            .starts_with("iota: cut.iota: byte "),
        "{said:?}"
    );
    let new = dir.run(["text", "new.iota"]);
    assert_eq!(new.calls().len(), 4096);
    assert_eq!(new.calls(), cut.calls());
}

#[test]
fn an_output_that_cannot_be_written_is_told() {
    let dir = parts();
    let said = dir.run(["merge", "run.iota", "-o", "nowhere/all.iota"]);
    assert!(
        said.failed().starts_with("iota: nowhere/all.iota"),
        "{said:?}"
    );
    fs::create_dir(dir.file("d")).unwrap();
    let said = dir.run(["merge", "run.iota", "-o", "d", "--force"]);
    assert_eq!(said.failed(), "iota: d: Is a directory (os error 21)");
    assert_eq!(dir.names(), ["d", "run.0.iota", "run.1.iota", "run.2.iota"]);
}

#[test]
fn damage_to_any_block_is_told_and_not_copied() {
    let whole = small_part(0, 1).finish();
    let names = blocks(&whole, kind::NAMES)[1];
    let events = blocks(&whole, kind::EVENTS)[0];
    for at in [names + 50, events + 60] {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        let dir = Dir::new().with("run.iota", &bytes);
        let said = dir.run(["merge", "run.iota", "-o", "new.iota"]);
        assert_eq!(said.status, 2, "{said:?}");
        assert!(said.err.contains("checksum does not match"), "{said:?}");
    }
}
