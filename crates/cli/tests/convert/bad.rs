//! What cannot be read or written: everything whole is delivered, nothing half has the output's name.

use crate::common::trace::{Part, writes};
use crate::common::{Dir, blocks, small};
use crate::table;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::Stdio;

const FORMATS: [&str; 6] = ["text", "csv", "parquet", "perfetto", "dxt", "ioplots"];

#[test]
fn no_event_and_one_event_are_traces() {
    let mut one = Part::new(0, 1, 0);
    one.file(1, b"/a").calls(&writes(1, 8));
    let dir = Dir::new()
        .with("none.iota", &Part::new(0, 1, 0).finish())
        .with("one.iota", &one.finish());
    for format in FORMATS {
        for name in ["none", "one"] {
            let output = format!("{name}.{format}");
            dir.run([
                "convert",
                &format!("{name}.iota"),
                "--to",
                format,
                "-o",
                &output,
            ])
            .whole();
            assert!(dir.file(&output).exists(), "{output}");
        }
    }
    let rows = |name: &str| table::parquet(std::fs::read(dir.file(name)).unwrap()).len();
    assert_eq!((rows("none.parquet"), rows("one.parquet")), (0, 1));
    assert_eq!(std::fs::read(dir.file("none.ioplots")).unwrap(), b"");
    assert_eq!(
        std::fs::read_to_string(dir.file("one.ioplots")).unwrap(),
        "0 w 0 8 0.000000000 0.000000400\n"
    );
}

#[test]
fn of_a_damaged_trace_all_that_is_whole_is_converted() {
    let mut trace = small(3);
    let events = blocks(&trace, 3);
    trace[events[1] + 60] ^= 0xFF;
    let dir = Dir::new().with("run.iota", &trace);
    for format in FORMATS {
        let said = dir.run([
            "convert",
            "run.iota",
            "--to",
            format,
            "-o",
            &format!("run.{format}"),
        ]);
        assert!(
            said.failed().contains("everything else was read"),
            "{format}: {said:?}"
        );
    }
    let rows = table::parquet(std::fs::read(dir.file("run.parquet")).unwrap());
    assert_eq!(rows.len(), 10);
    assert!(rows.iter().all(|row| row["rank"] != "1"));
}

#[test]
fn what_is_no_trace_leaves_no_output() {
    let mut future = small(1);
    for kind in 1..=6 {
        for at in blocks(&future.clone(), kind) {
            future[at + 5] = 9;
        }
    }
    let dir = Dir::new()
        .with("empty.iota", b"")
        .with("future.iota", &future)
        .with(
            "foreign.iota",
            b"PAR1 and so on and on and on and on and on and on and on",
        );
    for (name, cause) in [
        ("empty", "empty"),
        ("future", "format version 9"),
        ("foreign", "not an iota trace"),
        ("missing", "no such trace"),
    ] {
        let said = dir.run(["convert", &format!("{name}.iota"), "-o", "out.csv"]);
        assert!(said.failed().contains(cause), "{said:?}");
    }
    assert_eq!(dir.names(), ["empty.iota", "foreign.iota", "future.iota"]);
}

#[test]
fn a_full_disk_leaves_nothing_under_the_name() {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/a").calls(&writes(20_000, 8));
    let dir = Dir::new().with("run.iota", &part.finish());
    dir.run(["convert", "run.iota", "-o", "run.txt"]).whole();
    let before = dir.names();
    let formats = [
        ("text", "run.iota"),
        ("csv", "run.iota"),
        ("parquet", "run.iota"),
        ("perfetto", "run.iota"),
        ("dxt", "run.iota"),
        ("ioplots", "run.iota"),
        ("iota", "run.txt"),
    ];
    for (format, input) in formats {
        let mut command = dir.iota();
        command.args(["convert", input, "--to", format, "-o", "out"]);
        // SAFETY: both calls may be made between fork and exec.
        unsafe {
            command.pre_exec(|| {
                let limit = libc::rlimit {
                    rlim_cur: 2048,
                    rlim_max: 2048,
                };
                // Without the signal a write past the limit fails, as on a full disk.
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                match libc::setrlimit(libc::RLIMIT_FSIZE, &limit) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{format}: {error}");
        assert!(
            error.contains("File too large") && error.contains("out"),
            "{format}: {error}"
        );
        assert_eq!(dir.names(), before, "{format}");
    }
}

#[test]
fn nothing_is_overwritten_unasked() {
    let dir = Dir::new()
        .with("run.iota", &small(1))
        .with("run.csv", b"mine");
    let said = dir.run(["convert", "run.iota", "-o", "run.csv"]);
    assert!(said.failed().contains("exists already"), "{said:?}");
    assert_eq!(std::fs::read(dir.file("run.csv")).unwrap(), b"mine");
    dir.run(["convert", "run.iota", "-o", "run.csv", "--force"])
        .whole();
    assert_ne!(std::fs::read(dir.file("run.csv")).unwrap(), b"mine");
    let said = dir.run(["convert", "run.iota", "--to", "csv", "-o", "."]);
    assert!(said.failed().contains("is a directory"), "{said:?}");
    let said = dir.run(["convert", "run.iota", "-o", "run.what"]);
    assert!(said.failed().contains("use --to text"), "{said:?}");
}

#[test]
fn streams_are_written_as_they_are_and_may_end_early() {
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/a").calls(&writes(50_000, 8));
    let dir = Dir::new().with("run.iota", &part.finish());
    dir.run(["convert", "run.iota", "--to", "csv", "-o", "/dev/null"])
        .whole();
    for format in ["text", "csv", "parquet", "perfetto", "dxt", "ioplots"] {
        let mut command = dir.iota();
        command.args(["convert", "run.iota", "--to", format, "-o", "-"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), error.as_str()),
            (Some(0), ""),
            "{format}"
        );
    }
}

#[test]
fn a_large_output_is_not_written_unasked() {
    // The footers say how many calls there are.
    let mut trace = small(1);
    let footers = blocks(&trace, 6);
    for at in &footers {
        let mut header = iota_trace::block::Header::parse(&trace[*at..]).unwrap();
        trace[at + 72..at + 80].copy_from_slice(&20_000_000u64.to_le_bytes());
        header.crc = 0;
        let sealed = header.sealed(&trace[at + 48..at + 80], &[]);
        trace[*at..at + 48].copy_from_slice(&sealed);
    }
    let dir = Dir::new().with("run.iota", &trace);
    let said = dir.run(["convert", "run.iota", "-o", "run.csv"]);
    assert!(
        said.failed()
            .contains("20,000,000 calls would take about 3.17 GiB"),
        "{said:?}"
    );
    assert!(said.failed().contains("--yes"), "{said:?}");
    assert_eq!(dir.names(), ["run.iota"]);
    dir.run(["convert", "run.iota", "-o", "run.csv", "--yes"])
        .whole();
    dir.run([
        "convert",
        "run.iota",
        "-o",
        "some.csv",
        "--where",
        "class=open",
    ])
    .whole();
    dir.run(["convert", "run.iota", "-o", "run.parquet"])
        .whole();
}

#[test]
fn bad_lines_are_told_and_left_out() {
    let logs = [
        (
            "a.ioplots",
            "0 w 0 8 0.0 0.5\n0 x 8 8 0.5 1.0\n0 w 8 8 1.0 1.5\n0 w 8 8 2.0 1.5\n",
            "line 2: `x` is no r or w",
        ),
        (
            "b.dxt",
            "# DXT, file_id: 1, file_name: /a\n X_POSIX 0 write 0 0 8 0.1 0.2\n X_POSIX 0 write 0 zero 8 0.1 0.2\nX\n",
            "line 3: `zero` is no offset",
        ),
        (
            "c.strace",
            "5 1.5 close(3) = 0 <0.1>\n5 1.6 close(\n5 12:30:00 close(3) = 0\n",
            "line 2: ",
        ),
        (
            "d.txt",
            "0\t0.1\t0.1\t-1\tclose\t0\t3\n0\t0.1\tx\t-1\tclose\t0\t3\nfoo\n",
            "line 2: `x` is no time",
        ),
    ];
    for (name, log, cause) in logs {
        let dir = Dir::new().with(name, log.as_bytes());
        let said = dir.run(["convert", name, "-o", "out.iota"]);
        assert_eq!(said.status, 2, "{said:?}");
        let last = said.err.lines().last().unwrap();
        assert!(
            last.contains(cause) && last.contains("2 lines skipped, everything else was converted"),
            "{said:?}"
        );
        let info = dir.run(["info", "--json", "out.iota"]);
        let info: serde_json::Value = serde_json::from_str(&info.out).unwrap();
        assert_eq!(info["calls"]["lost"], 2, "{name}");
    }
}

#[test]
fn what_is_no_log_leaves_no_output() {
    let dir = Dir::new()
        .with("a.log", b"To be, or not to be\n")
        .with("empty.log", b"")
        .with("b.log", b"0 x 1 2 3 4\n");
    let said = dir.run(["convert", "a.log", "-o", "out.iota"]);
    assert!(
        said.failed()
            .contains("a.log: unknown format, judging by its first 1 line;"),
        "{said:?}"
    );
    let said = dir.run(["convert", "empty.log", "-o", "out.iota"]);
    assert!(said.failed().contains("the file is empty"), "{said:?}");
    let said = dir.run(["convert", "b.log", "--from", "ioplots", "-o", "out.iota"]);
    assert!(
        said.failed().contains("no line of the file could be read"),
        "{said:?}"
    );
    assert_eq!(dir.names(), ["a.log", "b.log", "empty.log"]);
}
