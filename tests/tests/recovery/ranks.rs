//! Ranks of parallel programs, and runs of more than one process.

use super::*;
use iota_trace::read::Spool;
use std::path::Path;

/// Two ranks of a job that no MPI started: one ends by itself, the other one is killed.
const TWO_RANKS: &str =
    "export SLURM_JOB_ID=7; PMI_RANK=0 \"$@\" abort & PMI_RANK=1 \"$@\"; wait; ";

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

/// What a leading rank writes first into the job's file: when, and who it is.
fn mark(spool: &Path, pid_more: u32) -> Vec<u8> {
    let spool = Spool::open(spool).expect("a spool").expect("of a process");
    let mark = iota_trace::JobMark {
        when: u64::MAX,
        pid: spool.ids().pid + pid_more,
        ppid: spool.process().ppid,
    };
    mark.bytes().to_vec()
}

#[test]
fn an_empty_output_of_the_run_is_written_and_an_older_one_is_left() {
    for (age, files) in [
        (Duration::from_secs(2), &["run.iota"][..]),
        (Duration::from_secs(3600), &["run.1.iota", "run.iota"]),
    ] {
        let ran = killed(1, 30_000, "").way(Way::Static).run();
        let file = std::fs::File::create(ran.trace_dir().join("run.iota")).expect("a file");
        std::thread::sleep(Duration::from_secs(3));
        let made = SystemTime::now() - age;
        file.set_modified(made).expect("set");
        let said = recover(&ran, &["run.iota"]);
        assert_eq!(said.code(), 0, "{}", said.errors());
        assert_eq!(ran.trace_files(), files);
    }
}

#[test]
fn an_output_that_was_just_made_is_written_and_a_stranger_s_is_left() {
    for (pid_more, files) in [(0, &["run.iota"][..]), (1, &["run.1.iota", "run.iota"])] {
        let ran = killed(1, 30_000, "").way(Way::Static).run();
        let [spool] = &ran.spooled()[..] else {
            panic!("{:?}", ran.spooled())
        };
        let output = ran.trace_dir().join("run.iota");
        let spool = ran.scratch_file("spool").join(spool);
        std::fs::write(&output, mark(&spool, pid_more)).expect("a file");
        let said = recover(&ran, &["run.iota"]);
        assert_eq!(said.code(), 0, "{}", said.errors());
        assert_eq!(ran.trace_files(), files);
    }
}
