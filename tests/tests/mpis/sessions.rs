//! Programs that open sessions of MPI 4, and have no MPI_COMM_WORLD.

use iota_tests::machine::NODES;
use iota_tests::{Build, Case, Ran, Trace, Way};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

fn case(build: &'static Build, ranks: u32, what: &str) -> Case {
    let case = Case::mpi("mpi_session.c", build, ranks);
    case.args(what).seconds(120)
}

fn assert_whole(trace: &Trace, ranks: u32) {
    trace.assert_whole();
    for rank in 0..ranks {
        let parts = || trace.parts.iter().filter(|part| part.rank == rank);
        assert!(parts().all(|part| part.size == ranks), "rank {rank}");
        let written = |name: &str| -> u64 {
            let sums = parts().flat_map(|part| part.written());
            let of_file = sums.filter(|(path, _)| path.ends_with(name.as_bytes()));
            of_file.map(|(_, sum)| sum).sum()
        };
        assert_eq!(written(&format!("/own.{rank}")), u64::from(10 + rank) * 100);
        assert_eq!(written("/shared"), 5 * 65536);
    }
}

fn is_gathered(ran: Ran, ranks: u32) {
    let ran = ran.succeeded();
    assert_eq!(ran.trace_files(), ["run.iota"], "{}", ran.log());
    assert_eq!(ran.spooled(), [""; 0]);
    assert_whole(&ran.trace(), ranks);
}

pub fn gathered(build: &'static Build) {
    for what in ["one", "two", "beside", "late 2"] {
        is_gathered(case(build, 3, what).run(), 3);
    }
    is_gathered(case(build, 2, "one").way(Way::Preload).run(), 2);
    is_gathered(case(build, 1, "one").run(), 1);
}

/// The first session gathers; what comes in the second is appended. Other MPIs cannot have two, without iota either.
pub fn in_turn(build: &'static Build) {
    is_gathered(case(build, 2, "turns").run(), 2);
}

/// A communicator of sessions cannot be made without all ranks: it must not even be tried.
pub fn with_a_partner_that_is_not_traced(build: &'static Build) {
    let began = Instant::now();
    let ran = case(build, 2, "one")
        .and(1, Way::Bare, &[])
        .run()
        .succeeded();
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "the bound is 20 s"
    );
    assert_eq!(ran.trace_files(), ["run.0.iota", "run.1.iota"]);
    assert!(
        ran.log()
            .contains("not all ranks came to MPI_Session_finalize")
    );
    assert_eq!(ran.trace().parts.len(), 2);
}

pub fn later_than_the_others_wait(build: &'static Build) {
    let case = case(build, 2, "late 4").env("IOTA_GATHER", "2");
    let ran = case.run().succeeded();
    assert_eq!(ran.trace_files(), ["run.0.iota", "run.1.iota"]);
    assert_whole(&ran.trace(), 2);
}

fn on_nodes(build: &'static Build, what: &str) -> Case {
    let case = case(build, 4, what).on_nodes(2);
    case.way(Way::Preload)
}

/// Beside the output there are only these files: what the ranks left there for each other is gone.
fn assert_leaves(ran: &Ran, names: &[&str]) {
    let left = std::fs::read_dir(ran.trace_dir()).expect("a directory");
    let mut left: Vec<_> = left
        .map(|entry| entry.expect("a name").file_name())
        .collect();
    left.sort();
    assert_eq!(left, names, "{}", ran.log());
}

pub fn over_nodes(build: &'static Build) {
    if !NODES.is_here() {
        return;
    }
    for what in ["one", "late 2"] {
        let ran = on_nodes(build, what).run().succeeded();
        assert_leaves(&ran, &["run.iota"]);
        let trace = ran.trace();
        assert_whole(&trace, 4);
        let nodes: BTreeSet<&str> = trace.parts.iter().map(|part| &*part.host).collect();
        assert_eq!(nodes, BTreeSet::from(["node-a", "node-b"]));
    }
}

/// Rank 0 finds out who has come; the last rank is like the others.
pub fn over_nodes_without(build: &'static Build) {
    if !NODES.is_here() {
        return;
    }
    for (rank, others) in [(0, [1, 2, 3]), (3, [0, 1, 2])] {
        let but_one =
            format!("[ ${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}} != {rank} ] || shift 2; exec \"$@\"");
        let case = on_nodes(build, "one").each_rank(&but_one);
        let ran = case.env("IOTA_GATHER", "4").run().succeeded();
        let parts = others.map(|rank| format!("run.{rank}.iota"));
        assert_leaves(&ran, &parts.each_ref().map(String::as_str));
        let told = "not all ranks came to MPI_Session_finalize in time";
        assert!(ran.log().contains(told), "{}", ran.log());
        ran.trace().assert_whole();
    }
}

pub fn over_nodes_too_late(build: &'static Build) {
    if !NODES.is_here() {
        return;
    }
    let case = on_nodes(build, "late 4").env("IOTA_GATHER", "2");
    let ran = case.run().succeeded();
    assert_leaves(
        &ran,
        &["run.0.iota", "run.1.iota", "run.2.iota", "run.3.iota"],
    );
    assert_whole(&ran.trace(), 4);
}
