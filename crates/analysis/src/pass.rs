//! The pass itself: units are handed to threads, each unit is added to an accumulator of its own, and these are merged.

use crate::filter::{Bound, Filter};
use crate::job::{Ids, Job};
use crate::tree::{self, Place, Tree};
use crate::units::Unit;
use crate::{Call, Process};
use iota_trace::Event;
use iota_trace::read::{Part, Room};
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

/// What is found out in a pass. The crate's documentation shows how to write one.
pub trait Accumulator: Send {
    /// The calls that follow are of this process.
    fn part(&mut self, _process: &Process) {}

    /// The calls that follow are of this thread of the process.
    fn thread(&mut self, _thread: u32) {}

    /// One call.
    fn add(&mut self, call: &Call);

    /// Takes in what was found later in the trace.
    fn merge(&mut self, later: Self);

    /// All calls of this process have come, to this accumulator or to those that were merged with it.
    fn whole(&mut self, _process: &Process) {}
}

impl<A: Accumulator, B: Accumulator> Accumulator for (A, B) {
    fn part(&mut self, process: &Process) {
        self.0.part(process);
        self.1.part(process);
    }

    fn thread(&mut self, thread: u32) {
        self.0.thread(thread);
        self.1.thread(thread);
    }

    #[inline(always)]
    fn add(&mut self, call: &Call) {
        self.0.add(call);
        self.1.add(call);
    }

    fn merge(&mut self, later: Self) {
        self.0.merge(later.0);
        self.1.merge(later.1);
    }

    fn whole(&mut self, process: &Process) {
        self.0.whole(process);
        self.1.whole(process);
    }
}

/// How far a pass is, in bytes of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Read.
    pub done: u64,
    /// To be read.
    pub all: u64,
}

/// Share `index` of `count`, from 0: so many passes on several machines see every call once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Which.
    pub index: u64,
    /// Of how many.
    pub count: u64,
}

impl Share {
    /// All of it.
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
        let subtrees = self.subtrees(&new);
        let join = |left, right, earlier, later| self.join(left, right, earlier, later);
        tree::fold(subtrees, join).unwrap_or_else(new)
    }

    fn subtrees<A: Accumulator>(&self, new: &(impl Fn() -> A + Sync)) -> Vec<(Place, A)> {
        let units = self.share.units(self.job.units.len());
        let all = units.clone().map(|unit| bytes(self.job.unit(unit))).sum();
        let (next, done, tree) = (AtomicU64::new(units.start), AtomicU64::new(0), Tree::new());
        let work = || {
            let mut reader = Reader::new(self);
            loop {
                let unit = next.fetch_add(1, Relaxed);
                if unit >= units.end {
                    return;
                }
                let mut found = new();
                reader.unit(unit, &mut found);
                let join = |left, right, earlier, later| self.join(left, right, earlier, later);
                tree.add(Place::leaf(unit), found, join);
                let read = bytes(self.job.unit(unit));
                let done = done.fetch_add(read, Relaxed) + read;
                (self.progress)(Progress { done, all });
            }
        };
        thread::scope(|scope| {
            (1..self.threads).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        tree.into_subtrees()
    }

    /// Merges what was found in neighbouring units, and tells of a part that ends being cut there.
    fn join<A: Accumulator>(
        &self,
        mut left: A,
        right: A,
        earlier: Range<u64>,
        later: Range<u64>,
    ) -> A {
        left.merge(right);
        let cut = self.job.unit(later.start).first().map(|unit| unit.part);
        if let Some(part) = cut {
            let units = self.job.units.of_part(part);
            if units.start >= earlier.start && units.start < later.start && units.end <= later.end {
                left.whole(&process(self.job.trace.parts(), part));
            }
        }
        left
    }
}

fn bytes(unit: &[Unit]) -> u64 {
    unit.iter().map(|unit| unit.stretch.bytes()).sum()
}

fn process(parts: &[Part], part: u32) -> Process {
    let of = &parts[part as usize];
    Process {
        part,
        rank: of.rank(),
        pid: of.pid(),
    }
}

/// What a thread reads with.
struct Reader<'p> {
    pass: &'p Pass<'p>,
    room: Room,
}

impl<'p> Reader<'p> {
    fn new(pass: &'p Pass<'p>) -> Reader<'p> {
        Reader {
            pass,
            room: Room::default(),
        }
    }

    fn unit(&mut self, index: u64, found: &mut impl Accumulator) {
        let job = self.pass.job;
        for unit in job.unit(index) {
            let process = process(job.trace.parts(), unit.part);
            if self.pass.bound.process(&process) {
                self.stretch(unit, &process, found);
            }
            let units = job.units.of_part(unit.part);
            if *units == (index..index + 1) {
                found.whole(&process);
            }
        }
    }

    fn stretch(&mut self, unit: &Unit, process: &Process, found: &mut impl Accumulator) {
        let (job, bound) = (self.pass.job, &self.pass.bound);
        let part = &job.trace.parts()[unit.part as usize];
        let ids = job.ids(unit.part);
        found.part(process);
        let mut thread = None;
        let mut blocks = part.blocks_of(unit.stretch);
        loop {
            let each = |event: &Event| {
                let call = call(job, part, process, &ids, event);
                if bound.call(&call) {
                    if thread != Some(event.thread) {
                        found.thread(event.thread);
                        thread = Some(event.thread);
                    }
                    found.add(&call);
                }
            };
            let wanted = |header: &_| bound.block(part, header);
            if blocks.next(&mut self.room, wanted, each).is_none() {
                break;
            }
        }
    }
}

#[inline(always)]
fn call<'a>(
    job: &'a Job,
    part: &Part,
    process: &'a Process,
    ids: &Ids,
    event: &'a Event,
) -> Call<'a> {
    let op = ids.op(event.op);
    let function = job.ops.get(op);
    Call {
        event,
        process,
        start: part.time(event.start).0,
        end: part.time(event.end).0,
        file: ids.file(event.file),
        second: ids.file(event.second.file),
        op,
        function,
        moved: function.meter.moved(event),
    }
}
