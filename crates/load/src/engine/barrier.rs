//! A place where threads wait for each other, again and again, and which a thread may leave for good.

use std::sync::{Condvar, Mutex, PoisonError};

/// A barrier.
#[derive(Debug)]
pub struct Barrier {
    state: Mutex<State>,
    opened: Condvar,
}

#[derive(Debug)]
struct State {
    expected: usize,
    arrived: usize,
    times: u64,
}

impl State {
    fn open(&mut self) {
        self.arrived = 0;
        self.times += 1;
    }
}

impl Barrier {
    /// For so many threads.
    pub fn new(expected: usize) -> Barrier {
        Barrier {
            state: Mutex::new(State {
                expected,
                arrived: 0,
                times: 0,
            }),
            opened: Condvar::new(),
        }
    }

    /// Waits until all are here.
    pub fn wait(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let times = state.times;
        state.arrived += 1;
        if state.arrived == state.expected {
            state.open();
            self.opened.notify_all();
        }
        while state.times == times {
            state = self
                .opened
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The others wait no longer for this thread.
    pub fn leave(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.expected -= 1;
        if state.expected > 0 && state.arrived == state.expected {
            state.open();
            self.opened.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

    #[test]
    fn nobody_is_a_round_ahead_and_who_leaves_holds_nobody() {
        let (barrier, sums) = (Barrier::new(4), [const { AtomicU64::new(0) }; 4]);
        std::thread::scope(|scope| {
            for (number, own) in sums.iter().enumerate() {
                let (barrier, sums) = (&barrier, &sums);
                scope.spawn(move || {
                    for round in 0..100 * (number as u64 + 1) {
                        barrier.wait();
                        let others = sums.iter().skip(number).map(|sum| sum.load(SeqCst));
                        assert!(others.into_iter().all(|sum| sum.abs_diff(round) <= 1));
                        own.store(round + 1, SeqCst);
                    }
                    barrier.leave();
                });
            }
        });
    }
}
