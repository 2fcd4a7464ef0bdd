//! What was found out, as figures with names: text, JSON and findings are made of it.
//!
//! Times are nanoseconds, moments nanoseconds since the job's start unless said otherwise, sizes bytes.

use super::finding::{self, Finding};
use super::{Class, FileStat, Histogram, Holder, OpStat, OstStat, Overlapping, Stat, Step, Tally};
use crate::{FileId, Job, NO_FILE};
use iota_trace::text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What must be known of a job to tell what its numbers mean, when its trace is not at hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// When it began, in ns since 1970.
    pub start: i64,
    /// When its last process ended.
    pub duration: i64,
    /// Ranks that it had, as its processes say.
    pub ranks: u32,
    /// Events in the trace.
    pub events: u64,
    /// Paths by their numbers.
    pub files: BTreeMap<FileId, Vec<u8>>,
    /// Functions: name and layer.
    pub ops: Vec<(Vec<u8>, u8)>,
}

impl Facts {
    /// Of a job; of its files only those that `stat` has.
    pub fn of<'s>(job: &Job, stat: impl IntoIterator<Item = &'s Stat>) -> Facts {
        let used = stat.into_iter().flat_map(Stat::files_used);
        Facts {
            start: job.trace.start().0,
            duration: job.duration,
            ranks: job.ranks,
            events: job.event_count(),
            files: used
                .map(|file| (file, job.files.path(file).to_owned()))
                .collect(),
            ops: job
                .ops
                .all()
                .iter()
                .map(|op| (op.name.clone(), op.layer))
                .collect(),
        }
    }
}

/// How tables are made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which ones.
    pub by: Vec<By>,
    /// How many rows; 0: all.
    pub top: usize,
    /// Which rows come first.
    pub sort: Sort,
}

/// What a table has a row for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Each function.
    Op,
    /// Each file.
    File,
    /// Each rank.
    Rank,
    /// Each thread.
    Thread,
    /// Each directory that files lie in.
    Dir,
    /// Each layer.
    Layer,
    /// Each OST: an estimate.
    Ost,
}

impl By {
    /// Every one.
    pub const ALL: [By; 7] = [
        By::Op,
        By::File,
        By::Rank,
        By::Thread,
        By::Dir,
        By::Layer,
        By::Ost,
    ];

    /// As it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            By::Op => "op",
            By::File => "file",
            By::Rank => "rank",
            By::Thread => "thread",
            By::Dir => "dir",
            By::Layer => "layer",
            By::Ost => "ost",
        }
    }
}

/// What tables are sorted by, the greatest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Time.
    Time,
    /// Bytes.
    Bytes,
    /// Calls.
    Calls,
    /// Failed calls.
    Failed,
    /// Names and numbers, the first one first.
    Name,
}

impl Sort {
    /// Every one.
    pub const ALL: [Sort; 5] = [
        Sort::Time,
        Sort::Bytes,
        Sort::Calls,
        Sort::Failed,
        Sort::Name,
    ];

    /// As it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Time => "time",
            Sort::Bytes => "bytes",
            Sort::Calls => "calls",
            Sort::Failed => "failed",
            Sort::Name => "name",
        }
    }
}

/// All of it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of these keys: names that are there mean the same in all of a version.
    pub version: u32,
    /// What ran.
    pub job: JobFigures,
    /// All I/O together.
    pub io: IoFigures,
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
    /// Calls.
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
    /// All of it.
    pub total: u64,
    /// Reading.
    pub read: u64,
    /// Writing.
    pub write: u64,
    /// Waiting for storage.
    pub sync: u64,
    /// Opening, closing, seeking, names, attributes, mappings.
    pub meta: u64,
}

impl ClassTimes {
    fn of(tally: &Tally) -> ClassTimes {
        ClassTimes {
            total: tally.all_time(),
            read: tally.time[Class::Read as usize],
            write: tally.time[Class::Write as usize],
            sync: tally.time[Class::Sync as usize],
            meta: tally.time[Class::Meta as usize],
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
    /// Half of all ranks have no more.
    pub median: u64,
    /// The mean.
    pub mean: u64,
    /// The most.
    pub max: u64,
    /// Whose it is.
    pub max_rank: u32,
}

impl Spread {
    fn over(ranks: impl Iterator<Item = (u32, u64)>) -> Spread {
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
            median: all[(all.len() - 1) / 2].0,
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
    /// Time.
    pub time: u64,
    /// Bytes of each.
    pub size: Percentiles,
    /// How long each took.
    pub latency: Percentiles,
    /// Those of less than 64 KiB that moved something.
    pub small: u64,
    /// Their time.
    pub small_time: u64,
    /// Those that began at no multiple of 4 KiB.
    pub unaligned: u64,
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
    fn of(steps: &[u64; super::STEPS]) -> Steps {
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
    /// 95 of 100.
    pub p95: u64,
    /// 99 of 100.
    pub p99: u64,
    /// 999 of 1000.
    pub p999: u64,
    /// The greatest, exactly.
    pub max: u64,
}

impl Percentiles {
    fn of(histogram: &Histogram) -> Percentiles {
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
    /// How they are written: `file-per-process`, `shared file`, `both`, `one rank`, `none`.
    pub writing: &'static str,
    /// Files whose bytes several ranks touched, of which at least one wrote.
    pub conflicts: Vec<Conflict>,
}

/// Some of the files.
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
    /// Time.
    pub time: u64,
}

/// What several ranks did to the same bytes of a file.
#[derive(Clone, Debug, Serialize)]
pub struct Conflict {
    /// The path.
    pub file: String,
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
    /// Function, path, directory, layer, OST, or number of the rank or thread.
    pub name: String,
    /// Of a thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Of a thread: its process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Of a function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<&'static str>,
    /// Of a file: ranks that used it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u64>,
    /// Of a directory: files in it; of a rank: files that it used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Of a rank: time in which any of its threads was in I/O.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy: Option<u64>,
    /// Calls.
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

/// The newest version of the report's keys.
const VERSION: u32 = 1;
/// Conflicts are listed for so many files.
const CONFLICTS: usize = 100;

impl Report {
    /// Of all that was found out.
    pub fn of(stat: &Stat, facts: &Facts, options: &Options) -> Report {
        let mut all = Tally::default();
        stat.ranks
            .iter()
            .for_each(|(_, rank)| all.merge(&rank.tally));
        let mut report = Report {
            version: VERSION,
            job: job(stat, facts),
            io: io(stat, &all),
            balance: Balance {
                time: Spread::over(stat.ranks.iter().map(|(rank, of)| (*rank, of.busy))),
                bytes: Spread::over(
                    stat.ranks
                        .iter()
                        .map(|(rank, of)| (*rank, of.tally.all_bytes())),
                ),
            },
            read: transfers(stat, &all, Class::Read),
            write: transfers(stat, &all, Class::Write),
            files: files(stat, facts),
            findings: Vec::new(),
            tables: options
                .by
                .iter()
                .map(|by| table(stat, facts, *by, options))
                .collect(),
        };
        report.findings = finding::all(&report, stat, facts, &all);
        report
    }
}

fn job(stat: &Stat, facts: &Facts) -> JobFigures {
    let sum = |of: fn(&super::RankStat) -> u64| stat.ranks.iter().map(|(_, rank)| of(rank)).sum();
    JobFigures {
        start: facts.start,
        duration: facts.duration,
        ranks: facts.ranks,
        ranks_seen: stat.ranks.len() as u64,
        processes: sum(|rank| rank.processes),
        threads: sum(|rank| rank.threads),
    }
}

fn io(stat: &Stat, all: &Tally) -> IoFigures {
    let (busy, busy_resolution) = stat.union();
    let time = ClassTimes::of(all);
    IoFigures {
        calls: all.all_calls(),
        failed: all.failed,
        bytes_read: all.bytes[0],
        bytes_written: all.bytes[1],
        busy: busy.min(time.total),
        busy_resolution,
        time,
    }
}

fn transfers(stat: &Stat, all: &Tally, class: Class) -> TransferFigures {
    let way = class as usize;
    let (mut size, mut latency) = (Histogram::default(), Histogram::default());
    for op in stat.transfers(class) {
        op.sizes.iter().for_each(|sizes| size.merge(sizes));
        latency.merge(&op.latencies);
    }
    TransferFigures {
        calls: all.calls[way],
        bytes: all.bytes[way],
        time: all.time[way],
        size: Percentiles::of(&size),
        latency: Percentiles::of(&latency),
        small: all.small[way],
        small_time: all.small_time[way],
        unaligned: all.unaligned[way],
        steps: Steps::of(&all.steps[way]),
        sizes: size.bins().collect(),
        latencies: latency.bins().collect(),
    }
}

fn files(stat: &Stat, facts: &Facts) -> FileFigures {
    let mut figures = FileFigures::default();
    for (_, file) in stat.named_files() {
        let some = if file.ranks > 1 {
            &mut figures.shared
        } else {
            &mut figures.own
        };
        some.count += 1;
        some.written += u64::from(file.tally.bytes[1] > 0);
        some.bytes_read += file.tally.bytes[0];
        some.bytes_written += file.tally.bytes[1];
        some.time += file.tally.all_time();
    }
    let writers = stat
        .ranks
        .iter()
        .filter(|(_, rank)| rank.tally.bytes[1] > 0)
        .count() as u64;
    figures.writing = match (figures.own.written, figures.shared.written) {
        (0, 0) => "none",
        (_, 0) if writers < 2 => "one rank",
        (_, 0) => "file-per-process",
        (0, _) => "shared file",
        (own, _) if own >= writers.max(2) => "both",
        _ => "shared file",
    };
    figures.conflicts = conflicts(stat, facts);
    figures
}

fn conflicts(stat: &Stat, facts: &Facts) -> Vec<Conflict> {
    let shared = stat
        .named_files()
        .filter(|(_, file)| file.ranks > 1 && file.tally.bytes[1] > 0);
    let conflict = |(id, file): (FileId, &FileStat)| Conflict {
        file: facts.path(id),
        ranks: file.ranks,
        write_write: file.overwritten(),
        write_read: file.exchanged(),
        time: file.tally.time[Class::Write as usize],
    };
    let touch = |conflict: &Conflict| {
        let (ww, wr) = (&conflict.write_write, &conflict.write_read);
        ww.bytes + wr.bytes + ww.blocks + wr.block > 0
    };
    let mut all: Vec<Conflict> = shared.map(conflict).filter(touch).collect();
    all.sort_by(|a, b| {
        (b.write_write.bytes, b.time, &a.file).cmp(&(a.write_write.bytes, a.time, &b.file))
    });
    all.truncate(CONFLICTS);
    all
}

impl Facts {
    /// A path, on one line.
    pub(super) fn path(&self, file: FileId) -> String {
        self.files
            .get(&file)
            .map_or("-".to_owned(), |path| printable(path))
    }
}

/// Bytes as `iota text` writes paths.
fn printable(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len());
    text::path(&mut out, bytes);
    String::from_utf8_lossy(&out).into_owned()
}

fn table(stat: &Stat, facts: &Facts, by: By, options: &Options) -> Table {
    let (count, rows) = match by {
        By::Op => chosen(ops(stat, facts), options, Row::weight, |row| row),
        By::Layer => chosen(layers(stat, facts), options, Row::weight, |row| row),
        By::File => named(stat, facts, options),
        By::Dir => dirs(stat, facts, options),
        By::Rank => ranks(stat, options),
        By::Thread => threads(stat, options),
        By::Ost => chosen(osts(stat), options, Row::weight, |row| row),
    };
    Table { by, count, rows }
}

/// What rows are sorted by: time, bytes, calls, failed calls.
type Weight = [u64; 4];

/// How many there are, and rows of those that are asked for; only these are made, as there may be very many. Those that are
/// alike keep their order, which is that of names and numbers.
fn chosen<T>(
    mut all: Vec<T>,
    options: &Options,
    weight: impl Fn(&T) -> Weight,
    row: impl Fn(T) -> Row,
) -> (u64, Vec<Row>) {
    let count = all.len() as u64;
    let key = |of: &T| {
        let [time, bytes, calls, failed] = weight(of);
        match options.sort {
            Sort::Time => (time, calls),
            Sort::Bytes => (bytes, time),
            Sort::Calls => (calls, time),
            Sort::Failed => (failed, calls),
            Sort::Name => (0, 0),
        }
    };
    all.sort_by_key(|of| std::cmp::Reverse(key(of)));
    if options.top > 0 {
        all.truncate(options.top);
    }
    (count, all.into_iter().map(row).collect())
}

fn weight(tally: &Tally) -> Weight {
    [
        tally.all_time(),
        tally.all_bytes(),
        tally.all_calls(),
        tally.failed,
    ]
}

impl Row {
    fn weight(&self) -> Weight {
        let time = self.time.max(self.inclusive.unwrap_or(0));
        [
            time,
            self.bytes_read + self.bytes_written,
            self.calls,
            self.failed,
        ]
    }
}

fn row(name: String, tally: &Tally) -> Row {
    Row {
        name,
        calls: tally.all_calls(),
        failed: tally.failed,
        bytes_read: tally.bytes[0],
        bytes_written: tally.bytes[1],
        time: tally.all_time(),
        times: Some(ClassTimes::of(tally)),
        reads: Some(Steps::of(&tally.steps[0])),
        writes: Some(Steps::of(&tally.steps[1])),
        opens: Some(tally.opens),
        ..Row::default()
    }
}

fn ops(stat: &Stat, facts: &Facts) -> Vec<Row> {
    let known = stat
        .ops
        .iter()
        .zip(&facts.ops)
        .filter_map(|(op, facts)| Some((op.as_deref()?, facts)));
    let mut rows: Vec<Row> = known
        .map(|(op, (name, layer))| of_op(printable(name), *layer, op))
        .collect();
    rows.sort_by(|a, b| (&a.name, a.layer).cmp(&(&b.name, b.layer)));
    rows
}

fn of_op(name: String, layer: u8, op: &OpStat) -> Row {
    Row {
        name,
        layer: Some(text::layer(layer)),
        calls: op.calls,
        failed: op.failed,
        bytes_read: op.bytes[0],
        bytes_written: op.bytes[1],
        time: op.waited,
        inclusive: Some(op.time),
        latency: Some(Percentiles::of(&op.latencies)),
        size: op.sizes.as_ref().map(Percentiles::of),
        ..Row::default()
    }
}

fn layers(stat: &Stat, facts: &Facts) -> Vec<Row> {
    let mut layers: BTreeMap<u8, OpStat> = BTreeMap::new();
    for (op, (_, layer)) in stat.ops.iter().zip(&facts.ops) {
        op.iter()
            .for_each(|op| layers.entry(*layer).or_default().merge(op));
    }
    let row = |(layer, op): (&u8, &OpStat)| Row {
        layer: None,
        ..of_op(text::layer(*layer).to_owned(), *layer, op)
    };
    layers.iter().map(row).collect()
}

fn named(stat: &Stat, facts: &Facts, options: &Options) -> (u64, Vec<Row>) {
    let mut files: Vec<(FileId, &FileStat)> = stat.named_files().collect();
    files.sort_by_key(|(id, _)| facts.files.get(id));
    let of_file = |(id, file): (FileId, &FileStat)| Row {
        ranks: Some(file.ranks.into()),
        ..row(facts.path(id), &file.tally)
    };
    chosen(files, options, |(_, file)| weight(&file.tally), of_file)
}

fn dirs(stat: &Stat, facts: &Facts, options: &Options) -> (u64, Vec<Row>) {
    let mut dirs: BTreeMap<&[u8], (Tally, u64)> = BTreeMap::new();
    for (id, file) in stat.named_files() {
        let path = facts.files.get(&id).map_or(b"".as_slice(), Vec::as_slice);
        let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let (tally, files) = dirs.entry(&path[..end.max(1).min(path.len())]).or_default();
        tally.merge(&file.tally);
        *files += 1;
    }
    let of_dir = |(dir, (tally, files)): (&[u8], (Tally, u64))| Row {
        files: Some(files),
        ..row(printable(dir), &tally)
    };
    chosen(
        dirs.into_iter().collect(),
        options,
        |(_, (tally, _))| weight(tally),
        of_dir,
    )
}

fn ranks(stat: &Stat, options: &Options) -> (u64, Vec<Row>) {
    let of_rank = |(rank, of): &(u32, super::RankStat)| Row {
        files: Some(of.files),
        busy: Some(of.busy),
        ..row(rank.to_string(), &of.tally)
    };
    chosen(
        stat.ranks.iter().collect(),
        options,
        |(_, of)| weight(&of.tally),
        of_rank,
    )
}

fn osts(stat: &Stat) -> Vec<Row> {
    let of_ost = |(holder, of): (Holder, &OstStat)| Row {
        name: holder.to_string(),
        calls: of.calls,
        bytes_read: of.bytes[0],
        bytes_written: of.bytes[1],
        time: of.time,
        ..Row::default()
    };
    stat.osts.all().map(of_ost).collect()
}

fn threads(stat: &Stat, options: &Options) -> (u64, Vec<Row>) {
    let mut threads: Vec<_> = stat.threads.iter().collect();
    threads.sort_by_key(|thread| (thread.rank, thread.pid, thread.thread));
    let of_thread = |thread: &super::ThreadStat| Row {
        rank: Some(thread.rank),
        pid: Some(thread.pid),
        ..row(thread.thread.to_string(), &thread.tally)
    };
    chosen(threads, options, |thread| weight(&thread.tally), of_thread)
}

impl Stat {
    /// Files that have a path, in the order of their numbers.
    pub(super) fn named_files(&self) -> impl Iterator<Item = (FileId, &FileStat)> {
        let mut files: Vec<_> = self.files.iter().map(|(id, file)| (*id, file)).collect();
        files.retain(|(id, _)| *id != NO_FILE);
        files.sort_unstable_by_key(|(id, _)| *id);
        files.into_iter()
    }

    fn files_used(&self) -> impl Iterator<Item = FileId> {
        let open = self.open.iter().map(|stream| stream.key.file);
        self.files
            .keys()
            .copied()
            .chain(open)
            .filter(|file| *file != NO_FILE)
    }

    /// Functions of descriptors and streams that transfer in this way.
    fn transfers(&self, class: Class) -> impl Iterator<Item = &OpStat> {
        let ops = self.ops.iter().flatten().map(|op| &**op);
        ops.filter(move |op| op.class == Some(class))
    }
}
