//! However a load ends, it prints what it did.

use super::allowed;
use crate::common::Dir;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A load that goes on until it is told to end, and has begun
fn endless(dir: &Dir, words: &str) -> Child {
    let line = format!(
        "load -op w -time 60 -fsize 64k -bufsz 4k -npieces 2 -log all -think 1ms -file x {words}"
    );
    let mut command = dir.iota();
    command
        .args(line.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while !dir
        .file("x.filen.00000")
        .metadata()
        .is_ok_and(|data| data.len() >= 64 << 10)
    {
        assert!(Instant::now() < until, "it never wrote");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn signalled(signal: i32, words: &str) -> (String, Dir) {
    let dir = Dir::new();
    let mut child = endless(&dir, words);
    // SAFETY: our own child.
    unsafe { libc::kill(child.id() as i32, signal) };
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let status = child.wait().unwrap();
    assert_eq!(
        status.signal(),
        Some(signal),
        "who waits for it learns of the signal"
    );
    for event in [
        "\nopen ",
        "\nop ",
        "\nstripes ",
        "\nclose ",
        "\nfile ",
        "\ntotal ",
        "Mean MB/s",
    ] {
        assert!(text.contains(event), "{event} is missing in:\n{text}");
    }
    assert!(
        text.contains(&format!("ended: interrupted by signal {signal}\n")),
        "{text}"
    );
    (text, dir)
}

#[test]
fn sigint_prints_the_log() {
    let (_, dir) = signalled(libc::SIGINT, "");
    assert_eq!(dir.names(), ["x.filen.00000"]);
}

#[test]
fn sigterm_prints_the_log_and_removes_what_is_to_be_removed() {
    let (_, dir) = signalled(libc::SIGTERM, "-remove");
    assert_eq!(dir.names(), Vec::<String>::new());
}

#[test]
fn a_signal_leaves_a_trace_of_what_was_done() {
    let (text, dir) = signalled(libc::SIGINT, "-trace t.iota");
    let logged = text.lines().filter(|line| line.starts_with("op ")).count();
    let traced = dir.run(["text", "t.iota"]).whole();
    assert_eq!(
        traced
            .lines()
            .filter(|line| line.contains("\twrite\t"))
            .count(),
        logged
    );
}

#[test]
fn a_full_disk_prints_the_log_and_is_named() {
    for api in allowed(&["unixio", "stdio", "aio", "pio", "io_uring"]) {
        let dir = Dir::new();
        symlink("/dev/full", dir.file("x.filen.00001")).unwrap();
        let said = dir.load(&format!(
            "-op w -nfiles 2 -nops 3 -bufsz 64k -io_api {api} -file x"
        ));
        let line = said.failed();
        assert!(
            line.contains("x.filen.00001: ") && line.contains("No space left on device"),
            "{line}"
        );
        assert!(
            said.out.contains("\ntotal ") && said.out.contains("ended: failed: x.filen.00001"),
            "{said:?}"
        );
    }
}

#[test]
fn a_file_that_ends_early_prints_the_log_and_is_named() {
    for api in allowed(&["unixio", "stdio", "aio", "pio", "io_uring"]) {
        let dir = Dir::new();
        symlink("/dev/null", dir.file("x.filen.00000")).unwrap();
        let said = dir.load(&format!("-op r -nops 3 -bufsz 64k -io_api {api} -file x"));
        let line = said.failed();
        assert!(
            line.contains(
                "at offset 0 transferred none: the file ends there (piece 0, operation 0)"
            ),
            "{api}: {line}"
        );
        assert!(said.out.contains("\ntotal "), "{said:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let dir = Dir::new();
    let mut child = dir
        .iota()
        .args([
            "load", "-quiet", "-op", "w", "-nops", "5000", "-bufsz", "64", "-file", "x",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_replay_tells_how_it_ended_and_what_it_replaced() {
    let dir = Dir::new();
    let words = "-op w -nops 40 -think 50ms -bufsz 1k -file x -trace t.iota";
    assert_eq!(dir.load(words).status, 0);
    let whole = dir.json("-replay t.iota -file y -speed max");
    assert_eq!(whole["ended"], "complete");
    let replaced = &whole["replaced"][0];
    assert_eq!(replaced["file"], "y.filen.00000");
    assert!(
        replaced["original"]
            .as_str()
            .unwrap()
            .ends_with("/x.filen.00000")
    );
    let mut child = dir
        .iota()
        .args("load -replay t.iota -file z".split(' '))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while !dir.file("z.filen.00000").exists() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: our own child.
    unsafe { libc::kill(child.id() as i32, libc::SIGTERM) };
    let mut text = String::new();
    let mut out = child.stdout.take().unwrap();
    out.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGTERM));
    assert!(
        text.ends_with("\nended: interrupted by signal 15\n"),
        "{text}"
    );
}
