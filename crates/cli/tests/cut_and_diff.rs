//! Some of a trace: `iota cut`, `iota head`; and two of them: `iota diff`.

mod common;

use common::trace::{Part, call, gathered, process, writes};
use common::{Dir, calls, small, small_part};
use iota_trace::part::Process;
use iota_trace::{Record, flags};
use serde_json::Value;

/// As `iota text -v` has them
fn lines(dir: &Dir, name: &str) -> Vec<String> {
    let text = dir.run(["text", "-v", name]).whole();
    calls(&text).into_iter().map(str::to_owned).collect()
}

/// Calls with everything that a call can have
fn rich() -> Vec<u8> {
    let mut part = Part::new(0, 2, 0);
    part.file(1, b"/scratch/a").file(2, b"/scratch/b");
    let mut records = writes(5000, 8);
    for (n, record) in records.iter_mut().enumerate() {
        record.file = 1 + n as u32 % 2;
        record.parent = if n % 5 == 4 { n as u32 } else { 0 };
        record.errno = if n % 7 == 0 { 28 } else { 0 };
    }
    part.calls(&records);
    let rename = Record {
        file: 1,
        id: 1,
        flags: flags::MORE,
        ..call("rename", 9_000_000, 700)
    };
    part.calls_of(77, &[rename, Record::more(2, -1, -1, 9)]);
    gathered(&[part.finish(), small_part(1, 2).finish()])
}

#[test]
fn a_cut_has_the_calls_that_were_wanted() {
    let dir = Dir::new().with("run.iota", &rich());
    let all = lines(&dir, "run.iota");
    let cut = |expression: &str, wanted: &dyn Fn(&[&str]) -> bool| {
        let said = dir.run([
            "cut", "run.iota", "--where", expression, "-o", "cut.iota", "--force",
        ]);
        assert_eq!(said.status, 0, "{said:?}");
        let expected = all
            .iter()
            .filter(|line| wanted(&line.split('\t').collect::<Vec<_>>()));
        assert_eq!(
            lines(&dir, "cut.iota"),
            expected.cloned().collect::<Vec<_>>(),
            "{expression}"
        );
        said
    };
    cut("rank=0..", &|_| true);
    cut("file=/scratch/b", &|line| line.contains(&"/scratch/b"));
    cut("op=rename", &|line| line[4] == "rename");
    cut("failed", &|line| line.contains(&"ENOSPC"));
    cut("rank=1,class=write", &|line| {
        line[0] == "1" && line[4] == "pwrite64"
    });
    let said = cut("errno=ENOSPC,time>=0.002", &|line| {
        line.contains(&"ENOSPC")
            && line[1].parse::<f64>().unwrap() + line[2].parse::<f64>().unwrap() >= 0.002
    });
    assert!(
        said.err.starts_with("cut.iota: 2 parts, 429 calls, "),
        "{said:?}"
    );
    // What is left is whole.
    let info: Value =
        serde_json::from_str(&dir.run(["info", "--json", "cut.iota"]).whole()).unwrap();
    assert_eq!(
        (
            &info["completeness"]["complete"],
            &info["calls"]["captured"]
        ),
        (&"yes".into(), &429.into())
    );
}

#[test]
fn a_cut_replaces_nothing_and_needs_a_filter() {
    let dir = Dir::new()
        .with("run.iota", &small(1))
        .with("there.iota", b"mine");
    let said = dir.run(["cut", "run.iota", "--where", "rank=0", "-o", "there.iota"]);
    assert!(
        said.failed().contains("there.iota: exists already"),
        "{said:?}"
    );
    assert_eq!(std::fs::read(dir.file("there.iota")).unwrap(), b"mine");
    assert_eq!(dir.run(["cut", "run.iota", "-o", "new.iota"]).status, 2);
    let said = dir.run(["cut", "run.iota", "--where", "rank=", "-o", "new.iota"]);
    assert!(
        said.failed().contains("at character 6 (its end)"),
        "{said:?}"
    );
    assert_eq!(dir.names(), ["run.iota", "there.iota"]);
}

#[test]
fn a_damaged_trace_is_cut_to_what_is_whole() {
    let mut bytes = rich();
    let block = common::blocks(&bytes, iota_trace::block::kind::EVENTS)[1];
    bytes[block + 100] ^= 4;
    let dir = Dir::new().with("run.iota", &bytes);
    let said = dir.run([
        "cut",
        "run.iota",
        "--where",
        "class=write",
        "-o",
        "cut.iota",
    ]);
    assert_eq!(said.status, 2);
    assert!(
        said.err.contains("a block's checksum does not match"),
        "{said:?}"
    );
    assert_eq!(lines(&dir, "cut.iota").len(), 5000 - 2048 + 3);
}

#[test]
fn the_first_calls_of_all_ranks_come_in_order() {
    let dir = Dir::new().with("run.iota", &rich());
    let mut all = lines(&dir, "run.iota");
    let start = |line: &String| line.split('\t').nth(1).unwrap().parse::<f64>().unwrap();
    let rank = |line: &String| line.split('\t').next().unwrap().parse::<u32>().unwrap();
    all.sort_by(|a, b| start(a).total_cmp(&start(b)).then(rank(a).cmp(&rank(b))));
    let head = dir.run(["head", "run.iota", "-v", "-n", "30"]).whole();
    assert_eq!(calls(&head), all[..30]);
    assert!(head.starts_with("# task\tstart"), "{head}");
    let some = dir
        .run([
            "head",
            "run.iota",
            "-n",
            "2",
            "--where",
            "rank=1,class=write",
        ])
        .whole();
    assert_eq!(calls(&some).len(), 2);
    assert_eq!(
        calls(&dir.run(["head", "run.iota", "-n", "0"]).whole()).len(),
        0
    );
    assert_eq!(
        calls(&dir.run(["head", "run.iota", "-n", "99999"]).whole()).len(),
        all.len()
    );
}

#[test]
fn what_changed_is_told() {
    let mut before = Part::new(0, 1, 0);
    before
        .file(1, b"/a")
        .file(2, b"/gone")
        .calls(&writes(100, 8));
    before.calls_of(
        9,
        &[Record {
            file: 2,
            ..writes(1, 8)[0]
        }],
    );
    let mut after = Part::new(0, 1, 0);
    after
        .file(1, b"/a")
        .file(2, b"/new")
        .calls(&writes(50, 4096));
    after.calls_of(
        9,
        &[Record {
            file: 2,
            ..writes(1, 8)[0]
        }],
    );
    let dir = Dir::new()
        .with("before.iota", &before.finish())
        .with("after.iota", &after.finish());
    insta::assert_snapshot!(dir.run(["diff", "before.iota", "after.iota"]).whole());
    let object = dir
        .run([
            "diff",
            "--json",
            "--by",
            "file",
            "before.iota",
            "after.iota",
        ])
        .whole();
    let object: Value = serde_json::from_str(&object).unwrap();
    let row = &object["tables"][0]["rows"][0];
    assert_eq!(
        (
            &row["name"],
            &row["before"]["calls"],
            &row["after"]["calls"]
        ),
        (&"/a".into(), &100.into(), &50.into())
    );
    let none = ["diff", "before.iota", "after.iota", "--where", "rank=9"];
    assert!(dir.run(none).whole().contains("no op differs"));
    let rows = |top: &str| {
        let all = [
            "diff",
            "before.iota",
            "after.iota",
            "--json",
            "--by",
            "file",
        ];
        let said = dir.run([&all[..], &["--top", top]].concat()).whole();
        let object: Value = serde_json::from_str(&said).unwrap();
        object["tables"][0]["rows"].as_array().unwrap().len()
    };
    assert!(rows("0") > 1);
    assert_eq!(rows("1"), 1);
    let same = dir.run(["diff", "after.iota", "after.iota"]).whole();
    assert!(
        same.contains("no op differs") && same.contains("no file differs"),
        "{same}"
    );
}

#[test]
fn threads_of_all_processes_of_a_rank_are_compared() {
    let run = |bytes: &[u64]| {
        let parts: Vec<Vec<u8>> = (0..)
            .zip(bytes)
            .map(|(number, bytes)| {
                let process = Process {
                    random: number,
                    ..process(1, 0)
                };
                let mut part = Part::unnamed(0, 100 + number, &process);
                part.name_ops(&["pwrite64"]);
                part.file(1, b"/a").calls_of(0, &writes(1, *bytes)).finish()
            })
            .collect();
        gathered(&parts)
    };
    let dir = Dir::new()
        .with("before.iota", &run(&[10, 20, 30]))
        .with("after.iota", &run(&[11, 22, 33]));
    let said = dir.run([
        "diff",
        "--json",
        "--by",
        "thread",
        "before.iota",
        "after.iota",
    ]);
    let object: Value = serde_json::from_str(&said.whole()).unwrap();
    let rows = object["tables"][0]["rows"].as_array().unwrap();
    let written = |run: &str| rows[0][run]["bytes_written"].as_u64();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((written("before"), written("after")), (Some(60), Some(66)));
}
