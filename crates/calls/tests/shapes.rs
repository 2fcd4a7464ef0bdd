//! A new shape does not build until everything that treats shapes differently has decided what to do with it: whoever
//! names variants matches all of them, with no arm for the rest.

use std::fs;
use std::path::{Path, PathBuf};

/// What makes clippy refuse an arm for the rest
const DENIED: &str = "deny(clippy::wildcard_enum_match_arm";

/// Sources of the workspace, tests apart
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let packages = fs::read_dir(root.join("crates")).expect("a folder");
    let packages = packages.map(|package| package.expect("a package").path());
    let beside = ["", "gen-wraps", "mpi"].map(|package| root.join(package));
    let mut folders: Vec<_> = packages
        .chain(beside)
        .map(|package| package.join("src"))
        .filter(|sources| sources.is_dir())
        .collect();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|is| is == "rs") => sources.push(path),
                false => {}
            }
        }
    }
    sources
}

fn names_shapes(text: &str) -> bool {
    let imports = text.split("use iota_calls::").skip(1);
    let imported = imports.filter_map(|import| import.split(';').next());
    let mut words = imported.flat_map(|import| import.split([',', '{', '}', ' ', '\n']));
    words.any(|word| word == "Shape") || text.contains("iota_calls::Shape")
}

#[test]
fn who_names_a_shape_matches_all() {
    let mut found = 0;
    for path in sources() {
        let text = fs::read_to_string(&path).expect("a source");
        if !names_shapes(&text) {
            continue;
        }
        found += 1;
        let path = path.display();
        assert!(
            text.contains(DENIED),
            "{path}: an arm for the rest is not denied"
        );
        let signs = ["== Shape::", "!= Shape::", "matches!"];
        let mut lines = text.lines().filter(|line| line.contains("Shape::"));
        let compared = lines.find(|line| signs.iter().any(|sign| line.contains(sign)));
        assert_eq!(compared, None, "{path}: not a match of all");
    }
    assert!(found >= 2, "the system calls and strace's logs name shapes");
}

#[test]
fn the_table_denies_an_arm_for_the_rest() {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let lib = fs::read_to_string(lib).expect("a source");
    assert!(lib.contains(DENIED));
}
