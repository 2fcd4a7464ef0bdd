//! The gathering on whole machines that are not there.

#[path = "../examples/simulate/model/mod.rs"]
mod model;

use iota_mpi::plan::PIECE;
use model::{Machine, Report};

fn most(report: &Report, of: fn(&model::Load) -> u64) -> u64 {
    report.loads.iter().map(of).max().unwrap()
}

#[test]
fn machines_of_all_shapes() {
    for (ranks, per_node) in [(1, 1), (7, 1), (64, 64), (65, 64), (100, 3), (1000, 64)] {
        for seed in 0..4 {
            Machine::new(ranks, per_node, 3 * PIECE, seed).run();
        }
    }
}

#[test]
fn a_hundred_times_the_ranks_cost_no_rank_more_memory_and_few_more_messages() {
    let (small, large) = (
        Machine::new(1_000, 64, 20_000, 1).run(),
        Machine::new(110_052, 64, 20_000, 1).run(),
    );
    assert_eq!(large.nodes, 1_720);
    assert_eq!(most(&small, |l| l.memory), most(&large, |l| l.memory));
    assert!(most(&large, |l| l.memory) < 2 * PIECE);
    // Seven more levels of the tree, of eleven messages each way.
    let messages = |report| most(report, |l| l.sent + l.received);
    assert!(
        messages(&large) <= messages(&small) + 7 * 22,
        "{} {}",
        messages(&large),
        messages(&small)
    );
    // Eleven hops, and a message takes at most 1,100 ns.
    assert!(
        (1..=11 * 1_101).contains(&large.clock_error),
        "{}",
        large.clock_error
    );
    assert!(large.file > 90 * small.file);
}
