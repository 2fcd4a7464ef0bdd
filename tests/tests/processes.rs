//! Who started whom, in jobs of real processes: shells, make, and one whose parent is not traced.

use iota_tests::{Build, Case, Ran, Way, command_output};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;

fn iota(ran: &Ran, args: &[&str]) -> Value {
    let mut command = Command::new(Build::first().iota());
    command.args(args).arg(ran.trace_dir());
    serde_json::from_str(&command_output(&mut command)).expect("JSON")
}

/// The rows of the tree, or those below a row.
fn rows_of(all: &Value) -> &[Value] {
    let rows = all.get("tree").or(all.get("below"));
    rows.and_then(Value::as_array).expect("rows")
}

/// Every row: command, number of processes, command above.
fn rows(all: &Value, above: &str, out: &mut Vec<(String, u64, String)>) {
    for row in rows_of(all) {
        let command = row["command"].as_str().expect("text");
        let count = row["processes"].as_u64().expect("a number");
        out.push((command.to_owned(), count, above.to_owned()));
        rows(row, command, out);
    }
}

fn tree(ran: &Ran) -> Vec<(String, u64, String)> {
    let mut out = Vec::new();
    rows(
        &iota(ran, &["info", "--json", "--top", "40"])["process_tree"],
        "",
        &mut out,
    );
    out
}

/// Sums of each process, by its id.
type Sums = BTreeMap<u64, [u64; 4]>;

fn own(all: &Value, out: &mut Sums) {
    for row in rows_of(all) {
        let sum = |key: &str| row[key].as_u64().expect("a number");
        let sums = ["calls", "bytes_read", "bytes_written", "time"].map(sum);
        if sums[0] > 0 {
            out.insert(row["pid"].as_u64().expect("a process"), sums);
        }
        own(row, out);
    }
}

/// What `iota stat` says of the same processes.
fn by_pid(ran: &Ran) -> Sums {
    let report = iota(ran, &["stat", "--json", "--by", "pid", "--top", "0"]);
    let row = |row: &Value| {
        let sum = |key: &str| row[key].as_u64().expect("a number");
        let sums = ["calls", "bytes_read", "bytes_written", "time"].map(sum);
        let pid = row["name"].as_str().and_then(|name| name.parse().ok());
        (pid.expect("a process"), sums)
    };
    let rows = report["tables"][0]["rows"].as_array().expect("rows");
    rows.iter()
        .map(row)
        .filter(|(_, sums)| sums[0] > 0)
        .collect()
}

fn shell(script: &str) -> Ran {
    let case = Case::shell(script).way(Way::Preload).seconds(120);
    case.run().succeeded()
}

#[test]
fn each_process_has_its_own_sums() {
    let ran = shell(
        "seq 1 20000 >a; cp a b; for i in 1 2 3 4 5 6; do sort -r a | head -n 3 >c.$i; done; sh -c 'cat a a; cat b' >d",
    );
    let mut told = Sums::new();
    own(
        &iota(&ran, &["info", "--json", "--top", "0"])["process_tree"],
        &mut told,
    );
    assert!(told.len() > 12, "{told:?}");
    assert_eq!(told, by_pid(&ran));
}

#[test]
fn rules_of_make() {
    let ran = shell(
        "seq 1 500 >a; printf 'all: 1 2 3 4 5\\n1 2 3 4 5:\\n\\t@sort -r a >o.$@; cp o.$@ c.$@\\n' >Makefile; \
         make -s -j2 all; true",
    );
    let tree = tree(&ran);
    let has = |command: &str, count: u64, above: &str| {
        let is_it = |row: &&(String, u64, String)| {
            row.0 == command && row.1 == count && row.2.contains(above)
        };
        assert!(
            tree.iter().find(is_it).is_some(),
            "{count} {command} below {above}: {tree:?}"
        );
    };
    has("make -s -j2 all", 1, "sh");
    has("sh", 5, "make");
    has("sort", 5, "sh");
    has("cp", 5, "sh");
    has("seq 1 500", 1, "sh");
}

#[test]
fn a_parent_that_is_not_traced() {
    let ran = shell(
        "seq 1 500 >a; with=$LD_PRELOAD; LD_PRELOAD= sh -c \"LD_PRELOAD=$with cat a >b; true\"; tail -n 1 a",
    );
    let tree = tree(&ran);
    let above = |command: &str| {
        let row = tree.iter().find(|row| row.0 == command);
        row.unwrap_or_else(|| panic!("{command} of {tree:?}"))
            .2
            .clone()
    };
    assert_eq!(above("cat a"), "");
    assert!(above("tail -n 1 a").contains("sh"));
}

#[test]
fn command_lines_of_a_program_are_one_row() {
    let ran = shell("cat /dev/null; cat /dev/null /dev/null; cat - </dev/null");
    let info = |options: &[&str]| {
        let mut info = Command::new(Build::first().iota());
        command_output(info.arg("info").args(options).arg(ran.trace_dir()))
    };
    let page = info(&[]);
    let row = " and 2 other command lines (3 processes)\n";
    assert_eq!(page.matches(row).count(), 1, "{page}");
    let page = info(&["--top", "0"]);
    for row in ["cat - (1 process)", "cat /dev/null (1 process)"] {
        assert!(page.contains(row), "{page}");
    }
    assert!(!page.contains("other command line"), "{page}");
}
