//! How much of the run is I/O, and what it goes into.

use crate::stat::tally::Tally;
use crate::sums::sum;
use crate::time_category::TimeCategory;
use serde::Serialize;

/// All I/O together: calls and bytes of descriptors and streams.
#[derive(Clone, Debug, Serialize)]
pub struct IoFigures {
    /// Calls that succeeded or failed.
    pub calls: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Times of all threads together, in the calls that the program makes itself, of whatever layer.
    pub time: IoTime,
    /// The part of the run that is I/O: of ranks, the mean of their time in I/O over the duration; of processes, the time in
    /// which any is in I/O over it.
    pub share_of_run: f64,
    /// The same as two times.
    #[serde(skip)]
    pub of_run: PartOfRun,
    /// Time in which any task was in I/O.
    pub busy: u64,
    /// By how much it may be too long at each call that overlaps others.
    pub busy_resolution: u64,
}

/// Time in I/O, and the time that it is a part of, both of all ranks together or both of the job.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartOfRun {
    /// In I/O.
    pub time: u64,
    /// In all.
    pub run: u64,
}

/// Time in I/O, divided from the outermost calls down.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct IoTime {
    /// In outermost calls.
    pub total: u64,
    /// Waiting in collective calls for the rank that came last; none where nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u64>,
    /// In libraries above descriptors and streams, beside waiting and the calls below them: exchange, copying, conversion.
    pub library: u64,
    /// Calls of descriptors and streams, by what they do.
    #[serde(flatten)]
    pub below: ClassTimes,
}

impl IoTime {
    /// In calls, of which so much is waiting for late ranks, if that is known.
    pub(crate) fn of(tally: &Tally, waiting: Option<u64>) -> IoTime {
        let (total, below) = (tally.time_from_top(), ClassTimes::of(tally));
        let in_libraries = total - below.sum();
        let waiting = waiting.map(|waiting| waiting.min(in_libraries));
        IoTime {
            total,
            waiting,
            library: in_libraries - waiting.unwrap_or(0),
            below,
        }
    }

    /// What it goes into, in words, from the top down; what takes none is left out.
    pub fn parts(&self) -> Vec<(&'static str, u64)> {
        let all = [
            ("waiting for late ranks", self.waiting.unwrap_or(0)),
            ("in libraries (exchange, copying)", self.library),
            ("reading", self.below.read),
            ("writing", self.below.write),
            ("syncing", self.below.sync),
            ("metadata", self.below.meta),
            ("asynchronous transfers", self.below.wait),
        ];
        all.into_iter().filter(|(_, time)| *time > 0).collect()
    }
}

/// Time in calls of descriptors and streams, by what they do.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ClassTimes {
    /// Reading.
    pub read: u64,
    /// Writing.
    pub write: u64,
    /// Waiting for storage.
    pub sync: u64,
    /// Opening, closing, seeking, names, attributes, mappings.
    pub meta: u64,
    /// Starting asynchronous transfers, and waiting for them.
    pub wait: u64,
}

impl ClassTimes {
    pub(crate) fn of(tally: &Tally) -> ClassTimes {
        ClassTimes {
            read: tally.time[TimeCategory::Read as usize],
            write: tally.time[TimeCategory::Write as usize],
            sync: tally.time[TimeCategory::Sync as usize],
            meta: tally.time[TimeCategory::Meta as usize],
            wait: tally.time[TimeCategory::Wait as usize],
        }
    }

    /// Of all classes.
    pub fn sum(&self) -> u64 {
        sum([self.read, self.write, self.sync, self.meta, self.wait])
    }
}
