//! Ranks that share memory: what is sent there arrives, once and whole, and gathering makes the same file as elsewhere.

mod threads;

use iota_mpi::desk::{Bell, Desk, Outbox, ROOM};
use iota_mpi::group::{Group, Groups};
use iota_mpi::random::Random;
use std::sync::atomic::AtomicU32;
use threads::{Breaks, Job};

/// Waits by looking.
struct Look;

impl Bell for Look {
    fn wait(&mut self, _: &AtomicU32, _: u32, _: u32) {
        std::thread::yield_now();
    }

    fn ring(&mut self, _: &AtomicU32) {}
}

fn boxes(ranks: u32) -> &'static [Outbox] {
    Vec::leak((0..ranks).map(|_| Outbox::default()).collect())
}

/// Has each rank do this, and returns what they got.
fn each<T: Send + 'static>(ranks: u32, work: fn(&mut Desk<'static, Look>) -> T) -> Vec<T> {
    let boxes = boxes(ranks);
    let started: Vec<_> = (0..ranks)
        .map(|rank| std::thread::spawn(move || work(&mut Desk::new(boxes, rank, Look))))
        .collect();
    let ended = started.into_iter().map(|rank| rank.join().unwrap());
    ended.collect()
}

#[test]
fn everything_arrives_and_in_order() {
    for ranks in [1, 2, 3, 16] {
        each(ranks, |desk| {
            let place = desk.place();
            for step in 0..21u64 {
                let length = [1, 7, 8, 9, ROOM, ROOM + 1, 3 * ROOM + 5][step as usize % 7];
                let said = |from: u32| vec![(u64::from(from) * 31 + step) as u8; length];
                // Round the ring: each rank receives from the one before it, and then sends on.
                let (before, next) = (
                    (place.rank + place.size - 1) % place.size,
                    (place.rank + 1) % place.size,
                );
                if place.size > 1 {
                    let mut heard = vec![0; length];
                    if place.rank == 0 {
                        desk.send(next, &said(0)).unwrap();
                    }
                    desk.receive(before, &mut heard).unwrap();
                    assert!(heard == said(before), "step {step}");
                    if place.rank != 0 {
                        desk.send(next, &said(place.rank)).unwrap();
                    }
                }
                let mut heard = if place.rank == 0 {
                    said(99)
                } else {
                    vec![0; length]
                };
                desk.broadcast(&mut heard).unwrap();
                assert!(heard == said(99), "step {step}");
                let most = desk.greatest(step * 1000 + u64::from(place.rank)).unwrap();
                assert_eq!(most, step * 1000 + u64::from(place.size) - 1);
                let sum = desk.sum_before(step + 1).unwrap();
                assert_eq!(sum, u64::from(place.rank) * (step + 1));
                let lead = place.rank == 0;
                let mut all = vec![
                    0;
                    if lead {
                        length * place.size as usize
                    } else {
                        0
                    }
                ];
                desk.gather(&said(place.rank), &mut all).unwrap();
                let expected = (0..place.size).flat_map(said).collect::<Vec<_>>();
                assert!(!lead || all == expected, "step {step}");
            }
        });
    }
}

#[test]
fn a_message_of_another_length_is_trouble() {
    let heard = each(2, |desk| match desk.place().rank {
        0 => desk.send(1, b"four").is_ok(),
        _ => desk.receive(0, &mut [0; 5]).is_ok(),
    });
    assert_eq!(heard, [true, false]);
}

/// The job on one node over messages, and in shared memory.
fn compare(lengths: Vec<u64>, breaks: Breaks) {
    let ranks = lengths.len();
    let job = Job {
        nodes: vec![0; ranks],
        lengths,
        parts: vec![],
        behind: vec![0],
        bases: vec![0; ranks],
        breaks,
    };
    let shared = boxes(ranks as u32);
    let at_desk = job.run_over(|rank| Groups {
        node: Desk::new(shared, rank, Look),
        leaders: (rank == 0).then(|| Desk::new(&shared[..1], 0, Look)),
    });
    let sent = job.run();
    assert_eq!(at_desk.verdicts, sent.verdicts);
    assert!(at_desk.file == sent.file, "{:?}", job.lengths);
}

#[test]
fn the_same_file_comes_out() {
    let mut random = Random::new(7);
    for ranks in [1, 2, 5, 17, 40] {
        let mut length = || match random.below(4) {
            0 => 0,
            1 => random.below(3_000_000),
            _ => random.below(70_000),
        };
        compare((0..ranks).map(|_| length()).collect(), Breaks::Nothing);
    }
}

#[test]
fn the_same_trouble_is_reported() {
    for breaks in [
        Breaks::Create,
        Breaks::DiskFullAt(1_500_000),
        Breaks::Close,
        Breaks::Part(2),
    ] {
        compare(vec![10_000, 2_000_000, 500_000, 0, 70_000], breaks);
    }
}
