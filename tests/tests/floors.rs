//! The house of ARCHITECTURE.md: imports go down only, and the floors below the hooks take nothing from outside.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Every package of the workspace and the ones of the workspace that it may use when it runs.
const FLOORS: &[(&str, &[&str])] = &[
    ("iota-calls", &[]),
    ("iota-trace", &["iota-calls"]),
    ("iota-runtime", &["iota-trace", "iota-calls"]),
    ("iota-mpi", &["iota-runtime", "iota-trace", "iota-calls"]),
    (
        "iota",
        &["iota-runtime", "iota-calls", "iota-trace", "iota-mpi"],
    ),
    (
        "iota-preload",
        &["iota-runtime", "iota-calls", "iota-trace", "iota-mpi"],
    ),
    ("gen-wraps", &["iota-calls"]),
    ("iota-analysis", &["iota-calls", "iota-trace"]),
    ("iota-lustreapi", &["iota-trace"]),
    ("iota-otf2", &[]),
    (
        "iota-cli",
        &[
            "iota-calls",
            "iota-trace",
            "iota-analysis",
            "iota-plot",
            "iota-report",
            "iota-lustreapi",
            "iota-load",
            "iota-otf2",
        ],
    ),
    ("iota-plot", &["iota-calls", "iota-trace", "iota-analysis"]),
    ("iota-report", &["iota-trace", "iota-analysis", "iota-plot"]),
    ("iota-load", &["iota-calls"]),
    ("iota-load-mpi", &["iota-load"]),
    ("iota-tests", &["gen-wraps", "iota-calls", "iota-trace"]),
];

/// What hooks may use from outside the workspace.
const OUTSIDE: &[(&str, &[&str])] = &[
    ("iota-calls", &[]),
    ("iota-runtime", &["libc"]),
    ("iota", &["libc"]),
    ("iota-preload", &["libc"]),
    ("iota-mpi", &["libc", "mpi-sys"]),
];

fn metadata() -> Value {
    let mut command = Command::new(env!("CARGO"));
    command
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(iota_tests::root());
    serde_json::from_str(&iota_tests::command_output(&mut command)).expect("cargo prints JSON")
}

/// Each package of the workspace with what it links when it runs; build scripts and tests may use more.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list of packages");
    packages
        .iter()
        .map(|package| (name(package), links(package)))
        .collect()
}

fn name(value: &Value) -> String {
    value["name"].as_str().expect("a name").into()
}

fn links(package: &Value) -> BTreeSet<String> {
    let all = package["dependencies"]
        .as_array()
        .expect("a list of dependencies");
    all.iter()
        .filter(|dependency| dependency["kind"].is_null())
        .map(name)
        .collect()
}

fn allowed(table: &'static [(&str, &[&str])], package: &str) -> Option<&'static [&'static str]> {
    table.iter().find(|row| row.0 == package).map(|row| row.1)
}

#[test]
fn every_package_stands_on_a_floor() {
    for package in imports().keys() {
        assert!(
            allowed(FLOORS, package).is_some(),
            "{package} stands on no floor: add it to this test"
        );
    }
}

#[test]
fn imports_go_down_only() {
    let imports = imports();
    for (package, links) in &imports {
        for link in links.iter().filter(|link| imports.contains_key(*link)) {
            let below = allowed(FLOORS, package).unwrap_or_default();
            assert!(
                below.contains(&link.as_str()),
                "{package} may not import {link}"
            );
        }
    }
}

#[test]
fn the_command_knows_nothing_of_the_runtime() {
    let imports = imports();
    let mut seen = BTreeSet::from(["iota-cli".to_string()]);
    let mut next = vec!["iota-cli".to_string()];
    while let Some(package) = next.pop() {
        let below = imports
            .get(&package)
            .into_iter()
            .flatten()
            .filter(|link| imports.contains_key(*link));
        next.extend(below.filter(|link| seen.insert((*link).clone())).cloned());
    }
    assert!(!seen.contains("iota-runtime"), "{seen:?}");
}

#[test]
fn hooks_take_little_from_outside() {
    let imports = imports();
    for (package, outside) in OUTSIDE {
        let links = imports
            .get(*package)
            .unwrap_or_else(|| panic!("no package {package}"));
        let foreign = links.iter().filter(|link| !imports.contains_key(*link));
        let wrong: Vec<&String> = foreign
            .filter(|link| !outside.contains(&link.as_str()))
            .collect();
        assert!(wrong.is_empty(), "{package} takes {wrong:?} from outside");
    }
}
