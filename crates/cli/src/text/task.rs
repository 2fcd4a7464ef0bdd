//! The calls of a task, which may be several processes, in order of completion.

use crate::moved::{Meter, Moved};
use iota_trace::Nanos;
use iota_trace::read::{Events, Names, Op, Part, Timed};
use iota_trace::text::{Column, Line, column};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The parts of one rank, each open only while its calls are under way
pub struct Task<'a> {
    /// Not begun yet, the latest first
    waiting: Vec<(Nanos, &'a Part)>,
    open: Vec<Option<Stream<'a>>>,
    /// The open ones by the end of their next call
    order: BinaryHeap<Reverse<(i64, usize)>>,
    /// The one whose last call was given out
    done: Option<usize>,
}

/// One part's calls
struct Stream<'a> {
    source: Source<'a>,
    events: Events<'a>,
    next: Option<Timed>,
}

/// Where calls come from: what the ids in them stand for
pub struct Source<'a> {
    /// The part
    pub part: &'a Part,
    /// Its names
    pub names: Names,
    /// By op id
    meters: Vec<Meter>,
}

/// A call, and where the names are that its ids stand for
#[derive(Clone, Copy)]
pub struct Call<'s> {
    /// The process
    pub source: &'s Source<'s>,
    /// The call
    pub timed: Timed,
}

impl<'a> Task<'a> {
    /// Of parts of the same rank
    pub fn new(parts: &[&'a Part]) -> Task<'a> {
        let begins = |part: &'a Part| Some((part.span()?.0, part));
        let mut waiting: Vec<_> = parts.iter().copied().filter_map(begins).collect();
        waiting.sort_by_key(|(start, _)| Reverse(*start));
        Task {
            waiting,
            open: Vec::new(),
            order: BinaryHeap::new(),
            done: None,
        }
    }

    /// The next call to end
    pub fn next(&mut self) -> Option<Call<'_>> {
        if let Some(done) = self.done.take() {
            self.open[done] = None;
        }
        self.begin();
        let Reverse((_, index)) = self.order.pop()?;
        let stream = self.open[index].as_mut()?;
        let timed = stream.next.take()?;
        stream.next = stream.events.next();
        stream.source.learn(timed.event.op);
        match &stream.next {
            Some(next) => self.order.push(Reverse((next.end.0, index))),
            None => self.done = Some(index),
        }
        let source = &stream.source;
        Some(Call { source, timed })
    }

    /// Opens every part that may have a call before the next one.
    fn begin(&mut self) {
        while let Some((start, part)) = self.waiting.last() {
            if self
                .order
                .peek()
                .is_some_and(|Reverse((end, _))| *end < start.0)
            {
                return;
            }
            let stream = Stream::new(part);
            if let Some(next) = &stream.next {
                self.order.push(Reverse((next.end.0, self.open.len())));
                self.open.push(Some(stream));
            }
            self.waiting.pop();
        }
    }
}

impl<'a> Stream<'a> {
    fn new(part: &'a Part) -> Stream<'a> {
        let mut events = part.events();
        Stream {
            source: Source {
                part,
                names: part.names(),
                meters: Vec::new(),
            },
            next: events.next(),
            events,
        }
    }
}

impl Source<'_> {
    fn learn(&mut self, op: u16) {
        for id in self.meters.len()..=usize::from(op) {
            let op = self.names.op(id as u16);
            let meter = op.map_or(Meter::NONE, |op| Meter::of(op.name, op.kind));
            self.meters.push(meter);
        }
    }
}

impl<'s> Call<'s> {
    /// Its function
    pub fn op(&self) -> Option<Op<'s>> {
        self.source.names.op(self.timed.event.op)
    }

    /// A path of its part; empty for none, and where it is not known
    pub fn path(&self, file: u32) -> &'s [u8] {
        match file {
            0 => b"",
            _ => self.source.names.file(file).unwrap_or_default(),
        }
    }

    /// Its bytes
    pub fn moved(&self) -> Moved {
        let meter = self.source.meters.get(usize::from(self.timed.event.op));
        meter
            .copied()
            .unwrap_or(Meter::NONE)
            .moved(&self.timed.event)
    }

    /// What a line says of it, `long` or short, in which a descriptor's path does not stand
    pub fn line(&self, long: bool) -> Line<'_> {
        let event = &self.timed.event;
        let op = self.op();
        let kind = op.map_or(0, |op| op.kind);
        let shows_paths = long || column(kind, event) == Column::Path;
        let path = |file| match shows_paths {
            true => self.path(file),
            false => b"",
        };
        let stripe = shows_paths.then(|| self.source.names.stripe(event.file));
        Line {
            task: self.source.part.rank(),
            pid: self.source.part.pid(),
            start: self.timed.start,
            elapse: self.timed.elapse(),
            op: op.map_or(b"", |op| op.name),
            layer: op.map_or(u8::MAX, |op| op.layer),
            kind,
            path: path(event.file),
            second: path(event.second.file),
            stripe: stripe.flatten().unwrap_or_default(),
            event,
        }
    }
}
