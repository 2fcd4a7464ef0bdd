//! Calls, bytes and time of one part: by function and by file.

use super::summary::Totals;
use iota_analysis::{ById, Meter, Moved};
use iota_calls::Layer;
use iota_trace::decode::Run;
use iota_trace::read::{Buffers, Names, Op, Part, Times};
use std::collections::HashSet;
use std::panic::resume_unwind;
use std::thread::{self, ScopedJoinHandle};

/// What a part holds
pub struct Tally {
    /// What its ids stand for
    pub names: Names,
    /// By op id
    functions: Vec<Function>,
    /// File by file; calls without a file at 0
    files: Vec<Totals>,
    /// Where each file stands there
    places: ById,
    threads: HashSet<u32>,
    /// Calls
    pub found: u64,
    /// The thread of the latest calls
    thread: Option<u32>,
    /// The earliest start and the latest end, in ns since the job's start
    pub span: Option<(i64, i64)>,
}

struct Function {
    meter: Meter,
    /// Counts for files and in the total of bytes
    is_io: bool,
    totals: Totals,
}

/// The tallies of some parts, each made by a thread of its own
pub fn each(parts: &[Part], of: fn(&Part) -> Tally) -> Vec<Tally> {
    thread::scope(|scope| {
        let read = |part| scope.spawn(move || of(part));
        let readers: Vec<_> = parts.iter().map(read).collect();
        let tally = |reader: ScopedJoinHandle<_>| {
            reader.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        readers.into_iter().map(tally).collect()
    })
}

impl Tally {
    /// Reads all of a part's events
    pub fn of(part: &Part) -> Tally {
        let outline = part.outline();
        let mut tally = Tally::new(part.names_of(&outline));
        let (times, mut room) = (part.times(), Buffers::default());
        for (stretch, _) in outline.stretches(u64::MAX) {
            let mut blocks = part.blocks_of(stretch);
            while let Some(block) = blocks.next(&mut room, |_| true) {
                block.runs(|run| tally.add(&times, &run));
            }
        }
        let at = |(first, last)| (times.at(first).0, times.at(last).0);
        tally.span = tally.span.map(at);
        tally
    }

    /// Counts a part's events, as the headers of its blocks do, and the threads that have any; no event is read
    pub fn counted(part: &Part) -> Tally {
        let (outline, mut room) = (part.outline(), Buffers::default());
        let mut tally = Tally::new(Names::default());
        for (stretch, _) in outline.stretches(u64::MAX) {
            let mut blocks = part.blocks_of(stretch);
            while let Some(block) = blocks.next(&mut room, |_| true) {
                let header = block.header;
                tally.found += u64::from(header.count);
                if header.count > 0 {
                    tally.note(header.ids.thread);
                }
            }
        }
        tally
    }

    fn new(names: Names) -> Tally {
        let mut places = ById::default();
        let ids = names.files().map(|(id, _)| id);
        ids.zip(1..).for_each(|(id, place)| places.set(id, place));
        Tally {
            files: vec![Totals::default(); names.files().count() + 1],
            names,
            functions: Vec::new(),
            places,
            threads: HashSet::new(),
            found: 0,
            thread: None,
            span: None,
        }
    }

    fn add(&mut self, times: &Times, run: &Run) {
        let event = run.first;
        if self.functions.len() <= usize::from(event.op) {
            self.learn(event.op);
        }
        let function = &mut self.functions[usize::from(event.op)];
        let alike = totals(times, run, function.meter.moved(event));
        function.totals.add(&alike);
        self.found += alike.calls;
        if function.is_io {
            self.files[self.places.get(event.file) as usize].add(&alike);
        }
        self.note(event.thread);
        let known = self.span.unwrap_or((i64::MAX, i64::MIN));
        let spans = run.times.iter();
        let span = spans.fold(known, |(first, last), (start, end)| {
            (first.min(*start), last.max(*end))
        });
        self.span = Some(span);
    }

    fn learn(&mut self, op: u16) {
        for id in self.functions.len() as u16..=op {
            self.functions.push(Function::of(self.names.op(id)));
        }
    }

    fn note(&mut self, thread: u32) {
        if self.thread.replace(thread) != Some(thread) {
            self.threads.insert(thread);
        }
    }

    /// Threads with events
    pub fn threads(&self) -> &HashSet<u32> {
        &self.threads
    }

    /// Functions that were called, by op id
    pub fn functions(&self) -> impl Iterator<Item = (u16, &Totals)> {
        let totals = self.functions.iter().map(|function| &function.totals);
        (0..).zip(totals).filter(|(_, totals)| totals.calls > 0)
    }

    /// Files that were used, by file id; 0 for calls on none
    pub fn files(&self) -> impl Iterator<Item = (u32, &Totals)> {
        let ids = std::iter::once(0).chain(self.names.files().map(|(id, _)| id));
        ids.zip(&self.files).filter(|(_, totals)| totals.calls > 0)
    }
}

impl Function {
    fn of(op: Option<Op>) -> Function {
        let layer = op.map(|op| op.layer);
        Function {
            meter: op.map_or(Meter::NONE, Meter::of),
            is_io: is_io(layer),
            totals: Totals::default(),
        }
    }
}

/// What a program does with files and streams; layers above come down to these.
pub fn is_io(layer: Option<u8>) -> bool {
    layer == Some(Layer::Posix as u8) || layer == Some(Layer::Stdio as u8)
}

/// The totals of calls that are alike
fn totals(times: &Times, run: &Run, moved: Moved) -> Totals {
    let count = run.times.len() as u64;
    let mut totals = Totals {
        calls: count,
        failed: if run.first.errno != 0 { count } else { 0 },
        bytes_read: moved.read.saturating_mul(count),
        bytes_written: moved.written.saturating_mul(count),
        ..Totals::default()
    };
    for (start, end) in run.times {
        let elapse = times.at(*end).0.wrapping_sub(times.at(*start).0).max(0) as u64;
        totals.time = totals.time.saturating_add(elapse);
        totals.longest = totals.longest.max(elapse);
    }
    totals
}
