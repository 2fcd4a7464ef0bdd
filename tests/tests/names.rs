//! Names of traces where there are older ones.

use iota_tests::{Case, Trace, Way, machine::STRACE, strace};

fn hundred() -> Case {
    Case::new("many.c").args("100").way(Way::Static)
}

#[test]
fn an_older_trace_is_never_overwritten() {
    let older = |dir: &std::path::Path| {
        std::fs::write(dir.join("trace/run.iota"), "older").expect("writable");
        std::os::unix::fs::symlink("nowhere", dir.join("trace/run.1.iota")).expect("writable");
    };
    let ran = hundred().prepare(older).run().succeeded().quiet();
    let (files, own) = (ran.trace_files(), ran.own_names());
    assert!(files.len() == 3 && own.len() == 1, "{files:?}");
    assert_eq!(
        std::fs::read(ran.trace_dir().join("run.iota")).expect("still there"),
        b"older"
    );
    assert!(
        ran.trace_dir().join("run.1.iota").is_symlink(),
        "a link, and not followed"
    );
    assert_eq!(
        Trace::read(&ran.trace_dir().join(&own[0])).count("pwrite"),
        100
    );
}

#[test]
fn three_names_are_tried_whatever_the_directory_holds() {
    if !STRACE.is_here() {
        return;
    }
    let many = "for n in 1 2 3 4 5 6 7 8; do \"$@\"; done";
    let ran = hundred().script(&format!(
        "{many}; strace -f -qq -e trace=open,openat -o {{}}/strace \"$@\""
    ));
    let ran = ran.run().succeeded();
    let (files, own) = (ran.trace_files(), ran.own_names());
    assert_eq!((files.len(), own.len()), (9, 7), "{files:?}");
    let calls = strace::read(&ran.scratch_file("strace"));
    let tries = calls
        .iter()
        .filter(|call| call.args.contains("O_EXCL") && call.args.contains("/trace/run"));
    let results: Vec<_> = tries.map(|call| call.errno.as_str()).collect();
    assert_eq!(results, ["EEXIST", "EEXIST", ""]);
}
