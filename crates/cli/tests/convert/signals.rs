//! A signal that ends a conversion leaves nothing of it behind.

use crate::common::trace::{Part, writes};
use crate::common::{Dir, kill};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// As many calls as take a while
fn long() -> Vec<u8> {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/scratch/data").calls(&writes(200_000, 4096));
    part.finish()
}

fn leaves_nothing(signal: &str, number: i32, args: &[&str]) {
    let dir = Dir::new().with("run.iota", &long());
    let mut command = dir.iota();
    command.args(["convert", "run.iota", "--yes"]).args(args);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while dir.names().len() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(30), "it began");
        sleep(Duration::from_millis(1));
    }
    kill(&child, signal);
    assert_eq!(child.wait().unwrap().signal(), Some(number));
    assert_eq!(dir.names(), ["run.iota"]);
}

#[test]
fn a_signal_leaves_no_half_file() {
    leaves_nothing("INT", 2, &["-o", "run.csv"]);
    leaves_nothing("TERM", 15, &["-o", "run.csv"]);
}

#[test]
fn a_signal_leaves_no_half_directory() {
    leaves_nothing(
        "HUP",
        1,
        &["--to", "parquet", "--shards", "1", "-o", "tables"],
    );
}
