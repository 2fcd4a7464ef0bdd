//! OTF2 archives that cannot be written: nothing half has the output's name.

use crate::common::trace::{Part, writes};
use crate::common::{Dir, small};
use crate::printed::{assert_sound, events, is_wanted};
use std::os::unix::process::CommandExt;

#[test]
fn an_archive_is_replaced_by_force_and_nothing_else_is() {
    if !is_wanted() {
        return;
    }
    let dir = Dir::new()
        .with("run.iota", &small(1))
        .with("run.otf2.txt", b"");
    let convert = |args: &[&str]| dir.run([&["convert", "run.iota", "-o"], args].concat());
    convert(&["run.otf2"]).whole();
    let said = convert(&["run.otf2"]);
    assert!(
        said.failed()
            .contains("run.otf2: exists already; give another name, or --force")
    );
    convert(&["run.otf2/", "--force", "--where", "class=write"]).whole();
    assert_eq!(assert_sound(&events(&dir.file("run.otf2"))), 3);
    std::fs::write(dir.file("run.otf2/notes"), "mine").unwrap();
    let said = convert(&["run.otf2", "--force"]);
    assert!(
        said.failed().contains("--force does not replace it"),
        "{said:?}"
    );
    let said = convert(&["run.iota", "--to", "otf2", "--force"]);
    assert!(said.failed().contains("is read, as run.iota"), "{said:?}");
    let said = convert(&["-", "--to", "otf2"]);
    assert!(said.failed().contains("is a directory"), "{said:?}");
    let said = convert(&["some.otf2", "--shards", "2"]);
    assert!(said.failed().contains("only parquet"), "{said:?}");
    assert_eq!(dir.names(), ["run.iota", "run.otf2", "run.otf2.txt"]);
}

#[test]
fn a_full_disk_leaves_nothing_under_the_name() {
    if !is_wanted() {
        return;
    }
    let mut part = Part::new(0, 1, 0);
    part.file(1, b"/a").calls(&writes(20_000, 8));
    let dir = Dir::new().with("run.iota", &part.finish());
    // Events that are flushed on the way; definitions at the end; the file that names both.
    for limit in [300_000, 1000, 10] {
        let mut command = dir.iota();
        command.args(["convert", "run.iota", "-o", "out.otf2"]);
        // SAFETY: both calls may be made between fork and exec.
        unsafe {
            command.pre_exec(move || {
                let (rlim_cur, rlim_max) = (limit, limit);
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
                match libc::setrlimit(libc::RLIMIT_FSIZE, &libc::rlimit { rlim_cur, rlim_max }) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        let output = command.output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{limit}: {error}");
        assert_eq!(
            error.trim_end(),
            "iota: out.otf2: libotf2: File is too large"
        );
        assert_eq!(dir.names(), ["run.iota"], "{limit}");
    }
}

#[test]
fn without_the_library_it_is_told_what_is_missing() {
    let dir = Dir::new().with("run.iota", &small(1));
    let failed = |library: &str| {
        let mut command = dir.iota();
        command.args(["convert", "run.iota", "-o", "run.otf2"]);
        let output = command.env("IOTA_OTF2", library).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(dir.names(), ["run.iota"]);
        String::from_utf8(output.stderr).unwrap()
    };
    let error = failed("/nowhere/libotf2.so");
    assert_eq!(error.lines().count(), 1, "{error}");
    for told in [
        "libotf2 3.x",
        "/nowhere/libotf2.so",
        "install OTF2",
        "IOTA_OTF2",
    ] {
        assert!(error.contains(told), "{error}");
    }
    let error = failed("libc.so.6");
    assert!(error.contains("libc.so.6: has no OTF2_"), "{error}");
}
