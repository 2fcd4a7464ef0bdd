//! The pass itself: units are handed to threads, each unit is added to an accumulator of its own, and these are merged.

use crate::accumulator::Accumulator;
use crate::filter::{Bound, Filter};
use crate::job::Job;
use crate::tree::{self, Subtree, Tree};
use crate::units::Unit;
use crate::{CallDetails, Ids, Process, Run};
use iota_trace::read::Buffers;
use serde::{Deserialize, Serialize};
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

/// How far a pass is, in bytes of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Read.
    pub done: u64,
    /// To be read.
    pub all: u64,
}

/// Share `index` of `count`, from 0: so many passes on several machines see every call once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Which.
    pub index: u64,
    /// Of how many.
    pub count: u64,
}

impl Share {
    /// The whole trace as one share.
    pub const WHOLE: Share = Share { index: 0, count: 1 };

    fn units(self, all: u64) -> Range<u64> {
        let count = u128::from(self.count.max(1));
        let at = |index: u64| (u128::from(all) * u128::from(index) / count) as u64;
        at(self.index)..at(self.index + 1)
    }
}

/// One reading of a trace.
pub struct Pass<'j> {
    job: &'j Job<'j>,
    bound: Bound,
    share: Share,
    threads: usize,
    progress: &'j (dyn Fn(Progress) + Sync),
}

impl<'j> Pass<'j> {
    /// Of all calls, by as many threads as there are cores.
    pub fn of(job: &'j Job<'j>) -> Pass<'j> {
        Pass {
            job,
            bound: Filter::default().bind(job),
            share: Share::WHOLE,
            threads: thread::available_parallelism().map_or(1, NonZero::get),
            progress: &|_| {},
        }
    }

    /// Of the calls that pass a filter.
    pub fn only(self, filter: &Filter) -> Pass<'j> {
        let bound = filter.bind(self.job);
        Pass { bound, ..self }
    }

    /// Of all calls of the processes that pass a filter, whatever else it asks.
    pub fn of_processes(self, filter: &Filter) -> Pass<'j> {
        let bound = filter.bind(self.job).of_processes();
        Pass { bound, ..self }
    }

    /// Of a share of the trace.
    pub fn share(self, share: Share) -> Pass<'j> {
        Pass { share, ..self }
    }

    /// By so many threads.
    pub fn threads(self, threads: usize) -> Pass<'j> {
        Pass { threads, ..self }
    }

    /// `progress` hears from any thread how far it is.
    pub fn progress(self, progress: &'j (dyn Fn(Progress) + Sync)) -> Pass<'j> {
        Pass { progress, ..self }
    }

    /// Reads; `new` makes an accumulator that has seen nothing.
    pub fn run<A: Accumulator>(&self, new: impl Fn() -> A + Sync) -> A {
        ShareResult::join([self.run_share(&new)]).unwrap_or_else(new)
    }

    /// Reads, and leaves what was found so that other shares can be joined with it.
    pub fn run_share<A: Accumulator>(&self, new: impl Fn() -> A + Sync) -> ShareResult<A> {
        let units = self.share.units(self.job.units.len());
        let all = units.clone().map(|unit| bytes(self.job.unit(unit))).sum();
        let (next, done, tree) = (AtomicU64::new(units.start), AtomicU64::new(0), Tree::new());
        let mut cut = self.job.cut();
        cut.retain(|(_, process)| self.bound.process(process));
        let seams = CutProcesses(cut);
        let work = || {
            let mut reader = Reader::new(self);
            loop {
                let unit = next.fetch_add(1, Relaxed);
                if unit >= units.end {
                    return;
                }
                let mut found = new();
                reader.unit(unit, &mut found);
                tree.add(Subtree::leaf(unit), found, seams.joiner());
                let read = bytes(self.job.unit(unit));
                let done = done.fetch_add(read, Relaxed) + read;
                (self.progress)(Progress { done, all });
            }
        };
        thread::scope(|scope| {
            (1..self.threads).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let subtrees = tree.into_subtrees();
        ShareResult { subtrees, seams }
    }
}

/// What accumulators computed in a share of the trace, by subtrees of the merge order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShareResult<A> {
    subtrees: Vec<(Subtree, A)>,
    seams: CutProcesses,
}

impl<A> Default for ShareResult<A> {
    fn default() -> Self {
        ShareResult {
            subtrees: Vec::new(),
            seams: CutProcesses::default(),
        }
    }
}

impl<A: Accumulator> ShareResult<A> {
    /// What was found in all of it, of all its shares; `None`: the trace holds no unit.
    pub fn join(shares: impl IntoIterator<Item = ShareResult<A>>) -> Option<A> {
        let (tree, mut seams) = (Tree::new(), CutProcesses::default());
        for found in shares {
            seams = found.seams;
            for (place, value) in found.subtrees {
                tree.add(place, value, seams.joiner());
            }
        }
        tree::fold(tree.into_subtrees(), seams.joiner())
    }

    /// What is in it.
    pub fn values(&self) -> impl Iterator<Item = &A> {
        self.subtrees.iter().map(|(_, value)| value)
    }
}

/// Processes that are cut, and the units that each lies in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct CutProcesses(Vec<(Range<u64>, Process)>);

impl CutProcesses {
    /// Merges what was found in neighbouring units, and tells of a process that ends being cut there.
    fn joiner<A: Accumulator>(&self) -> impl Fn(A, A, Range<u64>, Range<u64>) -> A {
        |mut left, right, earlier, later| {
            left.merge(right);
            let begun = self
                .0
                .partition_point(|(units, _)| units.start < later.start);
            if let Some((units, process)) = begun.checked_sub(1).and_then(|last| self.0.get(last)) {
                let is_cut = units.end > later.start;
                if is_cut && units.start >= earlier.start && units.end <= later.end {
                    left.process_complete(process);
                }
            }
            left
        }
    }
}

fn bytes(unit: &[Unit]) -> u64 {
    unit.iter().map(|unit| unit.stretch.bytes()).sum()
}

/// What a thread reads with.
struct Reader<'p> {
    pass: &'p Pass<'p>,
    room: Buffers,
    times: Vec<(i64, i64)>,
}

impl<'p> Reader<'p> {
    fn new(pass: &'p Pass<'p>) -> Reader<'p> {
        Reader {
            pass,
            room: Buffers::default(),
            times: Vec::new(),
        }
    }

    fn unit(&mut self, index: u64, found: &mut impl Accumulator) {
        let job = self.pass.job;
        for unit in job.unit(index) {
            let process = job.process(unit.part);
            if !self.pass.bound.process(&process) {
                continue;
            }
            self.stretch(unit, &process, found);
            if *job.units.of_part(unit.part) == (index..index + 1) {
                found.process_complete(&process);
            }
        }
    }

    fn stretch<A: Accumulator>(&mut self, unit: &Unit, process: &Process, found: &mut A) {
        let (job, bound) = (self.pass.job, &self.pass.bound);
        let part = &job.trace.parts()[unit.part as usize];
        let ids: &Ids = &job.ids(unit.part);
        found.part(process);
        let times = part.times();
        let mut blocks = part.blocks_of(unit.stretch);
        while let Some(block) = blocks.next(&mut self.room, |header| bound.block(&times, header)) {
            found.thread(block.header.ids.thread);
            let wants_details = A::DETAILS || !job.objects.is_empty() || !job.sites.is_empty();
            block.runs(wants_details, |events, details| {
                let first = job.call(&times, process, ids, events.first);
                let first = job.detailed(first, ids, details);
                if events.times.is_empty() {
                    if !bound.call(&first) {
                        return;
                    }
                    match details {
                        [] => found.add(&first),
                        details => found.add_detailed(&first, CallDetails::new(details, ids)),
                    }
                    return;
                }
                let at = |&(start, end): &(_, _)| (times.at(start).0, times.at(end).0);
                self.times.clear();
                self.times.push((first.start, first.end));
                self.times.extend(events.times.iter().map(at));
                let run = Run {
                    first,
                    stride: events.stride,
                    times: &self.times,
                    events,
                };
                bound.run(&run, found);
            });
        }
    }
}
