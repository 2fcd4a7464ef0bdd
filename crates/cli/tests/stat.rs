//! `iota stat`: figures, findings and tables, shares and their merging, and traces of every bad kind.

mod common;

use common::trace::{self, Part, call, gathered, writes};
use common::{Dir, small};
use iota_trace::Record;
use serde_json::Value;

/// Two ranks: each writes a file of its own in many small pieces and reads one that both share, at random; rank 1 works
/// longer, and both write the same header.
fn job() -> Vec<u8> {
    let part = |rank: u32| {
        let mut part = Part::new(rank, 2, 0);
        part.file(1, format!("/scratch/run/out.{rank}").as_bytes());
        part.file(2, b"/scratch/run/shared.nc");
        let many = 300 + rank * 900;
        let mut records = vec![opened(1, 1000), opened(2, 4000)];
        records.extend(writes(many, 100).into_iter().map(|write| Record {
            start: write.start + 10_000,
            end: write.end + 10_000,
            ..write
        }));
        let late = 2_000_000;
        records.push(transfer("pwrite64", 2, 0, 512, late));
        for n in 0..200 {
            let offset = (n * 7919 % 1000) * 4096;
            records.push(transfer(
                "pread64",
                2,
                offset,
                4096,
                late + 10_000 + n * 2000,
            ));
        }
        records.push(Record {
            ret: -1,
            errno: 2,
            file: 2,
            ..call("stat", late + 500_000, 3000)
        });
        for (id, record) in (1..).zip(&mut records) {
            record.id = id;
        }
        part.calls(&records);
        let end = part.end_at(4_000_000);
        part.finish_as(&end)
    };
    gathered(&[part(0), part(1)])
}

fn opened(file: u32, start: u64) -> Record {
    Record {
        ret: 3,
        file,
        fd: 3,
        ..call("open", start, 2000)
    }
}

fn transfer(name: &str, file: u32, offset: u64, length: u64, start: u64) -> Record {
    Record {
        ret: length as i64,
        length,
        offset: offset as i64,
        file,
        fd: 4,
        ..call(name, start, 1500)
    }
}

fn stat(dir: &Dir, args: &[&str]) -> String {
    dir.run([&["stat"], args].concat()).whole()
}

fn json(dir: &Dir, args: &[&str]) -> Value {
    serde_json::from_str(&stat(dir, &[args, &["--json"]].concat())).unwrap()
}

#[test]
fn the_page_reads_like_this() {
    let dir = Dir::new().with("run.iota", &job());
    insta::assert_snapshot!(stat(
        &dir,
        &["run.iota", "--by", "op,file,rank,thread,dir,layer"]
    ));
}

#[test]
fn the_object_has_these_keys() {
    let dir = Dir::new().with("run.iota", &job());
    let mut object = json(&dir, &["run.iota", "--top", "1"]);
    // The bins are many.
    for way in ["read", "write"] {
        for bins in ["sizes", "latencies"] {
            object[way][bins] = object[way][bins][0].take();
        }
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&object).unwrap());
}

/// A file, a pipe, a file of the kernel, and bytes from the pipe to the file; the wait for the pipe is the longest by far.
fn job_with_a_pipe() -> Vec<u8> {
    let mut part = Part::new(0, 1, 0);
    for (id, path) in (1..).zip(["/data/a", "pipe:[4711]", "/proc/self/maps"]) {
        part.file(id, path.as_bytes());
    }
    let read = transfer("read", 2, 0, 100, 3000);
    let waits = Record {
        offset: -1,
        end: read.start + 997_000,
        ..read
    };
    let copies = Record {
        flags: iota_trace::flags::MORE,
        ..transfer("splice", 2, 0, 7, 1_001_000)
    };
    let mut calls = [
        transfer("pwrite64", 1, 0, 4096, 1000),
        Record {
            offset: -1,
            ..waits
        },
        Record {
            offset: -1,
            ..copies
        },
        Record::more(1, 4, 4096, 0),
        transfer("read", 3, 0, 30, 1_003_000),
    ];
    for (id, call) in [(1, 0), (2, 1), (3, 2), (4, 4)] {
        calls[call].id = id;
    }
    part.calls(&calls);
    let end = part.end_at(4_000_000);
    gathered(&[part.finish_as(&end)])
}

#[test]
fn what_is_not_on_storage_is_left_out_and_told() {
    let dir = Dir::new().with("run.iota", &job_with_a_pipe());
    let figures = |filter: &[&str]| {
        let args: Vec<&str> = filter
            .iter()
            .flat_map(|filter| ["--where", filter])
            .collect();
        let object = json(&dir, &[&["run.iota", "--by", "dir"], &args[..]].concat());
        let io = &object["io"];
        let sums = ["calls", "bytes_read", "bytes_written"].map(|key| io[key].as_u64().unwrap());
        let rows = object["tables"][0]["rows"].as_array().unwrap().iter();
        let mut dirs: Vec<String> = rows
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect();
        dirs.sort();
        (sums, dirs.join(" "), object["elsewhere"].clone())
    };
    let (sums, dirs, elsewhere) = figures(&[]);
    // The copy is on storage, as one of its files is; the pipe is one of its files, and in no directory.
    assert_eq!((sums, dirs.as_str()), ([2, 7, 4103], "- /data"));
    assert_eq!(elsewhere["pipes"]["calls"], 1);
    assert_eq!(elsewhere["pipes"]["bytes_read"], 100);
    assert_eq!(elsewhere["pipes"]["time"], 997_000);
    assert_eq!(elsewhere["system"]["bytes_read"], 30);
    let (sums, dirs, elsewhere) = figures(&["on=pipes,system"]);
    assert_eq!((sums, dirs.as_str()), ([2, 130, 0], "- /proc/self"));
    assert_eq!(
        elsewhere["pipes"]["calls"], 0,
        "what was asked for is not left out"
    );
    assert_eq!(figures(&["file=/proc/*"]).0, [1, 30, 0]);
    assert_eq!(figures(&["on=storage,pipes,system"]).0, [4, 137, 4103]);
    let page = stat(&dir, &["run.iota"]);
    let told =
        "left out   1 call on pipes, sockets and terminals: 997 us, 100 B (--where on=pipes)";
    assert!(page.contains(told), "{page}");
    assert!(
        !page.contains("longest"),
        "no finding of what is left out: {page}"
    );
}

#[test]
fn rows_are_chosen_and_sorted() {
    let dir = Dir::new().with("run.iota", &job());
    let names = |args: &[&str]| {
        let object = json(&dir, args);
        let rows = object["tables"][0]["rows"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        names(&["run.iota", "--by", "op"]),
        "pwrite64 pread64 open stat"
    );
    assert_eq!(
        names(&["run.iota", "--by", "op", "--sort", "calls"]),
        "pwrite64 pread64 open stat"
    );
    assert_eq!(
        names(&["run.iota", "--by", "op", "--sort", "failed"]),
        "stat pwrite64 pread64 open"
    );
    assert_eq!(
        names(&["run.iota", "--by", "op", "--sort", "name"]),
        "open pread64 pwrite64 stat"
    );
    assert_eq!(
        names(&["run.iota", "--by", "op", "--sort", "bytes", "--top", "1"]),
        "pread64"
    );
    assert_eq!(
        names(&["run.iota", "--by", "file", "--where", "file=out.*"]),
        "/scratch/run/out.1 /scratch/run/out.0"
    );
    assert_eq!(
        names(&["run.iota", "--by", "rank", "--where", "rank=1"]),
        "1"
    );
}

#[test]
fn expressions_and_options_that_mean_nothing_are_told() {
    let dir = Dir::new().with("run.iota", &small(1));
    let told = |expression| {
        dir.run(["stat", "run.iota", "--where", expression])
            .failed()
            .to_owned()
    };
    let expected = "iota: --where `rank=0,len>1q`: at character 12 (`1q`): expected a number of bytes, as 4096, 64k or 1m";
    assert_eq!(told("rank=0,len>1q"), expected);
    for wrong in [
        ["--by", "moon"],
        ["--sort", "size"],
        ["--shard", "3/3"],
        ["--shard", "x"],
    ] {
        assert_eq!(
            dir.run(["stat", "run.iota", wrong[0], wrong[1]]).status,
            2,
            "{wrong:?}"
        );
    }
}

#[test]
fn shares_merge_to_the_whole() {
    let dir = Dir::new().with("run.iota", &job());
    for (index, name) in ["0.stat", "1.stat", "2.stat"].into_iter().enumerate() {
        let share = format!("{index}/3");
        dir.run(["stat", "run.iota", "--shard", &share, "-o", name])
            .whole();
    }
    let merged = stat(&dir, &["--merge", "2.stat", "0.stat", "1.stat"]);
    assert_eq!(merged, stat(&dir, &["run.iota"]));
    let shares = ["--merge", "0.stat", "1.stat", "2.stat"];
    let mut object = json(&dir, &[&shares[..], &["--by", "thread"]].concat());
    let mut whole = json(&dir, &["run.iota", "--by", "thread"]);
    // Shares do not show what orders writes.
    let order = |of: &mut Value| of["files"]["conflicts"][0]["order_known"].take();
    assert_eq!(
        (order(&mut object), order(&mut whole)),
        (false.into(), true.into())
    );
    assert_eq!(object, whole);

    let failed = |args: &[&str]| {
        dir.run([&["stat", "--merge"], args].concat())
            .failed()
            .to_owned()
    };
    assert_eq!(
        failed(&["0.stat", "2.stat"]),
        "iota: shares 1 of 3 are missing"
    );
    assert_eq!(
        failed(&["0.stat", "0.stat", "1.stat"]),
        "iota: 0.stat: share 0 was given twice"
    );
    assert!(failed(&["run.iota"]).starts_with("iota: run.iota: byte 0: not a share of iota stat"));
    dir.run([
        "stat",
        "run.iota",
        "--shard",
        "1/3",
        "-o",
        "other.stat",
        "--where",
        "rank=1",
    ])
    .whole();
    assert!(
        failed(&["0.stat", "other.stat", "2.stat"])
            .starts_with("iota: other.stat: the share is of another trace")
    );
    let bytes = std::fs::read(dir.file("1.stat")).unwrap();
    std::fs::write(dir.file("1.stat"), &bytes[..bytes.len() / 2]).unwrap();
    assert!(failed(&["0.stat", "1.stat", "2.stat"]).contains("the share is damaged or incomplete"));
}

#[test]
fn damage_is_told_after_everything_whole() {
    let mut bytes = job();
    let block = common::blocks(&bytes, iota_trace::block::kind::EVENTS)[1];
    bytes[block + 60] ^= 1;
    let dir = Dir::new().with("run.iota", &bytes);
    let said = dir.run(["stat", "run.iota"]);
    assert!(
        said.failed().contains("a block's checksum does not match"),
        "{said:?}"
    );
    assert!(
        said.out.contains("/scratch/run/out.0") && said.out.contains("2 ranks"),
        "{said:?}"
    );
    // A share tells it when it is made, and what it is merged to once more.
    let share = dir.run(["stat", "run.iota", "--shard", "0/1", "-o", "all.stat"]);
    assert_eq!(share.failed(), said.failed());
    let merged = dir.run(["stat", "--merge", "all.stat"]);
    assert_eq!((&merged.out, merged.failed()), (&said.out, said.failed()));
}

#[test]
fn little_is_enough() {
    let mut none = Part::new(0, 1, 0);
    let mut one = Part::new(0, 1, 0);
    one.file(1, b"/a").calls(&writes(1, 8));
    let dir = Dir::new()
        .with("none.iota", &none.finish())
        .with("one.iota", &one.finish());
    let page = stat(&dir, &["none.iota"]);
    assert!(
        page.contains("calls      0\n") && !page.contains("findings"),
        "{page}"
    );
    let page = stat(&dir, &["one.iota"]);
    assert!(
        page.contains("writes     1 of 8 B") && page.contains("no findings"),
        "{page}"
    );
    assert_eq!(json(&dir, &["none.iota"])["io"]["calls"], 0);
    for name in ["empty.iota", "foreign.iota", "missing.iota"] {
        let dir = Dir::new()
            .with("empty.iota", b"")
            .with("foreign.iota", b"something else");
        let said = dir.run(["stat", name]);
        assert!(said.failed().contains(name) && said.out.is_empty());
    }
}

#[test]
fn missing_ranks_are_counted() {
    let parts = [0, 3].map(|rank| common::small_part(rank, 4).finish());
    let dir = Dir::new().with("run.iota", &gathered(&parts));
    let page = stat(&dir, &["run.iota"]);
    assert!(page.contains("2 of 4 ranks, 2 processes"), "{page}");
}

#[test]
fn parts_that_were_never_gathered_are_one_trace() {
    let [a, b] = [0, 1].map(|rank| common::small_part(rank, 2).finish());
    let whole = Dir::new().with("run.iota", &gathered(&[a.clone(), b.clone()]));
    let parts = Dir::new().with("run.0.iota", &a).with("run.1.iota", &b);
    assert_eq!(json(&whole, &["run.iota"]), json(&parts, &["run.iota"]));
}

#[test]
fn clocks_that_step_are_no_trouble() {
    let mut part = Part::new(0, 1, 0);
    let back = Record {
        start: trace::ORIGIN + 5000,
        end: trace::ORIGIN + 4000,
        ..writes(1, 8)[0]
    };
    let early = Record {
        start: trace::ORIGIN - 900_000,
        end: trace::ORIGIN + 900_000_000_000_000,
        id: 2,
        ..back
    };
    part.file(1, b"/a").calls(&[back, early]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let object = json(&dir, &["run.iota"]);
    assert_eq!(object["io"]["time"]["total"], 900_000_000_900_000u64);
    assert_eq!(object["write"]["latency"]["p50"], 0);
}

#[test]
fn names_break_no_line() {
    let mut part = Part::new(0, 1, 0);
    let hostile = b"/a\tb\nc\\d\x1b[31m<b>\xff";
    part.file(1, hostile).calls(&writes(3, 8));
    let dir = Dir::new().with("run.iota", &part.finish());
    let escaped = r"/a\tb\nc\\d\x1b[31m<b>\xff";
    assert!(stat(&dir, &["run.iota"]).contains(escaped));
    let object = json(&dir, &["run.iota", "--by", "file"]);
    assert_eq!(object["tables"][0]["rows"][0]["name"], escaped);
}
