//! Gathers on a machine that is not there, by the code that gathers on real ones, and says what the busiest rank does.
//!
//!     cargo run --release -p iota-mpi --no-default-features --example simulate [RANKS [PER_NODE [LONGEST_PART]]]

mod model;

use model::{Load, Machine, Report};

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).map(|word| number(&word)).collect();
    let given = |n: usize, default: u64| numbers.get(n).copied().unwrap_or(default);
    let (per_node, longest) = (given(1, 64) as u32, given(2, 200_000));
    let jobs = if numbers.is_empty() {
        vec![1_000, 110_052]
    } else {
        vec![given(0, 0) as u32]
    };
    for ranks in jobs {
        print(
            ranks,
            per_node,
            &Machine::new(ranks, per_node, longest, 42).run(),
        );
    }
}

fn number(word: &str) -> u64 {
    word.parse().unwrap_or_else(|_| {
        eprintln!(
            "simulate: `{word}` is not a number; usage: simulate [RANKS [PER_NODE [LONGEST_PART]]]"
        );
        std::process::exit(2)
    })
}

fn print(ranks: u32, per_node: u32, report: &Report) {
    println!(
        "{ranks} ranks on {} nodes of {per_node}, {} bytes in one file",
        report.nodes, report.file
    );
    println!(
        "  every byte of it written once, no write across a multiple of 1 MiB, every message received"
    );
    println!("  clocks: known within {} ns", report.clock_error);
    let leads = |rank: usize| rank.is_multiple_of(per_node as usize);
    let loads = || report.loads.iter().enumerate();
    row("rank 0", Some(report.loads[0]).into_iter());
    row(
        "any leader, at most",
        loads()
            .filter(|(rank, _)| leads(*rank))
            .map(|(_, load)| *load),
    );
    row(
        "any other rank, at most",
        loads()
            .filter(|(rank, _)| !leads(*rank))
            .map(|(_, load)| *load),
    );
}

fn row(who: &str, loads: impl Iterator<Item = Load> + Clone) {
    let most = |of: fn(&Load) -> u64| loads.clone().map(|load| of(&load)).max().unwrap_or(0);
    println!(
        "  {who:24} {:8} bytes of memory, {:4} messages sent, {:4} received, {:2} collective calls on the node, \
         {:2} among leaders ({:3} messages inside), {:8} bytes in messages, {:3} writes",
        most(|l| l.memory),
        most(|l| l.sent),
        most(|l| l.received),
        most(|l| l.node_calls),
        most(|l| l.leader_calls),
        most(|l| l.inside),
        most(|l| l.bytes),
        most(|l| l.writes),
    );
}
