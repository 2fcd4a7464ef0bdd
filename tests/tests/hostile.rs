//! Folders where others write, and programs with more rights than who starts them: no file of anybody's is touched, and
//! the host runs on.

use iota_tests::machine::{MORE_RIGHTS, SECOND_USER};
use iota_tests::{Case, Ran, Trace, Way};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

fn writes() -> Case {
    Case::new("many.c").args("2000").way(Way::Static)
}

/// Runs the case as a user without rights: as root in folders that are given to him. Whoever looks at them afterwards has
/// the right to list them.
const AS_A_USER: &str = "[ $(id -u) != 0 ] || { chmod 755 {} && chown 65534 {}/work {}/spool && \
    set -- setpriv --reuid=65534 --regid=65534 --clear-groups \"$@\"; }; \
    \"$@\"; s=$?; chmod u+rx {}/trace {}/spool; exit $s";

/// Root has every right, and can be another user only where the machine has one.
fn rights_are_limited() -> bool {
    // SAFETY: a plain system call.
    unsafe { libc::geteuid() != 0 || SECOND_USER.is_here() }
}

fn victim(dir: &Path) -> std::path::PathBuf {
    let victim = dir.join("victim");
    std::fs::write(&victim, "precious").expect("writable");
    victim
}

fn unharmed(ran: &Ran) {
    let victim = std::fs::read(ran.scratch_file("victim")).expect("still there");
    assert_eq!(victim, b"precious");
}

/// Links planted under every name that the tracer might take first.
fn links(dir: &Path) {
    let victim = victim(dir);
    for name in ["run.iota", "run.0.iota", "run.txt", "run.0.txt"] {
        symlink(&victim, dir.join("trace").join(name)).expect("writable");
    }
    std::fs::hard_link(&victim, dir.join("trace/run.1.iota")).expect("writable");
}

/// The name of the one trace for which none is left but its own.
fn own_name(ran: &Ran) -> String {
    let own = ran.own_names();
    assert_eq!(own.len(), 1, "{:?}", ran.trace_files());
    own[0].clone()
}

#[test]
fn a_link_where_the_trace_goes_is_stepped_over() {
    for (name, value, file) in [
        ("IOTA_FLUSH", "0", None),
        ("IOTA_FLUSH", "1", Some("run.1.0.iota")),
        ("IOTA_FORMAT", "text", Some("run.1.txt")),
    ] {
        let ran = writes().prepare(links).env(name, value).run().succeeded();
        unharmed(&ran);
        let file = file.map_or_else(|| own_name(&ran), String::from);
        let data = ran.trace_dir().join(&file).symlink_metadata();
        let data = data.unwrap_or_else(|error| panic!("{file}: {error}, {:?}", ran.trace_files()));
        assert!(data.is_file() && data.len() > 100, "{name}={value}");
        assert_eq!(data.permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_folder_where_all_may_write() {
    if !SECOND_USER.is_here() {
        return;
    }
    let sticky = |dir: &Path| {
        links(dir);
        for name in ["trace", "spool"] {
            let all = std::fs::Permissions::from_mode(0o1777);
            std::fs::set_permissions(dir.join(name), all).expect("it is ours");
        }
    };
    let ran = writes()
        .prepare(sticky)
        .script(AS_A_USER)
        .run()
        .succeeded()
        .quiet();
    unharmed(&ran);
    let file = ran.trace_dir().join(own_name(&ran));
    assert_eq!(Trace::read(&file).count("pwrite"), 2000);
    let data = file.metadata().expect("it was read");
    assert_eq!((data.uid(), data.mode() & 0o777), (65534, 0o600));
}

#[test]
fn a_folder_that_cannot_be_listed() {
    if !rights_are_limited() {
        return;
    }
    let blind = |dir: &Path| {
        for name in ["trace", "spool"] {
            let no_list = std::fs::Permissions::from_mode(0o333);
            std::fs::set_permissions(dir.join(name), no_list).expect("it is ours");
        }
    };
    let ran = writes()
        .prepare(blind)
        .script(AS_A_USER)
        .run()
        .succeeded()
        .quiet();
    assert_eq!(ran.trace().count("pwrite"), 2000);
}

#[test]
fn a_folder_that_is_another_s() {
    if !rights_are_limited() {
        return;
    }
    let theirs = |dir: &Path| {
        let closed = std::fs::Permissions::from_mode(0o500);
        std::fs::set_permissions(dir.join("trace"), closed).expect("it is ours");
    };
    let ran = writes().prepare(theirs).script(AS_A_USER).run().succeeded();
    assert_eq!(ran.output.errors(), "", "the host's stream is the host's");
    assert_eq!(ran.spooled().len(), 1, "where the calls stay");
}

/// Who may write in the spool's folder may put another file in its place.
#[test]
fn a_spool_that_is_no_longer_ours() {
    for way in [Way::Static, Way::Preload] {
        let spool = |dir: &Path| {
            let all = std::fs::Permissions::from_mode(0o777);
            std::fs::set_permissions(dir.join("spool"), all).expect("it is ours");
        };
        let case = Case::new("swapped.c").args("../spool").prepare(spool);
        let ran = case.way(way).run().succeeded();
        assert_eq!(ran.stdout(), "done 3000\n");
        let trace = ran.trace();
        trace.assert_whole();
        assert_eq!(trace.count("write"), 4 * 3000 + 1, "{way:?}");
        for name in ran.spooled() {
            let file = ran.scratch_file("spool").join(&name);
            let bytes = std::fs::read(file).expect("listed");
            assert!(name.ends_with(".moved") || bytes == b"theirs", "{name}");
        }
    }
}

#[test]
fn places_that_are_no_folders() {
    for (name, value) in [
        ("IOTA_SPOOL", "/proc/self/fd"),
        ("IOTA_SPOOL", "/dev/null"),
        ("IOTA_SPOOL", "../../../../../../../../.."),
        ("IOTA_BUFFER", "18446744073709551615"),
        ("IOTA_GATHER", "18446744073709551615"),
    ] {
        let ran = writes().env(name, value).run().succeeded();
        assert_eq!(ran.trace().count("pwrite"), 2000, "{name}={value}");
    }
}

/// As a program of root's that another user starts, or as one of a second group of ours.
const WITH_MORE_RIGHTS: &str = "chmod 755 {} && cp \"$1\" {}/host && shift && \
    if [ $(id -u) = 0 ]; then chmod 777 {}/work && chmod 4755 {}/host && \
    exec setpriv --reuid=65534 --regid=65534 --clear-groups {}/host \"$@\"; fi; \
    for g in $(id -G); do [ $g = $(id -g) ] || other=$g; done; chgrp $other {}/host && chmod 2755 {}/host && \
    exec {}/host \"$@\"";

/// Nor a trace where it is by default: who may start such a program chooses its folder.
#[test]
fn setuid_programs_are_not_traced() {
    if !MORE_RIGHTS.is_here() {
        return;
    }
    let case = writes();
    let bare = case.run_bare();
    for output in ["{}/trace/run.iota", ""] {
        let ran = case
            .clone()
            .script(WITH_MORE_RIGHTS)
            .env("IOTA_OUTPUT", output)
            .run()
            .succeeded();
        assert_eq!(ran.trace_files(), Vec::<String>::new());
        assert_eq!(ran.spooled(), Vec::<String>::new());
        assert_eq!(ran.log(), "", "a log where a user asked root to write");
        let names = |ran: &Ran| ran.left().into_keys().collect::<Vec<_>>();
        assert_eq!(names(&ran), names(&bare));
    }
}
