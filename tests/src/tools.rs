//! What the tests need of the machine, and what they say when it is not there.

use std::io::Write;
use std::path::{Path, PathBuf};

/// True when `IOTA_TESTS_WITHOUT` (a list with commas) names `what`; says so, past libtest's capture, because a test that
/// did not run is to be seen.
pub fn without(what: &str) -> bool {
    let list = std::env::var("IOTA_TESTS_WITHOUT").unwrap_or_default();
    let named = list.split(',').any(|each| each.trim() == what);
    if named {
        let test = std::thread::current();
        let line = format!(
            "NOT RUN without {what} (IOTA_TESTS_WITHOUT): {}\n",
            test.name().unwrap_or("a test")
        );
        // A closed stderr is no reason to fail.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
    named
}

/// True when the test is to go on: `what` is there. False when `IOTA_TESTS_WITHOUT` names it; else the test fails.
pub fn wanted(what: &str, is_there: bool, remedy: &str) -> bool {
    if without(what) {
        return false;
    }
    assert!(
        is_there,
        "{what} is not here: {remedy}, or set IOTA_TESTS_WITHOUT={what}"
    );
    true
}

/// Where a command is on PATH.
pub fn find(command: &str) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(command.into()).filter(|path: &PathBuf| path.exists());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| Path::new(&dir).join(command))
        .find(|file| file.exists())
}

/// The compiler for a source file: the variable, or what it is called everywhere.
pub fn compiler(variable: &str, usual: &str) -> String {
    std::env::var(variable)
        .ok()
        .filter(|value| !value.is_empty())
        .unwrap_or_else(|| usual.into())
}
