//! When the next operation may begin: rate limits, think time, and the end of the time limit.

use super::shared::Shared;
use crate::options::Options;
use crate::sys;
use std::time::Duration;

/// The longest sleep: who waits looks that often whether the load has ended.
const NAP: Duration = Duration::from_millis(20);

/// A piece's pace.
pub struct RateLimit {
    began: u64,
    deadline: Option<u64>,
    think: Option<u64>,
    /// Nanoseconds for a byte and for a transfer
    costs: Option<(f64, f64)>,
}

impl RateLimit {
    /// Of one of `threads` pieces, which began at `began`.
    pub fn new(options: &Options, threads: u64, began: u64) -> RateLimit {
        let share = |rate: Option<u64>| rate.map_or(0.0, |rate| 1e9 * threads as f64 / rate as f64);
        let limited = options.rate.is_some() || options.rate_iops.is_some();
        RateLimit {
            began,
            deadline: options
                .time
                .map(|time| began.saturating_add(time.as_nanos() as u64)),
            think: options
                .think
                .map(|think| think.as_nanos() as u64)
                .filter(|think| *think > 0),
            costs: limited.then(|| (share(options.rate), share(options.rate_iops))),
        }
    }

    /// Whether the time limit has come, by the latest stamp.
    #[inline]
    pub fn over(&self, now: u64) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
    }

    /// When the next transfer is due, after `bytes` and `transfers`; `None`: at once.
    #[inline]
    pub fn due(&self, bytes: u64, transfers: u64) -> Option<u64> {
        let (byte, transfer) = self.costs?;
        let since = (bytes as f64 * byte).max(transfers as f64 * transfer);
        Some(self.began + since as u64)
    }

    /// The pause after an operation, in ns.
    #[inline]
    pub fn think(&self) -> Option<u64> {
        self.think
    }

    /// Waits; says whether there is time left.
    pub fn sleep_until(&self, shared: &Shared, due: u64) -> bool {
        let until = self.deadline.map_or(due, |deadline| due.min(deadline));
        loop {
            let now = sys::now();
            if now >= until || shared.is_stopped() {
                return !self.over(now);
            }
            std::thread::sleep(NAP.min(Duration::from_nanos(until - now)));
        }
    }
}
