//! What `otf2-print` says of an archive.

use crate::common::Dir;
use iota_tests::{bounded, find, wanted};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// True when otf2-print, and with it libotf2, is to be used.
pub fn is_wanted() -> bool {
    let is_there = find("otf2-print").is_some();
    wanted(
        "otf2-print",
        is_there,
        "scripts/deps.sh test gets it as root",
    )
}

/// What otf2-print says, without a warning
fn print(args: &[&str], archive: &Path) -> Vec<String> {
    let mut command = Command::new("otf2-print");
    command.args(args).arg(archive.join("traces.otf2"));
    let output = bounded(&mut command).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with("-----"));
    let said = lines.skip(1).filter(|line| !line.is_empty());
    said.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

pub fn definitions(archive: &Path) -> Vec<String> {
    print(&["-G"], archive)
}

/// An event
#[derive(Debug)]
pub struct Event {
    pub kind: String,
    pub location: u64,
    pub time: u64,
    /// Its fields, and what attributes add to them
    pub fields: String,
}

pub fn events(archive: &Path) -> Vec<Event> {
    let mut events = Vec::<Event>::new();
    for line in print(&[], archive) {
        if let Some(more) = line.strip_prefix("ADDITIONAL ATTRIBUTES: ") {
            let event = events.last_mut().unwrap();
            event.fields = format!("{} {more}", event.fields);
            continue;
        }
        let mut words = line.splitn(4, ' ');
        let mut next = || words.next().unwrap().to_owned();
        events.push(Event {
            kind: next(),
            location: next().parse().unwrap(),
            time: next().parse().unwrap(),
            fields: next(),
        });
    }
    events
}

/// A converted trace
pub fn archive(dir: &Dir, args: &[&str]) -> PathBuf {
    dir.run([&["convert", "run.iota", "-o", "run.otf2"], args].concat())
        .whole();
    dir.file("run.otf2")
}

pub fn told(events: &[Event]) -> String {
    let line = |e: &Event| format!("{} {} {} {}\n", e.location, e.time, e.kind, e.fields);
    events.iter().map(line).collect()
}

/// Times of a location grow, and calls lie within calls; says how many calls there are.
pub fn assert_sound(events: &[Event]) -> usize {
    let mut locations = BTreeMap::<u64, (u64, Vec<&str>)>::new();
    for event in events {
        let (last, open) = locations.entry(event.location).or_default();
        assert!(*last <= event.time, "{events:?}");
        *last = event.time;
        let region = event.fields.split(" (").next().unwrap();
        match event.kind.as_str() {
            "ENTER" => open.push(region),
            "LEAVE" => assert_eq!(open.pop(), Some(region), "{events:?}"),
            _ => {}
        }
    }
    assert!(locations.values().all(|(_, open)| open.is_empty()));
    events.iter().filter(|event| event.kind == "ENTER").count()
}

/// Bytes of operations of a mode, asked for and moved
pub fn moved(events: &[Event], mode: &str) -> (u64, u64) {
    let field = |event: &Event, name: &str| {
        let rest = event.fields.split(&format!("{name}: ")).nth(1).unwrap();
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        number.parse::<u64>().unwrap()
    };
    let begins = events.iter().filter(|e| e.kind == "IO_OPERATION_BEGIN");
    let begins: Vec<_> = begins
        .filter(|e| e.fields.contains(&format!("Mode: {mode}")))
        .collect();
    let ids: Vec<_> = begins.iter().map(|e| field(e, "Matching Id")).collect();
    let ends = events.iter().filter(|e| e.kind == "IO_OPERATION_COMPLETE");
    let ends = ends.filter(|e| ids.contains(&field(e, "Matching Id")));
    let asked = begins.iter().map(|e| field(e, "Bytes Request")).sum();
    (asked, ends.map(|e| field(e, "Bytes Result")).sum())
}
