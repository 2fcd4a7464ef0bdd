//! Queries by `iota sql` have the numbers of `iota stat`. `make sql` runs this on a trace of a load.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const BY_OP: &str = "select op, count(*) as calls, sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written, \
    coalesce(sum(dur) filter (where parent = 0 and flags & 16 = 0), 0) as time from calls group by op order by op";

/// The folder of `iota` and `iota-sql`, which `make sql` names.
fn commands() -> PathBuf {
    std::env::var_os("IOTA_BIN")
        .expect("IOTA_BIN: run make sql")
        .into()
}

fn ran(command: &str, args: &[&str], dir: &Path) -> Output {
    let output = Command::new(commands().join(command))
        .args(args)
        .current_dir(dir)
        .output();
    output.expect("it is there")
}

fn text(command: &str, args: &[&str], dir: &Path) -> String {
    let output = ran(command, args, dir);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

fn traced() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let load = [
        "load", "-op", "rw", "-prepare", "-nops", "50", "-npieces", "2", "-file", "x", "-quiet",
    ];
    let iota = commands().join("iota");
    let run = [
        &["run", "--quiet", "-o", "run.iota", "--"][..],
        &[iota.to_str().expect("text")],
        &load,
    ];
    text("iota", &run.concat(), dir.path());
    dir
}

fn rows(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn a_query_has_the_numbers_of_stat() {
    let dir = traced();
    let stat: Value = serde_json::from_str(&text(
        "iota",
        &["stat", "--by", "op", "--top", "0", "--json", "run.iota"],
        dir.path(),
    ))
    .expect("JSON");
    let figures = ["calls", "bytes_read", "bytes_written", "time"];
    let sums = |row: &Value, name: &str| {
        (
            row[name].as_str().expect("a name").to_owned(),
            figures.map(|figure| row[figure].as_u64()),
        )
    };
    let expected: BTreeMap<_, _> = stat["tables"][0]["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| sums(row, "name"))
        .collect();
    text(
        "iota",
        &[
            "convert", "run.iota", "--to", "parquet", "--shards", "2", "-o", "shards",
        ],
        dir.path(),
    );
    for table in ["run.iota", "shards"] {
        let found = rows(&text(
            "iota",
            &["sql", BY_OP, table, "--format", "json"],
            dir.path(),
        ));
        let found: BTreeMap<_, _> = found.iter().map(|row| sums(row, "op")).collect();
        assert!(found.len() > 3, "{found:?}");
        assert_eq!(found, expected, "{table}");
    }
}

#[test]
fn formats_and_mistakes() {
    let dir = traced();
    let count = "select count(*) as n from calls where op = 'open64' or op = 'open'";
    let csv = text(
        "iota",
        &["sql", count, "run.iota", "--format", "csv"],
        dir.path(),
    );
    assert!(csv.starts_with("n\n"), "{csv}");
    assert!(
        text("iota", &["sql", count, "run.iota"], dir.path()).contains("| n "),
        "a table"
    );
    let none = [
        "sql",
        "select op from calls where false",
        "run.iota",
        "--format",
        "csv",
    ];
    assert_eq!(
        text("iota", &none, dir.path()),
        "op\n",
        "names without rows"
    );
    for (query, trace, told) in [
        ("select nothing from calls", "run.iota", "nothing"),
        (count, "missing.iota", "missing.iota"),
        (count, "no.parquet", "no.parquet"),
        ("run.iota", count, "the query comes first"),
    ] {
        let output = ran("iota", &["sql", query, trace], dir.path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.starts_with("iota: ") && said.contains(told), "{said}");
    }
}

#[test]
fn a_signal_leaves_nothing_behind() {
    let dir = traced();
    let temporary = dir.path().join("tmp");
    std::fs::create_dir(&temporary).expect("a folder");
    // As good as endless.
    let query = "select count(*) from calls a, calls b, calls c, calls d where a.dur + b.dur > c.dur + d.dur";
    let mut child = Command::new(commands().join("iota"))
        .args(["sql", query, "run.iota"])
        .current_dir(dir.path())
        .env("TMPDIR", &temporary)
        .spawn()
        .expect("make sql built it");
    let left = || temporary.read_dir().expect("it is there").flatten();
    while !left().any(|table| table.path().join("calls.parquet").exists()) {
        assert_eq!(child.try_wait().expect("a child"), None, "it runs");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let kill = Command::new("kill").arg(child.id().to_string()).status();
    assert!(kill.expect("kill is there").success());
    child.wait().expect("a child");
    assert_eq!(left().count(), 0);
}
