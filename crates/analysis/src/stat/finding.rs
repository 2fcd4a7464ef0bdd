//! What the figures mean: in words, with the evidence, what to try, and the time that is at stake.

mod again;
mod entry;
mod installed;
mod lookups;
mod opens;
mod small;

pub use entry::Finding;

use super::facts::{Facts, printable};
use super::figures::Report;
use super::mpiio_share::Program;
use super::{FileStat, Stat, Tally, TimeCategory};
use crate::FileId;
use crate::filter::Select;
use crate::sums::{portion, sum};
use crate::thresholds::Thresholds;
use iota_quantity::{bytes, count, many, share, time};
use std::collections::HashSet;

/// What is metadata, as filters have it.
const METADATA: &str = "open,close,seek,meta,map,other";

/// All findings, the dearest first.
pub(super) fn all(
    report: &Report,
    (stat, facts, all): (&Stat, &Facts, &Tally),
    installed: &HashSet<FileId>,
    thresholds: &Thresholds,
) -> Vec<Finding> {
    let judge = |of_installed| Rules {
        report,
        stat,
        facts,
        all,
        installed,
        of_installed,
        stored: Tally::default(),
        program: Program::of(stat),
        thresholds,
    };
    let dearest = |found: Vec<Option<Finding>>| {
        let mut found: Vec<Finding> = found.into_iter().flatten().collect();
        found.retain(|finding| thresholds.worth.is_reached(finding.cost, all.all_time()));
        found.sort_by_key(|finding| std::cmp::Reverse(finding.cost));
        found
    };
    let mut found = dearest(judge(false).summed().of_the_job());
    found.extend(dearest(judge(true).summed().of_installations()));
    found
}

/// Numbers in its conditions that are no thresholds say what a finding is: what several ranks share has more than one.
struct Rules<'a> {
    report: &'a Report,
    stat: &'a Stat,
    facts: &'a Facts,
    all: &'a Tally,
    installed: &'a HashSet<FileId>,
    /// Whether it judges how these are used, or how all others are
    of_installed: bool,
    /// Of the files on storage that it judges
    stored: Tally,
    program: Program,
    thresholds: &'a Thresholds,
}

impl Rules<'_> {
    fn of_the_job(&self) -> Vec<Option<Finding>> {
        vec![
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
            self.seeks(),
            self.sync(),
            self.imbalance(),
            self.one_rank(),
            self.conflicts(),
            self.stall(),
        ]
    }

    fn random(&self, class: TimeCategory) -> Option<Finding> {
        let (way, name) = named(class);
        let (random, all) = (
            self.stored.steps[way][super::Step::Random as usize],
            self.stored.transfers[way],
        );
        if !self.is_habit(random) || !self.thresholds.random.is_reached(random, all) {
            return None;
        }
        let file = self.file(|file| file.tally.random_time[way])?;
        Some(Finding {
            kind: if class == TimeCategory::Read {
                "random-reads"
            } else {
                "random-writes"
            },
            cost: self.stored.random_time[way],
            what: format!("{} of {name}s go back in the file", percent(random, all)),
            evidence: format!(
                "{} of {} begin before the end of the transfer before and took {}; most of it in {}",
                count(random),
                many(all, name),
                time(self.stored.random_time[way]),
                self.facts.path(file),
            ),
            advice: "Sort accesses by offset, read larger pieces into memory, or lay the data out in the order in which \
                it is used; collective MPI-IO sorts by itself.",
            select: self.of(class, file, "off>=0"),
        })
    }

    fn unaligned(&self) -> Option<Finding> {
        let (unaligned, time_of) = (self.stored.unaligned[1], self.stored.unaligned_time[1]);
        let file = self.file(|file| {
            if file.ranks > 1 {
                file.tally.unaligned_time[1]
            } else {
                0
            }
        })?;
        let shared = &self.stat.files[&file].get().tally;
        let is_most = self
            .thresholds
            .unaligned
            .is_reached(unaligned, self.stored.transfers[1]);
        (is_most && self.is_habit(shared.unaligned[1])).then(|| Finding {
            kind: "unaligned-writes",
            cost: time_of,
            what: format!("{} of writes do not start at a block of the file system", percent(unaligned, self.stored.transfers[1])),
            evidence: format!(
                "{} at offsets that are not a multiple of {} took {}; most of it in {}, which several ranks share",
                many(unaligned, "write"),
                bytes(self.stat.limits.alignment),
                time(time_of),
                self.facts.path(file),
            ),
            advice: "Let ranks own whole stripes or blocks: align records (H5Pset_alignment, nc_var_align_size, \
                striping_unit), so that two ranks never write the same block.",
            select: self.of(TimeCategory::Write, file, "off>=0"),
        })
    }

    fn metadata(&self) -> Option<Finding> {
        let (meta, all) = (
            self.all.time[TimeCategory::Meta as usize],
            self.all.all_time(),
        );
        if !self.thresholds.metadata.is_reached(meta, all) {
            return None;
        }
        let own = &self.report.files.own;
        Some(Finding {
            kind: "metadata",
            cost: meta,
            what: format!("{} of the I/O time goes into metadata", percent(meta, all)),
            evidence: format!(
                "{} to open, close, seek or query took {}, of which opens {}; used by one rank only: {}, by several: {}",
                many(self.all.calls[TimeCategory::Meta as usize], "call"),
                time(meta),
                time(self.all.all_open_time),
                many(own.count, "file"),
                count(self.report.files.shared.count),
            ),
            advice: "Open files once and keep them open; let one rank call stat and broadcast the result; pack many small \
                files into one; copy files that every rank loads (libraries, Python) to the nodes.",
            select: Select::class(METADATA).on_storage().text(),
        })
    }

    fn seeks(&self) -> Option<Finding> {
        let (idle, seeks) = (self.all.idle_seeks, self.all.seeks);
        let is_most = self.thresholds.seeks.is_reached(idle, seeks);
        (is_most && self.is_habit(idle)).then(|| Finding {
            kind: "idle-seeks",
            cost: portion(self.all.seek_time, idle, seeks),
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
            cost: sync,
            what: format!("{} of the I/O time waits for storage", percent(sync, all)),
            evidence: format!("{} of fsync and the like took {}", many(self.all.calls[TimeCategory::Sync as usize], "call"), time(sync)),
            advice: "Sync once for each checkpoint, not for each record; check whether a library syncs on every flush.",
            // Flushes of streams are of the class as well; they wait for nothing.
            select: Select::class("sync").and("layer", "posix").on_storage().text(),
        })
    }

    fn imbalance(&self) -> Option<Finding> {
        let (spread, ranks) = (&self.program.time, self.stat.ranks.len() as u64);
        let ratio = spread
            .imbalance()
            .filter(|ratio| ranks > 1 && *ratio >= self.thresholds.imbalance.get())?;
        Some(Finding {
            kind: "imbalance",
            cost: (spread.max - spread.mean).saturating_mul(ranks),
            what: format!(
                "rank {} is in I/O {ratio:.1} times as long as the average rank",
                spread.max_rank
            ),
            evidence: format!(
                "in I/O{} for {} at most (rank {}), {} on average, {} at least (rank {}); the others wait for it at the next synchronisation",
                self.program.note(),
                time(spread.max),
                spread.max_rank,
                time(spread.mean),
                time(spread.min),
                spread.min_rank,
            ),
            advice: "Give each rank, or each node's aggregator, the same share; see `iota stat --by rank --sort time`.",
            select: Select::rank(spread.max_rank).on_storage().text(),
        })
    }

    fn one_rank(&self) -> Option<Finding> {
        let (bytes_of, ranks) = (&self.program.bytes, self.stat.ranks.len() as u64);
        let all = self.program.all_bytes;
        let is_most = self.thresholds.one_rank.is_reached(bytes_of.max, all);
        (is_most && self.thresholds.ranks.is_reached(ranks)).then(|| Finding {
            kind: "one-rank",
            cost: self.program.time_of_most,
            what: format!("rank {} alone moves {} of all bytes", bytes_of.max_rank, percent(bytes_of.max, all)),
            evidence: format!("{} of {}, by one of {}", bytes(bytes_of.max), bytes(all), many(ranks, "rank")),
            advice: "Let ranks write in parallel (MPI-IO, parallel HDF5 or NetCDF), each its own part.",
            select: Select::rank(bytes_of.max_rank).and("class", "read,write").on_storage().text(),
        })
    }

    fn conflicts(&self) -> Option<Finding> {
        let conflicts = &self.report.files.conflicts;
        let files = || conflicts.iter().filter(|file| file.write_write.bytes > 0);
        let worst = files().next()?;
        let example = worst.write_write.example.map_or(String::new(), |example| {
            let (a, b) = example.ranks;
            format!(", as rank {a} and rank {b} at offset {}", example.offset)
        });
        Some(Finding {
            kind: "overwrites",
            cost: sum(files().map(|file| file.time)),
            what: "several ranks write the same bytes".to_owned(),
            evidence: format!(
                "{} of {}{example}; {} in all",
                bytes(worst.write_write.bytes),
                worst.file,
                many(files().count() as u64, "file"),
            ),
            advice: "Unless the ranks synchronise, it is undefined whose data the file keeps, and file locks move between them. \
                Let one rank write these bytes (often a header or halo).",
            select: Select::class("write").file(worst.path.as_slice()).text(),
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
                "on rank {}, {} after the start; 99 % of these calls took at most {}",
                op.longest.0,
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
        self.thresholds.worth.is_reached(cost, self.all.all_time())
    }

    /// Whether there are so many calls that they are no accident.
    fn is_habit(&self, calls: u64) -> bool {
        self.thresholds.few.is_reached(calls)
    }

    /// Transfers of a file that meet a term.
    fn of(&self, class: TimeCategory, file: FileId, term: &str) -> String {
        let mut select = Select::class(named(class).1);
        select.term(term);
        select.file(self.facts.raw(file)).text()
    }

    /// The call of a function that took so long.
    fn slowest(&self, id: usize, longest: u64) -> String {
        let mut select = Select::default().op(&self.facts.ops[id].0);
        select.term(&format!("dur>={longest}ns"));
        select.text()
    }

    /// The judged file that has most of something.
    fn most(&self, value: impl Fn(&FileStat) -> u64) -> Option<(FileId, u64)> {
        let valued = self
            .judged()
            .map(|(id, file)| (value(&file), std::cmp::Reverse(id)));
        let (value, id) = valued.max().filter(|(value, _)| *value > 0)?;
        Some((id.0, value))
    }

    fn file(&self, value: impl Fn(&FileStat) -> u64) -> Option<FileId> {
        self.most(value).map(|(id, _)| id)
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
