//! `--stacks`: from which lines of the program calls are made.

use super::{only_trace, run};
use iota_tests::mpi::{mpi_of_version_is_wanted, named};
use iota_tests::sites::{self, line_of, sites};
use iota_tests::{Build, Case, Ran, Way};
use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

const DEBUGGING: &str = "-g -O1";

fn case() -> Case {
    let case = Case::new("stacks.c").args("out");
    case.with(|program| program.flags(DEBUGGING).behind("-lpthread"))
}

/// How often a line writes so many bytes, and what called it
fn written(rows: &[Value], function: &str, bytes: usize) -> (u64, String) {
    sites::written(rows, "stacks.c", function, bytes)
}

fn assert_all(rows: &[Value]) {
    let main = |caller: &str| caller.starts_with("main (stacks.c:");
    let (calls, caller) = written(rows, "write_plain", 11);
    assert!(calls == 100 && main(&caller), "{caller}");
    let (calls, _) = written(rows, "write_deep", 12);
    assert_eq!(calls, 10);
    assert_eq!(written(rows, "write_in_thread", 13), (4, String::new()));
    let (calls, caller) = written(rows, "compare", 14);
    assert!(calls == 1 && main(&caller), "through qsort: {caller}");
    let (calls, caller) = written(rows, "handle", 15);
    assert!(
        calls == 100 && main(&caller),
        "through the signal: {caller}"
    );
    assert_eq!(written(rows, "write_on_own_stack", 16), (1, String::new()));
    let (calls, caller) = written(rows, "write_in_child", 17);
    assert!(calls == 1 && main(&caller), "{caller}");
    let (calls, caller) = written(rows, "write_inline", 18);
    assert!(calls == 1 && main(&caller), "{caller}");
    let (calls, caller) = written(rows, "write_formatted", 19);
    assert!(calls == 1 && main(&caller), "{caller}");
    let unknown: Vec<_> = rows.iter().filter(|row| row["name"] == "-").collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// The tree of calls begins with the lines
fn assert_tree(ran: &Ran) {
    let output = ran.iota("layers --json --by tree -n 0 run.iota");
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let roots = said["tree"].as_array().expect("a tree");
    let place = line_of("stacks.c", "/* 11 */");
    let name = format!("write_plain (stacks.c:{place})");
    let root = roots.iter().find(|root| root["name"] == name.as_str());
    let below = &root.unwrap_or_else(|| panic!("no {name}: {roots:#?}"))["below"];
    assert_eq!(
        (&below[0]["name"], &below[0]["calls"]),
        (&"write".into(), &100.into())
    );
}

#[test]
fn lines_of_a_program() {
    let ran = run(case(), "--stacks").succeeded();
    only_trace(&ran);
    assert_all(&sites(&ran, "run.iota"));
    // Shares of the trace
    for share in ["0", "1"] {
        let done = ran.iota(&format!("stat run.iota --shard {share}/2 -o {share}.stat"));
        assert!(done.status.success(), "{done:?}");
    }
    assert_all(&sites(&ran, "--merge 0.stat 1.stat"));
    assert_tree(&ran);
    // One line's calls
    let plain = line_of("stacks.c", "/* 11 */");
    for site in [format!("*:{plain}"), "write_plain".to_owned()] {
        let output = ran.iota(&format!("text --where site={site} run.iota"));
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            text.lines()
                .filter(|line| line.contains("\twrite\t11\t"))
                .count(),
            100
        );
        assert_eq!(
            text.lines()
                .filter(|line| line.contains("\twrite\t12\t"))
                .count(),
            0
        );
    }
}

#[test]
fn lines_of_linked_programs() {
    for way in [Way::Dynamic, Way::Static] {
        let ran = case().way(way).env("IOTA_STACKS", "1").run().succeeded();
        let before = sites(&ran, ".");
        assert!(
            before
                .iter()
                .all(|row| !row["name"].as_str().unwrap_or_default().contains(".c:"))
        );
        let done = ran.iota("symbols . -o known.iota");
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        assert_all(&sites(&ran, "known.iota"));
    }
}

/// Lines of a program that was built anew would be wrong.
#[test]
fn a_program_that_was_built_anew() {
    let case = case().with(|program| program.flags("-Wl,--build-id"));
    let case = case.way(Way::Dynamic).env("IOTA_STACKS", "1");
    let ran = case
        .script("cp \"$1\" mine && exec ./mine out")
        .run()
        .succeeded();
    let symbols = |output: &str| {
        let done = ran.iota(&format!("symbols . -o ../{output}"));
        assert!(done.status.success(), "{done:?}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let said = symbols("before.iota");
    assert!(!said.contains("built anew"), "{said}");
    assert_all(&sites(&ran, "../before.iota"));
    let mut other = Command::new(Build::first().value("CC"));
    let other = other
        .args(["-Wl,--build-id", "-x", "c", "-", "-o"])
        .arg(ran.work().join("mine"))
        .stdin(Stdio::piped())
        .spawn();
    let mut other = other.expect("a compiler");
    let source = other.stdin.take().expect("piped");
    { source }
        .write_all(b"int main(void) { return 0; }")
        .expect("a pipe");
    assert!(other.wait().expect("a compiler").success());
    let said = symbols("after.iota");
    assert!(said.contains("/mine: built anew since it ran"), "{said}");
    let rows = sites(&ran, "../after.iota");
    let is_place = |row: &Value| {
        row["name"]
            .as_str()
            .is_some_and(|name| name.contains("mine+0x"))
    };
    assert!(rows.iter().any(is_place), "{rows:#?}");
}

#[test]
fn without_the_option_there_are_none() {
    let ran = run(case(), "").succeeded();
    assert_eq!(sites(&ran, "run.iota"), Vec::<Value>::new());
}

#[test]
fn lines_of_ranks() {
    for (name, version) in [named::mpich_4, named::openmpi_4] {
        let Some((build, _turn)) = mpi_of_version_is_wanted(name, version) else {
            continue;
        };
        let case = Case::mpi("mpiio_striped.c", build, 2).args("out");
        let case = case
            .with(|program| program.flags(DEBUGGING))
            .way(Way::Dynamic);
        let ran = case.env("IOTA_STACKS", "1").run().succeeded();
        let done = ran.iota("symbols run.iota -o known.iota");
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        let rows = sites(&ran, "known.iota");
        let place = line_of("mpiio_striped.c", "MPI_File_write_at(");
        let name = format!("main (mpiio_striped.c:{place})");
        let row = rows.iter().find(|row| row["name"] == name.as_str());
        let row = row.unwrap_or_else(|| panic!("no {name}: {rows:#?}"));
        assert_eq!(row["bytes_written"], 16 << 20, "calls below MPI-IO: {row}");
    }
}
