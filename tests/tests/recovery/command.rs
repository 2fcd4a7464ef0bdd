//! The command itself: run twice, on what is there already, on what is damaged, and where it puts things.

use super::*;
use iota_tests::machine::NAMESPACES;
use iota_trace::spool::MAGIC;

fn one_killed() -> Ran {
    killed(1, 5_000, "")
        .way(Way::Static)
        .run()
        .ended_with(128 + libc::SIGKILL)
}

fn bytes(file: &Path) -> Vec<u8> {
    std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn a_second_time_changes_nothing() {
    let ran = one_killed();
    let file = ran.trace_dir().join("run.iota");
    let first = recover(&ran, &["run.iota", "--keep"]);
    assert!(
        first.code() == 0 && first.errors().contains("/run.iota: 1 process recovered"),
        "{}",
        first.errors()
    );
    let (written, spools) = (bytes(&file), ran.spooled());
    assert_eq!(spools.len(), 1, "kept");
    for args in [
        &["run.iota", "--keep"][..],
        &["run.iota"],
        &["run.iota"],
        &["."],
    ] {
        let said = recover(&ran, args);
        assert_eq!(said.code(), 0, "{}", said.errors());
        assert!(
            said.errors().contains("nothing to recover"),
            "{}",
            said.errors()
        );
        assert!(bytes(&file) == written, "changed by {args:?}");
    }
    assert_eq!(ran.spooled(), Vec::<String>::new(), "gone at last");
    assert_eq!(ran.trace_files(), ["run.iota"]);
}

#[test]
fn a_second_time_after_spilling_changes_nothing() {
    let case = killed(1, 0, SPILLED)
        .env("IOTA_FLUSH", "1")
        .way(Way::Static);
    let ran = case.run().ended_with(128 + libc::SIGKILL);
    recover(&ran, &["run.iota", "--keep"]);
    let file = ran.trace_dir().join("run.iota");
    let written = bytes(&file);
    assert_eq!(ran.trace_files(), ["run.0.iota", "run.iota"]);
    let said = recover(&ran, &["run.iota"]);
    assert_eq!(said.code(), 0, "{}", said.errors());
    assert!(bytes(&file) == written, "the same");
    assert_eq!(ran.trace_files(), ["run.iota"]);
    assert_all_there(&ran, &ran.trace(), 1);
}

#[test]
fn the_trace_of_another_run_is_left_alone() {
    let twice = killed(1, 5_000, "").script("\"$@\"; \"$@\"; exit 0");
    let ran = twice.way(Way::Static).run().succeeded();
    assert_eq!(ran.spooled().len(), 2);
    std::fs::write(ran.trace_dir().join("run.iota"), "older").expect("writable");
    let said = recover(&ran, &["."]);
    assert_eq!(said.code(), 0, "{}", said.errors());
    assert_eq!(bytes(&ran.trace_dir().join("run.iota")), b"older");
    assert_eq!(ran.trace_files(), ["run.1.iota", "run.2.iota", "run.iota"]);
    for name in ["run.1.iota", "run.2.iota"] {
        Trace::read(&ran.trace_dir().join(name))
            .only()
            .assert_whole();
    }
}

#[test]
fn another_name_for_the_output() {
    let ran = one_killed();
    for _ in 0..2 {
        let said = recover(&ran, &["run.iota", "-o", "other.iota", "--keep"]);
        assert_eq!(said.code(), 0, "{}", said.errors());
    }
    assert_eq!(ran.trace_files(), ["other.iota"]);
    std::fs::write(ran.trace_dir().join("taken"), "taken").expect("writable");
    let said = recover(&ran, &["run.iota", "-o", "taken"]);
    assert_eq!(said.code(), 2);
    assert!(
        said.errors()
            .contains("taken: exists and does not belong to this run")
    );
    assert_eq!(ran.spooled().len(), 1, "nothing was given up");
}

#[test]
fn spools_are_listed_and_the_living_left_alone() {
    let script = "\"$@\" & sleep 0.3; {}/iota recover --list --spool {}/spool; \
        {}/iota recover {}/trace/run.iota --spool {}/spool >&2; echo $?; kill -9 $!; wait";
    let link = |dir: &Path| {
        std::os::unix::fs::symlink(Build::first().iota(), dir.join("iota")).expect("writable");
    };
    let case = killed(1, 50_000_000, "").way(Way::Static).prepare(link);
    let ran = case.script(script).run();
    let (said, errors) = (ran.stdout(), ran.output.errors());
    assert!(
        said.contains("alive") && said.contains("/trace/run.iota"),
        "{said}"
    );
    assert!(said.ends_with("\n0\n"), "{said}");
    assert!(errors.contains("is still running; skipped"), "{errors}");
    assert_eq!(ran.spooled().len(), 1);
    assert_all_there(&ran, &recovered(&ran), 1);
}

#[test]
fn spools_of_another_host_wait_until_that_is_said_to_be_gone() {
    if !NAMESPACES.is_here() {
        return;
    }
    let named = "hostname elsewhere && exec \"$@\"";
    let case = killed(1, 5_000, "").way(Way::Static);
    let ran = case
        .script(&format!(
            "unshare --uts --map-root-user sh -c '{named}' sh \"$@\""
        ))
        .run()
        .ended_with(128 + libc::SIGKILL);
    let said = recover(&ran, &["run.iota"]);
    assert!(
        said.errors().contains("ran on elsewhere"),
        "{}",
        said.errors()
    );
    assert_eq!(ran.trace_files(), Vec::<String>::new());
    let said = recover(&ran, &["run.iota", "--other-hosts"]);
    assert_eq!(said.code(), 0, "{}", said.errors());
    assert_all_there(&ran, &ran.trace(), 1);
}

#[test]
fn damaged_and_foreign_spools_are_told() {
    let ran = one_killed();
    let dir = ran.scratch_file("spool");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(dir.join(name), bytes).expect("writable");
    };
    let output = ran.trace_dir().join("run").into_os_string();
    let foreign = ["IOTASPL9 ", output.to_str().expect("text")].concat();
    write("iota-0-1-1.spool", foreign.as_bytes());
    write("iota-0-1-2.spool", b"nonsense");
    write("iota-0-1-3.spool", &MAGIC.to_le_bytes());
    write("iota-0-1-4.spool", &[0; 40_000]);
    let said = recover(&ran, &["run.iota"]);
    let errors = said.errors();
    assert_eq!(said.code(), 2, "{errors}");
    for part in [
        "1-1.spool: byte 0: a spool of format IOTASPL9, but this iota reads IOTASPL",
        "1-2.spool: byte 0: not a spool of iota",
        "1-3.spool: byte 8: the file is cut off",
        "/run.iota: 1 process recovered",
    ] {
        assert!(errors.contains(part), "{part} in {errors}");
    }
    assert_all_there(&ran, &ran.trace(), 1);
}

#[test]
fn spools_of_another_version_do_not_fail_the_recovery_of_other_runs() {
    let ran = one_killed();
    let spool = ran.scratch_file("spool").join("iota-0-1-1.spool");
    std::fs::write(spool, b"IOTASPL9 of /another/run").expect("writable");
    let said = recover(&ran, &["run.iota"]);
    let errors = said.errors();
    assert_eq!(said.code(), 0, "{errors}");
    let note = "left alone: 1 spool of other runs and another version of iota";
    assert!(errors.contains(note), "{errors}");
    assert_all_there(&ran, &ran.trace(), 1);
    let said = recover(&ran, &["--list"]);
    assert_eq!(said.code(), 2, "{}", said.errors());
    assert!(said.errors().contains("a spool of format IOTASPL9"));
}

#[test]
fn calls_left_out_are_counted() {
    let case = killed(1, 30_000, "").env("IOTA_EXCLUDE", "/dev/null");
    let ran = case.way(Way::Static).run().ended_with(128 + libc::SIGKILL);
    let (trace, returned) = (recovered(&ran), returned(&ran, 1)[0]);
    let filtered = trace.only().end.expect("whole").filtered;
    assert!(
        (returned..=returned + 2).contains(&filtered),
        "{filtered} of {returned}"
    );
    assert_renames(&trace, 0, returned);
}

#[test]
fn patterns_in_names_are_expanded() {
    let case = killed(1, 5_000, "").env("IOTA_OUTPUT", "{}/trace/run-%r-%p");
    let ran = case.way(Way::Static).run().ended_with(128 + libc::SIGKILL);
    let said = recover(&ran, &["."]);
    assert_eq!(said.code(), 0, "{}", said.errors());
    let [name] = &ran.trace_files()[..] else {
        panic!("one trace: {:?}", ran.trace_files())
    };
    assert!(
        name.starts_with("run-0-") && name.ends_with(".iota"),
        "{name}"
    );
    assert_all_there(&ran, &ran.trace(), 1);
}

#[test]
fn what_could_not_be_written_is_recovered_when_it_can() {
    let case = Case::new("many.c").args("1000").way(Way::Static);
    let ran = case
        .env("IOTA_OUTPUT", "{}/trace/later/run.iota")
        .run()
        .succeeded();
    assert_eq!(ran.spooled().len(), 1);
    let said = recover(&ran, &["later/run.iota"]);
    assert_eq!(
        (said.code(), ran.spooled().len()),
        (2, 1),
        "{}",
        said.errors()
    );
    std::fs::create_dir(ran.trace_dir().join("later")).expect("writable");
    let said = recover(&ran, &["later/run.iota"]);
    assert_eq!(
        (said.code(), ran.spooled().len()),
        (0, 0),
        "{}",
        said.errors()
    );
    let trace = Trace::read(&ran.trace_dir().join("later"));
    trace.assert_whole();
    assert_eq!(trace.count("pwrite"), 1000);
}
