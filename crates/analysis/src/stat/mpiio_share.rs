//! What a program does itself, where calls of MPI-IO count by the calls below them: these may be made on another rank.

use super::figures::Spread;
use super::{RankStat, Stat};
use crate::{Call, Run};
use serde::{Deserialize, Serialize};

/// Calls of MPI-IO, and what is below them, of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MpiioShare {
    /// Calls of MPI-IO that no other one encloses,
    pub calls: u64,
    above: Sums,
    /// and those that they made.
    below: Sums,
}

/// Sums over calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Sums {
    /// Read and written.
    bytes: u64,
    /// In ns, of calls that a thread waited for.
    time: u64,
}

impl Sums {
    fn add(&mut self, more: Sums) {
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.time = self.time.saturating_add(more.time);
    }
}

impl MpiioShare {
    pub(super) fn merge(&mut self, more: &MpiioShare) {
        self.calls += more.calls;
        self.above.add(more.above);
        self.below.add(more.below);
    }
}

impl RankStat {
    /// Bytes that the program of the rank moves, and the time that it spends so: with calls of MPI-IO, whoever writes for
    /// them, and with calls of its own.
    fn of_program(&self) -> (u64, u64) {
        let MpiioShare { above, below, .. } = self.mpiio_share;
        let bytes = self.tally.get().all_bytes().saturating_sub(below.bytes);
        let time = self.busy.saturating_sub(below.time);
        (
            bytes.saturating_add(above.bytes),
            time.saturating_add(above.time),
        )
    }
}

/// What programs do, over ranks.
pub(super) struct Program {
    pub time: Spread,
    pub bytes: Spread,
    /// Of all ranks together.
    pub all_bytes: u64,
    /// Time of the rank that moves most bytes.
    pub time_of_most: u64,
    /// Whether calls of MPI-IO are among it.
    is_lifted: bool,
}

impl Program {
    pub fn of(stat: &Stat) -> Program {
        // Where a filter left out calls of MPI-IO, those below them are all that is known.
        let is_lifted = stat.library_calls() > 0;
        let of = |rank: &RankStat| match is_lifted {
            true => rank.of_program(),
            false => (rank.tally.get().all_bytes(), rank.busy),
        };
        let ranks = || stat.ranks.iter().map(|(rank, stat)| (*rank, of(stat)));
        let bytes = ranks().map(|(_, (bytes, _))| bytes);
        let spread = Spread::over(ranks().map(|(rank, (bytes, _))| (rank, bytes)));
        let most = ranks().find(|(rank, _)| *rank == spread.max_rank);
        Program {
            all_bytes: bytes.fold(0, u64::saturating_add),
            bytes: spread,
            time_of_most: most.map_or(0, |(_, (_, time))| time),
            time: Spread::over(ranks().map(|(rank, (_, time))| (rank, time))),
            is_lifted,
        }
    }

    /// How its time is counted, if not as everywhere.
    pub fn note(&self) -> &'static str {
        match self.is_lifted {
            true => " (calls of MPI-IO as a whole)",
            false => "",
        }
    }
}

impl Stat {
    /// Calls of MPI-IO that no other one encloses.
    pub fn library_calls(&self) -> u64 {
        let calls = self.ranks.iter().map(|(_, rank)| rank.mpiio_share.calls);
        calls.sum()
    }

    /// A call of MPI-IO that counts by calls below it, or one of these.
    #[inline(always)]
    pub(super) fn add_mpiio(&mut self, call: &Call, elapse: u64) {
        if call.function.is_library || call.is_under_library() {
            self.pass_through(call, 1, elapse);
        }
    }

    /// Calls that are alike, which took `elapse` together.
    pub(super) fn run_through(&mut self, run: &Run, elapse: u64) {
        if run.first.is_under_library() {
            self.pass_through(&run.first, run.count(), elapse);
        }
    }

    #[cold]
    fn pass_through(&mut self, call: &Call, count: u64, elapse: u64) {
        let Some((_, rank)) = self.ranks.last_mut() else {
            return;
        };
        let is_flying = call.is_asynchronous();
        let sums = Sums {
            bytes: count.saturating_mul(call.moved.read.saturating_add(call.moved.written)),
            time: if is_flying { 0 } else { elapse },
        };
        match (call.function.is_library, call.is_io()) {
            (true, _) if call.is_under_library() => {}
            // Where calls of MPI-IO count themselves, they are in the rank's sums.
            (true, true) => rank.mpiio_share.calls += count,
            (true, false) => {
                rank.mpiio_share.calls += count;
                rank.mpiio_share.above.add(sums);
            }
            (false, true) => rank.mpiio_share.below.add(sums),
            (false, false) => {}
        }
    }
}
