//! `iota run` on launchers of parallel programs.

use super::{only_trace, run_of};
use iota_tests::{
    Build, Case, Program, Ran, Trace, Way, another_mpi_is_wanted, mpi_is_wanted, wanted,
};
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

fn a_program_without_mpi_is_traced(build: &'static Build) {
    let case = Case::mpi("mpi_files.c", build, 2).with(|_| Program::command("/bin/echo"));
    of_ranks(run_of(build, case.way(Way::Bare), ""), 2);
}

fn one_rank_without_a_launcher(build: &'static Build) {
    let program = Program::new("mpi_files.c").mpi(build);
    let ran = run_of(build, Case::of(program), "").succeeded();
    let parts = only_trace(&ran).parts;
    assert!(parts.iter().any(|part| part.size == 1 && part.rank == 0));
    assert!(
        !ran.output.errors().contains("does not belong to the MPI"),
        "{}",
        ran.output.errors()
    );
}

#[test]
fn a_program_of_another_mpi_is_traced_without_it() {
    let Some((build, _turn)) = mpi_is_wanted("mpich") else {
        return;
    };
    let Some(other) = another_mpi_is_wanted("openmpi") else {
        return;
    };
    let ran = run_of(other, parallel(build, 2), "").succeeded();
    assert!(
        ran.output.errors().contains("does not belong to the MPI"),
        "{}",
        ran.output.errors()
    );
    of_ranks(ran, 2);
}

#[test]
fn the_library_can_be_chosen_by_hand() {
    let preloaded = |how: &str| {
        let ran = super::run(Case::shell("echo $LD_PRELOAD"), how).succeeded();
        let word = ran.stdout().trim_end().to_owned();
        word.rsplit('/').next().map(str::to_owned)
    };
    assert_eq!(preloaded("--mpi no").as_deref(), Some("libiota.so"));
    assert_eq!(preloaded("--mpi auto").as_deref(), Some("libiota.so"));
    let has_mpi = Build::first().value("MPI") != "none";
    if wanted("MPI", has_mpi, "scripts/deps.sh test gets one") {
        assert_eq!(preloaded("--mpi yes").as_deref(), Some("libiota-mpi.so"));
    }
}
