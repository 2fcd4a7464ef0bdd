//! `iota info`: facts, tables, JSON, on a terminal and in a pipe.

mod common;

use common::pty;
use common::trace::{Part, call, gathered, process, writes};
use common::{Dir, small, small_part};
use iota_tests::machine::TERMINAL;
use iota_trace::clock::Offset;
use iota_trace::part::{End, Process, reason};
use iota_trace::{Record, clock::TICK};
use serde_json::Value;
use std::process::Stdio;

#[test]
fn facts_and_tables() {
    let dir = Dir::new().with("run.iota", &small(2));
    let info = dir.run(["info", "run.iota"]).whole();
    // How long the names of all calls are is no matter of this test.
    let of_the_names = |line: &str| line.starts_with("trace ");
    let lines: Vec<_> = info.lines().filter(|line| !of_the_names(line)).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    run.iota
    command    ./flash -n 64
               /home/u/app/flash in /scratch/run
    job        77
    host       node01
    ranks      2 ranks, 2 processes, 2 threads with calls
    start      2026-11-21 06:00:00.000000000 +0000 = 1795240800.000000000
    duration   10.0 s, 0.0 % of it in I/O
    clock      TSC at 1.00 GHz, a tick is 1.00 ns
    offsets    0 ns to 0 ns from rank 0's clock, within 300 ns; times are corrected for this (2 processes)
    calls      10 captured, 0 filtered, 0 lost; 0 failed
    moved      0 B read, 48 B written
    complete   yes: 2 parts, ended by MPI_Finalize

    layer  calls    share  failed  inclusive  read  written
    POSIX     10  100.0 %       0    7.40 us   0 B     48 B

    function  calls  failed  inclusive     mean      max  read  written
    open          2       0    4.00 us  2.00 us  2.00 us   0 B      0 B
    pwrite64      6       0    2.40 us   400 ns   400 ns   0 B     48 B
    close         2       0    1.00 us   500 ns   500 ns   0 B      0 B

    ranks  calls  inclusive  read  written  file
    1          5    3.70 us   0 B     24 B  /scratch/run/out.0
    1          5    3.70 us   0 B     24 B  /scratch/run/out.1

    rank  process  threads  calls  lost  start         ended  host
    0        4000        1      5     0   0 ns  MPI_Finalize  node01
    1        4001        1      5     0   0 ns  MPI_Finalize  node01
    ");
}

fn json(trace: &[u8]) -> Value {
    let dir = Dir::new().with("run.iota", trace);
    serde_json::from_str(&dir.run(["info", "--json", "run.iota"]).out).unwrap()
}

#[test]
fn json_has_all_of_it() {
    let info = json(&small(2));
    let at = |pointer: &str| {
        info.pointer(pointer)
            .unwrap_or_else(|| panic!("no {pointer} in {info:#}"))
    };
    assert_eq!(at("/trace/paths/0"), "run.iota");
    assert_eq!(at("/trace/format"), 1);
    assert_eq!(at("/job/programs/0/command"), "./flash -n 64");
    assert_eq!(at("/job/hosts/0/name"), "node01");
    assert_eq!(at("/time/start"), 1_795_240_800_000_000_000u64);
    assert_eq!(at("/calls/captured"), 10);
    assert_eq!(at("/calls/bytes_written"), 48);
    assert_eq!(at("/layers/0/layer"), "POSIX");
    assert_eq!(at("/functions/0/function"), "open");
    assert_eq!(at("/functions/0/inclusive"), 4000);
    assert_eq!(at("/files/count"), 2);
    assert_eq!(at("/files/top/1/path"), "/scratch/run/out.1");
    assert_eq!(at("/parts/1/rank"), 1);
    assert_eq!(at("/parts/1/ended"), "MPI_Finalize");
    assert_eq!(at("/completeness/complete"), "yes");
}

#[test]
fn what_is_missing_is_told() {
    let mut part = small_part(2, 6);
    let end = End {
        lost: 7,
        filtered: 3,
        errors: 1,
        reason: reason::RECOVERED,
        ..part.end()
    };
    let parts = [part.finish_as(&end), small_part(3, 6).finish()];
    let dir = Dir::new().with("run.iota", &gathered(&parts));
    let info = dir.run(["info", "run.iota"]).whole();
    for line in [
        "calls      10 captured, 3 filtered, 7 lost; 0 failed",
        "ranks      2 of 6 ranks, 2 processes, 2 threads with calls",
        "complete   no: ranks 0-1,4-5 missing; 7 calls lost; 1 place missing or damaged in spools; \
         2 parts, ended by recovered (1), MPI_Finalize (1)",
    ] {
        assert!(info.lines().any(|l| l == line), "{line} is not in\n{info}");
    }
    let info = json(&gathered(&parts));
    assert_eq!(
        info.pointer("/completeness/missing_ranks")
            .unwrap()
            .to_string(),
        "[[0,1],[4,5]]"
    );
}

#[test]
fn a_counter_that_steps_is_told() {
    let rate = 2_445_000_000;
    let process = Process {
        rate,
        step: 1_602_355,
        ..process(1, 0)
    };
    let mut part = Part::of(0, &process);
    let end = End {
        end: process.start,
        ..part.end()
    };
    let dir = Dir::new().with("run.iota", &part.finish_as(&end));
    let info = dir.run(["info", "run.iota"]).whole();
    assert!(
        info.contains("\nclock      TSC at 2.44 GHz, times are multiples of 10.0 ns\n"),
        "{info}"
    );
}

#[test]
fn offsets_between_clocks_are_told() {
    let part = |(rank, nanos): (u32, i64)| {
        let mut part = small_part(rank, 2);
        let offset = Some(Offset {
            nanos,
            error: 250,
            drift: 12_000,
        });
        let end = End {
            offset,
            ..part.end()
        };
        part.finish_as(&end)
    };
    let parts: Vec<_> = [(0, 0), (1, -1500)].map(part).into();
    let dir = Dir::new().with("run.iota", &gathered(&parts));
    let info = dir.run(["info", "run.iota"]).whole();
    let line = "offsets    -1.50 us to 0 ns from rank 0's clock, within 250 ns, drift up to 12.0 ppb; times are corrected for this (2 processes)";
    assert!(info.lines().any(|l| l == line), "{info}");
}

#[test]
fn bytes_count_once_and_by_function() {
    let mut part = Part::new(0, 1, 0);
    let stream = |name, ret, length, whence, id| Record {
        ret,
        length,
        whence,
        id,
        file: 1,
        fd: 3,
        ..call(name, 10 * u64::from(id), 5)
    };
    part.file(1, b"/f").calls(&[
        stream("fwrite", 10, 640, 64, 1),
        stream("fread", 3, 640, 64, 2),
        stream("fgets", 12, 100, 0, 3),
        stream("fread", 0, 640, 64, 4),
        Record {
            ret: -1,
            errno: 9,
            ..stream("write", -1, 50, 0, 5)
        },
    ]);
    let info = json(&part.finish());
    let total = |name| info["calls"][name].as_u64().unwrap();
    assert_eq!(
        (total("bytes_read"), total("bytes_written"), total("failed")),
        (3 * 64 + 12, 640, 1)
    );
    assert_eq!(info["files"]["top"][0]["bytes_read"], 204);
}

#[test]
fn files_are_joined_over_ranks_and_ids() {
    let part = |rank| {
        let mut part = Part::new(rank, 2, 0);
        let write = |id: u32, file| Record {
            ret: 5,
            length: 5,
            id,
            file,
            fd: 3,
            ..call("write", u64::from(id), 1)
        };
        part.file(1, b"/shared").file(9, b"/shared").calls(&[
            write(1, 1),
            write(2, 9),
            write(3, 77),
        ]);
        part.finish()
    };
    let info = json(&gathered(&[part(0), part(1)]));
    assert_eq!(info["files"]["count"], 1);
    let file = &info["files"]["top"][0];
    assert_eq!(
        (&file["calls"], &file["bytes_written"], &file["tasks"]),
        (&4.into(), &20.into(), &2.into())
    );
    assert_eq!(info["calls"]["bytes_written"], 30);
}

#[test]
fn tables_are_as_long_as_asked() {
    let dir = Dir::new().with("run.iota", &small(30));
    let lines = |args: &[&str]| dir.run(args).whole().lines().count();
    let rows = |top| lines(&["info", "run.iota", "--top", top]);
    // Facts, one layer, and three tables of two with a line for the rest
    assert_eq!(rows("2"), 14 + 3 + 3 * 5);
    assert_eq!(rows("0"), rows("30"));
    assert_eq!(rows("30") - rows("29"), 0);
    assert!(
        dir.run(["info", "run.iota", "-n", "5"])
            .whole()
            .contains("\nand 25 more parts (--top 0 shows all)\n")
    );
}

#[test]
fn parts_after_finalize_are_the_same_process() {
    let late = |step| Process {
        step,
        ..process(1, 1_000_000)
    };
    let parts = [
        small_part(0, 1).finish(),
        Part::of(0, &late(TICK)).calls(&writes(2, 8)).finish(),
    ];
    let info = json(&parts.concat());
    assert_eq!(
        (&info["job"]["processes"], &info["calls"]["captured"]),
        (&1.into(), &7.into())
    );
    assert_eq!(info["job"]["threads"], 1);
    assert_eq!(info["parts"].as_array().unwrap().len(), 2);
}

#[test]
fn a_rank_beyond_the_size_counts() {
    let dir = Dir::new().with("run.iota", &small_part(3, 1).finish());
    let info = dir.run(["info", "run.iota"]).whole();
    assert!(
        info.contains("\nranks      1 of 4 ranks, 1 process"),
        "{info}"
    );
    let text = dir.run(["text", "run.iota"]).whole();
    assert!(text.contains("\n# ranks: 3 of 4\n"), "{text}");
}

#[test]
fn a_process_id_is_no_job() {
    let process = Process {
        job: b"4000",
        ..process(1, 0)
    };
    let info = json(&Part::of(0, &process).finish());
    assert_eq!(info["job"]["ids"].to_string(), "[]");
    assert_eq!(json(&small(1))["job"]["ids"].to_string(), "[\"77\"]");
}

/// What the command prints on a terminal so many columns wide
fn terminal(dir: &Dir, columns: u16, no_color: bool) -> String {
    let mut iota = dir.iota();
    iota.env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .args(["info", "run.iota"]);
    if no_color {
        iota.env("NO_COLOR", "1");
    }
    let (ours, theirs) = pty::open(columns);
    let mut child = iota.stdout(Stdio::from(theirs)).spawn().unwrap();
    drop(iota);
    let out = pty::read(ours);
    assert!(child.wait().unwrap().success());
    out
}

#[test]
fn lines_fit_the_terminal() {
    if !TERMINAL.is_here() {
        return;
    }
    let mut part = Part::new(0, 1, 0);
    let path = format!("/scratch/{}/the_end_of_it", "a_long_directory/".repeat(10));
    part.file(1, path.as_bytes()).calls(&writes(4_000, 1 << 30));
    let dir = Dir::new().with("run.iota", &part.finish());
    for columns in [80, 120] {
        let out = terminal(&dir, columns, true);
        assert!(
            out.contains("the_end_of_it") && out.contains('\u{2026}'),
            "{out}"
        );
        for line in out.lines() {
            assert!(line.chars().count() <= columns.into(), "{line}");
        }
    }
    assert!(dir.run(["info", "run.iota"]).whole().contains(&path));
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    if !TERMINAL.is_here() {
        return;
    }
    let dir = Dir::new().with("run.iota", &small(1));
    assert!(terminal(&dir, 80, false).contains('\x1b'));
    assert!(!terminal(&dir, 80, true).contains('\x1b'));
    assert!(!dir.run(["info", "run.iota"]).whole().contains('\x1b'));
}

#[test]
fn layouts_on_lustre_are_typed() {
    use iota_trace::lustre::END_OF_FILE;
    use iota_trace::lustre::blob::{Comp, composite, plain};
    let mut part = Part::new(0, 1, 0);
    let on = |file| Record {
        file,
        id: file,
        ..writes(1, 8)[0]
    };
    let grown = composite(&[
        Comp::new(0, 1 << 20, 0x10, 0x100, 1 << 20, 0, &[]),
        Comp::new(1 << 20, END_OF_FILE, 0x10, 1, 4 << 20, 2, &[40, 41]),
    ]);
    part.file(1, b"/scratch/plain")
        .layout(1, &plain(1, 1 << 20, 3, &[7, 8, 9], Some("flash")))
        .file(2, b"/scratch/grown")
        .layout(2, &composite(&[]))
        .layout(2, &grown)
        .file(3, b"/home/elsewhere")
        .calls(&[on(1), on(2), on(3)]);
    let dir = Dir::new().with("run.iota", &gathered(&[part.finish()]));
    let text = dir.run(["info", "run.iota"]).whole();
    let told = |word: &str| {
        text.lines().any(|line| {
            line.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(word)
        })
    };
    assert!(
        told("Lustre 2 files, stripe size 1.00 MiB to 4.00 MiB, stripe count 2 to 3, on 5 OSTs"),
        "{text}"
    );
    assert!(
        told("3 x 1.00 MiB /scratch/plain") && told("2 x 4.00 MiB /scratch/grown"),
        "{text}"
    );
    let info: Value = serde_json::from_str(&dir.run(["info", "--json", "run.iota"]).out).unwrap();
    assert_eq!(info["lustre"]["osts"], serde_json::json!([7, 8, 9, 40, 41]));
    let files = info["files"]["top"].as_array().unwrap();
    let file = |path: &str| files.iter().find(|file| file["path"] == path).unwrap();
    let grown = &file("/scratch/grown")["layout"];
    assert_eq!(grown["form"], "composite");
    assert_eq!(
        grown["components"][0]["remarks"],
        serde_json::json!(["mdt"])
    );
    assert_eq!(grown["components"][1]["osts"], serde_json::json!([40, 41]));
    assert_eq!(
        file("/scratch/plain")["layout"]["components"][0]["pool"],
        "flash"
    );
    assert_eq!(file("/home/elsewhere")["layout"], Value::Null);
}

/// docs/design/format.md: anchors tell the rate if they are 0.1 ms apart. info asked for a millisecond.
#[test]
fn the_rate_that_is_told_is_the_one_that_times_are_made_with() {
    let hertz = |apart: u64| {
        let mut part = Part::new(0, 1, 0);
        let mut end = part.end_at(apart);
        end.end.ticks += apart;
        let dir = Dir::new().with("run.iota", &part.finish_as(&end));
        let json = dir.run(["info", "--json", "run.iota"]).whole();
        let json: Value = serde_json::from_str(&json).unwrap();
        json["time"]["clocks"][0]["hertz"].clone()
    };
    let told = [99_999, 100_000, 500_000].map(hertz);
    assert_eq!(told, [1_000_000_000u64, 2_000_000_000, 2_000_000_000]);
}
