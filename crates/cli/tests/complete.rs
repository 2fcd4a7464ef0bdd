//! "complete yes" is said only where nothing is known to be missing, and the kernel counted no more.

mod common;

use common::trace::{Part, process, writes};
use common::{Dir, blocks};
use iota_trace::block::kind;
use iota_trace::part::{End, Process, Traffic, reason};

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
    assert_eq!(json["completeness"]["complete"], "no");
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

/// The verdict on a part that ends so
fn verdict_on(change: impl Fn(&mut End)) -> String {
    let mut part = Part::new(0, 1, 0);
    let mut end = part.file(1, b"/f").calls(&writes(3, 8)).end();
    change(&mut end);
    let dir = Dir::new().with("run.iota", &part.finish_as(&end));
    let (status, verdict) = verdict(&dir);
    assert_eq!(status, 0, "{verdict}");
    let verdict = verdict.strip_prefix("complete   ");
    verdict.expect("the line of the verdict").to_owned()
}

#[test]
fn what_the_kernel_counted_beyond_the_calls_is_missing() {
    let counted = |traffic: Traffic| verdict_on(|end| end.uncalled = Some(traffic));
    let nothing = Traffic::default();
    let writes = Traffic {
        written: 100_000,
        writes: 100,
        ..nothing
    };
    let both = Traffic {
        read: 64 << 20,
        reads: 0,
        ..writes
    };
    assert!(counted(writes).starts_with("no: 100 writes of 97.7 KiB by 1 process, which"));
    assert!(counted(both).starts_with("no: 64.0 MiB read and 100 writes of 97.7 KiB by 1"));
    // The C library does a little by itself.
    let little = Traffic {
        read: 1 << 20,
        written: 4096,
        ..nothing
    };
    for traffic in [nothing, little] {
        assert_eq!(counted(traffic), "yes: 1 part, ended by MPI_Finalize");
    }
}

#[test]
fn it_is_unknown_where_the_kernel_was_not_asked() {
    let recovered = |end: &mut End| (end.reason, end.uncalled) = (reason::RECOVERED, None);
    assert_eq!(
        verdict_on(recovered),
        "unknown: 1 process killed, or ended by a system call of its own; 1 part, recovered"
    );
    assert_eq!(
        verdict_on(|end| end.uncalled = None),
        "unknown: 1 process of which the kernel's own count is not known; 1 part, ended by MPI_Finalize"
    );
    // What is known to be missing is said first.
    let both = |end: &mut End| (end.lost, end.uncalled) = (7, None);
    assert!(verdict_on(both).starts_with("no: 7 calls lost; 1 process of which"));
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
