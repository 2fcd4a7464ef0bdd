//! Are all ranks here? Asked where there is no communicator yet, and to make one would hang if a rank were missing: MPI
//! sessions. The ranks of a node have a word in common, in rank 0's spool. It counts who has come; and who gives up says so
//! in the same word, which it can only while not all have come. So all ranks have the same answer.

use crate::agree::{self, GiveUpCheck, Waiting};
use core::sync::atomic::{AtomicU32, Ordering::*};

/// The bit of who gave up.
const GIVEN_UP: u32 = 1 << 31;

/// True on all ranks if all came within `deadline` nanoseconds, none of them while it was known to be in vain.
pub fn all_come<W: Waiting>(
    word: &AtomicU32,
    ranks: u32,
    clock: &mut W,
    deadline: u64,
    cannot_complete: impl Fn(&mut W) -> bool,
) -> bool {
    let before = word.fetch_add(1, AcqRel);
    // A process that comes a second time finds everything decided.
    if before >= ranks {
        return false;
    }
    let mut check = GiveUpCheck::new(clock);
    let found = agree::wait(clock, deadline, |clock| {
        let known = answer(word.load(Acquire), ranks);
        known.or_else(|| check.is_lost(clock, &cannot_complete).then_some(false))
    });
    found == Some(true) || withdraw(word, ranks)
}

fn answer(word: u32, ranks: u32) -> Option<bool> {
    if word & GIVEN_UP != 0 {
        Some(false)
    } else {
        (word >= ranks).then_some(true)
    }
}

/// What holds then: it may be that all have come meanwhile.
fn withdraw(word: &AtomicU32, ranks: u32) -> bool {
    let gives = |now| answer(now, ranks).is_none().then_some(now | GIVEN_UP);
    let given = word.fetch_update(AcqRel, Acquire, gives);
    given.map_or_else(|now| answer(now, ranks) == Some(true), |_| false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    struct Clock(u64);

    impl Waiting for Clock {
        fn pause(&mut self, nanoseconds: u64) {
            self.0 += nanoseconds;
            std::thread::yield_now();
        }

        fn now(&self) -> u64 {
            self.0
        }
    }

    const DEADLINE: u64 = 20_000_000_000;

    fn arrive(word: &AtomicU32, ranks: u32, deadline: u64) -> bool {
        all_come(word, ranks, &mut Clock(0), deadline, |_| false)
    }

    #[test]
    fn all_have_the_same_answer_however_late_some_are() {
        for round in 0..500u64 {
            let word = Arc::new(AtomicU32::new(0));
            let ranks = 4;
            let threads: Vec<_> = (0..ranks)
                .map(|rank| {
                    let word = word.clone();
                    // Deadlines of about the time that the others take to start
                    let deadline = u64::from(rank) * round * 1_000;
                    std::thread::spawn(move || arrive(&word, ranks, deadline))
                })
                .collect();
            let answers: Vec<bool> = threads.into_iter().map(|t| t.join().unwrap()).collect();
            assert!(answers.iter().all(|a| *a == answers[0]), "{answers:?}");
        }
    }

    #[test]
    fn one_that_never_comes_is_not_waited_for_without_an_end() {
        let word = AtomicU32::new(0);
        assert!(!arrive(&word, 2, DEADLINE));
        assert!(!arrive(&word, 2, DEADLINE), "late: the other gave up");
    }

    #[test]
    fn alone_a_rank_is_complete_and_once_only() {
        let word = AtomicU32::new(0);
        assert!(arrive(&word, 1, DEADLINE));
        assert!(
            !arrive(&word, 1, DEADLINE),
            "another program of the same rank"
        );
    }

    #[test]
    fn nobody_waits_in_vain() {
        let (word, asked) = (AtomicU32::new(0), AtomicU64::new(0));
        let mut clock = Clock(0);
        let came = all_come(&word, 2, &mut clock, DEADLINE, |clock| {
            asked.store(clock.0, Relaxed);
            true
        });
        assert!(!came);
        assert_eq!(clock.0, asked.load(Relaxed));
        assert!(
            (1_000_000_000..1_200_000_000).contains(&clock.0),
            "{}",
            clock.0
        );
    }
}
