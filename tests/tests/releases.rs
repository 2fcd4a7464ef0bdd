//! What `make release` makes, where somebody unpacks it.

use iota_tests::{Build, Scratch, bounded, command_output, released};
use std::process::Command;

#[test]
fn where_it_is_unpacked() {
    let Some(release) = released(".tar.xz") else {
        return;
    };
    let scratch = Scratch::new();
    let place = scratch.dir("a place");
    let mut tar = Command::new("tar");
    command_output(tar.arg("-xf").arg(release).arg("-C").arg(&place));
    let tree = std::fs::read_dir(&place)
        .expect("a directory")
        .next()
        .expect("a tree")
        .expect("an entry")
        .path();
    let command = |iota: &std::path::Path, words: &[&str]| {
        let mut command = Command::new(iota);
        bounded(command.args(words)).output().expect("iota runs")
    };
    // A path that no link line can carry.
    let refused = command(&tree.join("bin/iota"), &["wraps"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(2) && said.contains("white space"),
        "{said}"
    );

    let tree = {
        let other = scratch.path().join("tree");
        std::fs::rename(tree, &other).expect("moved");
        other
    };
    let wraps = command(&tree.join("bin/iota"), &["wraps", "--glibc", "2.31"]);
    let line = String::from_utf8(wraps.stdout).expect("text");
    let lib = tree.join("lib").display().to_string();
    assert!(
        line.starts_with(&format!(
            "-Wl,@{lib}/libiota.rsp -Wl,@{lib}/libiota-GLIBC_2.30.rsp "
        )),
        "{line}"
    );
    let same = command(&Build::first().iota(), &["wraps"]);
    let built = std::fs::read_to_string(Build::first().value("IOTA_WRAPS")).expect("wraps.txt");
    assert_eq!(String::from_utf8_lossy(&same.stdout), built);
}
