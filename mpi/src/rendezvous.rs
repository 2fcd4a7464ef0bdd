//! Are all ranks here? Asked where there is no communicator yet, and ranks on several nodes have only a directory in
//! common. Each rank leaves a word there, and may take it back for as long as rank 0 has not taken it. When rank 0 has
//! taken the words of all, or given up, it says so. A rank whose word was taken waits for that: so all who rank 0
//! counts on have the same answer.

use crate::agree::{self, GiveUpCheck, Waiting};
use crate::group::GroupRank;

/// What ranks leave for each other. Each false is a failure, or says that there is nothing.
pub trait SharedDir {
    /// Leaves this rank's word.
    fn arrive(&mut self) -> bool;
    /// Takes a rank's word, if it is there.
    fn take(&mut self, rank: u32) -> bool;
    /// True if rank 0 has taken this rank's word.
    fn is_taken(&mut self) -> bool;
    /// Takes this rank's word back; false: rank 0 was faster.
    fn cancel(&mut self) -> bool;
    /// Says whether all are here.
    fn announce(&mut self, all: bool) -> bool;
    /// What was announced.
    fn announced(&mut self) -> Option<bool>;
    /// This rank has read what was announced.
    fn leave(&mut self);
    /// True if a rank whose word was taken has left.
    fn has_left(&mut self, rank: u32) -> bool;
    /// Removes what was announced.
    fn clear(&mut self);
}

/// By how much what is announced may come later than the deadline: rank 0 may have begun to wait that much later.
const ANNOUNCING_TAKES: u64 = 4;
/// How long rank 0 stays, for those who have not read yet that not all are here.
const STAY: u64 = 2_000_000_000;

/// True if all ranks came within `deadline` nanoseconds, none of them while it was known to be in vain. If it is true, rank 0
/// has to clear the board once all ranks are known to have read it.
pub fn all_come<B: SharedDir, W: Waiting>(
    shared_dir: &mut B,
    me: GroupRank,
    clock: &mut W,
    deadline: u64,
    cannot_complete: impl Fn(&mut W) -> bool,
) -> bool {
    if me.rank == 0 {
        collect(shared_dir, me.size, clock, deadline, cannot_complete)
    } else {
        attend(shared_dir, clock, deadline, cannot_complete)
    }
}

fn collect<W: Waiting>(
    shared_dir: &mut impl SharedDir,
    ranks: u32,
    clock: &mut W,
    deadline: u64,
    cannot_complete: impl Fn(&mut W) -> bool,
) -> bool {
    // Of an earlier job, whose launcher had the same name
    shared_dir.clear();
    let (mut next, mut check) = (1, GiveUpCheck::new(clock));
    let all = agree::wait(clock, deadline, |clock| {
        while next < ranks && shared_dir.take(next) {
            next = next.saturating_add(1);
        }
        if next >= ranks {
            return Some(true);
        }
        check.is_lost(clock, &cannot_complete).then_some(false)
    });
    let all = shared_dir.announce(all == Some(true)) && all == Some(true);
    if !all {
        see_off(shared_dir, next, clock);
    }
    all
}

/// Waits until all who were counted on know that it was in vain.
fn see_off<W: Waiting>(shared_dir: &mut impl SharedDir, taken: u32, clock: &mut W) {
    let mut ranks = (1..taken).peekable();
    agree::wait(clock, STAY, |_| {
        while ranks.next_if(|rank| shared_dir.has_left(*rank)).is_some() {}
        ranks.peek().is_none().then_some(())
    });
    shared_dir.clear();
}

fn attend<W: Waiting>(
    shared_dir: &mut impl SharedDir,
    clock: &mut W,
    deadline: u64,
    cannot_complete: impl Fn(&mut W) -> bool,
) -> bool {
    if !shared_dir.arrive() {
        return false;
    }
    let mut check = GiveUpCheck::new(clock);
    let taken = agree::wait(clock, deadline, |clock| {
        let is_lost = || check.is_lost(clock, &cannot_complete).then_some(false);
        shared_dir.is_taken().then_some(true).or_else(is_lost)
    });
    if taken != Some(true) && shared_dir.cancel() {
        return false;
    }
    let patience = deadline.saturating_mul(ANNOUNCING_TAKES);
    let all = agree::wait(clock, patience, |_| shared_dir.announced());
    shared_dir.leave();
    all == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::{Arc, Mutex};

    /// A rank's own time. It is not far ahead of rank 0's, however the machine divides its processors among the threads.
    struct Clock {
        now: u64,
        of_rank_0: Arc<AtomicU64>,
        is_rank_0: bool,
    }

    const STEP: u64 = 50_000;

    impl Waiting for Clock {
        fn pause(&mut self, nanoseconds: u64) {
            self.now += nanoseconds.max(STEP);
            if self.is_rank_0 {
                self.of_rank_0.store(self.now, Relaxed);
            }
            std::thread::yield_now();
            while self.now > self.of_rank_0.load(Relaxed).saturating_add(STEP) {
                std::thread::yield_now();
            }
        }

        fn now(&self) -> u64 {
            self.now
        }
    }

    /// Of each rank whether its word was taken, and what is announced.
    #[derive(Default)]
    struct Paper {
        words: BTreeMap<u32, bool>,
        all: Option<bool>,
    }

    struct Shared(u32, Arc<Mutex<Paper>>);

    impl Shared {
        fn paper(&self) -> std::sync::MutexGuard<'_, Paper> {
            self.1.lock().unwrap()
        }
    }

    impl SharedDir for Shared {
        fn arrive(&mut self) -> bool {
            self.paper().words.insert(self.0, false).is_none()
        }

        fn take(&mut self, rank: u32) -> bool {
            let mut paper = self.paper();
            paper
                .words
                .get_mut(&rank)
                .map(|taken| *taken = true)
                .is_some()
        }

        fn is_taken(&mut self) -> bool {
            self.paper().words[&self.0]
        }

        fn cancel(&mut self) -> bool {
            let mut paper = self.paper();
            !paper.words[&self.0] && paper.words.remove(&self.0).is_some()
        }

        fn announce(&mut self, all: bool) -> bool {
            self.paper().all = Some(all);
            true
        }

        fn announced(&mut self) -> Option<bool> {
            self.paper().all
        }

        fn leave(&mut self) {
            self.paper().words.remove(&self.0);
        }

        fn has_left(&mut self, rank: u32) -> bool {
            !self.paper().words.contains_key(&rank)
        }

        fn clear(&mut self) {
            self.paper().all = None;
        }
    }

    const DEADLINE: u64 = 20_000_000_000;

    /// What each of these ranks of a job of `size` finds, with a deadline of its own. The others begin when it is this late for
    /// rank 0.
    fn answers(size: u32, ranks: &[(u32, u64)], late: u64) -> (Vec<bool>, Arc<Mutex<Paper>>) {
        let paper = Arc::new(Mutex::new(Paper::default()));
        let has_rank_0 = ranks.iter().any(|(rank, _)| *rank == 0);
        let of_rank_0 = Arc::new(AtomicU64::new(if has_rank_0 { 0 } else { u64::MAX }));
        let threads: Vec<_> = ranks
            .iter()
            .map(|&(rank, deadline)| {
                let mut shared_dir = Shared(rank, paper.clone());
                let me = GroupRank { rank, size };
                let mut clock = Clock {
                    now: 0,
                    of_rank_0: of_rank_0.clone(),
                    is_rank_0: rank == 0,
                };
                std::thread::spawn(move || {
                    while !clock.is_rank_0 && clock.of_rank_0.load(Relaxed) < late {
                        std::thread::yield_now();
                    }
                    let found = all_come(&mut shared_dir, me, &mut clock, deadline, |_| false);
                    if clock.is_rank_0 {
                        clock.of_rank_0.store(u64::MAX, Relaxed);
                    }
                    found
                })
            })
            .collect();
        let found = threads.into_iter().map(|t| t.join().unwrap()).collect();
        (found, paper)
    }

    #[test]
    fn all_have_the_same_answer_however_late_some_are() {
        let mut seen = [0, 0];
        for round in 0..400u64 {
            // Deadlines of about the time that the others take to start; who was counted on waits longer than rank 0
            let deadline = |times: u64| (times * round * 5_000).max(STEP);
            let times = [(0, 2), (1, 3), (2, 2), (3, 1)];
            let ranks = times.map(|(rank, times)| (rank, deadline(times)));
            let late = if round % 10 == 9 { deadline(2) } else { 0 };
            let (found, paper) = answers(4, &ranks, late);
            assert!(found.iter().all(|answer| *answer == found[0]), "{found:?}");
            seen[usize::from(found[0])] += 1;
            assert!(paper.lock().unwrap().words.is_empty(), "nothing is left");
        }
        assert!(seen.iter().all(|rounds| *rounds > 0), "{seen:?}");
    }

    #[test]
    fn one_that_never_comes_is_not_waited_for_without_an_end() {
        let (found, paper) = answers(3, &[(0, DEADLINE), (1, DEADLINE)], 0);
        assert_eq!(found, [false, false]);
        assert_eq!(paper.lock().unwrap().all, None);
        let (found, paper) = answers(3, &[(1, DEADLINE), (2, DEADLINE)], 0);
        assert_eq!(found, [false, false], "without rank 0");
        assert!(paper.lock().unwrap().words.is_empty(), "nothing is left");
    }
}
