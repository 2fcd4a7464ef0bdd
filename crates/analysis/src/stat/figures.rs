//! Figures with names: what the object of `--json` is made of.
//!
//! Times are nanoseconds, moments nanoseconds since the job's start unless said otherwise, sizes bytes.

use super::finding::Finding;
use super::{By, FileStat, Histogram, NonStorage, Overlapping, Step, Tally, TimeCategory};
use crate::sums::{add, sum};
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
    /// The part of the run that is I/O: of ranks, the mean of their time in I/O over that of their run; of processes, the time
    /// in which any is in I/O over the duration.
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
    /// Of calls of which nobody knows yet who waited in them.
    pub(super) fn of(tally: &Tally) -> IoTime {
        let (total, below) = (tally.time_from_top(), ClassTimes::of(tally));
        let library = total - below.sum();
        IoTime {
            total,
            waiting: None,
            library,
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

    /// Of the time in libraries so much is waiting for late ranks.
    pub fn set_waiting(&mut self, waiting: u64) {
        let all = self.library + self.waiting.unwrap_or(0);
        let waiting = waiting.min(all);
        (self.waiting, self.library) = (Some(waiting), all - waiting);
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
    pub(super) fn of(tally: &Tally) -> ClassTimes {
        ClassTimes {
            read: tally.time[TimeCategory::Read as usize],
            write: tally.time[TimeCategory::Write as usize],
            sync: tally.time[TimeCategory::Sync as usize],
            meta: tally.time[TimeCategory::Meta as usize],
            wait: tally.time[TimeCategory::Wait as usize],
        }
    }
}

impl ClassTimes {
    /// Of all classes.
    pub fn sum(&self) -> u64 {
        sum([self.read, self.write, self.sync, self.meta, self.wait])
    }
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
    /// Bytes of each.
    pub size: Percentiles,
    /// How long each took.
    pub latency: Percentiles,
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
    /// How they are written: `file-per-process`, `shared file`, `both`, `one rank`, `one process`, `none`.
    pub writing: &'static str,
    /// Files whose bytes several tasks touched, of which at least one wrote.
    pub conflicts: Vec<Conflict>,
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
    /// Written by several, and nothing orders these writes.
    pub write_write: Overlapping,
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

/// The files of a family: how the time of each spreads, and which has most.
#[derive(Clone, Debug, Serialize)]
pub struct Members {
    /// How many.
    pub files: u64,
    /// The least time.
    pub min: u64,
    /// Half have no more.
    pub median: u64,
    /// The most time.
    pub max: u64,
    /// Which file that is.
    pub worst: String,
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
    /// Of a file: tasks that used it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<u64>,
    /// Of a process that is a task: its program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Of a family of files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<Members>,
    /// Of a directory or family: files in it; of a task: files that it used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Of a file, or a directory of such files: it is installed software, and is listed last.
    #[serde(skip_serializing_if = "is_false")]
    pub installed: bool,
    /// Of a task: time in which any of its threads was in I/O.
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
    /// Time of calls that threads waited for and no other call encloses: of whatever layer, but in rows of functions, layers
    /// and OSTs.
    pub time: u64,
    /// Time of calls of descriptors and streams, by what they do.
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
