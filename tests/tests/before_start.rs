//! I/O before `.init_array` is recorded, or counted as missed: never passed over in silence.

use iota_tests::{Build, Case, Scratch, Way, command_output, in_each_way, root};
use std::process::Command;

fn looks_the_same(case: Case, way: Way) {
    let case = case.way(way);
    let (bare, traced) = (case.run_bare().succeeded(), case.run());
    traced.assert_same_as(&bare);
}

fn early() -> Case {
    Case::new("before_start.c").with(|program| program.flags("-Wno-prio-ctor-dtor"))
}

fn with_a_resolver() -> Case {
    early().with(|program| program.flags("-DRESOLVER"))
}

in_each_way! {
    looks_the_same:
    calls_before_init_array: early();
    calls_of_a_resolver: with_a_resolver();
}

/// What `.preinit_array` and a constructor wrote, in this order.
fn is_recorded(case: Case, way: Way) {
    let ran = case.way(way).run().succeeded().quiet();
    let trace = ran.trace();
    trace.assert_whole();
    let writes = trace.calls().filter(|call| call.op.as_ref() == "write");
    assert_eq!(
        writes.map(|call| call.length).collect::<Vec<_>>(),
        [5, 7],
        "{way:?}"
    );
}

in_each_way! {
    is_recorded:
    writes_of_preinit_array: early();
    writes_of_preinit_array_after_a_resolver: with_a_resolver();
}

/// A resolver runs before anything can be recorded.
fn is_counted(case: Case, way: Way) {
    let ran = case.way(way).run().succeeded();
    let trace = ran.trace();
    let end = trace.parts[0].end.expect("the process ended");
    let recorded = trace.calls().filter(|call| call.op.as_ref() == "access");
    assert_eq!((recorded.count(), end.missed), (1, 1), "{way:?}");
    let info = |options: &[&str]| {
        let mut command = Command::new(Build::first().iota());
        command_output(command.arg("info").args(options).arg(ran.trace_dir()))
    };
    let text = info(&[]);
    assert!(
        text.contains("1 call before the tracer could start"),
        "{text}"
    );
    assert!(!text.contains("complete   yes"), "{text}");
    let json: serde_json::Value = serde_json::from_str(&info(&["--json"])).expect("JSON");
    assert_eq!(json["calls"]["missed"], 1);
    assert_eq!(json["completeness"]["complete"], "no");
}

in_each_way! {
    is_counted:
    a_call_of_a_resolver: with_a_resolver();
}

/// A setting holds from the first call on.
#[test]
fn wishes_are_known_before_the_c_library_has_the_environment() {
    for way in [Way::Dynamic, Way::Preload] {
        let ran = early()
            .way(way)
            .env("IOTA_FILES", "*/preinit")
            .run()
            .succeeded();
        let trace = ran.trace();
        let writes = trace.calls().filter(|call| call.op.as_ref() == "write");
        assert_eq!(
            writes.map(|call| call.length).collect::<Vec<_>>(),
            [5],
            "{way:?}"
        );
        let ran = early().way(way).env("IOTA_ENABLE", "0").run().succeeded();
        assert_eq!(ran.trace_files(), Vec::<String>::new());
    }
}

/// With LD_BIND_NOW a library's resolver may run before iota's library has its addresses: its call fails, the host goes on.
#[test]
fn a_resolver_of_a_library_before_ours_is_in_place() {
    let script = "cc -shared -fPIC -o resolving.so \"$0\" && echo 'int lib_result(void); int main(void) { return lib_result(); }' >use.c \
        && cc -o use use.c ./resolving.so && LD_BIND_NOW=1 LD_PRELOAD=\"$1\" ./use";
    let scratch = Scratch::new();
    let mut shell = Command::new("sh");
    let source = root().join("tests/programs/resolving.c");
    shell
        .args(["-c", script])
        .arg(source)
        .arg(Build::first().library("libiota.so"));
    shell
        .current_dir(scratch.path())
        .env("IOTA_SPOOL", scratch.path());
    let output = shell.output().expect("a shell");
    assert_eq!(
        output.status.code(),
        Some(77),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
