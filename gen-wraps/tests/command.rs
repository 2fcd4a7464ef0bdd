//! The command prints what it is asked for, and says what was wrong otherwise.

use std::process::{Command, Output};

fn gen_wraps(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gen-wraps"))
        .args(args)
        .output()
        .expect("gen-wraps")
}

fn printed(args: &[&str]) -> String {
    let output = gen_wraps(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[track_caller]
fn refused(args: &[&str], why: &str) {
    let output = gen_wraps(args);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert!(
        output.stdout.is_empty() && said.starts_with("gen-wraps: ") && said.contains(why),
        "{args:?}: {said}"
    );
}

#[test]
fn the_table_is_rendered() {
    let text = printed(&["calls-md"]);
    assert!(text.contains("pwrite64"), "{text}");
}

#[test]
fn bad_usage_is_refused() {
    refused(&[], "usage:");
    refused(&["calls-md", "--lib-dir", "/lib"], "usage:");
    refused(
        &["--probe", "f", "-o", "/my files/f.o"],
        "white space or a comma",
    );
}

#[test]
fn a_compiler_that_cannot_be_asked_is_named() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gen-wraps"));
    let output = command
        .arg("signatures")
        .env("CC", "no-such-compiler")
        .output()
        .expect("gen-wraps");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said.contains("no-such-compiler -print-file-name=libc.so.6"),
        "{said}"
    );
}
