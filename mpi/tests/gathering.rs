//! The gathering among threads: what stands in the file, and what happens when something breaks.

mod threads;

use iota_mpi::group::GatherError;
use iota_mpi::plan::PIECE;
use iota_mpi::random::Random;
use threads::{Breaks, Job, byte};

fn job(nodes: &[u32], lengths: &[u64]) -> Job {
    let count = nodes.iter().max().unwrap() + 1;
    let behind = (0..i64::from(count)).map(|node| node * 1_000_003).collect();
    let bases = (0..nodes.len() as i64)
        .map(|rank| 1_700_000_000_000_000_000 + 777 * rank)
        .collect();
    Job {
        nodes: nodes.to_vec(),
        lengths: lengths.to_vec(),
        parts: Vec::new(),
        behind,
        bases,
        breaks: Breaks::Nothing,
    }
}

/// What the file is to hold, worked out without the code under test.
fn expected(job: &Job) -> Vec<u8> {
    let mut file = Vec::new();
    let mut seen = Vec::new();
    for node in &job.nodes {
        if seen.contains(node) {
            continue;
        }
        seen.push(*node);
        let mut ending = String::new();
        for (rank, length) in job
            .lengths
            .iter()
            .enumerate()
            .filter(|(r, l)| job.nodes[*r] == *node && **l != 0)
        {
            file.extend((0..*length).map(|at| byte(rank as u32, at)));
            ending += &format!("{:4}{:6}", rank, length % 1_000_000);
        }
        file.extend(ending.bytes());
    }
    file
}

fn check(job: &Job) {
    let outcome = job.run();
    assert!(
        outcome.verdicts.iter().all(|v| v.is_ok()),
        "{:?}",
        outcome.verdicts
    );
    let expected = expected(job);
    assert!(
        outcome.file.as_deref() == Some(&expected),
        "{:?} {:?}",
        job.nodes,
        job.lengths
    );
    let mut writes = outcome.writes;
    writes.sort_by_key(|w| w.offset);
    let mut at = 0;
    for write in writes {
        assert_eq!(write.offset, at, "a hole, or bytes written twice");
        assert!(
            write.offset / PIECE == (write.end() - 1) / PIECE,
            "{write:?} crosses a boundary"
        );
        at = write.end();
    }
    assert_eq!(at, expected.len() as u64);
}

#[test]
fn one_rank() {
    check(&job(&[0], &[10]));
    check(&job(&[0], &[3 * PIECE + 1]));
}

#[test]
fn parts_longer_than_a_piece_and_empty_ones() {
    check(&job(&[0, 0, 0, 0], &[PIECE, 0, 2 * PIECE + 5, 1]));
    check(&job(&[0, 0, 1, 1], &[0, 0, 5, 0]));
    check(&job(&[0, 1, 2], &[0, PIECE - 10, 20]));
}

#[test]
fn ranks_dealt_round_robin_to_nodes() {
    check(&job(&[0, 1, 2, 0, 1, 2, 0], &[7, 8, 9, 10, 11, 12, 13]));
}

#[test]
fn any_job() {
    let mut random = Random::new(7);
    for _ in 0..60 {
        let (ranks, nodes) = (1 + random.below(24), 1 + random.below(6));
        let nodes: Vec<u32> = (0..ranks).map(|_| random.below(nodes) as u32).collect();
        let lengths: Vec<u64> = (0..ranks)
            .map(|_| random.below(4).min(1) * random.below(200_000))
            .collect();
        if lengths.iter().any(|l| *l != 0) {
            check(&job(&nodes, &lengths));
        }
    }
}

#[test]
fn without_any_part_there_is_no_file() {
    let outcome = job(&[0, 0, 1, 1], &[0; 4]).run();
    assert!(outcome.verdicts.iter().all(|v| v.is_ok()));
    assert!(!outcome.created);
}

#[test]
fn a_clock_that_is_off_is_measured_within_the_error_given() {
    let nodes: Vec<u32> = (0..13).flat_map(|node| [node, node]).collect();
    let job = job(&nodes, &[1; 26]);
    for (rank, clock) in job.run().clocks.into_iter().enumerate() {
        let truth = job.bases[rank] - job.behind[job.nodes[rank] as usize] - job.bases[0];
        assert!(
            clock.offset.abs_diff(truth) <= clock.error,
            "rank {rank}: {clock:?}, {truth}"
        );
        assert_eq!(
            clock.error == 0,
            rank < 2,
            "leader 0's node needs no measurement"
        );
    }
}

fn breaking(breaks: Breaks, errno: i32) {
    let mut job = job(
        &[0, 0, 0, 1, 1, 1, 2, 2],
        &[PIECE, 5, 2 * PIECE, 4, 3 * PIECE, 0, 100, 3],
    );
    job.breaks = breaks;
    let outcome = job.run();
    assert_eq!(
        outcome.verdicts,
        vec![Err(GatherError(errno)); 8],
        "{breaks:?}"
    );
    assert!(
        outcome.file.is_none(),
        "{breaks:?}: an unfinished output was left"
    );
}

#[test]
fn when_anything_breaks_all_ranks_hear_of_it_and_no_output_stays() {
    breaking(Breaks::Create, libc::EACCES);
    breaking(Breaks::Open(1), libc::ENOENT);
    breaking(Breaks::Open(2), libc::ENOENT);
    breaking(Breaks::Close, libc::EDQUOT);
    for rank in [0, 2, 3, 4, 7] {
        breaking(Breaks::Part(rank), libc::EIO);
    }
    for end in [0, 10, PIECE, 2 * PIECE + 7, 4 * PIECE, 6 * PIECE] {
        breaking(Breaks::DiskFullAt(end), libc::ENOSPC);
    }
}
