//! What calls cost the run. Tasks run side by side, so this is the time of the one that spends most in them; processes, which
//! may also run one after the other, cost as much of the run as their calls together do.

use crate::stat::figures::Report;
use crate::stat::{Facts, Stat, Tally, TimeCategory};
use crate::sums::{add, scaled};

/// Calls whose time a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Reads,
    Writes,
    Syncs,
    Metadata,
    SmallReads,
    SmallWrites,
    RandomReads,
    RandomWrites,
    UnalignedWrites,
    FailedLookups,
    Opens,
    Seeks,
}

impl Measure {
    const ALL: [Measure; 12] = [
        Measure::Reads,
        Measure::Writes,
        Measure::Syncs,
        Measure::Metadata,
        Measure::SmallReads,
        Measure::SmallWrites,
        Measure::RandomReads,
        Measure::RandomWrites,
        Measure::UnalignedWrites,
        Measure::FailedLookups,
        Measure::Opens,
        Measure::Seeks,
    ];

    /// Of all reads, or of all writes.
    pub fn transfers(class: TimeCategory) -> Measure {
        match class {
            TimeCategory::Read => Measure::Reads,
            _ => Measure::Writes,
        }
    }

    /// Their time.
    fn time(self, of: &Tally) -> u64 {
        match self {
            Measure::Reads => of.time[TimeCategory::Read as usize],
            Measure::Writes => of.time[TimeCategory::Write as usize],
            Measure::Syncs => of.time[TimeCategory::Sync as usize],
            Measure::Metadata => of.time[TimeCategory::Meta as usize],
            Measure::SmallReads => of.small_time[0],
            Measure::SmallWrites => of.small_time[1],
            Measure::RandomReads => of.random_time[0],
            Measure::RandomWrites => of.random_time[1],
            Measure::UnalignedWrites => of.unaligned_time[1],
            Measure::FailedLookups => of.missed_time,
            Measure::Opens => of.open_time,
            Measure::Seeks => of.seek_time,
        }
    }
}

/// Times of calls of all threads together, and what they cost the run.
pub(super) struct RunCost {
    sums: [u64; Measure::ALL.len()],
    of_run: [u64; Measure::ALL.len()],
    /// What all I/O costs the run.
    pub all: u64,
}

impl RunCost {
    pub fn of(stat: &Stat, facts: &Facts, report: &Report) -> RunCost {
        let are_processes = facts.tasks.are_processes();
        let mut found = RunCost {
            sums: [0; Measure::ALL.len()],
            of_run: [0; Measure::ALL.len()],
            all: match are_processes {
                true => report.io.busy,
                false => report.balance.time.max,
            },
        };
        for (_, task) in &stat.tasks {
            let tally = task.tally.get();
            for (at, measure) in Measure::ALL.into_iter().enumerate() {
                let time = measure.time(&tally);
                add(&mut found.sums[at], time);
                // Its threads run side by side.
                let of_task = scaled(time, task.busy, tally.time_from_top());
                found.of_run[at] = found.of_run[at].max(of_task);
            }
        }
        if are_processes {
            let (busy, total) = (report.io.busy, report.io.time.total);
            found.of_run = found.sums.map(|sum| scaled(sum, busy, total));
        }
        found
    }

    /// What some of the calls cost, which take `cost` in all threads together.
    pub fn share(&self, measure: Measure, cost: u64) -> u64 {
        let at = measure as usize;
        scaled(cost, self.of_run[at], self.sums[at])
    }
}
