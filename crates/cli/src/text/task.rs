//! The calls of a task, which may be several processes, in order of completion.

use iota_trace::Nanos;
use iota_trace::read::{Events, Names, Part, Timed};
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
    task: u32,
    pid: u32,
    names: Names,
    events: Events<'a>,
    next: Option<Timed>,
}

/// A call, and where the names are that its ids stand for
pub struct Call<'s> {
    task: u32,
    pid: u32,
    names: &'s Names,
    timed: Timed,
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
        match &stream.next {
            Some(next) => self.order.push(Reverse((next.end.0, index))),
            None => self.done = Some(index),
        }
        Some(Call {
            task: stream.task,
            pid: stream.pid,
            names: &stream.names,
            timed,
        })
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
            task: part.rank(),
            pid: part.pid(),
            names: part.names(),
            next: events.next(),
            events,
        }
    }
}

impl Call<'_> {
    /// What a line says of it, `long` or short, in which a descriptor's path does not stand
    pub fn line(&self, long: bool) -> Line<'_> {
        let event = &self.timed.event;
        let op = self.names.op(event.op);
        let kind = op.map_or(0, |op| op.kind);
        let shows_paths = long || column(kind, event) == Column::Path;
        let path = |file| match shows_paths && file != 0 {
            true => self.names.file(file).unwrap_or_default(),
            false => b"",
        };
        Line {
            task: self.task,
            pid: self.pid,
            start: self.timed.start,
            elapse: self.timed.elapse(),
            op: op.map_or(b"", |op| op.name),
            layer: op.map_or(u8::MAX, |op| op.layer),
            kind,
            path: path(event.file),
            second: path(event.second.file),
            layout: self.names.layout(event.file),
            event,
        }
    }
}
