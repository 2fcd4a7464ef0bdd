//! `iota text`: the lines, their order, their columns.

mod common;

use common::trace::{Part, call, gathered, process, writes};
use common::{Dir, calls, small, small_part};
use iota_trace::clock::Offset;
use iota_trace::part::{End, Process};
use iota_trace::{Record, flags};
use std::io::Read;
use std::process::Stdio;

#[test]
fn lines_of_the_source_under_a_header() {
    let out = Dir::new()
        .with("run.iota", &small(2))
        .run(["text", "run.iota"])
        .whole();
    insta::assert_snapshot!(out.replace('\t', " | "), @r"
    # iota 0.1.0, format 1
    # start: 1795240800.000000000
    # hosts: node01
    # command: ./flash -n 64
    # ranks: 0-1 of 2
    # calls: 10 captured, 0 filtered, 0 lost
    # task | start | elapse | offset | op | ret | path/fd | lustre
    0 | 0.000001000 | 0.000002000 | -1 | open | 3 | /scratch/run/out.0
    0 | 0.000010000 | 0.000000400 | 0 | pwrite64 | 8 | 3
    0 | 0.000011000 | 0.000000400 | 8 | pwrite64 | 8 | 3
    0 | 0.000012000 | 0.000000400 | 16 | pwrite64 | 8 | 3
    0 | 0.000020000 | 0.000000500 | -1 | close | 0 | 3
    1 | 0.000001000 | 0.000002000 | -1 | open | 3 | /scratch/run/out.1
    1 | 0.000010000 | 0.000000400 | 0 | pwrite64 | 8 | 3
    1 | 0.000011000 | 0.000000400 | 8 | pwrite64 | 8 | 3
    1 | 0.000012000 | 0.000000400 | 16 | pwrite64 | 8 | 3
    1 | 0.000020000 | 0.000000500 | -1 | close | 0 | 3
    ");
}

#[test]
fn verbose_lines_have_every_column() {
    let dir = Dir::new().with("run.iota", &small(1));
    let out = dir.run(["text", "-v", "run.iota"]).whole();
    insta::assert_snapshot!(out.replace('\t', " | "), @r"
    # iota 0.1.0, format 1
    # start: 1795240800.000000000
    # hosts: node01
    # command: ./flash -n 64
    # ranks: 0 of 1
    # calls: 5 captured, 0 filtered, 0 lost
    # task | start | elapse | offset | op | ret | path/fd | lustre | len | thread | errno | layer | id | parent | path | path2/fd2 | pid | details
    0 | 0.000001000 | 0.000002000 | -1 | open | 3 | /scratch/run/out.0 | - | 1803886264385 | 4000 | - | POSIX | 4000.1 | - | - | - | 4000
    0 | 0.000010000 | 0.000000400 | 0 | pwrite64 | 8 | 3 | - | 8 | 4000 | - | POSIX | 4000.2 | - | /scratch/run/out.0 | - | 4000
    0 | 0.000011000 | 0.000000400 | 8 | pwrite64 | 8 | 3 | - | 8 | 4000 | - | POSIX | 4000.3 | - | /scratch/run/out.0 | - | 4000
    0 | 0.000012000 | 0.000000400 | 16 | pwrite64 | 8 | 3 | - | 8 | 4000 | - | POSIX | 4000.4 | - | /scratch/run/out.0 | - | 4000
    0 | 0.000020000 | 0.000000500 | -1 | close | 0 | 3 | - | 0 | 4000 | - | POSIX | 4000.5 | - | /scratch/run/out.0 | - | 4000
    ");
    let columns: Vec<_> = out
        .lines()
        .skip(6)
        .map(|line| line.split('\t').count())
        .collect();
    // The last column is there only where a call has details.
    assert_eq!(columns, [18, 17, 17, 17, 17, 17]);
}

#[test]
fn what_a_call_has_a_second_of_stands_behind_the_first() {
    let mut part = Part::new(0, 1, 0);
    let first = Record {
        file: 1,
        id: 1,
        flags: flags::MORE,
        ..call("rename", 10, 20)
    };
    part.file(1, b"/old").file(2, b"/new");
    part.calls(&[first, Record::more(2, -1, -1, 0)]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let line = dir.run(["text", "-v", "run.iota"]).whole();
    assert!(
        line.ends_with("\trename\t0\t/old\t-\t0\t4000\t-\tPOSIX\t4000.1\t-\t-\t/new\t4000\n"),
        "{line}"
    );
}

#[test]
fn ranks_can_be_chosen() {
    let dir = Dir::new().with("run.iota", &small(4));
    let tasks = |ranks| {
        let out = dir.run(["text", "run.iota", "--rank", ranks]).whole();
        let tasks = calls(&out)
            .into_iter()
            .filter_map(|line| line.chars().next());
        let mut tasks: Vec<_> = tasks.collect();
        tasks.dedup();
        tasks.into_iter().collect::<String>()
    };
    assert_eq!(
        ["2", "0,2-3", "3-9", "3,1"].map(tasks),
        ["2", "023", "3", "13"]
    );
}

#[test]
fn ranks_that_are_not_there_are_an_error() {
    let dir = Dir::new().with("run.iota", &small(2));
    let said = dir.run(["text", "run.iota", "--rank", "7"]);
    assert_eq!(
        said.failed(),
        "iota: --rank 7: none of these is in the trace, which has ranks 0-1"
    );
    assert_eq!(said.out, "");
}

#[test]
fn a_task_of_several_processes_is_in_order_of_completion() {
    let part = |pid: u32, times: &[u64]| {
        let mut part = Part::new(0, 1, 0);
        part.set_pid(pid);
        part.file(1, b"/f");
        let record = |(id, &start): (u32, &u64)| Record {
            id,
            fd: pid as i32,
            file: 1,
            ..call("fsync", start, 10)
        };
        part.calls(&(1..).zip(times).map(record).collect::<Vec<_>>());
        part.finish()
    };
    // The second lies within the first, the third begins when both are over.
    let parts = [part(7, &[100, 500]), part(8, &[200, 300]), part(9, &[900])];
    let dir = Dir::new().with("run.iota", &gathered(&parts));
    let out = dir.run(["text", "run.iota"]).whole();
    let order: Vec<_> = calls(&out)
        .iter()
        .map(|line| line.split('\t').nth(6).unwrap().to_owned())
        .collect();
    assert_eq!(order, ["7", "8", "8", "7", "9"]);
}

#[test]
fn threads_are_in_order_of_completion() {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/f");
    let shifted = |by: u64| {
        writes(5000, 8).into_iter().map(move |r| Record {
            start: r.start + by,
            end: r.end + by,
            ..r
        })
    };
    part.calls_of(11, &shifted(0).collect::<Vec<_>>());
    part.calls_of(12, &shifted(300).collect::<Vec<_>>());
    let dir = Dir::new().with("run.iota", &part.finish());
    let out = dir.run(["text", "run.iota"]).whole();
    let ends: Vec<f64> = calls(&out)
        .iter()
        .map(|line| {
            let mut fields = line
                .split('\t')
                .skip(1)
                .map(|field| field.parse::<f64>().unwrap());
            fields.next().unwrap() + fields.next().unwrap()
        })
        .collect();
    assert_eq!(ends.len(), 10_000);
    assert!(ends.is_sorted_by(|a, b| *a <= *b + 1e-12));
}

#[test]
fn raw_clocks_are_without_the_offset_between_ranks() {
    let with_offset = |rank, nanos| {
        let mut part = small_part(rank, 2);
        let offset = Some(Offset {
            nanos,
            error: 10,
            drift: 0,
        });
        let end = End {
            offset,
            ..part.end()
        };
        part.finish_as(&end)
    };
    let parts = [with_offset(0, 0), with_offset(1, 700)];
    let dir = Dir::new().with("run.iota", &gathered(&parts));
    let first_of_rank_1 = |args: &[&str]| {
        let out = dir.run(args).whole();
        calls(&out)[5].to_owned()
    };
    // Rank 1's clock is 700 ns ahead, so that its start is the job's, 700 ns early.
    let corrected = first_of_rank_1(&["text", "run.iota"]);
    assert!(corrected.starts_with("1\t0.000001000\t"), "{corrected}");
    let corrected_0 = dir.run(["text", "run.iota", "--rank", "0"]).whole();
    assert!(
        calls(&corrected_0)[0].starts_with("0\t0.000001700\t"),
        "{corrected_0}"
    );
    let raw = first_of_rank_1(&["text", "--raw-clock", "run.iota"]);
    assert!(raw.starts_with("1\t0.000001000\t"), "{raw}");
    let raw_0 = dir
        .run(["text", "--raw-clock", "run.iota", "--rank", "0"])
        .whole();
    assert!(calls(&raw_0)[0].starts_with("0\t0.000001000\t"), "{raw_0}");
    assert!(raw_0.contains("(raw clocks)"), "{raw_0}");
    let converted = |how: &[&str]| {
        let convert = ["convert", "run.iota", "--to", "text", "-o", "-"];
        let out = dir.run([&convert, how].concat()).whole();
        calls(&out)[0].starts_with("0\t0.000001700\t")
    };
    assert!(converted(&[]) && !converted(&["--raw-clock"]));
    let ends = |how: &[&str]| {
        let stat = dir
            .run([&["stat", "run.iota", "--json"], how].concat())
            .whole();
        let stat: serde_json::Value = serde_json::from_str(&stat).unwrap();
        stat.to_string()
    };
    assert_ne!(ends(&[]), ends(&["--raw-clock"]));
}

#[test]
fn many_hosts_and_programs_are_told_briefly() {
    let hosts = ["nid01", "nid02", "nid04"];
    let part = |(rank, host): (u32, &&'static str)| {
        let argv: &[u8] = if rank == 2 {
            b"./ocean\0"
        } else {
            b"./air\0-x\0a b\0"
        };
        let process = Process {
            host: host.as_bytes(),
            argv,
            ..process(3, 0)
        };
        Part::of(rank, &process).finish()
    };
    let parts: Vec<_> = (0..).zip(&hosts).map(part).collect();
    let dir = Dir::new().with("run.iota", &gathered(&parts));
    let out = dir.run(["text", "run.iota"]).whole();
    for line in [
        "# hosts: nid[01-02,04]",
        "# command: ./air -x 'a b'",
        "# command: ./ocean",
        "# ranks: 0-2 of 3",
    ] {
        assert!(out.lines().any(|l| l == line), "{line} is not in\n{out}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/f").calls(&writes(200_000, 8));
    let dir = Dir::new().with("run.iota", &part.finish());
    for command in ["text", "info"] {
        let mut iota = dir.iota();
        iota.args([command, "run.iota"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = iota.spawn().unwrap();
        drop(child.stdout.take());
        let mut err = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut err)
            .unwrap();
        assert_eq!(
            (child.wait().unwrap().code(), err.as_str()),
            (Some(0), ""),
            "{command}"
        );
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let dir = Dir::new().with("run.iota", &small(2));
    for command in ["text", "info"] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = dir
            .iota()
            .args([command, "run.iota"])
            .stdout(full)
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            err,
            "iota: standard output: No space left on device (os error 28)\n"
        );
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn a_long_path_is_whole() {
    let path = vec![b'\x01'; 300_000];
    let mut part = Part::new(0, 1, 0);
    part.file(1, &path).calls(&[Record {
        file: 1,
        id: 1,
        ..call("unlink", 1, 2)
    }]);
    let dir = Dir::new().with("run.iota", &part.finish());
    let out = dir.run(["text", "run.iota"]).whole();
    assert!(out.ends_with(&format!("\t{}\n", "\\x01".repeat(path.len()))));
}

#[test]
fn calls_are_chosen() {
    let dir = Dir::new().with("run.iota", &small(3));
    for verbose in [&[][..], &["-v"]] {
        let text = |more: &[&str]| {
            dir.run([&["text", "run.iota"], verbose, more].concat())
                .whole()
        };
        let all = text(&[]);
        let is_wanted = |line: &&str| {
            line.starts_with('#') || line.starts_with("1\t") && line.contains("write")
        };
        let wanted: Vec<&str> = all.lines().filter(is_wanted).collect();
        assert!(
            wanted.len() < all.lines().count()
                && wanted.len() > wanted.iter().filter(|line| line.starts_with('#')).count()
        );
        assert_eq!(
            text(&["--where", "rank=1,class=write"])
                .lines()
                .collect::<Vec<_>>(),
            wanted
        );
        assert_eq!(
            text(&["--where", "class=write", "--rank", "1"])
                .lines()
                .collect::<Vec<_>>(),
            wanted
        );
    }
    let said = dir.run(["text", "run.iota", "--where", "colour=red"]);
    assert!(said.failed().contains("--where"), "{said:?}");
}
