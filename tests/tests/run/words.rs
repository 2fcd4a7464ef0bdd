//! What is said at the end: by `iota run` on its own standard error, by the commands that read, never by the tracer.

use super::{only_trace, run, shell, wait_until};
use iota_tests::machine::NAMESPACES;
use iota_tests::{Build, Case, Ran, Trace, Way, command_output, mpi_is_wanted, wanted};
use std::path::Path;
use std::process::{Command, Output};

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).into_owned()
}

fn is_root() -> bool {
    let id = command_output(Command::new("id").arg("-u"));
    let remedy = "run the tests as root, with setpriv of util-linux";
    wanted("root", id.trim() == "0", remedy)
}

/// A job that leaves its calls in the spool: there is no directory for its trace.
fn without_a_directory() -> Ran {
    let case = Case::new("many.c").args("100").way(Way::Static);
    let ran = case.env("IOTA_OUTPUT", "{}/nowhere/x").run().succeeded();
    assert_eq!(ran.output.errors(), "", "the host's stream");
    assert_eq!(ran.spooled().len(), 1);
    ran
}

#[test]
fn a_trace_that_could_not_be_written_is_found_by_the_words_of_info() {
    let ran = without_a_directory();
    let wanted = ran.scratch_file("nowhere/x.iota").display().to_string();
    let told = said(&ran.iota(&format!("info {wanted}")));
    let command = format!("iota recover {wanted} -o FILE");
    assert!(told.contains(&command), "{told}");
    let done = ran.iota(&format!("recover {wanted} -o back.iota --spool ../spool"));
    assert!(done.status.success(), "{}", said(&done));
    let trace = Trace::read(&ran.trace_dir().join("back.iota"));
    assert_eq!(trace.count("pwrite"), 100);
    assert_eq!(ran.spooled(), Vec::<String>::new());
}

#[test]
fn what_an_earlier_run_left_is_told_by_the_next() {
    let ran = without_a_directory();
    let told = said(&ran.iota("run -o next true"));
    assert!(
        told.contains("earlier runs left ") && told.contains("x.iota -o FILE` recovers them"),
        "{told}"
    );
    let quiet = said(&ran.iota("run -q -o next true"));
    assert_eq!(quiet, "");
}

#[test]
fn a_killed_process_of_the_run_is_missing_in_info() {
    let killed = "echo a >b; sh -c 'echo c >d; kill -KILL $$'; echo e >f";
    let ran = Case::shell(killed).way(Way::Preload).run().succeeded();
    let told = said(&ran.iota("info run.iota"));
    let verdict = told.lines().find(|line| line.starts_with("complete"));
    let verdict = verdict.expect("a verdict");
    assert!(
        verdict.contains("no: ") && verdict.contains("calls of 1 process without a trace in "),
        "{told}"
    );
    assert!(told.contains("run.iota` recovers them"), "{told}");
    let done = ran.iota("recover run.iota --spool ../spool");
    assert!(done.status.success(), "{}", said(&done));
    let told = said(&ran.iota("info run.iota"));
    assert!(
        told.contains("complete   unknown: 1 process killed, or"),
        "{told}"
    );
}

/// Root alone can become another user, and reads what that one left.
#[test]
fn another_users_process_says_nothing_and_is_in_the_trace() {
    if !is_root() {
        return;
    }
    let open = |dir: &Path| {
        let open = |name: &str, mode: u32| {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(dir.join(name), mode).expect("it is ours");
        };
        open("", 0o755);
        open("spool", 0o1777);
    };
    let script = "setpriv --reuid=65534 --regid=65534 --clear-groups cat /etc/passwd 2>err >/dev/null; cat err >&2";
    let ran = run(Case::shell(script).prepare(open), "").succeeded();
    let told = ran.output.errors();
    assert_eq!(told.lines().count(), 1, "{told}");
    assert!(told.contains("run.iota: "), "{told}");
    let trace = only_trace(&ran);
    let read = |call: &&iota_tests::Call| &*call.path == b"/etc/passwd";
    assert!(trace.calls().filter(read).count() > 0, "{told}");
}

#[test]
fn ranks_that_start_iota_run_do_not_say_that_nothing_was_traced() {
    let Some((build, _turn)) = mpi_is_wanted("openmpi") else {
        return;
    };
    let program = Case::mpi("mpi_files.c", build, 2).way(Way::Bare);
    let launcher = [build.words("MPIEXEC"), build.words("MPIEXEC_FLAGS")].concat();
    let script = format!(
        "exec {} -n 2 {} run {}",
        launcher.join(" "),
        build.iota().display(),
        program.executable().display()
    );
    let ran = Case::shell(&script).run().succeeded();
    let told = ran.output.errors();
    assert!(told.contains(", 2 ranks, "), "{told}");
    assert!(!told.contains("nothing was traced"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn ranks_without_mpi_name_their_traces_by_rank() {
    named_by_rank("mpich");
    named_by_rank("openmpi");
}

fn named_by_rank(mpi: &str) {
    let Some((build, _turn)) = mpi_is_wanted(mpi) else {
        return;
    };
    let launcher = [build.words("MPIEXEC"), build.words("MPIEXEC_FLAGS")].concat();
    let script = format!(
        "exec {} -n 3 {} run -q -o ../trace/k.iota -- cat /etc/passwd >/dev/null",
        launcher.join(" "),
        build.iota().display(),
    );
    let ran = Case::shell(&script).run().succeeded();
    assert_eq!(ran.trace_files(), ["k.0.iota", "k.1.iota", "k.2.iota"]);
    let told = said(&ran.iota("info k.iota"));
    assert!(told.contains("3 processes"), "{told}");
}

#[test]
fn what_a_run_has_that_goes_on_is_nothing_that_was_left() {
    let ran = Case::shell("true").run().succeeded();
    let script = "sh -c 'echo a >b; kill -KILL $$'; touch ready; for n in $(seq 100); do [ -e done ] || sleep 0.1; done";
    let mut first = Command::new(Build::first().iota());
    first
        .args(["run", "-q", "-o", "first", "sh", "-c", script])
        .current_dir(ran.trace_dir())
        .env("IOTA_SPOOL", ran.scratch_file("spool"));
    let mut first = first.spawn().expect("iota runs");
    wait_until(|| ran.trace_dir().join("ready").exists());
    assert!(
        !ran.spooled().is_empty(),
        "the killed process left its calls"
    );
    assert_eq!(said(&ran.iota("run -o next true")).lines().count(), 1);
    std::fs::write(ran.trace_dir().join("done"), "").expect("writable");
    assert!(first.wait().expect("it ends").success());
    assert_eq!(ran.spooled(), Vec::<String>::new());
}

fn complete(ran: &Ran) -> (bool, String) {
    let output = ran.iota("info --json run.iota");
    let all: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let completeness = &all["completeness"];
    let not_seen = completeness["not_seen"].to_string();
    (completeness["complete"] == "yes", not_seen)
}

#[test]
fn the_archive_in_a_dynamic_program_is_not_called_complete() {
    let many = || Case::new("many.c").args("10");
    let ran = many().with(|p| p.archive()).way(Way::Dynamic).run();
    let (is_complete, not_seen) = complete(&ran.succeeded());
    assert!(!is_complete && not_seen.contains("inside shared libraries of 1 process"));
    for way in Way::TRACED {
        let (is_complete, not_seen) = complete(&many().way(way).run().succeeded());
        assert!(is_complete, "{way:?}: {not_seen}");
    }
}

#[test]
fn programs_that_ran_untraced_are_named_in_info() {
    let ran = shell("env -i /bin/echo a; /bin/echo b", "").succeeded();
    let (is_complete, not_seen) = complete(&ran);
    assert!(!is_complete && not_seen.contains("1 program"), "{not_seen}");
    let ran = shell("/bin/echo a; /bin/echo b", "").succeeded();
    assert!(complete(&ran).0);
}

/// The folder where the parts go becomes full while the command runs.
#[test]
fn what_could_not_be_written_is_told_at_the_end() {
    if !NAMESPACES.is_here() {
        return;
    }
    let iota = Build::first().iota();
    let fills = "mount -t tmpfs -o size=4k none ../trace/.iota-run-* && \
        head -c 8192 /dev/zero >$(echo ../trace/.iota-run-*)/fill 2>/dev/null; cat /dev/null";
    let script = format!(
        "{} run -o ../trace/run.iota -- sh -c '{fills}'",
        iota.display()
    );
    let ran = Case::shell(&script)
        .in_namespace("\"$@\"")
        .run()
        .succeeded();
    let told = ran.output.errors();
    let left = ran.spooled().len();
    assert!(left > 0, "{told}");
    let wanted = format!("of {left} process");
    let line = told
        .lines()
        .find(|line| line.contains("could not be written"));
    let line = line.unwrap_or_else(|| panic!("{told}"));
    assert!(
        line.contains(&wanted) && line.contains(" are still in "),
        "{line}"
    );
    assert!(line.contains("`iota recover "), "{line}");
}

/// As `git clean -fdx` would: parts cannot be written, and are recovered from the spools.
#[test]
fn a_command_that_removes_where_its_parts_wait_leaves_its_trace() {
    let ran = shell("rm -r \"$(dirname \"$IOTA_OUTPUT\")\"; seq 3", "").succeeded();
    assert_eq!(ran.stdout(), "1\n2\n3\n");
    let trace = only_trace(&ran);
    let programs = super::programs(&trace);
    assert!(
        programs.contains("rm") && programs.contains("seq"),
        "{programs:?}"
    );
    let said = ran.output.errors();
    assert!(
        said.lines().count() == 1 && said.contains("run.iota: "),
        "{said}"
    );
}
