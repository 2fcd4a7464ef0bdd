//! From which lines of Python calls are made (`iota run --stacks`).

use super::{programs, pythons, run};
use iota_tests::sites::{line_of, sites, written};
use serde_json::Value;

const SOURCE: &str = "python_stacks.py";
/// The first version whose functions are found.
const FIRST: (u32, u32) = (3, 9);

fn assert_all(rows: &[Value]) {
    let written = |function: &str, bytes| written(rows, SOURCE, function, bytes);
    let main = |comment| Some(format!("main ({SOURCE}:{})", line_of(SOURCE, comment)));
    let (calls, caller) = written("write_deep", 12);
    assert_eq!((calls, &*caller), (3, ""), "from two functions");
    assert_eq!(written("write_in_thread", 13), (200, String::new()));
    let (calls, caller) = written("writes", 14);
    assert_eq!((calls, Some(caller)), (10, main("sum(")));
    let (calls, caller) = written("__setitem__", 15);
    assert_eq!((calls, Some(caller)), (1, main("sink[")), "through pathlib");
    let (calls, caller) = written("__del__", 16);
    assert_eq!((calls, Some(caller)), (1, main("del sink")));
    assert_eq!(written("write_in_child", 17).0, 6);
    let (calls, caller) = written("compare", 18);
    assert_eq!((calls, Some(caller)), (3, main("sorted(")), "through C");
    let (calls, _) = written("write_for_ever", 19);
    assert!(calls > 0);
    // A call of several lines is on the first of them, or on that of its arguments.
    let first = line_of(SOURCE, "def write_plain") + 1;
    let lines = (first..first + 3).map(|line| format!("write_plain ({SOURCE}:{line})"));
    let names: Vec<_> = lines.map(Value::from).collect();
    let plain: Vec<_> = rows
        .iter()
        .filter(|row| names.contains(&row["name"]))
        .collect();
    let bytes = plain.iter().filter_map(|row| row["bytes_written"].as_u64());
    assert_eq!(bytes.sum::<u64>(), 1100, "{rows:#?}");
    assert_eq!(
        plain[0]["caller"].as_str().map(str::to_owned),
        main("# plain")
    );
    let made = rows
        .iter()
        .find(|row| row["name"] == "<module> (pläne.py:3)");
    let made = made.unwrap_or_else(|| panic!("no name beyond ASCII: {rows:#?}"));
    assert_eq!(made["bytes_written"], 20);
}

#[test]
fn lines_of_all_versions() {
    for python in pythons()
        .into_iter()
        .filter(|python| python.version >= FIRST)
    {
        let script = format!("{} {}/{SOURCE}", python.path.display(), programs());
        let ran = run(&script, "--stacks");
        assert_eq!(ran.stdout(), "done\n", "{:?}", python.version);
        assert_all(&sites(&ran, "."));
    }
}

/// What a person types has lines as well, and what libraries make at run time is theirs.
#[test]
fn lines_of_commands() {
    for python in pythons()
        .into_iter()
        .filter(|python| python.version >= FIRST)
    {
        let command = "import os, collections\nos.write(1, b'x' * 21)";
        let script = format!("{} -c \"{command}\"", python.path.display());
        let ran = run(&format!("{script} >out"), "--stacks");
        let rows = sites(&ran, ".");
        let row = rows.iter().find(|row| row["bytes_written"] == 21);
        let row = row.unwrap_or_else(|| panic!("{:?}: {rows:#?}", python.version));
        assert_eq!(row["name"], "<module> (<string>:2)");
    }
}
