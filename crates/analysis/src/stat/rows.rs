//! Tables: rows of functions, files, ranks and whatever else `--by` may name.

use super::facts::{Facts, printable};
use super::figures::{ClassTimes, Percentiles, Row, Steps, Table};
use super::{
    By, FileStat, Holder, HostStat, OpStat, Options, OstStat, ProcessStat, Sort, Stat, Tally,
};
use crate::FileId;
use crate::job::directory;
use iota_calls::Layer;
use iota_trace::text;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

pub(super) fn table(
    stat: &Stat,
    facts: &Facts,
    installed: &HashSet<FileId>,
    by: By,
    options: &Options,
) -> Table {
    let (count, rows) = match by {
        By::Op => chosen(ops(stat, facts), options, Row::weight, |row| row),
        By::Layer => chosen(layers(stat, facts), options, Row::weight, |row| row),
        By::File => named(stat, facts, installed, options),
        By::Dir => dirs(stat, facts, installed, options),
        By::Rank => ranks(stat, options),
        By::Thread => threads(stat, options),
        By::Object => chosen(stat.objects.rows(facts), options, Row::weight, |row| row),
        By::Pid => processes(stat, facts, options),
        By::Host => hosts(stat, facts, options),
        By::Ost => chosen(osts(stat), options, Row::weight, |row| row),
    };
    Table { by, count, rows }
}

/// What rows are sorted by: time, bytes, calls, failed calls.
type Weight = [u64; 4];
/// What stands behind all others, first.
type Behind = (bool, Weight);

/// How many there are, and rows of those that are asked for; only these are made, as there may be very many. Those that are
/// alike keep their order, which is that of names and numbers.
fn chosen<T>(
    all: Vec<T>,
    options: &Options,
    weight: impl Fn(&T) -> Weight,
    row: impl Fn(T) -> Row,
) -> (u64, Vec<Row>) {
    chosen_behind(all, options, |of| (false, weight(of)), row)
}

/// The same, some of them behind all others.
fn chosen_behind<T>(
    mut all: Vec<T>,
    options: &Options,
    weight: impl Fn(&T) -> Behind,
    row: impl Fn(T) -> Row,
) -> (u64, Vec<Row>) {
    let count = all.len() as u64;
    let key = |of: &T| {
        let (is_behind, [time, bytes, calls, failed]) = weight(of);
        let key = match options.sort {
            Sort::Time => (time, calls),
            Sort::Bytes => (bytes, time),
            Sort::Calls => (calls, time),
            Sort::Failed => (failed, calls),
            Sort::Name => (0, 0),
        };
        (is_behind, std::cmp::Reverse(key))
    };
    all.sort_by_key(key);
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
            self.bytes_read.saturating_add(self.bytes_written),
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
        // Calls that start or end processes are none of I/O.
        let is_base = matches!(Layer::of(*layer), Some(Layer::Posix | Layer::Stdio));
        let is_io = |op: &&OpStat| op.class.is_some() || !is_base;
        if let Some(op) = op.as_deref().filter(is_io) {
            layers.entry(*layer).or_default().merge(op);
        }
    }
    let row = |(layer, op): (&u8, &OpStat)| Row {
        layer: None,
        ..of_op(text::layer(*layer).to_owned(), *layer, op)
    };
    layers.iter().map(row).collect()
}

fn named(
    stat: &Stat,
    facts: &Facts,
    installed: &HashSet<FileId>,
    options: &Options,
) -> (u64, Vec<Row>) {
    let files = stat.named_files();
    let weight = |(id, of): (FileId, Cow<FileStat>)| {
        let behind = installed.contains(&id);
        (id, (behind, weight(&of.tally)))
    };
    let mut files: Vec<(FileId, Behind)> = files.map(weight).collect();
    files.sort_by_key(|(id, _)| facts.files.get(id));
    let of_file = |(id, (installed, _)): (FileId, Behind)| {
        let file = stat.files[&id].get();
        Row {
            installed,
            ranks: Some(file.ranks.into()),
            ..row(facts.path(id), &file.tally)
        }
    };
    chosen_behind(files, options, |(_, weight)| *weight, of_file)
}

fn dirs(
    stat: &Stat,
    facts: &Facts,
    installed: &HashSet<FileId>,
    options: &Options,
) -> (u64, Vec<Row>) {
    // Calls, files, and whether all of these are installed.
    let mut dirs: BTreeMap<&[u8], (Tally, u64, bool)> = BTreeMap::new();
    for (id, file) in stat.named_files() {
        let path = facts.files.get(&id).map_or(b"".as_slice(), Vec::as_slice);
        let dir = directory(path);
        let (tally, files, behind) = dirs.entry(dir).or_insert((Tally::default(), 0, true));
        tally.merge(&file.tally);
        *files += 1;
        *behind &= installed.contains(&id);
    }
    let of_dir = |(dir, (tally, files, installed)): (&[u8], (Tally, u64, bool))| Row {
        installed,
        files: Some(files),
        ..row(printable(dir), &tally)
    };
    chosen_behind(
        dirs.into_iter().collect(),
        options,
        |(_, (tally, _, behind))| (*behind, weight(tally)),
        of_dir,
    )
}

fn ranks(stat: &Stat, options: &Options) -> (u64, Vec<Row>) {
    let of_rank = |(rank, of): &(u32, super::RankStat)| Row {
        files: Some(of.files),
        busy: Some(of.busy),
        ..row(rank.to_string(), &of.tally.get())
    };
    chosen(
        stat.ranks.iter().collect(),
        options,
        |(_, of)| weight(&of.tally.get()),
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
        ..row(thread.thread.to_string(), &thread.tally.get())
    };
    chosen(
        threads,
        options,
        |thread| weight(&thread.tally.get()),
        of_thread,
    )
}

fn processes(stat: &Stat, facts: &Facts, options: &Options) -> (u64, Vec<Row>) {
    let of_process = |process: ProcessStat| Row {
        rank: Some(process.rank),
        host: Some(facts.host(process.host)),
        ..row(process.pid.to_string(), &process.tally.get())
    };
    let all = stat.processes_joined();
    chosen(
        all,
        options,
        |process| weight(&process.tally.get()),
        of_process,
    )
}

fn hosts(stat: &Stat, facts: &Facts, options: &Options) -> (u64, Vec<Row>) {
    let of_host = |(host, of): (&u32, &HostStat)| Row {
        processes: Some(of.processes),
        ..row(facts.host(*host), &of.tally)
    };
    let all = stat.hosts.iter().collect();
    chosen(all, options, |(_, of)| weight(&of.tally), of_host)
}
