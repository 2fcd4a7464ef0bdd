//! What a process that was killed had recorded, `iota recover` brings back: every call that had returned, once.
//!
//! `IOTA_KILLS` says how often each program is killed; 1,000 are for long runs.

use iota_tests::{Build, Call, Case, Limited, Ran, Trace, Way, mpi_is_wanted};
use iota_trace::part::reason;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// Kills of a program in one test.
fn kills() -> u64 {
    let wished = std::env::var("IOTA_KILLS").ok();
    wished.map_or(6, |kills| kills.parse().expect("IOTA_KILLS is a number"))
}

/// A number below `limit`, another one each time.
fn random(limit: u64) -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let mixed = now.expect("after 1970").as_nanos() as u64 ^ u64::from(std::process::id());
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % limit
}

fn recover(ran: &Ran, args: &[&str]) -> Limited {
    let mut command = Command::new(Build::first().iota());
    command
        .arg("recover")
        .args(args)
        .args(["--spool", "../spool"]);
    let output = command
        .current_dir(ran.trace_dir())
        .env_remove("IOTA_SPOOL")
        .output();
    let output = output.expect("iota runs");
    Limited {
        stdout: output.stdout,
        stderr: output.stderr,
        status: output.status,
        timed_out: false,
    }
}

/// Recovers all, and fails unless nothing is left to do.
fn recovered(ran: &Ran) -> Trace {
    let said = recover(ran, &["run.iota"]);
    assert_eq!(said.code(), 0, "{}", said.errors());
    assert_eq!(ran.spooled(), Vec::<String>::new(), "{}", said.errors());
    let trace = Trace::read(&ran.trace_dir().join("run.iota"));
    trace.assert_whole();
    trace
}

/// Killed after so many calls that a buffer of 1 MiB was full.
const SPILLED: &str = "kill 500000";

/// Loops without end, killed after so many microseconds.
fn killed(threads: u64, micros: u64, how: &str) -> Case {
    Case::new("killed.c").args(&format!("{threads} {micros} {how}"))
}

/// What each thread had counted when it was killed.
fn returned(ran: &Ran, threads: u64) -> Vec<u64> {
    let bytes = std::fs::read(ran.work().join("returned")).expect("the program wrote it");
    let counts = bytes.as_chunks::<8>().0.iter().copied();
    counts
        .map(u64::from_le_bytes)
        .take(threads as usize)
        .collect()
}

/// Fails unless the trace holds of each thread what had returned, in order, and at most the call in flight.
fn assert_all_there(ran: &Ran, trace: &Trace, threads: u64) {
    for (thread, returned) in (0..threads).zip(returned(ran, threads)) {
        let writes = writes(trace, thread);
        let found = writes.len() as u64;
        assert!(
            (returned..=returned + 1).contains(&found),
            "thread {thread}: {returned} had returned, {found} recovered"
        );
        assert!(writes.is_sorted_by_key(|call| call.id), "in their order");
        assert_renames(trace, thread, returned);
    }
}

/// A thread's writes, of which each must be there once.
fn writes(trace: &Trace, thread: u64) -> Vec<&Call> {
    let of = |call: &&Call| &*call.op == "pwrite" && call.offset as u64 >> 50 == thread;
    let writes: Vec<&Call> = trace.calls().filter(of).collect();
    let numbers = writes
        .iter()
        .map(|call| call.offset as u64 >> 20 & 0x3FFF_FFFF);
    assert!(
        numbers.eq(0..writes.len() as u64),
        "thread {thread}: each write once"
    );
    writes
}

/// Calls of two paths, with their names, each new.
fn assert_renames(trace: &Trace, thread: u64, returned: u64) {
    let prefix = format!("/from-{thread}-");
    let of = |call: &&Call| {
        &*call.op == "rename" && String::from_utf8_lossy(&call.path).contains(&prefix)
    };
    let renames: Vec<&Call> = trace.calls().filter(of).collect();
    let least = returned.div_ceil(64);
    assert!(
        (least..=least + 1).contains(&(renames.len() as u64)),
        "thread {thread}: {} renames of {least}",
        renames.len()
    );
    for (n, call) in renames.iter().enumerate() {
        let names = [&call.path, &call.second_path].map(|path| path.escape_ascii().to_string());
        let number = n * 64;
        assert!(
            names[0].ends_with(&format!("/from-{thread}-{number}"))
                && names[1].ends_with(&format!("/to-{thread}-{number}")),
            "{call}, {}",
            names[1]
        );
    }
}

fn assert_killed_and_recovered(case: &Case, threads: u64) -> Trace {
    let ran = case.run().ended_with(128 + libc::SIGKILL);
    let trace = recovered(&ran);
    assert_all_there(&ran, &trace, threads);
    let end = trace.only().end.expect("whole");
    assert_eq!(end.reason, reason::RECOVERED);
    trace
}

fn killed_at_random(way: Way, threads: u64) {
    for _ in 0..kills() {
        assert_killed_and_recovered(&killed(threads, random(1 << 16), "").way(way), threads);
    }
}

#[test]
fn static_programs_killed() {
    killed_at_random(Way::Static, 1);
}

#[test]
fn dynamic_programs_killed() {
    killed_at_random(Way::Dynamic, 1);
}

#[test]
fn preloaded_programs_killed() {
    killed_at_random(Way::Preload, 1);
}

#[test]
fn threads_killed() {
    for way in Way::TRACED {
        killed_at_random(way, 3);
    }
}

/// Forked, it has a spool of its own; its parent ends as usual.
#[test]
fn forked_children_killed() {
    for way in Way::TRACED {
        for _ in 0..kills().div_ceil(3) {
            let case = killed(2, random(1 << 16), "kill 1 child").way(way);
            let ran = case.run().succeeded();
            let trace = recovered(&ran);
            assert_all_there(&ran, &trace, 2);
            let ends = trace.parts.iter().map(|part| part.end.as_ref());
            let mut reasons: Vec<u8> = ends.map(|end| end.expect("whole").reason).collect();
            reasons.sort();
            assert_eq!(reasons, [reason::EXIT, reason::RECOVERED]);
        }
    }
}

#[test]
fn killed_after_spilling() {
    for _ in 0..kills().div_ceil(3) {
        let case = killed(2, random(1 << 16), SPILLED).env("IOTA_BUFFER", "1m");
        assert_killed_and_recovered(&case.way(Way::Static), 2);
    }
}

#[test]
fn killed_while_flushing() {
    for _ in 0..kills().div_ceil(3) {
        let case = killed(1, random(1 << 16), SPILLED).env("IOTA_FLUSH", "1");
        let ran = case.way(Way::Preload).run().ended_with(128 + libc::SIGKILL);
        assert_eq!(ran.trace_files(), ["run.0.iota"], "something was spilled");
        assert_all_there(&ran, &recovered(&ran), 1);
        assert_eq!(ran.trace_files(), ["run.iota"]);
    }
}

#[test]
fn faults_and_aborts() {
    let ran = killed(2, 20_000, "segv").way(Way::Dynamic).run();
    let ran = ran.ended_with(128 + libc::SIGSEGV);
    assert_all_there(&ran, &recovered(&ran), 2);
    // abort is a call that the tracer sees: it writes the trace itself, while the other thread goes on.
    let ran = killed(1, 20_000, "abort").way(Way::Static).run();
    let ran = ran.ended_with(128 + libc::SIGABRT).quiet();
    let trace = ran.trace();
    trace.assert_whole();
    let found = writes(&trace, 0).len() as u64;
    assert!((1..=returned(&ran, 1)[0] + 1).contains(&found), "{found}");
}

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
            .contains("taken: exists, and is not of this run")
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
    assert!(errors.contains("lives, and is left alone"), "{errors}");
    assert_eq!(ran.spooled().len(), 1);
    assert_all_there(&ran, &recovered(&ran), 1);
}

#[test]
fn damaged_and_foreign_spools_are_told() {
    let ran = one_killed();
    let dir = ran.scratch_file("spool");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(dir.join(name), bytes).expect("writable");
    };
    write("iota-0-1-1.spool", b"IOTASPL9 of another version");
    write("iota-0-1-2.spool", b"nonsense");
    write("iota-0-1-3.spool", b"IOTASPL3");
    write("iota-0-1-4.spool", &[0; 40_000]);
    let said = recover(&ran, &["run.iota"]);
    let errors = said.errors();
    assert_eq!(said.code(), 2, "{errors}");
    for part in [
        "1-1.spool: byte 0: a spool of format IOTASPL9, but this iota reads IOTASPL3",
        "1-2.spool: byte 0: not a spool of iota",
        "1-3.spool: byte 8: the file is cut off",
        "/run.iota: 1 process recovered",
    ] {
        assert!(errors.contains(part), "{part} in {errors}");
    }
    assert_all_there(&ran, &ran.trace(), 1);
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

/// Rank 1 of 3 is killed; whatever the others did then, each rank is there, once, with all that it wrote.
fn assert_ranks_recovered(build: &'static Build, args: &str) {
    let ran = Case::mpi("mpi_killed.c", build, 3).args(args).run();
    let trace = recovered(&ran);
    // What MPI called after the gathering is a part of its own.
    let mut seen = ranks(&trace);
    seen.dedup();
    assert_eq!(seen, [0, 1, 2], "{args}");
    for rank in 0..3 {
        let name = format!("/own.{rank}");
        let parts = trace.parts.iter().filter(|part| part.rank == rank);
        let written = parts.flat_map(|part| part.written());
        let own = written.filter(|(path, _)| path.ends_with(name.as_bytes()));
        let bytes: u64 = own.map(|(_, bytes)| bytes).sum();
        assert_eq!(bytes, 100 * (10 + u64::from(rank)), "{args}");
    }
    assert!(trace.parts.iter().all(|part| part.size == 3));
    assert_eq!(ran.trace_files(), ["run.iota"]);
}

fn mpi_rank_killed(name: &str) {
    let Some((build, _turn)) = mpi_is_wanted(name) else {
        return;
    };
    assert_ranks_recovered(build, "1");
    // While the parts are gathered.
    for _ in 0..kills() / 2 {
        assert_ranks_recovered(build, &format!("1 {}", 1 + random(10_000)));
    }
}

#[test]
fn a_killed_rank_of_mpich() {
    mpi_rank_killed("mpich");
}

#[test]
fn a_killed_rank_of_open_mpi() {
    mpi_rank_killed("openmpi");
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

/// Two ranks of a job that no MPI started: one ends by itself, the other one is killed.
const TWO_RANKS: &str =
    "export SLURM_JOB_ID=7; PMI_RANK=0 \"$@\" abort & PMI_RANK=1 \"$@\"; wait; ";

fn ranks(trace: &Trace) -> Vec<u32> {
    trace.parts.iter().map(|part| part.rank).collect()
}

#[test]
fn parts_beside_the_output_are_joined() {
    let case = killed(1, 30_000, "").way(Way::Static);
    let ran = case
        .script(&format!("{TWO_RANKS} exit 0"))
        .run()
        .succeeded();
    assert_eq!(ran.trace_files(), ["run.0.iota"]);
    let trace = Trace::read(&ran.trace_dir().join("run.0.iota"));
    let by_itself = trace.only().calls.len();
    let said = recover(&ran, &["run.iota"]);
    assert_eq!(said.code(), 0, "{}", said.errors());
    let trace = ran.trace();
    trace.assert_whole();
    assert_eq!(ranks(&trace), [0, 1]);
    assert_eq!(trace.parts[0].calls.len(), by_itself);
    assert_eq!(ran.trace_files(), ["run.iota"]);
}

#[test]
fn two_runs_of_a_job_stay_apart() {
    let case = killed(1, 30_000, "").way(Way::Static);
    let script = format!("{TWO_RANKS}{TWO_RANKS} exit 0");
    let ran = case.script(&script).run().succeeded();
    assert_eq!(ran.trace_files(), ["run.0.iota", "run.1.0.iota"]);
    let said = recover(&ran, &["."]);
    assert_eq!(said.code(), 0, "{}", said.errors());
    assert_eq!(ran.trace_files(), ["run.1.iota", "run.iota"]);
    let traces = ran.trace_files();
    let traces = traces
        .iter()
        .map(|name| Trace::read(&ran.trace_dir().join(name)));
    let starts: Vec<i64> = traces
        .inspect(|trace| assert_eq!(ranks(trace), [0, 1]))
        .map(|trace| trace.start)
        .collect();
    assert!(starts[0] > starts[1], "the first run has the plain name");
}
