//! `iota run` on launchers of parallel programs.

use super::{only_trace, run_of};
use iota_tests::{Build, Case, Program, Ran, Trace, Way, mpi_is_wanted};
use std::collections::BTreeSet;

/// The tests on each MPI
macro_rules! on_mpi {
    ($name:literal) => {
        #[test]
        fn ranks_make_one_trace() {
            super::on($name, super::ranks_make_one_trace);
        }
        #[test]
        fn several_programs_are_traced() {
            super::on($name, super::several_programs_are_traced);
        }
        #[test]
        fn a_program_without_mpi_is_traced() {
            super::on($name, super::a_program_without_mpi_is_traced);
        }
        #[test]
        fn a_rank_that_is_not_traced_is_told() {
            super::on($name, super::a_rank_that_is_not_traced_is_told);
        }
        #[test]
        fn one_rank_without_a_launcher() {
            super::on($name, super::one_rank_without_a_launcher);
        }
    };
}
mod mpich {
    on_mpi!("mpich");
}
mod openmpi {
    on_mpi!("openmpi");
}

fn on(name: &str, test: fn(&'static Build)) {
    if let Some((build, _turn)) = mpi_is_wanted(name) {
        test(build);
    }
}

fn parallel(build: &'static Build, ranks: u32) -> Case {
    Case::mpi("mpi_files.c", build, ranks).way(Way::Bare)
}

fn of_ranks(ran: Ran, ranks: u32) -> Trace {
    let ran = ran.succeeded();
    let trace = only_trace(&ran);
    let said = ran.output.errors();
    assert!(said.contains(&format!(", {ranks} ranks, ")), "{said}");
    let seen: BTreeSet<u32> = trace.parts.iter().map(|part| part.rank).collect();
    assert!(seen.into_iter().eq(0..ranks));
    trace
}

fn ranks_make_one_trace(build: &'static Build) {
    let trace = of_ranks(run_of(build, parallel(build, 2), ""), 2);
    assert!(
        trace.parts.iter().all(|part| part.size == 2),
        "gathered, and no launcher among them"
    );
}

fn several_programs_are_traced(build: &'static Build) {
    let case = parallel(build, 1).and(1, Way::Bare, &[]);
    of_ranks(run_of(build, case, ""), 2);
}

fn a_rank_that_is_not_traced_is_told(build: &'static Build) {
    let case = parallel(build, 1).and(1, Way::Bare, &[("LD_PRELOAD", "")]);
    let ran = run_of(build, case, "").succeeded();
    let said = ran.output.errors();
    let waited = said.lines().find(|line| line.contains("ranks waited 1."));
    let waited = waited.unwrap_or_else(|| panic!("{said}"));
    assert!(
        waited.ends_with(
            "s in MPI_Finalize for ranks that did not come: 1 rank of a node is not traced"
        ),
        "{waited}"
    );
}

fn a_program_without_mpi_is_traced(build: &'static Build) {
    let case = Case::mpi("mpi_files.c", build, 2).with(|_| Program::command("/bin/echo"));
    of_ranks(run_of(build, case.way(Way::Bare), ""), 2);
}

fn one_rank_without_a_launcher(build: &'static Build) {
    let program = Program::new("mpi_files.c").mpi(build);
    let ran = run_of(build, Case::of(program), "").succeeded();
    let parts = only_trace(&ran).parts;
    assert!(parts.iter().any(|part| part.size == 1 && part.rank == 0));
}
