//! Parallel programs on every MPI that is here: one file for the job, whole, whatever ranks come, go or are not traced.

mod outputs;

use iota_tests::{Build, Case, Ran, Trace, Way, mpi_is_wanted, static_mpi};
use outputs::*;
use std::time::{Duration, Instant};

/// Seconds that ranks wait for each other where a test wants them to give up.
const SOON: &str = "2";

/// Each test on each MPI; fully static ones on an MPICH made for it, by `make test-static`.
macro_rules! on_each_mpi {
    ($($test:ident)* ; $($shared:ident)*) => {
        mod mpich { $(#[test] fn $test() { super::on("mpich", super::$test) })* $(#[test] fn $shared() { super::on("mpich", super::$shared) })* }
        mod openmpi { $(#[test] fn $test() { super::on("openmpi", super::$test) })* $(#[test] fn $shared() { super::on("openmpi", super::$shared) })* }
        mod linked_statically { $(#[test] #[ignore = "make test-static runs it"] fn $test() { super::on_static(super::$test) })* }
    };
}

on_each_mpi! {
    one_rank two_ranks three_ranks four_ranks output_is_the_same wraps_before_the_objects
    fortran_mpif_h fortran_use_mpi fortran_mpi_f08 fortran_init_thread
    threads_that_talk_and_write writes_after_finalize writes_inside_finalize no_communicators_left sessions
    a_partner_that_is_not_traced a_partner_that_is_known_not_to_be_traced a_rank_that_is_switched_off a_rank_that_exits a_rank_that_is_late abort abort_by_a_thread abort_in_fortran
    parts_without_gathering flushing filters a_full_buffer text_format default_name an_older_trace no_mpi_call_at_all
    ;
    preloaded
}

fn on(name: &str, test: fn(&'static Build)) {
    if let Some((build, _turn)) = mpi_is_wanted(name) {
        test(build);
    }
}

fn on_static(test: fn(&'static Build)) {
    let (build, _turn) = static_mpi();
    test(build);
}

/// What mpi_files.c writes, seen in the trace of all its ranks.
fn assert_files_traced(trace: &Trace, ranks: u32) {
    for rank in 0..ranks {
        assert_eq!(
            written(trace, rank, &format!("/own.{rank}")),
            u64::from(10 + rank) * 100,
            "own file of rank {rank}"
        );
        assert_eq!(
            written(trace, rank, "/shared"),
            5 * 65536,
            "shared file, rank {rank}"
        );
    }
}

/// Bytes that a rank wrote to a file.
fn written(trace: &Trace, rank: u32, name: &str) -> u64 {
    let of_rank = trace.parts.iter().filter(|part| part.rank == rank);
    let sums = of_rank.flat_map(|part| part.written());
    sums.filter(|(path, _)| path.ends_with(name.as_bytes()))
        .map(|(_, sum)| sum)
        .sum()
}

/// One file, whole, with every rank in it (what came after MPI_Finalize is a part of its own) and nothing in the spool.
fn one_file(ran: Ran, ranks: u32) -> Trace {
    let ran = ran.succeeded().quiet();
    assert_eq!(ran.trace_files(), ["run.iota"]);
    let trace = ran.trace();
    trace.assert_whole();
    let mut seen: Vec<u32> = trace.parts.iter().map(|part| part.rank).collect();
    seen.dedup();
    assert_eq!(seen, (0..ranks).collect::<Vec<_>>());
    assert!(
        trace.parts.iter().all(|part| part.size == ranks),
        "each knows how many they are"
    );
    trace
}

fn files(build: &'static Build, ranks: u32) {
    let ran = Case::mpi("mpi_files.c", build, ranks).run();
    let together = ran.work().join("together");
    assert_eq!(
        together.metadata().expect("it wrote it").len(),
        u64::from(ranks) * 4096
    );
    let trace = one_file(ran, ranks);
    assert_files_traced(&trace, ranks);
    assert_eq!(
        trace.parts.len(),
        ranks as usize,
        "what MPI does to shut itself down makes no part"
    );
    let inside_mpi: u64 = (0..ranks)
        .map(|rank| written(&trace, rank, "/together"))
        .sum();
    assert_eq!(
        inside_mpi,
        u64::from(ranks) * 4096,
        "what MPI-IO wrote inside the MPI library"
    );
}

fn one_rank(build: &'static Build) {
    files(build, 1);
}

fn two_ranks(build: &'static Build) {
    files(build, 2);
}

fn three_ranks(build: &'static Build) {
    files(build, 3);
}

fn four_ranks(build: &'static Build) {
    files(build, 4);
}

fn preloaded(build: &'static Build) {
    let ran = Case::mpi("mpi_files.c", build, 2).way(Way::Preload).run();
    assert_files_traced(&one_file(ran, 2), 2);
}

fn output_is_the_same(build: &'static Build) {
    let case = Case::mpi("mpi_files.c", build, 2);
    case.run().assert_same_as(&case.run_bare());
}

fn wraps_before_the_objects(build: &'static Build) {
    let ran = Case::mpi("mpi_files.c", build, 2)
        .with(|program| program.wraps_first())
        .run();
    assert_files_traced(&one_file(ran, 2), 2);
}

fn fortran(build: &'static Build, source: &str, args: &str) {
    let case = Case::mpi(source, build, 3).args(args);
    if !case.can_be_built() {
        return;
    }
    let trace = one_file(case.run(), 3);
    for rank in 0..3 {
        assert_eq!(
            written(&trace, rank, &format!("/lines.{rank}")),
            u64::from(10 + rank) * 8
        );
    }
}

fn fortran_mpif_h(build: &'static Build) {
    fortran(build, "mpi_mpifh.f90", "");
}

fn fortran_use_mpi(build: &'static Build) {
    fortran(build, "mpi_use.f90", "");
}

fn fortran_mpi_f08(build: &'static Build) {
    fortran(build, "mpi_f08.f90", "");
}

fn fortran_init_thread(build: &'static Build) {
    for source in ["mpi_mpifh.f90", "mpi_use.f90", "mpi_f08.f90"] {
        fortran(build, source, "thread");
    }
}

fn threads_that_talk_and_write(build: &'static Build) {
    let trace = one_file(Case::mpi("mpi_threads.c", build, 2).run(), 2);
    for (rank, thread) in [(0, 0), (0, 2), (1, 0), (1, 1)] {
        assert_eq!(
            written(&trace, rank, &format!("/thread.{rank}.{thread}")),
            200 * 100
        );
    }
}

fn writes_after_finalize(build: &'static Build) {
    let ran = Case::mpi("mpi_after.c", build, 2).run().succeeded();
    let trace = ran.trace();
    trace.assert_whole();
    assert_eq!(
        written(&trace, 0, "/own.0"),
        1000,
        "written after MPI_Finalize"
    );
    assert_eq!(written(&trace, 1, "/shared"), 5 * 65536);
}

fn writes_inside_finalize(build: &'static Build) {
    let ran = Case::mpi("mpi_self.c", build, 2).run().succeeded();
    let trace = ran.trace();
    trace.assert_whole();
    assert_eq!(
        written(&trace, 0, "/own.0"),
        1000,
        "written as MPI_COMM_SELF is freed"
    );
    assert_eq!(written(&trace, 1, "/own.1"), 1100);
}

fn no_communicators_left(build: &'static Build) {
    // Of a request that was given up UCX warns on standard output, which docs/design/gather.md tells of.
    let case = Case::mpi("mpi_leak.c", build, 2)
        .env("IOTA_GATHER", SOON)
        .env("UCX_LOG_LEVEL", "error")
        .seconds(240);
    let ran = case.run();
    ran.assert_same_as(&case.run_bare());
    assert_files_traced(&ran.trace(), 2);
}

fn sessions(build: &'static Build) {
    let case = Case::mpi("mpi_session.c", build, 2);
    case.run().assert_same_as(&case.run_bare());
}

fn a_partner_that_is_not_traced(build: &'static Build) {
    let case = Case::mpi("mpi_files.c", build, 1)
        .and(1, Way::Bare, &[])
        .env("IOTA_GATHER", SOON);
    let began = Instant::now();
    let ran = case.run().succeeded();
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "nobody waits for the one that never comes"
    );
    assert_eq!(written(&ran.trace(), 0, "/own.0"), 1000);
    ran.trace().assert_whole();
}

/// Its rank has left no word on the node: nobody waits for the whole time.
fn a_partner_that_is_known_not_to_be_traced(build: &'static Build) {
    let case = Case::mpi("mpi_files.c", build, 2).and(1, Way::Bare, &[]);
    let began = Instant::now();
    let ran = case.run().succeeded();
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "the bound is 20 s"
    );
    let told = "not all ranks of this node are traced";
    assert!(ran.log().contains(told), "{}", ran.log());
    let ends = ran.trace().parts.into_iter().filter_map(|part| part.end);
    let waited: Vec<_> = ends.map(|end| end.waited).collect();
    assert!(
        matches!(waited[..], [[1_000_000_000..10_000_000_000, 1], [_, 1]]),
        "{waited:?}"
    );
}

fn a_rank_that_is_switched_off(build: &'static Build) {
    let off = [("IOTA_ENABLE", "0")];
    let case = Case::mpi("mpi_files.c", build, 1)
        .and(1, build.way(), &off)
        .and(1, build.way(), &[]);
    let ran = case.env("IOTA_GATHER", SOON).run().succeeded();
    let trace = ran.trace();
    trace.assert_whole();
    assert_eq!(
        [0, 1, 2].map(|rank| written(&trace, rank, &format!("/own.{rank}"))),
        [1000, 0, 1200]
    );
}

fn a_rank_that_exits(build: &'static Build) {
    let case = Case::mpi("mpi_exit.c", build, 3)
        .args("1")
        .env("IOTA_GATHER", SOON);
    let ran = case.run();
    // Whether the launcher kills the others or they end by themselves is a race, in bare runs as well.
    assert!(!ran.output.timed_out, "{}", ran.output.errors());
    assert_eq!(
        written(&ran.trace(), 1, "/own.1"),
        1100,
        "the one that left"
    );
}

fn a_rank_that_is_late(build: &'static Build) {
    let ran = Case::mpi("mpi_late.c", build, 2)
        .args("4")
        .env("IOTA_GATHER", SOON)
        .run()
        .succeeded();
    let trace = ran.trace();
    trace.assert_whole();
    assert_files_traced(&trace, 2);
}

fn abort(build: &'static Build) {
    aborts(build, "mpi_abort.c");
}

fn abort_by_a_thread(build: &'static Build) {
    aborts(build, "mpi_abort_thread.c");
}

fn aborts(build: &'static Build, source: &str) {
    let case = Case::mpi(source, build, 2).args("1");
    let (bare, ran) = (case.run_bare(), case.run());
    assert!(!ran.output.timed_out, "{}", ran.output.errors());
    assert_eq!(
        ran.output.code(),
        bare.output.code(),
        "{}",
        ran.output.errors()
    );
    assert_eq!(
        written(&ran.trace(), 1, "/own.1"),
        1100,
        "the rank that called MPI_Abort"
    );
}

fn abort_in_fortran(build: &'static Build) {
    for source in ["mpi_mpifh.f90", "mpi_use.f90", "mpi_f08.f90"] {
        let case = Case::mpi(source, build, 2).args("abort");
        if !case.can_be_built() {
            return;
        }
        let ran = case.run();
        assert!(!ran.output.timed_out, "{}", ran.output.errors());
        assert_eq!(written(&ran.trace(), 1, "/lines.1"), 88, "{source}");
    }
}

fn no_mpi_call_at_all(build: &'static Build) {
    // A serial helper, linked as the rest of a parallel package.
    let ran = Case::mpi("many.c", build, 1).args("100").run().succeeded();
    let trace = ran.trace();
    trace.assert_whole();
    assert_eq!(trace.count("pwrite"), 100);
}
