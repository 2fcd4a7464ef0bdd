//! Ranks that begin or end otherwise than by a launcher, MPI_Init and MPI_Finalize: spawned by others, in a library that is
//! loaded late, without an end.

use crate::written;
use iota_tests::machine::NODES;
use iota_tests::{Build, Case, Program, Trace, Way, command_output};
use std::collections::BTreeSet;
use std::process::Command;

fn case(build: &'static Build) -> Case {
    let case = Case::mpi("mpi_spawn.c", build, 2).seconds(120);
    case.env("TRACER", build.library("libiota.so"))
}

fn spawned(build: &'static Build, case: Case) -> Trace {
    let ran = case.run().succeeded();
    // One for each world, one for the program that a rank started
    let files = ["run.0.iota", "run.1.iota", "run.iota"];
    assert_eq!(ran.trace_files(), files);
    let trace = ran.trace();
    trace.assert_whole();
    let ranks: BTreeSet<u32> = trace.parts.iter().map(|part| part.rank).collect();
    assert_eq!(ranks, (0..5).collect(), "all in one numbering");
    for rank in 0..2 {
        assert_eq!(
            written(&trace, rank, &format!("/own.{rank}")),
            u64::from(10 + rank) * 100
        );
    }
    for child in 0..3 {
        let sum = written(&trace, 2 + child, &format!("/child.{child}"));
        assert_eq!(sum, u64::from(child + 1) * 100);
    }
    let size = |rank| {
        trace
            .parts
            .iter()
            .find(|part| part.rank == rank)
            .map(|part| part.size)
    };
    assert_eq!([0, 1, 2, 3, 4].map(size), [2, 2, 3, 3, 3].map(Some));
    let touched = trace.parts.iter().find(|part| part.exe.ends_with("echo"));
    assert_eq!(
        touched.map(|part| part.rank),
        Some(2),
        "what a spawned rank starts"
    );
    let mut info = Command::new(build.iota());
    let told = command_output(info.arg("info").arg(ran.trace_dir()));
    assert!(
        told.contains("spawned    ranks 2-4, by MPI_Comm_spawn of rank 0"),
        "{told}"
    );
    assert!(told.contains("5 ranks"), "{told}");
    trace
}

pub fn by_spawn(build: &'static Build) {
    spawned(build, case(build));
}

pub fn by_spawn_multiple(build: &'static Build) {
    spawned(build, case(build).args("multiple"));
}

/// Each call makes a world of its own, and is known to be made by a rank, whether the launcher tells or not.
pub fn by_spawn_again_and_again(build: &'static Build) {
    let case = Case::mpi("mpi_spawn_tree.c", build, 2).seconds(120);
    let ran = case.run().succeeded();
    assert_eq!(ran.trace_files().len(), 4, "{:?}", ran.trace_files());
    let trace = ran.trace();
    trace.assert_whole();
    let worlds = [
        ("parents", 0..2),
        ("first", 2..5),
        ("third", 5..7),
        ("second", 7..8),
    ];
    for (name, ranks) in worlds {
        for rank in ranks.clone() {
            let file = format!("/{name}.{}", rank - ranks.start);
            assert_eq!(written(&trace, rank, &file), 7, "{file} of rank {rank}");
        }
    }
    let mut info = Command::new(build.iota());
    let told = command_output(info.arg("info").arg(ran.trace_dir()));
    let words = "spawned    ranks 2-7, by MPI_Comm_spawn of rank 0, rank 3";
    assert!(told.contains(words), "{told}");
}

/// Children on several nodes are one world.
pub fn by_spawn_over_nodes(build: &'static Build) {
    if !NODES.is_here() {
        return;
    }
    let trace = spawned(build, case(build).on_nodes(3));
    let children = trace.parts.iter().filter(|part| part.rank >= 2);
    let nodes: BTreeSet<&str> = children.map(|part| &*part.host).collect();
    assert_eq!(nodes, BTreeSet::from(["node-a", "node-b"]));
}

/// A coupled model: two programs in one world
pub fn of_two_executables(build: &'static Build) {
    let case = Case::mpi("mpi_files.c", build, 2).beside("mpi_partner.c", 1);
    let ran = case.seconds(120).run().succeeded();
    assert_eq!(ran.trace_files(), ["run.iota"], "{}", ran.log());
    let trace = ran.trace();
    trace.assert_whole();
    for rank in 0..3 {
        let parts = || trace.parts.iter().filter(|part| part.rank == rank);
        let name = ["mpi_files", "mpi_files", "mpi_partner"][rank as usize];
        assert!(parts().all(|part| part.size == 3 && part.exe.contains(name)));
        let sum = u64::from(10 + rank) * 100;
        assert_eq!(written(&trace, rank, &format!("/own.{rank}")), sum);
    }
}

pub fn in_a_late_library(build: &'static Build) {
    let program = Program::new("mpi_host.c")
        .mpi(build)
        .flags("-Wl,--as-needed");
    let case = Case::on_ranks(program.plugin("mpi_plugin.c"), 2).way(Way::Preload);
    let needed = command_output(Command::new("readelf").arg("-d").arg(case.executable()));
    assert!(!needed.contains("[libmpi"), "{needed}");
    let ran = case.seconds(120).run().succeeded();
    assert_eq!(ran.trace_files(), ["run.iota"], "{}", ran.log());
    let trace = ran.trace();
    trace.assert_whole();
    assert_eq!(
        [0, 1].map(|rank| written(&trace, rank, &format!("/own.{rank}"))),
        [1000, 1100]
    );
}

/// A launcher may take the first rank's end for a failure, and kill the other: then its calls are in its spool.
pub fn without_an_end(build: &'static Build) {
    let case = Case::mpi("mpi_never.c", build, 2).seconds(120);
    let ran = case.run();
    assert!(!ran.output.timed_out, "{}", ran.output.errors());
    let trace = ran.trace();
    let is_there = |rank: &u32| {
        let sum = written(&trace, *rank, &format!("/own.{rank}"));
        sum == u64::from(10 + rank) * 100
    };
    let there = [0, 1].iter().filter(|rank| is_there(rank)).count();
    assert!(there > 0, "{:?}", ran.trace_files());
    assert_eq!(there + ran.spooled().len(), 2, "{:?}", ran.spooled());
    assert!(trace.parts.iter().all(|part| part.size == 2));
}
