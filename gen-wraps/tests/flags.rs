//! What a link is told, and what the libraries show.

use gen_wraps::{Flavour, exported_symbols, renamed_symbols, wrap_flags, wraps_line};
use iota_tests::bounded;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

#[test]
fn a_static_link_is_not_told_to_wrap_what_would_harm_it() {
    let flags = wrap_flags();
    let wraps = |name: &str| flags.lines().any(|flag| flag == format!("--wrap={name}"));
    assert!(wraps("open"), "{flags}");
    for name in ["gets", "glob"] {
        assert!(!wraps(name), "{name}");
    }
}

#[test]
fn exports_of_the_shared_library_have_both_names() {
    let is_among = |text: &str, name: &str| text.lines().any(|line| line == name);
    let names = exported_symbols(Flavour::Preload);
    assert!(is_among(&names, "pwrite64") && is_among(&names, "__wrap_pwrite64"));
    let names = exported_symbols(Flavour::Wrap);
    assert!(!is_among(&names, "pwrite64") && is_among(&names, "__wrap_pwrite64"));
}

#[test]
fn a_hook_has_another_name_in_each_flavour_unless_a_stub_calls_it() {
    for (flavour, expected) in [
        (Flavour::Wrap, "iota_hook_read __wrap_read"),
        (Flavour::Preload, "iota_hook_read read"),
    ] {
        let renames = renamed_symbols(flavour);
        assert!(renames.lines().any(|line| line == expected), "{flavour:?}");
        for stub in ["iota_hook_open ", "iota_hook_vfork "] {
            assert!(
                !renames.lines().any(|line| line.starts_with(stub)),
                "{stub}"
            );
        }
    }
}

/// scripts/wraps.sh with a line of build.rs
fn line(lib_dir: &str) -> Output {
    let parts = Path::new(env!("CARGO_TARGET_TMPDIR")).join("parts");
    fs::create_dir_all(&parts).expect("a directory");
    let line = wraps_line(Path::new("LIB_DIR"), "NEWER");
    fs::write(parts.join("wraps.txt"), line).expect("a written file");
    line_of(&parts, lib_dir)
}

fn line_of(parts: &Path, lib_dir: &str) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/wraps.sh");
    let mut command = Command::new(script);
    command.arg("line").arg(parts).arg(lib_dir);
    bounded(&mut command).output().expect("wraps.sh")
}

#[test]
fn wraps_txt_is_one_line_with_the_response_file_and_the_library() {
    let expected = "-Wl,@/opt/iota/lib/libiota.rsp -Wl,-u,iota_start -L/opt/iota/lib/link \
                    -L/opt/iota/lib -Wl,--push-state,--no-as-needed -liota -Wl,--pop-state -lpthread -ldl\n";
    let output = line("/opt/iota/lib");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn wraps_txt_has_the_flags_of_the_c_library_that_is_here() {
    let parts = Path::new(env!("CARGO_TARGET_TMPDIR")).join("newer");
    fs::create_dir_all(&parts).expect("a directory");
    let template = wraps_line(Path::new("LIB_DIR"), "NEWER");
    fs::write(parts.join("wraps.txt"), template).expect("a written file");
    for version in ["2.20", "2.27", "9.1"] {
        let file = parts.join(format!("GLIBC_{version}.rsp"));
        fs::write(file, "--wrap=x\n").expect("a written file");
    }
    let output = line_of(&parts, "/opt");
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = line.split(' ').collect::<Vec<_>>();
    assert_eq!(
        words.get(1),
        Some(&"-Wl,@/opt/libiota-GLIBC_2.27.rsp"),
        "{line}"
    );
}

#[test]
fn a_folder_that_no_link_line_can_name_is_refused() {
    for (folder, why) in [
        ("lib", "not an absolute path"),
        ("/my files", "white space"),
        ("/a,b", "a comma"),
    ] {
        let output = line(folder);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{folder}");
        assert!(output.stdout.is_empty() && said.contains(why), "{said}");
    }
}
