//! Files of Rust stay short, as CONTRIBUTING.md says.

use iota_tests::{command_output, root, wanted};
use std::process::Command;

/// Lines that no file reaches
const MOST: usize = 400;

#[test]
fn files_stay_short() {
    // An archive of the sources has no list of them, and was made of files that had passed.
    if !wanted("git clone", root().join(".git").exists(), "clone iota") {
        return;
    }
    let mut git = Command::new("git");
    git.args(["-c", "safe.directory=*", "ls-files", "-z", "*.rs"]);
    let files = command_output(git.current_dir(root()));
    let files: Vec<_> = files.split_terminator('\0').collect();
    assert!(files.len() > 300, "{files:?}");
    let is_long = |file: &&str| {
        let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        text.lines().count() >= MOST
    };
    let long: Vec<_> = files.into_iter().filter(is_long).collect();
    assert_eq!(long, Vec::<&str>::new(), "{MOST} lines or more");
}
