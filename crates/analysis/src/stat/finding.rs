//! What the figures mean: in words, with the evidence, what to try, and the time that is at stake.

mod again;
mod balance;
mod causes;
mod directories;
mod entry;
mod file_sums;
mod installed;
mod lookups;
mod nodes;
mod opens;
mod per_access;
mod run_cost;
mod sites;
mod slow_phases;
mod small;
mod surplus;

pub use entry::Finding;
pub(crate) use entry::dearest;

use file_sums::{FileSums, MostOf};
use run_cost::{Measure, RunCost};

use super::facts::{Facts, printable};
use super::families::Families;
use super::figures::Report;
use super::program_bytes::ProgramBytes;
use super::{Options, Stat, Tally, TimeCategory};
use crate::filter::Select;
use crate::sums::portion;
use crate::thresholds::Thresholds;
use crate::{FileId, layers};
use iota_quantity::{bytes, count, many, share, time};
use std::collections::HashSet;

/// What is metadata, as filters have it.
const METADATA: &str = "open,close,seek,meta,map,other";

/// What findings follow from.
pub(super) struct Found<'a> {
    pub stat: &'a Stat,
    pub facts: &'a Facts,
    /// What the calls of libraries caused; none where nobody looked.
    pub tree: Option<&'a layers::LayerReport>,
    pub installed: &'a HashSet<FileId>,
    pub families: &'a Families,
}

/// All findings, the dearest first, and how many more are not worth a line.
pub(super) fn all(
    report: &Report,
    found: &Found,
    all: &Tally,
    options: &Options,
) -> (Vec<Finding>, u64) {
    let (thresholds, tree) = (&options.thresholds, found.tree);
    let run_cost = RunCost::of(found.stat, found.facts, report);
    let base = match options.is_filtered {
        true => run_cost.all,
        false => found.facts.duration.max(0) as u64,
    };
    let judge = |of_installed| Rules {
        report,
        stat: found.stat,
        facts: found.facts,
        tree,
        families: found.families,
        all,
        installed: found.installed,
        of_installed,
        files: FileSums::default(),
        bytes: ProgramBytes::of(found.stat, &found.facts.tasks),
        run_cost: &run_cost,
        base,
        thresholds,
    };
    let is_worth = |cost| thresholds.worth.is_reached(cost, base);
    let mut of_job = judge(false).summed().of_the_job();
    of_job.extend(tree.iter().flat_map(|tree| tree.findings.iter().cloned()));
    sites::name(&mut of_job, found.stat, found.facts);
    let (mut found, minor) = dearest(causes::alone(of_job), is_worth);
    let of_installations = judge(true).summed().of_installations();
    let (of_installations, more) = dearest(of_installations, is_worth);
    found.extend(of_installations);
    let minor_of_tree = tree.map_or(0, |tree| tree.minor);
    (found, minor + more + minor_of_tree)
}

/// Numbers in its conditions that are no thresholds say what a finding is: what several ranks share has more than one.
struct Rules<'a> {
    report: &'a Report,
    stat: &'a Stat,
    facts: &'a Facts,
    tree: Option<&'a layers::LayerReport>,
    families: &'a Families,
    all: &'a Tally,
    installed: &'a HashSet<FileId>,
    /// Whether it judges how these are used, or how all others are
    of_installed: bool,
    /// What the files on storage come to that it judges
    files: FileSums<'a>,
    bytes: ProgramBytes,
    run_cost: &'a RunCost,
    /// What its cost is a part of
    base: u64,
    thresholds: &'a Thresholds,
}

impl Rules<'_> {
    fn of_the_job(&self) -> Vec<Finding> {
        let found = [
            self.small(TimeCategory::Read),
            self.small(TimeCategory::Write),
            self.random(TimeCategory::Read),
            self.random(TimeCategory::Write),
            self.unaligned(),
            self.rereads(),
            self.rewrites(),
            self.metadata(),
            self.failed_lookups(),
            self.opens(),
            self.unused_opens(),
            self.crowded_directory(),
            self.seeks(),
            self.sync(),
            self.imbalance(),
            self.node_imbalance(),
            self.one_rank(),
            self.conflicts(),
            self.stall(),
        ];
        let phases = self.report.phases.iter();
        let slow = phases.filter_map(|of| self.slow_phases(of));
        found.into_iter().flatten().chain(slow).collect()
    }

    fn random(&self, class: TimeCategory) -> Option<Finding> {
        let (way, name) = named(class);
        let (random, all) = (
            self.files.all.steps[way][super::Step::Random as usize],
            self.files.all.transfers[way],
        );
        if !self.is_habit(random) || !self.thresholds.random.is_reached(random, all) {
            return None;
        }
        let file = self.files.most(MostOf::random(class))?.0;
        Some(Finding {
            kind: if class == TimeCategory::Read {
                "random-reads"
            } else {
                "random-writes"
            },
            cost: self.run_cost.share(
                match class {
                    TimeCategory::Read => Measure::RandomReads,
                    _ => Measure::RandomWrites,
                },
                self.files.all.random_time[way],
            ),
            what: format!("{} of {name}s go back in the file", percent(random, all)),
            evidence: format!(
                "{} of {} begin before the end of the transfer before and took {}; most of it in {}",
                count(random),
                many(all, name),
                time(self.files.all.random_time[way]),
                self.place(file),
            ),
            advice: "Sort accesses by offset, read larger pieces into memory, or lay the data out in the order in which \
                it is used; collective MPI-IO sorts by itself.",
            select: self.of(class, file, "off>=0"),
        })
    }

    fn unaligned(&self) -> Option<Finding> {
        let (unaligned, time_of) = (
            self.files.all.unaligned[1],
            self.files.all.unaligned_time[1],
        );
        let file = self.files.most(MostOf::UnalignedWrites)?.0;
        let shared = &self.stat.files[&file].get().tally;
        let is_most = self
            .thresholds
            .unaligned
            .is_reached(unaligned, self.files.all.transfers[1]);
        (is_most && self.is_habit(shared.unaligned[1])).then(|| Finding {
            kind: "unaligned-writes",
            cost: self.run_cost.share(Measure::UnalignedWrites, time_of),
            what: format!("{} of writes do not start at a block of the file system", percent(unaligned, self.files.all.transfers[1])),
            evidence: format!(
                "{} at offsets that are not a multiple of {} took {}; most of it in {}, which several {} share",
                many(unaligned, "write"),
                bytes(self.stat.limits.alignment),
                time(time_of),
                self.place(file),
                self.facts.tasks.kind().plural(),
            ),
            advice: "Let ranks own whole stripes or blocks: align records (H5Pset_alignment, nc_var_align_size, \
                striping_unit), so that two ranks never write the same block.",
            select: self.of(TimeCategory::Write, file, "off>=0"),
        })
    }

    fn metadata(&self) -> Option<Finding> {
        let at = TimeCategory::Meta as usize;
        let (meta, calls, all) = (
            self.files.all.time[at],
            self.files.all.calls[at],
            self.all.all_time(),
        );
        if !self.is_habit(calls) || !self.thresholds.metadata.is_reached(meta, all) {
            return None;
        }
        Some(Finding {
            kind: "metadata",
            cost: self.run_cost.share(Measure::Metadata, meta),
            what: format!(
                "{} of the time in files goes into metadata",
                percent(meta, all)
            ),
            evidence: format!(
                "{} to open, close, seek or query took {}, of which opens {}; {}used by one {} only: {}, by several: {}",
                many(calls, "call"),
                time(meta),
                time(self.files.all.all_open_time),
                self.most_metadata(),
                self.facts.tasks.kind().word(),
                many(self.files.of_one, "file"),
                count(self.files.of_several),
            ),
            advice: "Open files once and keep them open; let one rank call stat and broadcast the result; pack many small \
                files into one; copy files that every rank loads (libraries, Python) to the nodes.",
            select: Select::class(METADATA).on_storage().text(),
        })
    }

    /// Who spends most time in metadata, and in which function most of it goes.
    fn most_metadata(&self) -> String {
        let at = TimeCategory::Meta as usize;
        let tasks = self.stat.tasks.iter();
        let tasks = tasks.map(|(task, of)| (of.tally.get().time[at], *task));
        let ops = self.stat.ops.iter().zip(&self.facts.ops);
        let ops = ops.filter_map(|(op, (name, _))| Some((op.as_ref()?, name)));
        let ops = ops.filter(|(op, _)| op.class == Some(TimeCategory::Meta));
        let op = ops.map(|(op, name)| (op.waited, name)).max();
        let (Some((of_task, task)), Some((of_op, op))) = (tasks.max(), op) else {
            return String::new();
        };
        format!(
            "most by {} ({}) and in {} ({}); ",
            self.facts.tasks.described(task),
            time(of_task),
            printable(op),
            time(of_op),
        )
    }

    fn seeks(&self) -> Option<Finding> {
        let (idle, seeks) = (self.all.idle_seeks, self.all.seeks);
        let is_most = self.thresholds.seeks.is_reached(idle, seeks);
        (is_most && self.is_habit(idle)).then(|| Finding {
            kind: "idle-seeks",
            cost: self.run_cost.share(Measure::Seeks, portion(self.all.seek_time, idle, seeks)),
            what: format!("{} of seeks change nothing", percent(idle, seeks)),
            evidence: format!(
                "{} of {} leave the position as it is, or are followed at once by another seek",
                count(idle),
                many(seeks, "seek"),
            ),
            advice: "Use pread and pwrite, which need no position, or leave out the seek if the position is right already.",
            select: Select::class("seek").on_storage().text(),
        })
    }

    fn sync(&self) -> Option<Finding> {
        let (sync, all) = (
            self.all.time[TimeCategory::Sync as usize],
            self.all.all_time(),
        );
        self.thresholds.sync.is_reached(sync, all).then(|| Finding {
            kind: "sync",
            cost: self.run_cost.share(Measure::Syncs, sync),
            what: format!("{} of the I/O time waits for storage", percent(sync, all)),
            evidence: format!("{} of fsync and the like took {}", many(self.all.calls[TimeCategory::Sync as usize], "call"), time(sync)),
            advice: "Sync once for each checkpoint, not for each record; check whether a library syncs on every flush.",
            // Flushes of streams are of the class as well; they wait for nothing.
            select: Select::class("sync").and("layer", "posix").on_storage().text(),
        })
    }

    fn stall(&self) -> Option<Finding> {
        let slowest = self
            .stat
            .ops
            .iter()
            .enumerate()
            .filter_map(|(id, op)| Some((id, op.as_deref()?)));
        let slowest = slowest.filter(|(_, op)| op.waited > 0 && op.class.is_some());
        let (id, op) = slowest.max_by_key(|(_, op)| op.latencies.max)?;
        let (longest, p99) = (op.latencies.max, op.latencies.percentile(99.0));
        let is_long = self.thresholds.stall_time.is_reached(longest)
            && self.thresholds.stall.is_reached(longest, p99);
        (is_long && self.is_habit(op.calls)).then(|| Finding {
            kind: "stall",
            cost: longest,
            what: format!("one {} took {}", printable(&self.facts.ops[id].0), time(longest)),
            evidence: format!(
                "by {}, {} after the start; 99 % of these calls took at most {}",
                self.facts.tasks.described(op.longest.0),
                time(op.longest.1.max(0) as u64),
                time(p99),
            ),
            advice: "Look at the other calls at that time (`iota stat --where during=...`); a server, a lock or memory \
                pressure may have delayed it.",
            select: self.slowest(id, longest),
        })
    }

    /// Whether so much time is worth a line.
    fn is_worth(&self, cost: u64) -> bool {
        self.thresholds.worth.is_reached(cost, self.base)
    }

    /// Whether there are so many calls that they are no accident.
    fn is_habit(&self, calls: u64) -> bool {
        self.thresholds.few.is_reached(calls)
    }

    /// Transfers of a file that meet a term.
    fn of(&self, class: TimeCategory, file: FileId, term: &str) -> String {
        let mut select = Select::class(named(class).1);
        select.term(term);
        self.on(select, file)
    }

    /// Those on a file, or on its family.
    fn on(&self, select: Select, file: FileId) -> String {
        match self.families.of_file(file) {
            Some(family) => select.files(&family.pieces).text(),
            None => select.file(self.facts.raw(file)).text(),
        }
    }

    /// A file, or its family.
    fn place(&self, file: FileId) -> String {
        let path = self.facts.path(file);
        match self.families.of_file(file) {
            Some(family) => format!(
                "{} ({}, most in {path})",
                printable(&family.pattern()),
                many(family.files.len() as u64, "file"),
            ),
            None => path,
        }
    }

    /// The call of a function that took so long.
    fn slowest(&self, id: usize, longest: u64) -> String {
        let mut select = Select::default().op(&self.facts.ops[id].0);
        select.term(&format!("dur>={longest}ns"));
        select.text()
    }
}

fn named(class: TimeCategory) -> (usize, &'static str) {
    (
        class as usize,
        if class == TimeCategory::Read {
            "read"
        } else {
            "write"
        },
    )
}

fn percent(part: u64, whole: u64) -> String {
    share(part, whole)
}

impl<'a> Rules<'a> {
    /// The same rules, of which the files on storage are known: those of installations, or all others.
    pub(super) fn summed(mut self) -> Self {
        let mut sums = FileSums::default();
        let files = self.stat.files_of(|id| {
            self.installed.contains(&id) == self.of_installed && self.facts.is_stored(id)
        });
        files.for_each(|(id, file)| {
            let opened_for_few = self.is_per_access(&file.tally);
            sums.add(id, &file, self.facts.raw(id), opened_for_few);
        });
        self.files = sums;
        self
    }
}
