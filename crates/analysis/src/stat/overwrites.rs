//! Bytes that several tasks wrote, looked at once more: writes that something orders are no conflict.
//!
//! A collective call of all ranks, or of all that use a file, on this file, orders what they wrote before it and what they write
//! after it; it counts from the moment in which the last rank comes to it. A process that ended before another began wrote before that one. The files are few in which
//! several tasks wrote the same bytes, so the pass reads little.

use super::extents::Shares;
use super::touched::Touched;
use super::{Overlapping, Stat};
use crate::{Accumulator, Call, FileId, Filter, Job, Pass, Process, TaskId, Tasks, layers};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// Entries that are kept at most: of a file, between two collective calls, of a task.
const MOST: usize = 1 << 18;
/// Ranges of such an entry that are kept exactly, however many tasks and files there are.
const FEWEST: usize = 64;

/// By file what several tasks wrote, and nothing orders.
#[derive(Clone, Debug, Default)]
pub struct Overwrites(BTreeMap<FileId, Overlapping>);

impl Overwrites {
    /// Of a job whose calls a filter chose, and whose collective calls `tree` has. None where no file has bytes that several
    /// tasks wrote.
    pub fn find(
        job: &Job,
        filter: &Filter,
        stat: &Stat,
        tree: Option<&layers::LayerReport>,
    ) -> Option<Overwrites> {
        let several = stat.named_files().filter(|(_, file)| file.tasks > 1);
        let several = several.filter(|(_, file)| file.overwritten() != Overlapping::default());
        let ordered = |id, tasks| match tree {
            Some(tree) => tree.sync_points.of_file(id, tasks),
            None => Cow::Borrowed(&[][..]),
        };
        let mut tasks_of_files = 0;
        let files: Vec<OrderedFile> = several
            .map(|(id, file)| {
                tasks_of_files += file.tasks as usize;
                (id, ordered(id, file.tasks))
            })
            .collect();
        if files.is_empty() {
            return None;
        }
        let most = (super::RANGES / tasks_of_files.max(1)).max(FEWEST);
        let new = || Writes::new(&files, most);
        let found = Pass::of(job).only(&filter.clone().of_program()).run(new);
        Some(found.unordered(&job.tasks))
    }

    /// What several tasks wrote to a file, and nothing orders.
    pub fn of(&self, file: FileId) -> Overlapping {
        self.0.get(&file).copied().unwrap_or_default()
    }
}

/// A file, and when its writes are ordered.
type OrderedFile<'a> = (FileId, Cow<'a, [i64]>);

/// What tasks wrote between two collective calls.
struct Writes<'a> {
    files: &'a [OrderedFile<'a>],
    /// Ranges that an entry keeps exactly.
    most: usize,
    /// Of so many collective calls, as a power of two, one counts.
    level: u32,
    task: TaskId,
    touched: HashMap<(FileId, usize, TaskId), Touched>,
}

impl<'a> Writes<'a> {
    fn new(files: &'a [OrderedFile<'a>], most: usize) -> Writes<'a> {
        Writes {
            files,
            most,
            level: 0,
            task: 0,
            touched: HashMap::new(),
        }
    }

    fn put(&mut self, file: FileId, start: i64, offset: i64, bytes: u64) {
        let known = self.files.binary_search_by_key(&file, |(id, _)| *id);
        let Some((_, ordered_at)) = known.ok().map(|at| &self.files[at]) else {
            return;
        };
        if offset < 0 || bytes == 0 {
            return;
        }
        let epoch = ordered_at.partition_point(|at| *at <= start) >> self.level;
        let touched = self.touched.entry((file, epoch, self.task)).or_default();
        let offset = offset as u64;
        touched.add(offset, offset.saturating_add(bytes), self.most);
        self.bound();
    }

    /// Where there are too many entries, fewer collective calls count; what they order is a conflict then.
    fn bound(&mut self) {
        while self.touched.len() > MOST && self.level < usize::BITS - 1 {
            self.widen(self.level + 1);
        }
    }

    fn widen(&mut self, level: u32) {
        let shift = level - self.level;
        if shift == 0 {
            return;
        }
        self.level = level;
        for ((file, epoch, task), touched) in std::mem::take(&mut self.touched) {
            let wider = self
                .touched
                .entry((file, epoch >> shift, task))
                .or_default();
            wider.merge(touched, self.most);
        }
    }

    fn unordered(self, tasks: &Tasks) -> Overwrites {
        let mut epochs: BTreeMap<(FileId, usize), Vec<(TaskId, Touched)>> = BTreeMap::new();
        for ((file, epoch, task), touched) in self.touched {
            let of_epoch = epochs.entry((file, epoch)).or_default();
            of_epoch.push((task, touched));
        }
        let mut found: BTreeMap<FileId, Overlapping> = BTreeMap::new();
        for ((file, _), of_epoch) in epochs {
            let of_file = found.entry(file).or_default();
            for at_once in tasks.at_once(of_epoch) {
                let mut shares = Shares::default();
                for (task, touched) in at_once {
                    shares.take(touched, task, super::RANGES);
                }
                of_file.add(&shares.overlapping());
            }
        }
        Overwrites(found)
    }
}

impl Accumulator for Writes<'_> {
    fn part(&mut self, process: &Process) {
        self.task = process.task;
    }

    fn add(&mut self, call: &Call) {
        if !call.is_io() || call.moved.written == 0 {
            return;
        }
        if !call.copies() {
            return self.put(call.file, call.start, call.event.offset, call.moved.written);
        }
        let offsets = [call.event.offset, call.event.second.offset];
        for ((file, moved), offset) in call.sides().into_iter().zip(offsets) {
            self.put(file, call.start, offset, moved.written);
        }
    }

    fn merge(&mut self, mut later: Self) {
        let level = self.level.max(later.level);
        self.widen(level);
        later.widen(level);
        for (key, touched) in later.touched {
            let known = self.touched.entry(key).or_default();
            known.merge(touched, self.most);
        }
        self.bound();
    }
}
