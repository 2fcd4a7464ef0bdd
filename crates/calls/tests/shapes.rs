//! A new shape does not build until everything that treats shapes differently has decided what to do with it: that is a column
//! of the table of shapes.

use std::fs;
use std::path::{Path, PathBuf};

/// The hook of `syscall`, which does not build if it lacks the shape of a system call that it follows
const HOOK: &str = "crates/runtime/src/shape/syscall.rs";

/// Sources of the workspace, tests apart
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("the source tree");
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
fn nobody_names_shapes_but_the_table_and_the_hook_of_syscall() {
    let named: Vec<_> = sources()
        .into_iter()
        .filter(|path| names_shapes(&fs::read_to_string(path).expect("a source")))
        .collect();
    assert!(
        matches!(&named[..], [hook] if hook.ends_with(HOOK)),
        "{named:?}"
    );
}

#[test]
fn the_table_denies_an_arm_for_the_rest() {
    let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs");
    let lib = fs::read_to_string(lib).expect("a source");
    assert!(lib.contains("deny(clippy::wildcard_enum_match_arm"));
}
