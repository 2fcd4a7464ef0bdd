//! `iota sql`: the numbers are those of `iota stat`, DuckDB's formats and failures come through, and nothing stays behind.

mod common;

use common::pty;
use common::{Dir, Said, kill, small};
use iota_tests::machine::TERMINAL;
use iota_tests::tables;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const BY_OP: &str = "select op, count(*) as calls, sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written, \
    coalesce(sum(dur) filter (parent = 0 and flags & 16 = 0), 0) as time from calls group by op";

/// As good as endless
const LONG: &str =
    "select count(*) from range(10000000) a, range(10000000) b, calls where a.range + b.range = 7";

/// The command in a folder with a trace, and an empty one for what is temporary
fn sql(duckdb: &Path, dir: &Dir) -> Command {
    let mut iota = dir.iota();
    fs::create_dir_all(dir.file("tmp")).unwrap();
    iota.arg("sql").env("IOTA_DUCKDB", duckdb);
    iota.env("TMPDIR", dir.file("tmp"));
    iota
}

fn asked(duckdb: &Path, dir: &Dir, args: &[&str]) -> Said {
    let output = sql(duckdb, dir).args(args).output().unwrap();
    assert_eq!(left(dir), 0);
    Said {
        status: output.status.code().expect("ended by itself"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn left(dir: &Dir) -> usize {
    dir.file("tmp").read_dir().unwrap().count()
}

fn rows(json: &Value, name: &str) -> BTreeMap<String, [u64; 4]> {
    let figures = ["calls", "bytes_read", "bytes_written", "time"];
    let row = |row: &Value| {
        (
            row[name].as_str().unwrap().to_owned(),
            // DuckDB prints sums, which are wider than 64 bits, as texts.
            figures.map(|figure| row[figure].to_string().trim_matches('"').parse().unwrap()),
        )
    };
    json.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn a_query_has_the_numbers_of_stat() {
    let Some(duckdb) = tables::duckdb() else {
        return;
    };
    let dir = Dir::new().with("run.iota", &small(5));
    let stat = dir.run(["stat", "--by", "op", "--top", "0", "--json", "run.iota"]);
    let stat: Value = serde_json::from_str(&stat.whole()).unwrap();
    let expected = rows(&stat["tables"][0]["rows"], "name");
    assert_eq!(expected.len(), 3);
    dir.run([
        "convert", "run.iota", "-o", "shards", "--to", "parquet", "--shards", "2",
    ])
    .whole();
    dir.run(["convert", "run.iota", "-o", "a [1]*'.parquet"])
        .whole();
    for table in ["run.iota", "shards", "a [1]*'.parquet"] {
        let found = asked(&duckdb, &dir, &[table, "--json", BY_OP]).whole();
        assert_eq!(rows(&serde_json::from_str(&found).unwrap(), "op"), expected);
    }
}

#[test]
fn rows_come_in_a_box_as_csv_and_from_standard_input() {
    let Some(duckdb) = tables::duckdb() else {
        return;
    };
    let dir = Dir::new().with("run.iota", &small(1));
    let boxed = asked(
        &duckdb,
        &dir,
        &["run.iota", "select count(*) as n from calls"],
    )
    .whole();
    assert!(boxed.starts_with('┌') && boxed.contains("│ 5 │"), "{boxed}");
    let none = "select op from calls where false";
    assert_eq!(
        asked(&duckdb, &dir, &["--csv", "run.iota", none]).whole(),
        "op\n"
    );
    fs::write(
        dir.file("query"),
        "select 1 as a;\nselect op from calls limit 1",
    )
    .unwrap();
    let mut piped = sql(&duckdb, &dir);
    piped
        .args(["run.iota", "--csv"])
        .stdin(File::open(dir.file("query")).unwrap());
    let output = piped.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a\n1\nop\nopen\n");
    assert!(output.status.success());
}

#[test]
fn a_column_that_was_renamed_is_told_by_its_new_name() {
    let Some(duckdb) = tables::duckdb() else {
        return;
    };
    let dir = Dir::new().with("run.iota", &small(1));
    let said = asked(&duckdb, &dir, &["run.iota", "select ts from calls"]);
    assert_eq!(said.status, 2);
    let told = "iota: the column ts is now called start\n";
    assert!(said.err.contains(told), "{said:?}");
    let fine = ["run.iota", "select start as ts, path as file from calls"];
    asked(&duckdb, &dir, &fine).whole();
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let Some(duckdb) = tables::duckdb() else {
        return;
    };
    let dir = Dir::new().with("run.iota", &small(1));
    let mut iota = sql(&duckdb, &dir);
    iota.args(["run.iota", "--csv", "select * from range(10000000)"]);
    let mut child = iota.stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn mistakes_are_told_and_end_with_status_2() {
    let Some(duckdb) = tables::duckdb() else {
        return;
    };
    let dir = Dir::new()
        .with("run.iota", &small(1))
        .with("half.iota", &small(1)[..200])
        .with("b.parquet", b"");
    let count = "select count(*) from calls";
    for (args, told) in [
        (&["run.iota", "select nothing from calls"][..], "nothing"),
        (&["run.iota", "selec 1"], "syntax error"),
        (&["missing.iota", count], "iota: missing.iota"),
        (&["missing.parquet", count], "missing.parquet"),
        (&["run.iota", "b.parquet", count], "iota: name traces or"),
        (&[count], "iota: name a trace before the query"),
        (&["half.iota", count], "half.iota"),
    ] {
        let said = asked(&duckdb, &dir, args);
        assert_eq!(said.status, 2, "{args:?}: {said:?}");
        assert!(said.err.contains(told), "{args:?}: {said:?}");
    }
}

#[test]
fn what_is_whole_of_a_damaged_trace_can_be_asked_about() {
    let Some(duckdb) = tables::duckdb() else {
        return;
    };
    let mut bytes = small(2);
    let block = common::blocks(&bytes, iota_trace::block::kind::EVENTS)[0];
    bytes[block + 60] ^= 1;
    let dir = Dir::new().with("run.iota", &bytes);
    let said = asked(
        &duckdb,
        &dir,
        &["run.iota", "--csv", "select count(*) as n from calls"],
    );
    assert_eq!(said.out, "n\n5\n");
    assert!(said.failed().contains("run.iota: byte "), "{said:?}");
}

#[test]
fn without_duckdb_it_says_how_to_get_it() {
    let dir = Dir::new().with("run.iota", &small(1));
    let said = asked(
        Path::new("/nowhere/duckdb"),
        &dir,
        &["run.iota", "select 1"],
    );
    for word in [
        "/nowhere/duckdb",
        "duckdb-cli",
        "IOTA_DUCKDB",
        "iota convert --to parquet",
    ] {
        assert!(said.failed().contains(word), "{said:?}");
    }
    let output = dir
        .iota()
        .args(["sql", "run.iota", "select 1"])
        .env("PATH", "")
        .output();
    let told = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(told.starts_with("iota: duckdb: not found"), "{told}");
}

/// Waits for the table, then for DuckDB to be at it.
fn begun(child: &mut Child, dir: &Dir) {
    let begun = Instant::now();
    let has_table = || {
        let mut folders = dir.file("tmp").read_dir().unwrap().flatten();
        folders.any(|folder| folder.path().join("calls.parquet").exists())
    };
    while !has_table() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it began");
        assert_eq!(child.try_wait().unwrap(), None, "it runs");
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(200));
}

#[test]
fn a_signal_leaves_nothing_behind() {
    let Some(duckdb) = tables::duckdb() else {
        return;
    };
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let dir = Dir::new().with("run.iota", &small(1));
        let mut iota = sql(&duckdb, &dir);
        // Whoever waits for the pipe's end waits for DuckDB as well.
        iota.args(["run.iota", LONG]).stdout(Stdio::piped());
        let mut child = iota.spawn().unwrap();
        begun(&mut child, &dir);
        for folder in dir.file("tmp").read_dir().unwrap().flatten() {
            let mode = folder.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o7777, 0o700);
        }
        kill(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(number));
        assert_eq!(left(&dir), 0, "{signal}");
    }
}

#[test]
fn at_a_terminal_duckdb_prompts_and_has_ctrl_c_for_itself() {
    let Some(duckdb) = tables::duckdb().filter(|_| TERMINAL.is_here()) else {
        return;
    };
    let dir = Dir::new().with("run.iota", &small(1));
    let (ours, theirs) = pty::open(80);
    let mut iota = sql(&duckdb, &dir);
    // A terminal that can more, or shows the output as well, DuckDB asks for its colours, and waits for an answer.
    iota.arg("run.iota").env("TERM", "dumb");
    iota.stdin(theirs).stdout(Stdio::piped());
    let mut child = iota.spawn().unwrap();
    drop(iota);
    begun(&mut child, &dir);
    kill(&child, "INT");
    let mut keys = File::from(ours);
    keys.write_all(b"select count(*) + 4000 from calls;\n.quit\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && out.contains("4005"), "{out}");
    assert_eq!(left(&dir), 0);
}

/// What a killed command left goes with the next one; what one that lives uses, or one of another machine, stays.
#[test]
fn what_a_killed_command_left_is_removed() {
    let dir = Dir::new().with("run.iota", &small(1));
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let host = host.trim();
    // No process has so great a number.
    let left = format!("iota-sql-{host}-4194305-0");
    let kept = [
        format!("iota-sql-{host}-{}-0", std::process::id()),
        "iota-sql-another-4194305-0".to_owned(),
        format!("iota-sql-{host}-x"),
    ];
    for name in kept.iter().chain([&left]) {
        fs::create_dir_all(dir.file("tmp").join(name).join("spill")).unwrap();
    }
    // Any command serves as DuckDB's here.
    sql(Path::new("true"), &dir)
        .arg("run.iota")
        .output()
        .unwrap();
    let mut found: Vec<_> = fs::read_dir(dir.file("tmp")).unwrap().collect();
    found.retain(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        !kept.iter().any(|kept| name == kept.as_str())
    });
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(self::left(&dir), kept.len());
}
