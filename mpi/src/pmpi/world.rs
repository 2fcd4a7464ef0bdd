//! All ranks, on MPI_COMM_WORLD or what a session has instead: what is started there is looked at, never waited for.

use super::library::*;
use super::ranks::{all_ranks, is_done, worked};
use crate::abi::{Constant::*, Word};
use crate::agree::{self, Agreement, Waiting};
use crate::part;
use core::cell::UnsafeCell;

/// A vote: what MPI reads and writes for as long as it is under way, which may be for ever.
struct Ballot {
    mine: UnsafeCell<u64>,
    outcome: UnsafeCell<u64>,
}

// SAFETY: only the one thread that ends MPI gets here (hooks.rs), each vote with a ballot of its own.
unsafe impl Sync for Ballot {}

static BALLOTS: [Ballot; 4] = [const {
    Ballot {
        mine: UnsafeCell::new(0),
        outcome: UnsafeCell::new(0),
    }
}; 4];

/// All ranks of MPI_COMM_WORLD, none of which is waited for without an end.
pub struct World {
    barrier: Word,
    vote: Word,
    ballots: core::slice::Iter<'static, Ballot>,
    ballot: Option<&'static Ballot>,
    /// How many ranks there are, and how many of them are known not to be traced.
    size: u32,
    untraced: u32,
    /// MPI has failed: a request that failed may look done the next time.
    broken: bool,
}

impl World {
    /// Once in a process' life.
    pub fn new(size: u32) -> World {
        World {
            size,
            untraced: 0,
            barrier: 0,
            vote: 0,
            ballots: BALLOTS.iter(),
            ballot: None,
            broken: false,
        }
    }

    /// The least of what all ranks say, if that is known before patience ends.
    pub fn least_of(&mut self, value: u64, patience: u64) -> Option<u64> {
        self.say(value)
            .then(|| agree::wait(self, patience, World::least))?
    }

    fn say(&mut self, value: u64) -> bool {
        self.ballot = self.ballots.next();
        let Some(ballot) = self.ballot else {
            return false;
        };
        let (mine, outcome) = (ballot.mine.get(), ballot.outcome.get());
        // SAFETY: the ballot is static, and used for this vote alone.
        worked(unsafe {
            *mine = value;
            let request = &raw mut self.vote;
            PMPI_Iallreduce(
                mine.cast(),
                outcome.cast(),
                1,
                constant(Uint64),
                constant(Min),
                all_ranks(),
                request,
            )
        })
        .is_ok()
    }

    /// 0 if MPI failed.
    fn least(&mut self) -> Option<u64> {
        let ballot = self.ballot?;
        // SAFETY: asked only after `say`, and not again after an answer; once done, the outcome is written.
        match unsafe { is_done(&mut self.vote) } {
            Ok(false) => None,
            // SAFETY: the reduction has ended: MPI writes there no more.
            Ok(true) => Some(unsafe { *ballot.outcome.get() }),
            Err(_) => Some(0),
        }
    }

    /// How many ranks are known never to come.
    pub fn untraced(&self) -> u32 {
        self.untraced
    }
}

impl Agreement for World {
    fn enter(&mut self) -> bool {
        // SAFETY: MPI works; the call writes the request.
        worked(unsafe { PMPI_Ibarrier(all_ranks(), &mut self.barrier) }).is_ok()
    }

    fn all_entered(&mut self) -> bool {
        if self.broken {
            return false;
        }
        // SAFETY: asked only after `enter`, and not again after a yes or a failure.
        let done = unsafe { is_done(&mut self.barrier) };
        self.broken = done.is_err();
        done.unwrap_or(false)
    }

    fn cannot_complete(&mut self) -> bool {
        self.untraced = part::untraced(self.size);
        self.untraced != 0
    }

    fn vote(&mut self, yes: bool) -> bool {
        self.say(u64::from(yes))
    }

    fn outcome(&mut self) -> Option<bool> {
        self.least().map(|least| least == 1)
    }
}

impl Waiting for World {
    fn pause(&mut self, nanoseconds: u64) {
        part::pause(nanoseconds);
    }

    fn now(&self) -> u64 {
        part::now()
    }
}
