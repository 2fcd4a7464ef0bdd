//! "complete yes" is said only where nothing is known to be missing.

mod common;

use common::trace::{Part, process, writes};
use common::{Dir, blocks};
use iota_trace::block::kind;
use iota_trace::part::{End, Process};

fn verdict(dir: &Dir) -> (i32, String) {
    let said = dir.run(["info", "run.iota"]);
    let line = said.out.lines().find(|line| line.starts_with("complete"));
    (said.status, line.unwrap().to_owned())
}

#[test]
fn not_beside_failures_of_the_tracer() {
    let mut part = Part::new(0, 1, 0);
    let end = End {
        errors: 2,
        ..part.file(1, b"/f").calls(&writes(3, 8)).end()
    };
    let dir = Dir::new().with("run.iota", &part.finish_as(&end));
    let (status, verdict) = verdict(&dir);
    assert!(
        status == 0 && verdict.starts_with("complete   no: 2 failures"),
        "{verdict}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&dir.run(["info", "--json", "run.iota"]).whole()).unwrap();
    assert_eq!(json["completeness"]["complete"], false);
}

#[test]
fn not_where_the_end_announces_more_calls() {
    let mut part = Part::new(0, 1, 0);
    let end = End {
        captured: 5,
        ..part.file(1, b"/f").calls(&writes(3, 8)).end()
    };
    let whole = part.finish_as(&end);
    let dir = Dir::new().with("run.iota", &whole);
    let at = blocks(&whole, kind::END)[0];
    let told = format!(
        "iota: run.iota: byte {at}: the end block announces 5 calls, but only 3 are in the part: 2 are missing; everything else was read"
    );
    for command in ["text", "stat", "head", "info"] {
        assert_eq!(dir.run([command, "run.iota"]).failed(), told, "{command}");
    }
    let (_, verdict) = verdict(&dir);
    assert!(verdict.starts_with("complete   no: "), "{verdict}");
}

#[test]
fn long_command_lines_are_shortened_unless_all_is_asked_for() {
    let argv = format!("cc\0{}\0", "\u{e4}".repeat(2000));
    let process = Process {
        argv: argv.as_bytes(),
        ..process(1, 0)
    };
    let mut part = Part::of(0, &process);
    let dir = Dir::new().with("run.iota", &part.calls(&writes(3, 8)).finish());
    let command = |args: &[&str]| {
        let info = dir.run(["info", "run.iota"].iter().chain(args)).whole();
        let line = info.lines().find(|line| line.starts_with("command"));
        line.unwrap().to_owned()
    };
    let short = command(&[]);
    assert!(
        short.ends_with("\u{e4}\u{2026}") && short.chars().count() < 400,
        "{short}"
    );
    assert!(command(&["--top", "0"]).chars().count() > 2000);
}
