//! Bytes over the time of the job, read and written, in a fixed number of intervals.

use iota_analysis::{Call, Moved};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Intervals
const BINS: usize = 2000;

/// Bytes a second from each moment on
pub type Rates = Vec<(u64, u64)>;

/// What moved in each interval; threads may share it, and sums do not depend on who came first
pub struct Bandwidth {
    /// Of an interval, in ns
    width: u64,
    read: Vec<AtomicU64>,
    written: Vec<AtomicU64>,
}

impl Bandwidth {
    /// Of a job that took so long
    pub fn new(duration: i64) -> Bandwidth {
        let bins = || (0..BINS).map(|_| AtomicU64::new(0)).collect();
        let width = (duration.max(0) as u64).div_ceil(BINS as u64).max(1);
        Bandwidth {
            width,
            read: bins(),
            written: bins(),
        }
    }

    /// Spreads a call's bytes over the time that it took. Calls that others enclose are counted with those.
    pub fn add(&self, call: &Call) {
        if call.is_enclosed() || !call.is_io() {
            return;
        }
        let Moved { read, written } = call.moved;
        self.spread(&self.read, read, call);
        self.spread(&self.written, written, call);
    }

    fn spread(&self, bins: &[AtomicU64], bytes: u64, call: &Call) {
        if bytes == 0 {
            return;
        }
        let (start, end) = (call.start.max(0) as u64, call.end.max(0) as u64);
        let at = |time: u64| ((time / self.width) as usize).min(BINS - 1);
        let (first, last) = (at(start), at(end.saturating_sub(1).max(start)));
        let mut left = bytes;
        for (place, bin) in bins.iter().enumerate().take(last).skip(first) {
            let until = (place as u64 + 1) * self.width - start;
            let due = u128::from(bytes) * u128::from(until) / u128::from(end - start);
            let some = left - (bytes - due as u64).min(left);
            bin.fetch_add(some, Relaxed);
            left -= some;
        }
        bins[last].fetch_add(left, Relaxed);
    }

    /// Bytes a second from each moment, in ns since the job's start, read and written; at the end nothing any more
    pub fn rates(&self) -> [Rates; 2] {
        let rate = |bytes: u64| (u128::from(bytes) * 1_000_000_000 / u128::from(self.width)) as u64;
        let rates = |bins: &[AtomicU64]| {
            let rates = bins.iter().map(|bin| rate(bin.load(Relaxed))).chain([0]);
            (0..)
                .step_by(self.width as usize)
                .zip(rates)
                .collect::<Rates>()
        };
        [changes(rates(&self.read)), changes(rates(&self.written))]
    }
}

/// Those that are not as the one before
fn changes(mut rates: Rates) -> Rates {
    rates.dedup_by_key(|(_, rate)| *rate);
    rates
}
