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
fn wraps_txt_is_one_line_with_the_response_file_and_the_library() {
    let line = printed(&["wraps-line", "--lib-dir", "/opt/iota/lib"]);
    let expected = "-Wl,@/opt/iota/lib/libiota.rsp -Wl,-u,iota_start -L/opt/iota/lib/link \
                    -L/opt/iota/lib -Wl,--push-state,--no-as-needed -liota -Wl,--pop-state -lpthread -ldl\n";
    assert_eq!(line, expected);
}

#[test]
fn a_static_link_is_not_told_to_wrap_what_would_harm_it() {
    let flags = printed(&["wraps"]);
    let wraps = |name: &str| flags.lines().any(|flag| flag == format!("--wrap={name}"));
    assert!(wraps("open"), "{flags}");
    for name in ["gets", "glob"] {
        assert!(!wraps(name), "{name}");
    }
}

#[test]
fn exports_of_the_shared_library_have_both_names() {
    let names = printed(&["exports", "--flavour", "preload"]);
    assert!(
        names.lines().any(|name| name == "pwrite64")
            && names.lines().any(|name| name == "__wrap_pwrite64")
    );
    let names = printed(&["exports", "--flavour", "wrap"]);
    assert!(
        !names.lines().any(|name| name == "pwrite64")
            && names.lines().any(|name| name == "__wrap_pwrite64")
    );
}

#[test]
fn bad_usage_is_refused() {
    refused(&[], "usage:");
    refused(&["wraps", "--lib-dir", "/lib"], "usage:");
    refused(&["exports", "--flavour", "static"], "no flavour `static`");
    refused(&["wraps-line", "--lib-dir", "lib"], "not an absolute path");
    refused(&["wraps-line", "--lib-dir", "/my files"], "white space");
}

#[test]
fn a_compiler_that_cannot_be_asked_is_named() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gen-wraps"));
    let output = command
        .args(["exports", "--flavour", "wrap"])
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
