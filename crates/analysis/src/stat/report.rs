//! What was found out, as figures: text, JSON and findings are made of it.

use super::facts::Facts;
use super::figures::*;
use super::rows::table;
use super::{FileStat, Histogram, OpStat, Options, Stat, Tally, TimeCategory, finding};
use crate::{FileId, NO_FILE, is_installed};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

/// The newest version of the report's keys.
const VERSION: u32 = 1;
/// Conflicts are listed for so many files.
const CONFLICTS: usize = 100;

impl Report {
    /// Of all that was found out.
    pub fn of(stat: &Stat, facts: &Facts, options: &Options) -> Report {
        let mut all = Tally::default();
        let installed = stat.installed(facts);
        stat.ranks
            .iter()
            .for_each(|(_, rank)| all.merge(&rank.tally.get()));
        let mut report = Report {
            version: VERSION,
            job: job(stat, facts),
            io: io(stat, &all),
            elsewhere: stat.elsewhere,
            balance: Balance {
                time: Spread::over(stat.ranks.iter().map(|(rank, of)| (*rank, of.busy))),
                bytes: Spread::over(
                    stat.ranks
                        .iter()
                        .map(|(rank, of)| (*rank, of.tally.get().all_bytes())),
                ),
            },
            read: transfers(stat, &all, TimeCategory::Read),
            write: transfers(stat, &all, TimeCategory::Write),
            files: files(stat, facts, &installed),
            findings: Vec::new(),
            tables: options
                .by
                .iter()
                .map(|by| table(stat, facts, &installed, *by, options))
                .collect(),
        };
        report.findings = finding::all(
            &report,
            (stat, facts, &all),
            &installed,
            &options.thresholds,
        );
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

fn transfers(stat: &Stat, all: &Tally, class: TimeCategory) -> TransferFigures {
    let way = class as usize;
    let (mut size, mut latency) = (Histogram::default(), Histogram::default());
    for op in stat.transfers(class) {
        op.sizes.iter().for_each(|sizes| size.merge(sizes));
        latency.merge(&op.latencies);
    }
    TransferFigures {
        calls: all.calls[way],
        transfers: all.transfers[way],
        bytes: all.bytes[way],
        asynchronous: all.asynchronous[way],
        time: all.time[way],
        size: Percentiles::of(&size),
        latency: Percentiles::of(&latency),
        small: all.small[way],
        small_time: all.small_time[way],
        unaligned: all.unaligned[way],
        alignment: stat.limits.alignment,
        steps: Steps::of(&all.steps[way]),
        sizes: size.bins().collect(),
        latencies: latency.bins().collect(),
    }
}

fn files(stat: &Stat, facts: &Facts, installed: &HashSet<FileId>) -> FileFigures {
    let mut figures = FileFigures::default();
    // Of files on storage that were written: how many ranks have for themselves, how many they share, whose the former are
    let (mut own, mut shared, mut owners) = (0, 0, BTreeSet::new());
    for (id, file) in stat.named_files() {
        let is_written = file.tally.bytes[1] > 0;
        if is_written && facts.is_stored(id) {
            match file.ranks > 1 {
                true => shared += 1,
                false => {
                    own += 1;
                    owners.insert(file.span.0);
                }
            }
        }
        let some = if file.ranks > 1 {
            &mut figures.shared
        } else {
            &mut figures.own
        };
        some.add(&file);
        if installed.contains(&id) {
            figures.installed.add(&file);
        }
    }
    let writers = stat
        .ranks
        .iter()
        .filter(|(_, rank)| rank.tally.get().bytes[1] > 0)
        .count();
    figures.writing = match (own, shared) {
        (0, 0) => "none",
        (_, 0) if owners.len() < 2 => "one rank",
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
    let conflict = |(id, file): (FileId, Cow<FileStat>)| Conflict {
        file: facts.path(id),
        path: facts.raw(id).to_owned(),
        ranks: file.ranks,
        write_write: file.overwritten(),
        write_read: file.exchanged(),
        time: file.tally.time[TimeCategory::Write as usize],
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
