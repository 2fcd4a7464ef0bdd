//! The table's signatures are those of the C library's headers.

use gen_wraps::{Libc, signatures};
use iota_tests::wanted;
use std::io::Write;
use std::process::{Command, Stdio};

fn checked() -> String {
    signatures(&Libc::probe().expect("a C library"))
}

/// What a C compiler has to say of a source
fn complaints(source: &str, flags: &[&str]) -> String {
    let mut cc = Command::new("cc");
    cc.args(flags)
        .args(["-Wall", "-Wextra", "-fsyntax-only", "-x", "c", "-"]);
    let mut running = cc
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cc");
    running
        .stdin
        .take()
        .expect("a pipe")
        .write_all(source.as_bytes())
        .expect("a fed compiler");
    let output = running.wait_with_output().expect("cc");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_signature_is_the_headers() {
    let source = checked();
    for flags in [
        &[] as &[&str],
        &["-std=gnu99"],
        &["-std=gnu11"],
        &["-O2", "-D_FORTIFY_SOURCE=2"],
        &["-U_FILE_OFFSET_BITS"],
        &["-D_FILE_OFFSET_BITS=64"],
    ] {
        assert_eq!(complaints(&source, flags), "", "{flags:?}");
    }
}

/// Whether the header of an optional library is here
fn has_header(name: &str) -> bool {
    let include = format!("#include <{name}.h>\n");
    wanted(
        &format!("{name}.h"),
        complaints(&include, &[]).is_empty(),
        &format!("Debian: {name}-dev"),
    )
}

#[test]
fn a_wrong_signature_is_seen() {
    let source = checked();
    for (right, wrong) in [
        (
            "SAME(pwrite64, ssize_t, (int, const void *, size_t, off64_t))",
            "SAME(pwrite64, ssize_t, (int, const void *, size_t, int))",
        ),
        ("SAME(fread, size_t,", "SAME(fread, int,"),
        (
            "SAME(open, int, (const char *, int, ...))",
            "SAME(open, int, (const char *, int, mode_t))",
        ),
        (
            "SAME_WITHOUT_RETURN(_exit, void, (int))",
            "SAME(_exit, void, (int))",
        ),
        (
            "SAME(io_submit, int, (io_context_t, long,",
            "SAME(io_submit, int, (io_context_t, int,",
        ),
        (
            "SAME(io_uring_submit, int, (struct io_uring *))",
            "SAME(io_uring_submit, int, (struct io_uring **))",
        ),
        (
            "SAME(__xstat, int, (int, const char *, struct stat *))",
            "SAME(__xstat, int, (const char *, struct stat *))",
        ),
    ] {
        let optional = [("io_submit", "libaio"), ("io_uring_submit", "liburing")];
        let mut header = optional
            .iter()
            .filter(|(function, _)| right.contains(&format!("({function},")));
        if header.next().is_some_and(|(_, header)| !has_header(header)) {
            continue;
        }
        assert!(source.contains(right), "{right}");
        let complaint = complaints(&source.replace(right, wrong), &[]);
        assert!(complaint.contains("signature of"), "{wrong}: {complaint}");
    }
}
