//! Jobs on several nodes, which share a directory but neither memory nor spools.

use iota_tests::machine::NODES;
use iota_tests::{Build, Case, Trace, Way, command_output};
use std::process::Command;

const RANKS: u32 = 4;

fn case(source: &str, build: &'static Build) -> Case {
    Case::mpi(source, build, RANKS).on_nodes(2).seconds(120)
}

/// Each rank's own file, and on which node it was.
fn assert_whole(trace: &Trace, ranks: std::ops::Range<u32>) {
    trace.assert_whole();
    for rank in ranks {
        let node = ["node-a", "node-b"][rank as usize / 2];
        let parts = || trace.parts.iter().filter(|part| part.rank == rank);
        assert!(parts().all(|part| part.size == RANKS && part.host == node));
        let sums = parts().flat_map(|part| part.written());
        let own = format!("/own.{rank}");
        let own = sums.filter(|(path, _)| path.ends_with(own.as_bytes()));
        assert_eq!(
            own.map(|(_, sum)| sum).sum::<u64>(),
            u64::from(10 + rank) * 100
        );
    }
}

pub fn gathered(build: &'static Build) {
    if !NODES.is_here() {
        return;
    }
    for way in [Way::Dynamic, Way::Preload] {
        let ran = case("mpi_files.c", build).way(way).run().succeeded();
        assert_eq!(ran.trace_files(), ["run.iota"], "{}", ran.log());
        assert_whole(&ran.trace(), 0..RANKS);
    }
}

/// In which only the last rank is not traced
const BUT_THE_LAST: &str = "[ ${PMI_RANK:-$OMPI_COMM_WORLD_RANK} != 3 ] || shift 2; exec \"$@\"";

/// Its node knows after a second; the other one waits as long as it may. Both say why.
pub fn with_a_rank_that_is_not_traced(build: &'static Build) {
    if !NODES.is_here() {
        return;
    }
    let case = case("mpi_files.c", build).way(Way::Preload);
    let case = case.each_rank(BUT_THE_LAST).env("IOTA_GATHER", "4");
    let ran = case.run().succeeded();
    assert_eq!(
        ran.trace_files(),
        ["run.0.iota", "run.1.iota", "run.2.iota"]
    );
    let trace = ran.trace();
    assert_whole(&trace, 0..3);
    let waited = |rank: u32| {
        let of_rank = trace.parts.iter().filter(|part| part.rank == rank);
        of_rank
            .filter_map(|part| part.end.as_ref())
            .map(|end| end.waited)
            .find(|waited| waited[0] > 0)
    };
    for rank in [0, 1] {
        assert!(
            matches!(waited(rank), Some([4_000_000_000..8_000_000_000, 0])),
            "{:?}",
            waited(rank)
        );
    }
    assert!(
        matches!(waited(2), Some([1_000_000_000..3_900_000_000, 1])),
        "{:?}",
        waited(2)
    );
    for told in [
        "not all ranks of this node are traced",
        "not all ranks came to MPI_Finalize in time",
    ] {
        assert!(ran.log().contains(told), "{}", ran.log());
    }
    let mut info = Command::new(build.iota());
    let told = command_output(info.arg("info").arg(ran.trace_dir()));
    assert!(told.contains("waited"), "{told}");
}
