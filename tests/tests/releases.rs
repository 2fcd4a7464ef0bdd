//! What `make release` makes, where somebody unpacks it.

use iota_tests::{Build, Scratch, bounded, command_output, released, root};
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

#[test]
fn what_the_page_says_of_an_archive() {
    let Some(archive) = released(".tar.xz") else {
        return;
    };
    let page = std::fs::read_to_string(root().join("docs/INSTALL.md")).expect("the page");
    let section = page.split("\n## ").nth(1).expect("sections");
    assert!(section.starts_with("From an archive"));
    let lines = section.lines().filter_map(|line| line.strip_prefix("    "));
    let prepare = "echo 'print(open(\"script.py\").read())' >script.py; \
        echo 'int main(void) { return 0; }' >app.c; mpicc -c app.c -o app.o";
    let script: Vec<_> = [prepare].into_iter().chain(lines).collect();
    let scratch = Scratch::new();
    std::fs::copy(
        &archive,
        scratch.path().join(archive.file_name().expect("a name")),
    )
    .expect("copied");
    let mut shell = Command::new("sh");
    shell
        .args(["-e", "-c", &script.join("\n")])
        .current_dir(scratch.path());
    assert!(command_output(&mut shell).contains("script.py"));
    let files = std::fs::read_dir(scratch.path()).expect("a directory");
    let names = files.map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("text")
    });
    let made = names
        .filter(|name| name == "app" || name.starts_with("python3-") && name.ends_with(".iota"));
    assert_eq!(made.count(), 2);
}
