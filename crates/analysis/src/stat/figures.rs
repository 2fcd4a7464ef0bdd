//! Figures with names: what the object of `--json` is made of.
//!
//! Times are nanoseconds, moments nanoseconds since the job's start unless said otherwise, sizes bytes.

use super::finding::Finding;
use super::{By, FileStat, Histogram, NonStorage, Overlapping, Step, Tally, TimeCategory};
use crate::sums::add;
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
    /// How evenly ranks have a share in it.
    pub balance: Balance,
    /// Transfers from files.
    pub read: TransferFigures,
    /// Transfers to files.
    pub write: TransferFigures,
    /// How files are used.
    pub files: FileFigures,
    /// What it means, by the time that it costs.
    pub findings: Vec<Finding>,
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
    /// Processes that are seen.
    pub processes: u64,
    /// Threads that made calls.
    pub threads: u64,
}

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
    /// Times of all threads together.
    pub time: ClassTimes,
    /// Time in which any rank was in I/O.
    pub busy: u64,
    /// By how much it may be too long at each call that overlaps others.
    pub busy_resolution: u64,
}

/// Time by what it went into.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct ClassTimes {
    /// Time in calls of all classes.
    pub total: u64,
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
    pub(super) fn of(tally: &Tally) -> ClassTimes {
        ClassTimes {
            total: tally.all_time(),
            read: tally.time[TimeCategory::Read as usize],
            write: tally.time[TimeCategory::Write as usize],
            sync: tally.time[TimeCategory::Sync as usize],
            meta: tally.time[TimeCategory::Meta as usize],
            wait: tally.time[TimeCategory::Wait as usize],
        }
    }
}

/// How evenly ranks have a share.
#[derive(Clone, Debug, Serialize)]
pub struct Balance {
    /// Time in I/O.
    pub time: Spread,
    /// Bytes read and written.
    pub bytes: Spread,
}

/// A figure over ranks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Spread {
    /// The least.
    pub min: u64,
    /// Whose it is: the first such rank.
    pub min_rank: u32,
    /// Half of all ranks have no more, half no less; between two values it is their mean.
    pub median: u64,
    /// The arithmetic mean, rounded down.
    pub mean: u64,
    /// The most.
    pub max: u64,
    /// Whose it is.
    pub max_rank: u32,
}

impl Spread {
    pub(super) fn over(ranks: impl Iterator<Item = (u32, u64)>) -> Spread {
        let mut all: Vec<(u64, u32)> = ranks.map(|(rank, value)| (value, rank)).collect();
        all.sort_unstable();
        let sum: u128 = all.iter().map(|(value, _)| u128::from(*value)).sum();
        let (Some(first), Some(last)) = (all.first(), all.last()) else {
            return Spread::default();
        };
        let first_of_most = all.partition_point(|(value, _)| *value < last.0);
        Spread {
            min: first.0,
            min_rank: first.1,
            median: all[(all.len() - 1) / 2].0.midpoint(all[all.len() / 2].0),
            mean: (sum / all.len() as u128) as u64,
            max: last.0,
            max_rank: all[first_of_most].1,
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
    /// Bytes of asynchronous transfers; what threads waited for them is in [`ClassTimes::wait`].
    pub asynchronous: u64,
    /// Time of the calls that threads waited for.
    pub time: u64,
    /// Bytes of each.
    pub size: Percentiles,
    /// How long each took.
    pub latency: Percentiles,
    /// Those of fewer bytes than the threshold that moved something.
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
    /// Files that one rank used.
    pub own: SomeFiles,
    /// Files that several ranks used.
    pub shared: SomeFiles,
    /// Those of either that belong to installations (programs, libraries, modules), and that the job only reads.
    pub installed: SomeFiles,
    /// How they are written: `file-per-process`, `shared file`, `both`, `one rank`, `none`.
    pub writing: &'static str,
    /// Files whose bytes several ranks touched, of which at least one wrote.
    pub conflicts: Vec<Conflict>,
}

/// Figures of the files that one rank used, or of those that several used.
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

/// What several ranks did to the same bytes of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Conflict {
    /// The path.
    pub file: String,
    /// The same as it is.
    #[serde(skip)]
    pub path: Vec<u8>,
    /// Ranks that used it.
    pub ranks: u32,
    /// Written by several.
    pub write_write: Overlapping,
    /// Written by one and read by another.
    pub write_read: Overlapping,
    /// Time of writing.
    pub time: u64,
}

/// Rows of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// Of which.
    pub by: By,
    /// How many there are.
    pub count: u64,
    /// Those asked for.
    pub rows: Vec<Row>,
}

/// A row of any table; what does not apply is left out.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// Function, path, directory, layer, object, host, OST, or number of the rank, process or thread.
    pub name: String,
    /// Of a process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Of a host: how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// Of a thread or process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Of a thread: its process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Of a function or object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<&'static str>,
    /// Of an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Of a file: ranks that used it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u64>,
    /// Of a directory: files in it; of a rank: files that it used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Of a file, or a directory of such files: it is installed software, and is listed last.
    #[serde(skip_serializing_if = "is_false")]
    pub installed: bool,
    /// Of a rank: time in which any of its threads was in I/O.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy: Option<u64>,
    /// Calls that succeeded or failed.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Time of calls that threads waited for and no other call encloses.
    pub time: u64,
    /// What it went into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<ClassTimes>,
    /// Of a function: time of all its calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inclusive: Option<u64>,
    /// How long calls took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Percentiles>,
    /// What each moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Percentiles>,
    /// Steps of reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<Steps>,
    /// Steps of writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<Steps>,
    /// Calls that opened a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opens: Option<u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_false(value: &bool) -> bool {
    !value
}
