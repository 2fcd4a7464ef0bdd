//! What calls of a layer cost the run: the time of the task that spends most in them.

use super::{Layers, Sum};
use crate::Job;
use crate::sums::{scaled, sum};

/// What findings are weighed against.
pub(super) struct LayerCost<'f> {
    found: &'f Layers<'f>,
    are_processes: bool,
    duration: u64,
    /// What the cost of a finding is a part of.
    pub base: u64,
}

impl<'f> LayerCost<'f> {
    pub fn of(found: &'f Layers<'f>, job: &Job, is_filtered: bool) -> LayerCost<'f> {
        let duration = job.duration.max(0) as u64;
        let time = |sum: &Sum| sum.time.saturating_add(sum.flight);
        LayerCost {
            found,
            are_processes: job.tasks.are_processes(),
            duration,
            base: match is_filtered {
                true => found.tasks.values().map(time).max().unwrap_or(0),
                false => duration,
            },
        }
    }

    /// What some of the calls cost, which take `cost` in all tasks together; `time` is that of all such calls.
    pub fn share(&self, cost: u64, time: impl Fn(&Sum) -> u64) -> u64 {
        let times = || self.found.tasks.values().map(&time);
        // Processes may run one after the other.
        match self.are_processes {
            true => cost.min(self.duration),
            false => scaled(cost, times().max().unwrap_or(0), sum(times())),
        }
    }
}
