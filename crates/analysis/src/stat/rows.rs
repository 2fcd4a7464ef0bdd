//! Tables: rows of functions, files, ranks and whatever else `--by` may name.

use super::facts::{Facts, printable};
use super::families::{Families, Family};
use super::figures::{ClassTimes, Members, Percentiles, Row, Steps, Table};
use super::{
    By, FileStat, Holder, HostStat, OpStat, Options, OstStat, ProcessStat, Sort, Stat, Tally,
};
use crate::job::directory;
use crate::sums::sum;
use crate::{FileId, NO_FILE, TaskId};
use iota_calls::Layer;
use iota_trace::text;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ops::Deref;

pub(super) fn table(
    stat: &Stat,
    facts: &Facts,
    (installed, families): (&HashSet<FileId>, &impl Deref<Target = Families>),
    by: By,
    options: &Options,
) -> Table {
    let (count, rows) = match by {
        By::Op => chosen(ops(stat, facts), options, Row::weight, |row| row),
        By::Layer => chosen(layers(stat, facts), options, Row::weight, |row| row),
        By::File => named(stat, facts, installed, options),
        By::Family => files_and_families(stat, facts, (installed, families), options),
        By::Dir => dirs(stat, facts, installed, options),
        By::Rank => tasks(stat, facts, options),
        By::Thread => threads(stat, options),
        By::Object => chosen(stat.objects.rows(facts), options, Row::weight, |row| row),
        By::Site => chosen(stat.sites.rows(facts), options, Row::weight, |row| row),
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
        tally.time_from_top(),
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
    let (transfers, reaching) = (sum(tally.transfers), tally.all_reaching_kernel());
    Row {
        name,
        calls: tally.all_calls(),
        failed: tally.failed,
        bytes_read: tally.bytes[0],
        bytes_written: tally.bytes[1],
        time: tally.time_from_top(),
        times: Some(ClassTimes::of(tally)),
        reads: Some(Steps::of(&tally.steps[0])),
        writes: Some(Steps::of(&tally.steps[1])),
        opens: Some(tally.opens),
        reaching_kernel: (reaching < transfers).then_some(reaching),
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
            tasks: Some(file.tasks.into()),
            ..row(facts.path(id), &file.tally)
        }
    };
    chosen_behind(files, options, |(_, weight)| *weight, of_file)
}

/// Files, or families of them.
fn files_and_families(
    stat: &Stat,
    facts: &Facts,
    (installed, families): (&HashSet<FileId>, &Families),
    options: &Options,
) -> (u64, Vec<Row>) {
    let alone = stat.files_of(|id| families.of_file(id).is_none());
    let alone = alone.map(|(id, file)| FamilyOrFile {
        name: facts.raw(id).to_owned(),
        installed: installed.contains(&id),
        tasks: file.tasks,
        tally: file.into_owned().tally,
        members: None,
    });
    let together = families.all().iter();
    let together = together.map(|family| FamilyOrFile::together(stat, facts, installed, family));
    let mut all: Vec<FamilyOrFile> = alone.chain(together).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    chosen_behind(
        all,
        options,
        |of| (of.installed, weight(&of.tally)),
        |of| Row {
            installed: of.installed,
            tasks: Some(of.tasks.into()),
            files: of.members.as_ref().map(|members| members.files),
            members: of.members,
            ..row(printable(&of.name), &of.tally)
        },
    )
}

/// A row of the table of families.
struct FamilyOrFile {
    name: Vec<u8>,
    installed: bool,
    /// Of a family: those that used one of its files, at most.
    tasks: u32,
    tally: Tally,
    members: Option<Members>,
}

impl FamilyOrFile {
    fn together(stat: &Stat, facts: &Facts, installed: &HashSet<FileId>, family: &Family) -> Self {
        let (mut tally, mut tasks) = (Tally::default(), 0);
        let mut times: Vec<(u64, FileId)> = Vec::new();
        for file in &family.files {
            let of = stat.files[file].get();
            tally.merge(&of.tally);
            tasks = tasks.max(of.tasks);
            times.push((of.tally.time_from_top(), *file));
        }
        times.sort_unstable();
        let time = |at: usize| times.get(at).map_or(0, |(time, _)| *time);
        let worst = times.last().map_or(NO_FILE, |(_, file)| *file);
        FamilyOrFile {
            name: family.pattern(),
            installed: family.files.iter().all(|file| installed.contains(file)),
            tasks,
            tally,
            members: Some(Members {
                files: times.len() as u64,
                min: time(0),
                median: time(times.len() / 2),
                max: time(times.len() - 1),
                worst: facts.path(worst),
            }),
        }
    }
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

fn tasks(stat: &Stat, facts: &Facts, options: &Options) -> (u64, Vec<Row>) {
    let of_task = |(task, of): &(TaskId, super::TaskStat)| {
        let pid = facts.tasks.pid(*task);
        Row {
            pid,
            program: facts.tasks.program(*task).map(str::to_owned),
            files: Some(of.files),
            busy: Some(of.busy),
            ..row(pid.unwrap_or(*task).to_string(), &of.tally.get())
        }
    };
    chosen(
        stat.tasks.iter().collect(),
        options,
        |(_, of)| weight(&of.tally.get()),
        of_task,
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
