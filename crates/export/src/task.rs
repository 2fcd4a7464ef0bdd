//! The calls of a task, which may be several processes, in order of completion.

use iota_trace::Nanos;
use iota_trace::read::{Events, Names, Op, Part, Timed};
use iota_trace::text::{Column, Line, column};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The parts of one rank, each open only while its calls are under way
pub struct Task<'a, X = ()> {
    /// Not begun yet, the latest first
    waiting: Vec<(Nanos, &'a Part)>,
    open: Vec<Option<Stream<'a, X>>>,
    /// What is to be known of a part besides
    know: &'a dyn Fn(&'a Part) -> X,
    /// The open ones by the end of their next call
    order: BinaryHeap<Reverse<(i64, usize)>>,
    /// The one whose last call was given out
    done: Option<usize>,
}

/// One part's calls
struct Stream<'a, X> {
    source: Source<'a, X>,
    events: Events<'a>,
    next: Option<Timed>,
}

/// Where calls come from: what the ids in them stand for
pub struct Source<'a, X = ()> {
    /// The part
    pub part: &'a Part,
    /// Names that the part has had so far
    pub names: Names,
    /// What else was to be known of it
    pub known: X,
}

/// A call, and where the names are that its ids stand for
#[derive(Clone)]
pub struct Call<'s, X = ()> {
    /// The process
    pub source: &'s Source<'s, X>,
    /// The call
    pub timed: Timed,
    /// Its details, as text
    details: Vec<u8>,
}

impl<'a> Task<'a> {
    /// Of parts of the same rank
    pub fn new(parts: &[&'a Part]) -> Task<'a> {
        Task::knowing(parts, &|_| ())
    }
}

impl<'a, X> Task<'a, X> {
    /// Of parts of the same rank, of each of which `know` is asked when its calls come
    pub fn knowing(parts: &[&'a Part], know: &'a dyn Fn(&'a Part) -> X) -> Task<'a, X> {
        let begins = |part: &'a Part| match part.span() {
            Some((start, _)) => Some((start, part)),
            None => {
                // Damage may be why it seems to have no calls: who looks for them says so.
                drop(part.events());
                None
            }
        };
        let mut waiting: Vec<_> = parts.iter().copied().filter_map(begins).collect();
        waiting.sort_by_key(|(start, _)| Reverse(*start));
        Task {
            waiting,
            open: Vec::new(),
            know,
            order: BinaryHeap::new(),
            done: None,
        }
    }

    /// The next call to end
    pub fn next_call(&mut self) -> Option<Call<'_, X>> {
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
        let source = &stream.source;
        let mut details = Vec::new();
        source.names.put_details(&timed.details, &mut details);
        Some(Call {
            source,
            timed,
            details,
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
            let stream = Stream::new(part, (self.know)(part));
            if let Some(next) = &stream.next {
                self.order.push(Reverse((next.end.0, self.open.len())));
                self.open.push(Some(stream));
            }
            self.waiting.pop();
        }
    }
}

impl<'a, X> Stream<'a, X> {
    fn new(part: &'a Part, known: X) -> Stream<'a, X> {
        let mut events = part.events();
        Stream {
            source: Source {
                part,
                names: part.names(),
                known,
            },
            next: events.next(),
            events,
        }
    }
}

impl<'s, X> Call<'s, X> {
    /// Its function
    fn op(&self) -> Option<Op<'s>> {
        self.source.names.op(self.timed.event.op)
    }

    /// A path of its part; empty for none, and where it is not known
    fn path(&self, file: u32) -> &'s [u8] {
        match file {
            0 => b"",
            _ => self.source.names.file(file).unwrap_or_default(),
        }
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
            layout: self.source.names.layout(event.file),
            details: &self.details,
            event,
        }
    }
}
