//! Sites in the trace of a test program whose lines say how many bytes they write.

use crate::ran::Ran;
use crate::root;
use serde_json::Value;

/// The line of a test program that has a comment
pub fn line_of(source: &str, comment: &str) -> usize {
    let path = root().join("tests/programs").join(source);
    let text = std::fs::read_to_string(path).expect("a source");
    let found = text.lines().position(|line| line.contains(comment));
    1 + found.unwrap_or_else(|| panic!("{source}: no {comment}"))
}

/// The rows of `iota stat --by site`
pub fn sites(ran: &Ran, trace: &str) -> Vec<Value> {
    let output = ran.iota(&format!("stat --json --by site -n 0 {trace}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    let said: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {errors}"));
    said["tables"][0]["rows"]
        .as_array()
        .cloned()
        .unwrap_or_default()
}

/// How many calls of so many bytes the site makes whose line has that number as its comment, and what called it
pub fn written(rows: &[Value], source: &str, function: &str, bytes: usize) -> (u64, String) {
    let comment = match source.ends_with(".py") {
        true => format!("# {bytes}."),
        false => format!("/* {bytes} */"),
    };
    let name = format!("{function} ({source}:{})", line_of(source, &comment));
    let row = rows.iter().find(|row| row["name"] == name.as_str());
    let row = row.unwrap_or_else(|| panic!("no {name}: {rows:#?}"));
    let calls = row["bytes_written"].as_u64().expect("a number") / bytes as u64;
    (calls, row["caller"].as_str().unwrap_or_default().to_owned())
}
