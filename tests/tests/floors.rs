//! ARCHITECTURE.md's tables and the workspace say the same: imports go down only, hooks take little from outside, and
//! whatever comes from outside has its reason.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

type Words = BTreeSet<String>;

/// A package of the workspace
struct Package {
    /// What it links when it runs, by the words of the table where it is of the workspace
    links: Words,
    /// Likewise what its build scripts and tests use as well
    all: Words,
}

/// The last part of a folder's name; of the root the package's
fn word(folder: &Path) -> String {
    let relative = folder.strip_prefix(iota_tests::root()).unwrap_or(folder);
    let name = relative.file_name().unwrap_or("iota".as_ref());
    name.to_string_lossy().into_owned()
}

fn metadata() -> Value {
    let mut command = Command::new(env!("CARGO"));
    let args = "metadata --format-version 1 --no-deps --offline";
    command
        .args(args.split(' '))
        .current_dir(iota_tests::root());
    serde_json::from_str(&iota_tests::command_output(&mut command)).expect("cargo prints JSON")
}

fn name(value: &Value) -> String {
    value["name"].as_str().expect("a name").into()
}

fn list<'a>(value: &'a Value, of: &str) -> &'a [Value] {
    value[of].as_array().expect("a list")
}

/// Each package of the workspace, by the word that the table has for it
fn workspace() -> BTreeMap<String, Package> {
    let metadata = metadata();
    let packages = list(&metadata, "packages").iter();
    let folder = |package: &Value| {
        let manifest = package["manifest_path"].as_str().expect("a path");
        word(Path::new(manifest).parent().expect("a folder"))
    };
    let words: BTreeMap<_, _> = packages.clone().map(|p| (name(p), folder(p))).collect();
    let used = |package: &Value, when_it_runs: bool| {
        let all = list(package, "dependencies").iter();
        let some = all.filter(|used| !when_it_runs || used["kind"].is_null());
        some.map(name)
            .map(|name| words.get(&name).cloned().unwrap_or(name))
            .collect()
    };
    let package = |package: &Value| Package {
        links: used(package, true),
        all: used(package, false),
    };
    packages.map(|p| (folder(p), package(p))).collect()
}

/// Rows of the table of ARCHITECTURE.md under a heading, without its head
fn table(heading: &str) -> Vec<Vec<String>> {
    let page = std::fs::read_to_string(iota_tests::root().join("ARCHITECTURE.md")).expect("text");
    let part = page.split("\n## ").find(|part| part.starts_with(heading));
    let rows = part.expect("the heading").lines();
    let rows = rows.filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let cells = |row: &str| row.split(" | ").map(str::to_owned).collect();
    rows.skip(1).map(cells).collect()
}

fn words(text: &str) -> Words {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    text.split(|c| !is_part(c)).map(str::to_owned).collect()
}

/// What each package may use, by the table of folders
fn house() -> BTreeMap<String, Words> {
    let row = |row: Vec<String>| {
        let folder = row[0].split('`').nth(1).expect("a folder").to_owned();
        let folder = iota_tests::root().join(folder);
        assert!(folder.is_dir(), "{}: there is none", folder.display());
        let has_package = folder.join("Cargo.toml").exists();
        has_package.then(|| (word(&folder), words(&row[2])))
    };
    table("Where things are")
        .into_iter()
        .filter_map(row)
        .collect()
}

/// What it may use, and what that may use
fn below(house: &BTreeMap<String, Words>, package: &str) -> Words {
    let own = house.get(package).cloned().unwrap_or_default();
    let theirs = own.iter().flat_map(|word| below(house, word));
    own.iter().cloned().chain(theirs).collect()
}

#[test]
fn every_package_has_a_row_and_every_row_a_package() {
    let rows: Vec<_> = house().into_keys().collect();
    assert_eq!(rows, workspace().into_keys().collect::<Vec<_>>());
}

#[test]
fn imports_go_down_only() {
    let (workspace, house) = (workspace(), house());
    for (name, package) in &workspace {
        let below = below(&house, name);
        assert!(!below.contains(name), "{name} stands on itself");
        let inside = package.links.iter().filter(|l| workspace.contains_key(*l));
        let wrong: Vec<_> = inside.filter(|link| !below.contains(*link)).collect();
        assert!(wrong.is_empty(), "{name} may not import {wrong:?}");
        let told = house[name].iter().filter(|l| workspace.contains_key(*l));
        let idle: Vec<_> = told.filter(|word| !package.all.contains(*word)).collect();
        assert!(idle.is_empty(), "{name} does not use {idle:?}");
    }
}

#[test]
fn the_command_knows_nothing_of_the_runtime() {
    let below = below(&house(), "cli");
    assert!(!below.contains("runtime"), "{below:?}");
}

#[test]
fn hooks_take_little_from_outside() {
    let (workspace, house) = (workspace(), house());
    let mut hooks: Words = ["iota", "preload"].map(String::from).into();
    hooks.extend(below(&house, "iota"));
    hooks.retain(|word| workspace.contains_key(word));
    assert!(hooks.contains("runtime") && hooks.contains("mpi"));
    for hook in hooks {
        let below = below(&house, &hook);
        let links = workspace[&hook].links.iter();
        let outside = links.filter(|link| !workspace.contains_key(*link));
        let wrong: Vec<_> = outside.filter(|link| !below.contains(*link)).collect();
        assert!(wrong.is_empty(), "{hook} takes {wrong:?} from outside");
    }
}

#[test]
fn what_comes_from_outside_has_its_reason() {
    let workspace = workspace();
    let rows = table("Dependencies, and why");
    let told: Words = rows.iter().flat_map(|row| words(&row[0])).collect();
    let used: Words = workspace.values().flat_map(|p| p.all.clone()).collect();
    let outside = used.iter().filter(|name| !workspace.contains_key(*name));
    let untold: Vec<_> = outside.filter(|name| !told.contains(*name)).collect();
    assert!(untold.is_empty(), "of {untold:?} nobody says why");
    let idle = told
        .iter()
        .filter(|name| !name.is_empty() && !used.contains(*name));
    assert_eq!(idle.collect::<Vec<_>>(), Vec::<&String>::new(), "not used");
}
