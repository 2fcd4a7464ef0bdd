//! Whatever is wrong with the tracer's surroundings, the host runs on untouched and ends as it would have; the log says
//! what was wrong, and a trace that is lost is told once on standard error.

use iota_tests::machine::NAMESPACES;
use iota_tests::{Case, Ran, Way};
use std::path::Path;

fn writes() -> Case {
    Case::new("many.c").args("2000").way(Way::Static)
}

/// The host printed, left and ended as bare; what the tracer may say on standard error is apart.
fn untouched(case: &Case, ran: &Ran) {
    let bare = case.run_bare();
    assert!(!ran.output.timed_out, "it ended");
    assert_eq!(ran.stdout(), bare.stdout());
    assert_eq!(
        ran.output.code(),
        bare.output.code(),
        "{}",
        ran.output.errors()
    );
    assert!(
        ran.left() == bare.left(),
        "left by it: {:?}, bare: {:?}",
        ran.left().keys(),
        bare.left().keys()
    );
}

/// The same, and nothing on standard error either.
fn untouched_in_silence(case: &Case) -> Ran {
    let ran = case.run();
    untouched(case, &ran);
    assert_eq!(ran.output.errors(), "", "standard error");
    ran
}

/// The trace cannot be written: not a word on the host's streams, the calls stay in the spool, and the log knows why.
fn loses_its_trace(case: &Case, why: &str) -> Ran {
    let ran = untouched_in_silence(case);
    assert_eq!(ran.spooled().len(), 1, "where the calls stay");
    assert!(ran.log().contains(why), "the log says {why}: {}", ran.log());
    ran
}

#[test]
fn the_output_folder_is_missing() {
    loses_its_trace(
        &writes().env("IOTA_OUTPUT", "{}/no/such/folder/run"),
        "no/such/folder",
    );
}

#[test]
fn the_output_folder_is_a_file() {
    loses_its_trace(
        &writes().env("IOTA_OUTPUT", "/etc/passwd/run"),
        "/etc/passwd/run",
    );
}

#[test]
fn the_output_folder_is_read_only() {
    if NAMESPACES.is_here() {
        let mount = "mount -t tmpfs -o ro none {}/trace && \"$@\"";
        loses_its_trace(&writes().in_namespace(mount), "trace/run");
    }
}

/// Irregular calls, so that the trace is larger than the file system.
fn large() -> Case {
    Case::new("irregular.c")
        .args("400000")
        .way(Way::Static)
        .env("IOTA_BUFFER", "1m")
}

#[test]
fn the_output_disk_is_full() {
    if NAMESPACES.is_here() {
        let mount = "mount -t tmpfs -o size=256k none {}/trace && \"$@\"";
        loses_its_trace(&large().in_namespace(mount), "trace/run");
    }
}

#[test]
fn half_a_part_is_not_left_beside_the_output() {
    if NAMESPACES.is_here() {
        let mount =
            "mount -t tmpfs -o size=64k none {}/trace && \"$@\" && ls {}/trace {}/spool > {}/log2";
        let case = Case::new("irregular.c").args("40000").way(Way::Static);
        let ran = loses_its_trace(&case.in_namespace(mount), "trace/run");
        let listed = std::fs::read_to_string(ran.scratch_file("log2")).expect("it was listed");
        assert!(!listed.contains(".iota"), "{listed}");
        assert!(listed.contains(".spool"), "the calls stay there: {listed}");
    }
}

#[test]
fn the_spool_is_full() {
    if NAMESPACES.is_here() {
        let mount = "mount -t tmpfs -o size=256k none {}/spool && \"$@\"";
        let case = large().in_namespace(mount);
        let ran = case.run();
        untouched(&case, &ran);
        ran.trace().assert_whole();
        assert_eq!(
            ran.trace().count("pwrite"),
            400_000,
            "what the spool cannot take goes to the file"
        );
    }
}

#[test]
fn everything_is_full() {
    if NAMESPACES.is_here() {
        let mount =
            "mount -t tmpfs -o size=64k none {}/spool && mount --bind {}/spool {}/trace && \"$@\"";
        let case = large().in_namespace(mount);
        let ran = case.run();
        untouched(&case, &ran);
        assert_ne!(ran.log(), "");
    }
}

#[test]
fn no_spool_folder() {
    let ran = untouched_in_silence(&writes().env("IOTA_SPOOL", "{}/no/such/spool"));
    assert!(ran.log().contains("no/such/spool"), "{}", ran.log());
    ran.trace().assert_whole();
    assert_eq!(ran.trace().count("pwrite"), 2000);
}

#[test]
fn the_log_cannot_be_written() {
    for log in [
        "{}/no/such/folder/log",
        "/",
        "",
        "/dev/full",
        "/proc/version",
    ] {
        untouched_in_silence(&writes().env("IOTA_LOG", log).env("IOTA_BUFFER", "nonsense"));
    }
}

/// Somebody else may have put it where the log is to be.
#[test]
fn a_log_that_is_a_link_is_not_followed() {
    let link = |dir: &Path| {
        std::fs::write(dir.join("precious"), "precious").expect("writable");
        std::os::unix::fs::symlink("precious", dir.join("link")).expect("writable");
    };
    let case = writes().prepare(link).env("IOTA_BUFFER", "nonsense");
    let ran = untouched_in_silence(&case.env("IOTA_LOG", "{}/link"));
    let precious = std::fs::read_to_string(ran.scratch_file("precious"));
    assert_eq!(precious.expect("there"), "precious");
}

#[test]
fn output_to_a_device() {
    for device in [
        "/dev/full",
        "/dev/null",
        "/dev/stdout",
        "/proc/self/fd/1",
        "/",
    ] {
        let case = writes().env("IOTA_OUTPUT", device);
        untouched(&case, &case.run());
    }
    for made in ["/dev/full.iota", "/dev/null.iota", "/dev/stdout.iota"] {
        // The tracer may write beside a device; the test takes it away again.
        let _ = std::fs::remove_file(made);
    }
}

#[test]
fn nonsense_in_variables_is_logged_and_ignored() {
    let nonsense = [
        ("IOTA_BUFFER", "plenty"),
        ("IOTA_BUFFER", "-1"),
        ("IOTA_BUFFER", "99999999999999999999g"),
        ("IOTA_FLUSH", "perhaps"),
        ("IOTA_STACKS", "all"),
        ("IOTA_GATHER", "soon"),
        ("IOTA_ENABLE", "maybe"),
        ("IOTA_FORMAT", "xml"),
        ("IOTA_FILES", "*,[abc"),
        ("IOTA_EXCLUDE", "\\"),
    ];
    for (name, value) in nonsense {
        let ran = untouched_in_silence(&writes().env(name, value));
        assert!(ran.log().contains(name), "{name}={value}: {}", ran.log());
        assert_eq!(ran.log().lines().count(), 1, "one line: {}", ran.log());
        ran.trace().assert_whole();
        assert_eq!(ran.trace().count("pwrite"), 2000, "{name}={value}");
    }
}

#[test]
fn odd_values_that_are_not_wrong() {
    let odd = [
        ("IOTA_BUFFER", "0"),
        ("IOTA_BUFFER", ""),
        ("IOTA_BUFFER", "1"),
        ("IOTA_FILES", ""),
        ("IOTA_FILES", ",,*,"),
        ("IOTA_EXCLUDE", ""),
        ("IOTA_OUTPUT", "{}/trace/run%"),
        ("IOTA_OUTPUT", "{}/trace/run.iota.iota"),
        ("IOTA_SPOOL", ""),
    ];
    for (name, value) in odd {
        let ran = untouched_in_silence(&writes().env(name, value));
        ran.trace().assert_whole();
        assert_eq!(ran.trace().count("pwrite"), 2000, "{name}={value}");
    }
}

#[test]
fn values_longer_than_any_path() {
    let long = "x".repeat(100_000);
    for name in [
        "IOTA_SPOOL",
        "IOTA_LOG",
        "IOTA_EXCLUDE",
        "IOTA_FILES",
        "IOTA_BUFFER",
    ] {
        let case = writes().env(name, &long);
        untouched(&case, &case.run());
    }
    // As if it were not set: the trace is in the working directory, by its usual name.
    let ran = writes().env("IOTA_OUTPUT", &long).run().succeeded();
    assert!(
        ran.log().contains("IOTA_OUTPUT") && ran.left().len() == 2,
        "{} {:?}",
        ran.log(),
        ran.left().keys()
    );
    let long_output = format!("{{}}/trace/{}", "n".repeat(300));
    loses_its_trace(&writes().env("IOTA_OUTPUT", long_output), "nnn");
}

#[test]
fn bytes_that_are_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let odd = std::ffi::OsStr::from_bytes(b"/tmp/\xff\xfe\n\x01");
    for name in ["IOTA_SPOOL", "IOTA_LOG", "IOTA_FILES", "IOTA_BUFFER"] {
        let case = writes().env(name, odd);
        untouched(&case, &case.run());
    }
}

#[test]
fn switched_off_hooks_pass_everything_on() {
    for source in ["aio.c", "spawning.c", "system_calls.c", "streams.c"] {
        for way in Way::TRACED {
            let case = Case::new(source).way(way).env("IOTA_ENABLE", "0");
            assert_eq!(
                untouched_in_silence(&case).trace_files(),
                Vec::<String>::new()
            );
        }
    }
}

#[test]
fn the_environment_is_empty() {
    let ran = untouched_in_script("env -i \"$@\"");
    assert_eq!(ran.log(), "");
}

/// The host in a script of its own, with its trace in the working directory left out of the comparison.
fn untouched_in_script(script: &str) -> Ran {
    let case = writes().script(script);
    let (bare, ran) = (case.run_bare(), case.run());
    assert_eq!(
        (ran.stdout(), ran.output.code()),
        (bare.stdout(), bare.output.code()),
        "{}",
        ran.output.errors()
    );
    ran
}

#[test]
fn standard_descriptors_are_closed() {
    for way in Way::TRACED {
        let case = Case::new("close_all.c")
            .way(way)
            .script("\"$@\" <&- 2>&- >{}/work/out");
        untouched_in_silence(&case);
    }
}

#[test]
fn all_three_standard_descriptors_are_closed() {
    let case = Case::new("processes.c")
        .way(Way::Dynamic)
        .script("\"$@\" <&- 2>&- >&-");
    untouched_in_silence(&case);
}

#[test]
fn file_sizes_are_limited() {
    // SIGXFSZ would end the host.
    for limit in [0, 8, 200] {
        let case = Case::new("irregular.c")
            .args("100000 /dev/null")
            .way(Way::Static)
            .env("IOTA_BUFFER", "1m");
        let case = case.script(&format!("ulimit -f {limit} && \"$@\""));
        untouched(&case, &case.run());
    }
}

#[test]
fn no_descriptor_is_left() {
    let case = writes().script("ulimit -n 4 && \"$@\"");
    untouched_in_silence(&case).trace().assert_whole();
    let case = writes().args("many").script("ulimit -n 3 && \"$@\"");
    untouched(&case, &case.run());
}

#[test]
fn memory_is_limited() {
    for kilobytes in [5_000, 20_000, 100_000] {
        let case = writes().script(&format!("ulimit -v {kilobytes} && \"$@\""));
        untouched(&case, &case.run());
    }
}

#[test]
fn the_working_directory_is_gone() {
    let case = Case::new("many.c")
        .args("2000 1 /dev/null")
        .way(Way::Static);
    let case = case.script("mkdir {}/gone && cd {}/gone && rmdir {}/gone && \"$@\"");
    untouched_in_silence(&case).trace().assert_whole();
    let case = case.env("IOTA_OUTPUT", "");
    untouched(&case, &case.run());
}

#[test]
fn the_file_system_is_read_only() {
    if NAMESPACES.is_here() {
        let script = "mount -t tmpfs -o ro none {}/work && cd {}/work && \"$@\"";
        loses_its_trace(
            &writes().env("IOTA_OUTPUT", "").in_namespace(script),
            "errno 30",
        );
    }
}

#[test]
fn no_proc_file_system() {
    if NAMESPACES.is_here() {
        let ran =
            untouched_in_silence(&writes().in_namespace("mount -t tmpfs none /proc && \"$@\""));
        assert_eq!(ran.trace().count("pwrite"), 2000);
    }
}
