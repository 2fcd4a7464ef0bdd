//! What was found out, as figures: text, JSON and findings are made of it.

use super::facts::Facts;
use super::families::Families;
use super::figures::*;
use super::finding::Found;
use super::kernel_transfers::SizesAndTimes;
use super::rows::table;
use super::{
    By, Direction, FileStat, OpStat, Options, Overlap, Overlapping, Overwrites, Phases, Stat,
    Tally, TaskStat, TimeCategory, finding,
};
use crate::sums::{per_second, sum};
use crate::{FileId, NO_FILE, is_installed, layers};
use iota_quantity::share;
use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::{BTreeSet, HashSet};

/// The newest version of the report's keys.
const VERSION: u32 = 2;
/// Conflicts are listed for so many files.
const CONFLICTS: usize = 100;

/// What other passes found, as far as there were any.
#[derive(Clone, Copy, Default)]
pub struct Further<'a> {
    /// What calls of libraries caused, who waited for whom, and findings on that.
    pub tree: Option<&'a layers::LayerReport>,
    /// Which bytes several tasks wrote, and nothing orders.
    pub overwrites: Option<&'a Overwrites>,
}

impl Report {
    /// Of all that was found out.
    pub fn of(stat: &Stat, facts: &Facts, further: Further, options: &Options) -> Report {
        let tree = further.tree;
        let mut all = Tally::default();
        let installed = stat.installed(facts);
        // Most tables need none, and there may be very many files.
        let families = LazyCell::new(|| Families::of(facts));
        stat.tasks
            .iter()
            .for_each(|(_, task)| all.merge(&task.tally.get()));
        let mut report = Report {
            version: VERSION,
            job: job(stat, facts),
            io: io(stat, facts, tree, &all),
            elsewhere: stat.elsewhere,
            balance: Balance {
                time: over(stat, facts, |of| of.busy),
                bytes: over(stat, facts, |of| of.tally.get().all_bytes()),
            },
            read: transfers(stat, &all, Direction::Read),
            write: transfers(stat, &all, Direction::Write),
            files: files(stat, facts, further.overwrites, &installed),
            phases: [Direction::Read, Direction::Write]
                .into_iter()
                .filter_map(|way| Phases::of(&stat.activity, way))
                .collect(),
            findings: Vec::new(),
            minor: 0,
            worth: options.thresholds.worth,
            tables: options
                .by
                .iter()
                .map(|by| table(stat, facts, (&installed, &families), *by, options))
                .filter(|table| table.by != By::Site || table.count > 0)
                .collect(),
        };
        let found = Found {
            stat,
            facts,
            tree,
            installed: &installed,
            families: &families,
        };
        (report.findings, report.minor) = finding::all(&report, &found, &all, options);
        report
    }

    /// Lines on reading, and on writing, where it is in several phases.
    pub fn phase_lines(&self) -> impl Iterator<Item = Vec<String>> {
        let several = self.phases.iter().filter(|of| of.phases.len() > 1);
        several.map(Phases::lines)
    }

    /// What is said where there are no findings.
    pub fn no_findings(&self) -> String {
        let PartOfRun { time, run } = self.io.of_run;
        let (part, worth) = (share(time, run), self.worth);
        let duration = self.job.duration.max(0) as u64;
        let is_little =
            !worth.is_reached(self.balance.time.max, duration) && !worth.is_reached(time, run);
        match (self.minor, !is_little) {
            (0, true) => "no findings".to_owned(),
            (0, false) => format!("no findings: I/O takes {part} of the run"),
            (_, false) => {
                format!("I/O takes {part} of the run: little to gain; --all shows what there is")
            }
            (_, true) => {
                format!("no findings; --all shows what would save less than {worth} of the run")
            }
        }
    }
}

fn over(stat: &Stat, facts: &Facts, value: impl Fn(&TaskStat) -> u64) -> Spread {
    let values = stat.tasks.iter().map(|(task, of)| (*task, value(of)));
    Spread::over(&facts.tasks, values)
}

fn job(stat: &Stat, facts: &Facts) -> JobFigures {
    let sum = |of: fn(&TaskStat) -> u64| stat.tasks.iter().map(|(_, task)| of(task)).sum();
    let (are_processes, tasks) = (facts.tasks.are_processes(), stat.tasks.len() as u64);
    JobFigures {
        start: facts.start,
        duration: facts.duration,
        ranks: facts.ranks,
        ranks_seen: if are_processes { tasks.min(1) } else { tasks },
        task: facts.tasks.kind(),
        tasks,
        processes: sum(|task| task.processes),
        threads: sum(|task| task.threads),
    }
}

fn io(stat: &Stat, facts: &Facts, tree: Option<&layers::LayerReport>, all: &Tally) -> IoFigures {
    let (busy, busy_resolution) = stat.union();
    let time = IoTime::of(all, tree.map(|tree| tree.total.waiting));
    let busy = busy.min(time.total);
    let duration = facts.duration.max(0) as u64;
    let of_run = match facts.tasks.are_processes() {
        // They wait for one another: a shell for its commands.
        true => PartOfRun {
            time: busy,
            run: duration,
        },
        false => PartOfRun {
            time: sum(stat.tasks.iter().map(|(_, task)| task.busy)),
            run: duration.saturating_mul(stat.tasks.len() as u64),
        },
    };
    IoFigures {
        calls: all.all_calls(),
        failed: all.failed,
        bytes_read: all.bytes[0],
        bytes_written: all.bytes[1],
        time,
        share_of_run: of_run.time as f64 / of_run.run.max(1) as f64,
        of_run,
        busy,
        busy_resolution,
    }
}

fn transfers(stat: &Stat, all: &Tally, direction: Direction) -> TransferFigures {
    let way = direction as usize;
    let mut calls = SizesAndTimes::default();
    let mut kernel = stat.buffers.of(direction).clone();
    for op in stat.transfers(direction.class()) {
        calls.add(op);
        if !op.of_streams {
            kernel.add(op);
        }
    }
    let (time, reaching_kernel) = (all.time[way], all.reaching_kernel(way));
    TransferFigures {
        calls: all.calls[way],
        transfers: all.transfers[way],
        reaching_kernel,
        bytes: all.bytes[way],
        asynchronous: all.asynchronous[way],
        time,
        // Nobody waited for asynchronous ones.
        iops: (all.asynchronous[way] == 0).then(|| per_second(reaching_kernel, time)),
        size: Percentiles::of(&calls.sizes),
        latency: Percentiles::of(&calls.latencies),
        kernel_size: Percentiles::of(&kernel.sizes),
        kernel_latency: Percentiles::of(&kernel.latencies),
        small: all.small[way],
        small_time: all.small_time[way],
        unaligned: all.unaligned[way],
        alignment: stat.limits.alignment,
        steps: Steps::of(&all.steps[way]),
        sizes: calls.sizes.bins().collect(),
        latencies: calls.latencies.bins().collect(),
    }
}

fn files(
    stat: &Stat,
    facts: &Facts,
    overwrites: Option<&Overwrites>,
    installed: &HashSet<FileId>,
) -> FileFigures {
    let mut figures = FileFigures::default();
    // Of files on storage that were written: how many tasks have for themselves, how many they share, whose the former are
    let (mut own, mut shared, mut owners) = (0, 0, BTreeSet::new());
    for (id, file) in stat.named_files() {
        let is_written = file.tally.bytes[1] > 0;
        if is_written && facts.is_stored(id) {
            match file.tasks > 1 {
                true => shared += 1,
                false => {
                    own += 1;
                    owners.insert(file.span.0);
                }
            }
        }
        let some = if file.tasks > 1 {
            &mut figures.shared
        } else {
            &mut figures.own
        };
        some.add(&file);
        figures.used.add(file.tally.bytes);
        if installed.contains(&id) {
            figures.installed.add(&file);
        }
    }
    let writers = stat
        .tasks
        .iter()
        .filter(|(_, task)| task.tally.get().bytes[1] > 0)
        .count();
    figures.writing = match (own, shared) {
        (0, 0) => "none",
        (_, 0) if owners.len() < 2 => match facts.tasks.are_processes() {
            true => "one process",
            false => "one rank",
        },
        (_, 0) => "file-per-process",
        (0, _) => "shared file",
        (own, _) if own >= writers.max(2) => "both",
        _ => "shared file",
    };
    figures.conflicts = conflicts(stat, facts, overwrites);
    figures
}

fn conflicts(stat: &Stat, facts: &Facts, overwrites: Option<&Overwrites>) -> Vec<Conflict> {
    let shared = stat
        .named_files()
        .filter(|(_, file)| file.tasks > 1 && file.tally.bytes[1] > 0);
    let example = |overlap: Overlap| Example {
        offset: overlap.offset,
        of: [overlap.tasks.0, overlap.tasks.1].map(|task| facts.tasks.name(task)),
    };
    let conflict = |(id, file): (FileId, Cow<FileStat>)| {
        let (all, write_read) = (file.overwritten(), file.exchanged());
        let write_write = match overwrites {
            Some(known) => known.of(id),
            None => all,
        };
        Conflict {
            file: facts.path(id),
            path: facts.raw(id).to_owned(),
            tasks: file.tasks,
            example: write_write.example.or(write_read.example).map(example),
            ordered: match write_write.blocks {
                0 => all.bytes.saturating_sub(write_write.bytes),
                // Which bytes of the blocks several wrote is not known.
                _ => 0,
            },
            order_known: overwrites.is_some() || all == Overlapping::default(),
            write_write,
            write_read,
            time: file.tally.time[TimeCategory::Write as usize],
        }
    };
    let touch = |conflict: &Conflict| {
        let (ww, wr) = (&conflict.write_write, &conflict.write_read);
        ww.bytes + wr.bytes + ww.blocks + wr.block + conflict.ordered > 0
    };
    let mut all: Vec<Conflict> = shared.map(conflict).filter(touch).collect();
    all.sort_by(|a, b| {
        (b.write_write.bytes, b.time, &a.file).cmp(&(a.write_write.bytes, a.time, &b.file))
    });
    all.truncate(CONFLICTS);
    all
}

impl Stat {
    /// Files of installations that the job only reads: they stand behind all others.
    pub fn installed(&self, facts: &Facts) -> HashSet<FileId> {
        let named = self.files_of(|id| is_installed(facts.raw(id)));
        let installed = named.filter(|(_, file)| file.tally.bytes[1] == 0);
        installed.map(|(id, _)| id).collect()
    }

    /// Files that have a path, in the order of their numbers.
    pub(super) fn named_files(&self) -> impl Iterator<Item = (FileId, Cow<'_, FileStat>)> {
        self.files_of(|_| true)
    }

    /// Those of them that are wanted: the figures of others are not unpacked.
    pub(super) fn files_of(
        &self,
        is_wanted: impl Fn(FileId) -> bool,
    ) -> impl Iterator<Item = (FileId, Cow<'_, FileStat>)> {
        let mut files: Vec<_> = self.files.iter().map(|(id, file)| (*id, file)).collect();
        files.retain(|(id, _)| *id != NO_FILE && is_wanted(*id));
        files.sort_unstable_by_key(|(id, _)| *id);
        files.into_iter().map(|(id, file)| (id, file.get()))
    }

    pub(super) fn files_used(&self) -> impl Iterator<Item = FileId> {
        let open = self.open.iter().map(|stream| stream.key.file);
        self.files
            .keys()
            .copied()
            .chain(open)
            .chain(self.idle.files())
            .filter(|file| *file != NO_FILE)
    }

    /// Functions of descriptors and streams that transfer in this way.
    fn transfers(&self, class: TimeCategory) -> impl Iterator<Item = &OpStat> {
        let ops = self.ops.iter().flatten().map(|op| &**op);
        ops.filter(move |op| op.class == Some(class))
    }
}
