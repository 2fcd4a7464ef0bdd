//! Figures with names: what the object of `--json` is made of.
//!
//! Times are nanoseconds, moments nanoseconds since the job's start unless said otherwise, sizes bytes.

mod io;
mod rows;

pub use io::{ClassTimes, IoFigures, IoTime, PartOfRun};
pub use rows::{Members, Row, Table};

use super::finding::Finding;
use super::{FileStat, Histogram, NonStorage, Overlapping, Phases, Step};
use crate::sums::add;
use crate::thresholds::Part;
use crate::{TaskId, TaskKind, Tasks};
use serde::Serialize;

/// The object that `--json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of these keys: names that are there mean the same in all of a version.
    pub version: u32,
    /// What ran.
    pub job: JobFigures,
    /// All I/O together.
    pub io: IoFigures,
    /// Calls that are left out of everything else, because they are not on storage.
    pub elsewhere: NonStorage,
    /// How evenly tasks have a share in it: ranks, or the processes of a job that has no ranks.
    pub balance: Balance,
    /// Transfers from files.
    pub read: TransferFigures,
    /// Transfers to files.
    pub write: TransferFigures,
    /// How files are used.
    pub files: FileFigures,
    /// When tasks read, and when they write, with pauses between; none where they do so all the time.
    pub phases: Vec<Phases>,
    /// What it means, that first which costs the run most.
    pub findings: Vec<Finding>,
    /// How many more there are, which cost less than is worth a line.
    #[serde(skip)]
    pub minor: u64,
    /// What part of the run is worth a line.
    #[serde(skip)]
    pub worth: Part,
    /// One for each of `--by`.
    pub tables: Vec<Table>,
}

/// What ran.
#[derive(Clone, Debug, Serialize)]
pub struct JobFigures {
    /// In ns since 1970.
    pub start: i64,
    /// To the end of its last process.
    pub duration: i64,
    /// Ranks that it had.
    pub ranks: u32,
    /// Ranks that are seen.
    pub ranks_seen: u64,
    /// What sharing and balance are counted by.
    pub task: TaskKind,
    /// How many of these are seen.
    pub tasks: u64,
    /// Processes that are seen.
    pub processes: u64,
    /// Threads that made calls.
    pub threads: u64,
}

/// How evenly tasks have a share.
#[derive(Clone, Debug, Serialize)]
pub struct Balance {
    /// Time in I/O.
    pub time: Spread,
    /// Bytes read and written.
    pub bytes: Spread,
}

/// A figure over tasks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Spread {
    /// The least.
    pub min: u64,
    /// Whose it is: the first such task.
    pub min_of: String,
    /// Half of all tasks have no more, half no less; between two values it is their mean.
    pub median: u64,
    /// The arithmetic mean, rounded down.
    pub mean: u64,
    /// The most.
    pub max: u64,
    /// Whose it is.
    pub max_of: String,
    /// The same by its number.
    #[serde(skip)]
    pub max_task: TaskId,
}

impl Spread {
    pub(super) fn over(tasks: &Tasks, values: impl Iterator<Item = (TaskId, u64)>) -> Spread {
        let mut all: Vec<(u64, TaskId)> = values.map(|(task, value)| (value, task)).collect();
        all.sort_unstable();
        let sum: u128 = all.iter().map(|(value, _)| u128::from(*value)).sum();
        let (Some(first), Some(last)) = (all.first(), all.last()) else {
            return Spread::default();
        };
        let first_of_most = all.partition_point(|(value, _)| *value < last.0);
        let max_task = all[first_of_most].1;
        Spread {
            min: first.0,
            min_of: tasks.name(first.1),
            median: all[(all.len() - 1) / 2].0.midpoint(all[all.len() / 2].0),
            mean: (sum / all.len() as u128) as u64,
            max: last.0,
            max_of: tasks.name(max_task),
            max_task,
        }
    }

    /// Its greatest value over its mean, if there is any.
    pub fn imbalance(&self) -> Option<f64> {
        (self.mean > 0).then(|| self.max as f64 / self.mean as f64)
    }
}

/// Transfers in one direction.
#[derive(Clone, Debug, Serialize)]
pub struct TransferFigures {
    /// How many.
    pub calls: u64,
    /// Bytes moved.
    pub bytes: u64,
    /// Transfers that moved bytes; a call that copies is one of each way.
    pub transfers: u64,
    /// Those that reach the kernel, where streams gather several in their buffer: an estimate.
    pub reaching_kernel: u64,
    /// Bytes of asynchronous transfers; what threads waited for them is in [`ClassTimes::wait`].
    pub asynchronous: u64,
    /// Time of the calls that threads waited for.
    pub time: u64,
    /// Those that reach the kernel, in a second of this time. None where some are asynchronous.
    pub iops: Option<u64>,
    /// Bytes of each call.
    pub size: Percentiles,
    /// How long each took.
    pub latency: Percentiles,
    /// Bytes of each transfer that reaches the kernel: an estimate where streams gather them.
    pub kernel_size: Percentiles,
    /// How long each of these took; those that one call of a stream makes share its time.
    pub kernel_latency: Percentiles,
    /// Those that reach the kernel and have fewer bytes than the threshold.
    pub small: u64,
    /// Their time.
    pub small_time: u64,
    /// Those that began at no multiple of the alignment.
    pub unaligned: u64,
    /// The threshold for that.
    #[serde(skip)]
    pub alignment: u64,
    /// By the step from the one before.
    pub steps: Steps,
    /// First value, last value and count of each bin of sizes.
    pub sizes: Vec<(u64, u64, u64)>,
    /// The same of latencies.
    pub latencies: Vec<(u64, u64, u64)>,
}

/// Transfers by the step from the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Steps {
    /// The thread's first in the file.
    pub first: u64,
    /// Where the one before ended.
    pub consecutive: u64,
    /// Further on.
    pub sequential: u64,
    /// As far as last time.
    pub strided: u64,
    /// Before the end of the one before.
    pub random: u64,
}

impl Steps {
    pub(super) fn of(steps: &[u64; super::STEPS]) -> Steps {
        Steps {
            first: steps[Step::First as usize],
            consecutive: steps[Step::Consecutive as usize],
            sequential: steps[Step::Sequential as usize],
            strided: steps[Step::Strided as usize],
            random: steps[Step::Random as usize],
        }
    }
}

/// A histogram in five numbers, each exact to 6 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Percentiles {
    /// Half do not exceed it.
    pub p50: u64,
    /// 95 % do not exceed it.
    pub p95: u64,
    /// 99 % do not exceed it.
    pub p99: u64,
    /// 99.9 % do not exceed it.
    pub p999: u64,
    /// The greatest, exactly.
    pub max: u64,
}

impl Percentiles {
    pub(super) fn of(histogram: &Histogram) -> Percentiles {
        Percentiles {
            p50: histogram.percentile(50.0),
            p95: histogram.percentile(95.0),
            p99: histogram.percentile(99.0),
            p999: histogram.percentile(99.9),
            max: histogram.max,
        }
    }
}

/// How files are used.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FileFigures {
    /// Files that one task used.
    pub own: SomeFiles,
    /// Files that several tasks used.
    pub shared: SomeFiles,
    /// Those of either that belong to installations (programs, libraries, modules), and that the job only reads.
    pub installed: SomeFiles,
    /// Files by what was done with their bytes.
    pub used: FileUse,
    /// How they are written: `file-per-process`, `shared file`, `both`, `one rank`, `one process`, `none`.
    pub writing: &'static str,
    /// Files whose bytes several tasks touched, of which at least one wrote.
    pub conflicts: Vec<Conflict>,
}

/// How many files were read, written, both, or neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileUse {
    /// Only read.
    pub read: u64,
    /// Only written.
    pub written: u64,
    /// Read and written.
    pub both: u64,
    /// Neither: opened, queried, looked for.
    pub neither: u64,
}

impl FileUse {
    pub(super) fn add(&mut self, [read, written]: [u64; 2]) {
        let of = match (read > 0, written > 0) {
            (true, false) => &mut self.read,
            (false, true) => &mut self.written,
            (true, true) => &mut self.both,
            (false, false) => &mut self.neither,
        };
        *of += 1;
    }
}

/// Figures of the files that one task used, or of those that several used.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct SomeFiles {
    /// How many.
    pub count: u64,
    /// Those that were written.
    pub written: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Time of the calls that threads waited for.
    pub time: u64,
}

impl SomeFiles {
    pub(super) fn add(&mut self, file: &FileStat) {
        self.count += 1;
        self.written += u64::from(file.tally.bytes[1] > 0);
        add(&mut self.bytes_read, file.tally.bytes[0]);
        add(&mut self.bytes_written, file.tally.bytes[1]);
        add(&mut self.time, file.tally.all_time());
    }
}

/// What several tasks did to the same bytes of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Conflict {
    /// The path.
    pub file: String,
    /// The same as it is.
    #[serde(skip)]
    pub path: Vec<u8>,
    /// Tasks that used it.
    pub tasks: u32,
    /// Written by several, and nothing orders these writes, as far as that is known.
    pub write_write: Overlapping,
    /// Whether it was looked for what orders them.
    pub order_known: bool,
    /// Bytes that were written again by another one, after a collective call of all ranks, or after the end of the process.
    pub ordered: u64,
    /// Written by one and read by another.
    pub write_read: Overlapping,
    /// Two tasks that touched the same bytes.
    pub example: Option<Example>,
    /// Time of writing.
    pub time: u64,
}

/// Two tasks that touched the same bytes of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Example {
    /// Where.
    #[serde(rename = "off")]
    pub offset: u64,
    /// Who.
    pub of: [String; 2],
}
