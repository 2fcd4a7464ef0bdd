//! `iota jobs`: many jobs as a table.

mod common;

use common::trace::{Part, process, writes};
use common::{Dir, small, small_part};
use iota_trace::part::Process;
use serde_json::Value;
use std::fs::{self, File};

/// A trace of a program and its job, which began so many ns later, and wrote so often
fn of_program((exe, job): (&[u8], &[u8]), late: u64, calls: u32) -> Vec<u8> {
    let process = Process {
        exe,
        job,
        ..process(1, late)
    };
    let mut part = Part::of(0, &process);
    part.file(1, b"/scratch/out").calls(&writes(calls, 100));
    part.finish()
}

/// Two ranks in one file, two in two, a program that ran twice under one name, and a file that is damaged
fn dir() -> Dir {
    let dir = Dir::new();
    for name in ["a", "b", "b/c"] {
        fs::create_dir(dir.file(name)).unwrap();
    }
    const SECOND: u64 = 1_000_000_000;
    dir.with("a/run.iota", &small(2))
        .with("b/run.0.iota", &small_part(0, 2).finish())
        .with("b/run.1.iota", &small_part(1, 2).finish())
        .with("b/c/cat.iota", &of_program((b"/bin/cat", b"1"), SECOND, 3))
        .with(
            "b/c/cat.1.iota",
            &of_program((b"/bin/cat", b"2"), 90 * SECOND, 5),
        )
        .with("b/c/notes.txt", b"no trace")
        .with("bad.iota", b"no trace either, but named like one")
}

fn json(dir: &Dir, options: &[&str]) -> Value {
    let words = ["jobs", ".", "--json"];
    let said = dir.run(words.iter().chain(options));
    serde_json::from_str(&said.out).unwrap_or_else(|why| panic!("{why}: {said:?}"))
}

/// A key of all jobs
fn column(said: &Value, key: &str) -> Vec<String> {
    let jobs = said["jobs"].as_array().unwrap().iter();
    jobs.map(|job| job[key].to_string()).collect()
}

#[test]
fn each_job_has_a_row() {
    let dir = dir();
    let said = dir.run(["jobs", "."]);
    assert!(said.failed().contains("bad.iota: "), "{said:?}");
    assert!(said.err.contains("; everything else was read"), "{said:?}");
    let rows: Vec<&str> = said.out.lines().collect();
    assert!(rows[0].starts_with("began "), "{rows:?}");
    assert_eq!(rows.len(), 5, "{rows:#?}");
    // The latest first
    assert!(
        rows[1].contains(" cat ") && rows[1].ends_with("cat.1.iota"),
        "{rows:#?}"
    );
    assert!(
        rows[3].contains(" flash ") && rows[4].contains(" flash "),
        "{rows:#?}"
    );
    let said = json(&dir, &[]);
    assert_eq!(column(&said, "ranks"), ["1", "1", "2", "2"]);
    assert_eq!(column(&said, "bytes_written")[..2], ["500", "300"]);
    assert_eq!(said["problems"].as_array().unwrap().len(), 1);
    let whole = dir.run(["jobs", "a"]).whole();
    assert_eq!(whole.lines().count(), 2);
    let none = dir.run(["jobs", "b/c/notes.txt"]);
    assert!(none.failed().contains("notes.txt"), "{none:?}");
    fs::create_dir(dir.file("empty")).unwrap();
    assert!(dir.run(["jobs", "empty"]).failed().contains("no trace"));
    assert!(dir.run(["jobs", "gone"]).failed().contains("gone: "));
}

#[test]
fn jobs_are_chosen_sorted_and_added_up() {
    let dir = dir();
    let programs = column(&json(&dir, &["--program", "fl*"]), "program");
    assert_eq!(programs, ["\"flash\""; 2]);
    assert_eq!(
        column(&json(&dir, &["--user", "nobody of this name"]), "user"),
        [""; 0]
    );
    let sorted = column(&json(&dir, &["--sort", "bytes"]), "bytes_written");
    let mut numbers: Vec<u64> = sorted.iter().map(|text| text.parse().unwrap()).collect();
    assert!(numbers.is_sorted_by(|a, b| a >= b), "{numbers:?}");
    numbers.sort();
    let said = json(&dir, &["--by", "program"]);
    let groups = said["groups"].as_array().unwrap();
    let of = |name: &str| groups.iter().find(|group| group["name"] == name).unwrap();
    assert_eq!(
        (&of("cat")["jobs"], &of("cat")["bytes_written"]),
        (&2.into(), &800.into())
    );
    let page = dir
        .run(["jobs", "a", "b", "--by", "program", "-n", "1"])
        .whole();
    assert!(page.contains("and 1 more row"), "{page}");
}

#[test]
fn an_index_saves_reading() {
    let dir = dir();
    let fresh = json(&dir, &[]);
    assert_eq!(json(&dir, &["--index", "jobs.json"]), fresh);
    // Of the same length and time as before: only who reads it sees another file.
    let trace = dir.file("a/run.iota");
    let data = fs::metadata(&trace).unwrap();
    let (length, modified) = (data.len() as usize, data.modified().unwrap());
    fs::write(&trace, vec![b'x'; length]).unwrap();
    let set = |time| {
        File::options()
            .write(true)
            .open(&trace)
            .unwrap()
            .set_modified(time)
            .unwrap()
    };
    set(modified);
    assert_eq!(json(&dir, &["--index", "jobs.json"]), fresh, "not read");
    set(modified + std::time::Duration::from_secs(1));
    let now = json(&dir, &["--index", "jobs.json"]);
    assert_eq!(
        (
            column(&now, "ranks").len(),
            now["problems"].as_array().unwrap().len()
        ),
        (3, 2)
    );
    fs::remove_file(&trace).unwrap();
    fs::remove_file(dir.file("bad.iota")).unwrap();
    dir.run(["jobs", ".", "--index", "jobs.json"]).whole();
    // What is no index stays as it is.
    let other = dir.run(["jobs", ".", "--index", "b/c/notes.txt"]);
    assert!(other.failed().contains("is no index"), "{other:?}");
    assert_eq!(fs::read(dir.file("b/c/notes.txt")).unwrap(), b"no trace");
}
