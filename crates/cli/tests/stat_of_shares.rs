//! What shares, rates and findings of `iota stat` are of: transfers that moved bytes, and calls that its expressions select.

mod common;

use common::trace::{Part, call};
use common::{Dir, findings_have_calls};
use iota_trace::{Record, flags};
use serde_json::Value;

/// A trace of one rank that makes these calls one after another, on /scratch/run/out and on others.
fn one_rank(calls: impl Iterator<Item = Record>) -> Vec<u8> {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/scratch/run/out");
    part.file(2, b"/scratch/run/copy");
    part.file(3, b"/scratch/run/below/out");
    part.file(4, b"anon_inode:[io_uring]");
    let (mut now, mut id, mut records) = (10_000, 0, Vec::new());
    for mut record in calls {
        // The second half of a call is behind it.
        if record.start != u64::MAX {
            id += 1;
            record.id = id;
            record.start += now;
            record.end += now;
            now = record.end + 1000;
        } else {
            record.start = 0;
        }
        records.push(record);
    }
    part.calls(&records);
    part.finish()
}

fn on(file: u32, name: &str, elapse: u64) -> Record {
    Record {
        file,
        fd: 2 + file as i32,
        ..call(name, 0, elapse)
    }
}

fn moved(name: &str, offset: i64, length: u64, elapse: u64) -> Record {
    Record {
        ret: length as i64,
        length,
        offset,
        ..on(1, name, elapse)
    }
}

/// From the first file to the second.
fn copy(offset: i64, length: u64) -> [Record; 2] {
    let first = Record {
        flags: flags::MORE,
        ..moved("copy_file_range", offset, length, 4000)
    };
    let second = Record {
        start: u64::MAX,
        ..Record::more(2, 4, offset, 0)
    };
    [first, second]
}

fn stat(dir: &Dir, args: &[&str]) -> Value {
    let all = ["stat", "run.iota", "--json", "--all"];
    let object = serde_json::from_str(&dir.run(all.iter().chain(args)).whole()).unwrap();
    findings_have_calls(dir, "run.iota", &object);
    object
}

fn finding<'o>(object: &'o Value, kind: &str) -> &'o Value {
    let findings = object["findings"].as_array().unwrap();
    let found = findings.iter().find(|finding| finding["kind"] == kind);
    found.unwrap_or_else(|| panic!("no {kind} among {findings:?}"))
}

/// How many calls `iota text` shows of what a finding selects.
fn selected(dir: &Dir, finding: &Value) -> usize {
    let only = finding["select"].as_str().unwrap();
    dir.run(["text", "run.iota", "--where", only]).calls().len()
}

#[test]
fn a_call_that_copies_is_a_read_and_a_write() {
    let reads = (0..2).map(|n| moved("pread64", n * 4096, 4096, 1000));
    let copies = (0..300).flat_map(|n| copy(n * 1001, 1001));
    let dir = Dir::new().with("run.iota", &one_rank(reads.chain(copies)));
    let found = stat(&dir, &[]);
    let (read, write) = (&found["read"], &found["write"]);
    assert_eq!(
        (&read["transfers"], &write["transfers"]),
        (&302.into(), &300.into())
    );
    assert_eq!(read["small"], 302);
    assert_eq!(read["time"], 2 * 1000 + 300 * 2000);
    assert_eq!(write["time"], 300 * 2000);
    assert_eq!(found["io"]["calls"], 302);
    assert_eq!(found["io"]["time"]["total"], 2 * 1000 + 300 * 4000);
    let small = finding(&found, "small-reads");
    let evidence = small["evidence"].as_str().unwrap();
    assert!(evidence.starts_with("302 of 302 reads, "), "{evidence}");
    assert_eq!(selected(&dir, small), 302);
}

#[test]
fn flushes_are_no_writes_and_cost_what_they_take() {
    let both = (0..3000).flat_map(|n| [moved("fwrite", n * 100, 100, 20), on(1, "fflush", 900)]);
    let reads = (0..10).map(|n| moved("pread64", n << 20, 1 << 20, 400_000));
    let dir = Dir::new().with("run.iota", &one_rank(both.chain(reads)));
    let found = stat(&dir, &[]);
    assert_eq!(found["write"]["transfers"], 3000);
    let small = finding(&found, "small-writes");
    // It is the flush that writes.
    assert_eq!(small["cost"], 3000 * 900);
    let evidence = small["evidence"].as_str().unwrap();
    let became = "3,000 writes of streams became some 3,000 writes by their buffers";
    assert!(evidence.contains(became), "{evidence}");
}

/// A thread that has transfers in flight waits for them, not for metadata, whatever the descriptor is of.
#[test]
fn waiting_for_asynchronous_transfers_is_io() {
    let flight = |n: i64| Record {
        flags: flags::ASYNCHRONOUS,
        ..moved("aio_read64", n << 20, 1 << 20, 100)
    };
    let wait = |name| on(4, name, 1_000_000);
    let both = (0..100).flat_map(|n| [flight(n), wait("aio_suspend64"), wait("io_uring_enter")]);
    let dir = Dir::new().with("run.iota", &one_rank(both));
    let found = stat(&dir, &[]);
    let io = &found["io"];
    assert_eq!(
        (&io["time"]["wait"], &io["time"]["meta"]),
        (&200_000_000.into(), &0.into())
    );
    assert_eq!(io["calls"], 300);
    assert_eq!(found["elsewhere"]["pipes"]["calls"], 0);
    assert_eq!(found["read"]["asynchronous"], 100 << 20);
    assert_eq!(found["findings"], serde_json::json!([]));
    let page = dir.run(["stat", "run.iota"]).whole();
    assert!(
        page.contains("100 of 100 MiB (100 MiB asynchronously)\n"),
        "{page}"
    );
    assert!(
        page.contains("2.0 % of the run: 100.0 % asynchronous transfers"),
        "{page}"
    );
}

#[test]
fn opens_that_fail_are_opens() {
    // Who may not open it finds it.
    let opens = (0..300).map(|_| Record {
        ret: -1,
        errno: 13,
        ..on(1, "open", 3000)
    });
    let dir = Dir::new().with("run.iota", &one_rank(opens));
    let found = stat(&dir, &[]);
    let evidence = finding(&found, "metadata")["evidence"].as_str().unwrap();
    assert!(
        evidence.contains("took 900 us, of which opens 900 us"),
        "{evidence}"
    );
}

#[test]
fn files_that_are_not_there_are_those_of_their_directory() {
    let missing = |file| Record {
        ret: -1,
        errno: 2,
        ..on(file, "open", 3000)
    };
    let opens = (0..500).map(|n| missing(if n % 5 < 3 { 1 } else { 3 }));
    let dir = Dir::new().with("run.iota", &one_rank(opens));
    let found = stat(&dir, &[]);
    let lookups = finding(&found, "failed-lookups");
    let evidence = lookups["evidence"].as_str().unwrap();
    assert!(
        evidence.contains("300 of them in /scratch/run,"),
        "{evidence}"
    );
    assert_eq!(selected(&dir, lookups), 300);
}

#[test]
fn syncs_are_selected_without_flushes() {
    let both = (0..200).flat_map(|n| {
        let flush = on(1, "fflush", 100);
        [flush, if n < 3 { on(1, "fsync", 90_000) } else { flush }]
    });
    let dir = Dir::new().with("run.iota", &one_rank(both));
    assert_eq!(selected(&dir, finding(&stat(&dir, &[]), "sync")), 3);
}

#[test]
fn findings_select_among_what_was_asked_for() {
    let opens = (0..400).map(|n| on(1 + n % 2 * 2, "open", 3000));
    let dir = Dir::new().with("run.iota", &one_rank(opens));
    for (only, calls) in [
        ("file=*/below/out", 200),
        ("on=storage,dir=*/below", 200),
        ("op=open", 200),
    ] {
        let found = stat(&dir, &["--where", only]);
        let opens = finding(&found, "repeated-opens");
        assert_eq!(selected(&dir, opens), calls, "{only}");
    }
}

#[test]
fn what_starts_processes_is_in_no_sum_of_layers() {
    let calls = [
        on(0, "fork", 900_000),
        on(1, "open", 3000),
        on(1, "close", 1000),
    ];
    let dir = Dir::new().with("run.iota", &one_rank(calls.into_iter()));
    let found = stat(&dir, &["--by", "layer,op"]);
    let [layers, ops] = [0, 1].map(|at| found["tables"][at]["rows"].as_array().unwrap());
    assert_eq!(
        (&layers[0]["calls"], &layers[0]["time"]),
        (&2.into(), &4000.into())
    );
    assert!(ops.iter().any(|row| row["name"] == "fork"), "{ops:?}");
}

#[test]
fn the_page_says_what_of_mpi_is_left_out() {
    let part = |rank| {
        let mut part = Part::new(rank, 2, 0);
        part.file(1, b"/scratch/run/out");
        let startup = Record {
            id: 1,
            flags: flags::MPI_STARTUP,
            ..on(1, "open", 1000)
        };
        part.calls(&[startup]).finish()
    };
    let dir = Dir::new().with("run.iota", &common::trace::gathered(&[part(0), part(1)]));
    let says = |args: &[&str]| {
        let page = dir.run(["stat", "run.iota"].iter().chain(args)).whole();
        page.contains("without those that MPI made for itself")
    };
    assert!(says(&[]));
    assert!(!says(&["--where", "startup"]));
}

#[test]
fn a_cut_that_no_process_passes_is_refused() {
    let dir = Dir::new().with("run.iota", &one_rank([on(1, "open", 1000)].into_iter()));
    let said = dir.run(["cut", "run.iota", "--where", "rank=7", "-o", "none.iota"]);
    assert_eq!(
        said.failed(),
        "iota: run.iota: no call passes the filter; iota stat --by rank,file,op shows what there is"
    );
    assert_eq!(dir.names(), ["run.iota"]);
}
