//! `iota head`: the first calls of all ranks together.

use crate::args::Head;
use crate::args::filter;
use crate::output::Lines;
use crate::{failure, inputs};
use iota_analysis::filter::Term;
use iota_analysis::{Accumulator, Call, FileId, Filter, Job, OpId, Pass, Process};
use iota_trace::read::{Options, Trace};
use iota_trace::text::{Column, Line, column, header, line, long_line};
use iota_trace::{Event, Nanos};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Prints them
pub fn run(args: &Head) -> anyhow::Result<()> {
    let mut filter = filter(&args.filter)?;
    let trace = inputs::open(&args.traces, Options::default(), None)?.trace;
    let job = Job::of(&trace);
    if filter.is_empty() {
        filter = early(&trace, args.calls as u64);
    }
    let found = Pass::of(&job).only(&filter).run(|| First::of(args.calls));
    print(&job, found.calls.into_sorted_vec(), args.verbose)?;
    failure::of(&trace.problems())
}

/// A time before which so many calls end, so that blocks behind it need not be read.
fn early(trace: &Trace, wanted: u64) -> Filter {
    let ends = |part| {
        iota_trace::read::Part::outline(part)
            .ends(part)
            .collect::<Vec<_>>()
    };
    let mut blocks: Vec<(u64, Nanos)> = trace.parts().iter().flat_map(ends).collect();
    blocks.sort_unstable_by_key(|(_, end)| *end);
    let mut calls = 0;
    let enough = blocks.iter().find(|(count, _)| {
        calls += count;
        calls >= wanted
    });
    let during = enough.map(|(_, end)| Term::During(i64::MIN..=end.0));
    Filter {
        terms: during.into_iter().collect(),
    }
}

/// The calls that began first
struct First {
    most: usize,
    calls: BinaryHeap<Early>,
}

/// A call, in the order of starts; calls that began at once in the order of ranks
#[derive(PartialEq, Eq)]
struct Early {
    start: i64,
    end: i64,
    process: Process,
    file: FileId,
    second: FileId,
    op: OpId,
    event: Event,
}

impl Early {
    fn key(&self) -> (i64, u32, u32, u32, u64) {
        let Process { rank, part, .. } = self.process;
        (self.start, rank, part, self.event.thread, self.event.id)
    }
}

impl Ord for Early {
    fn cmp(&self, other: &Early) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Early {
    fn partial_cmp(&self, other: &Early) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl First {
    fn of(most: usize) -> First {
        let calls = BinaryHeap::new();
        First { most, calls }
    }

    fn take(&mut self, call: Early) {
        self.calls.push(call);
        if self.calls.len() > self.most {
            self.calls.pop();
        }
    }
}

impl Accumulator for First {
    fn add(&mut self, call: &Call) {
        let last = self.calls.peek().filter(|_| self.calls.len() >= self.most);
        if last.is_some_and(|last| last.start < call.start) {
            return;
        }
        self.take(Early {
            start: call.start,
            end: call.end,
            process: *call.process,
            file: call.file,
            second: call.second,
            op: call.op,
            event: *call.event,
        });
    }

    fn merge(&mut self, later: First) {
        later.calls.into_iter().for_each(|call| self.take(call));
    }
}

fn print(job: &Job, calls: Vec<Early>, verbose: bool) -> anyhow::Result<()> {
    let mut out = Lines::new()?;
    let head = format!("# {}\n", header(verbose));
    out.add(|room| {
        room.get_mut(..head.len())?.copy_from_slice(head.as_bytes());
        Some(head.len())
    })?;
    let write = if verbose { long_line } else { line };
    for call in &calls {
        let line = as_line(job, call, verbose);
        out.add(|room| write(room, &line))?;
    }
    out.flush()
}

fn as_line<'a>(job: &'a Job, call: &'a Early, verbose: bool) -> Line<'a> {
    let function = job.ops.get(call.op);
    let shows = verbose || column(function.kind as u8, &call.event) == Column::Path;
    let path = |file| if shows { job.files.path(file) } else { b"" };
    Line {
        task: call.process.rank,
        pid: call.process.pid,
        start: Nanos(call.start),
        elapse: Nanos(call.end.wrapping_sub(call.start)),
        op: &function.name,
        layer: function.layer,
        kind: function.kind as u8,
        path: path(call.file),
        second: path(call.second),
        layout: job.files.layout(call.file),
        details: b"",
        event: &call.event,
    }
}
