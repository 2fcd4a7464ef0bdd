//! The events of a part as one stream: a block of each thread in memory, whatever the number of blocks.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use super::part::Part;
use super::source::{Region, Walk};
use crate::block::{Header, kind};
use crate::clock::Nanos;
use crate::{Details, Event, decode};

/// An event and when it was, since the start of the job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    /// Before the call.
    pub start: Nanos,
    /// After the call.
    pub end: Nanos,
    /// The call; its own times are clock steps.
    pub event: Event,
    /// What it says beyond that.
    pub details: Vec<Details>,
}

impl Timed {
    /// How long the call took.
    pub fn elapse(&self) -> Nanos {
        Nanos(self.end.0.wrapping_sub(self.start.0))
    }
}

/// A part's events, all threads in the order in which calls ended. Blocks that are damaged are left out,
/// and stand among the trace's problems when the stream has passed them.
pub struct Events<'a> {
    part: &'a Part,
    threads: Vec<Thread<'a>>,
    /// The threads by the end of their next event.
    next: BinaryHeap<Reverse<(i64, usize)>>,
    scratch: Box<decode::Scratch>,
}

/// One thread's blocks.
struct Thread<'a> {
    id: u32,
    blocks: Walk<'a>,
    block: Block,
    at: usize,
    buffer: Vec<u8>,
}

impl Part {
    /// Its events, all threads in the order in which calls ended.
    pub fn events(&self) -> Events<'_> {
        Events::new(self)
    }
}

impl<'a> Events<'a> {
    fn new(part: &'a Part) -> Self {
        let thread = |(id, region)| Thread {
            id,
            blocks: Walk::new(&part.source, region),
            block: Block::default(),
            at: 0,
            buffer: Vec::new(),
        };
        let threads: Vec<Thread> = threads(part).into_iter().map(thread).collect();
        let scratch = Box::new(decode::Scratch::NEW);
        let mut events = Events {
            part,
            threads,
            next: BinaryHeap::new(),
            scratch,
        };
        for thread in 0..events.threads.len() {
            events.refill(thread);
        }
        events
    }

    /// Enters a thread's next event into the order, if it has one.
    fn refill(&mut self, index: usize) {
        let thread = &mut self.threads[index];
        if thread.at == thread.block.events.len() {
            thread.next_block(self.part, &mut self.scratch);
        }
        if let Some(event) = thread.block.events.get(thread.at) {
            self.next.push(Reverse((event.end, index)));
        }
    }

    fn timed(&self, event: Event, details: Vec<Details>) -> Timed {
        Timed {
            start: self.part.time(event.start),
            end: self.part.time(event.end),
            event,
            details,
        }
    }
}

/// Every thread with the stretch of the part that its blocks lie in.
fn threads(part: &Part) -> BTreeMap<u32, Region> {
    let (mut threads, mut found) = (BTreeMap::new(), 0);
    let blocks = Walk::for_events(&part.source, part.location.region);
    for (start, header) in blocks.filter(|(_, header)| header.kind == kind::EVENTS) {
        let end = start + header.block_len();
        found += u64::from(header.count);
        threads
            .entry(header.ids.thread)
            .or_insert(Region { start, end })
            .end = end;
    }
    part.expect(found);
    threads
}

impl Thread<'_> {
    /// The events of the thread's next block that has any.
    fn next_block(&mut self, part: &Part, scratch: &mut decode::Scratch) {
        self.block.clear();
        self.at = 0;
        while self.block.events.is_empty() {
            let id = self.id;
            let ours = self
                .blocks
                .find(|(_, header)| header.kind == kind::EVENTS && header.ids.thread == id);
            let Some((at, header)) = ours else { return };
            match part.source.payload(at, &header, &mut self.buffer) {
                Some(payload) => {
                    if let Err(error) = self.block.take(&header, payload, scratch) {
                        part.source.problem(at, error.cause());
                    }
                }
                None => self.blocks.distrust(at),
            }
        }
    }
}

/// A block taken apart.
#[derive(Default)]
struct Block {
    events: Vec<Event>,
    /// Details, by the places of their events.
    details: VecDeque<(usize, Details)>,
}

impl Block {
    fn clear(&mut self) {
        self.events.clear();
        self.details.clear();
    }

    fn take(
        &mut self,
        header: &Header,
        payload: &[u8],
        scratch: &mut decode::Scratch,
    ) -> Result<(), decode::Error> {
        decode::detailed(header, payload, scratch, |event, details| {
            let at = self.events.len();
            self.details
                .extend(details.iter().map(|details| (at, *details)));
            self.events.push(*event);
        })
    }

    /// The event at a place, and its details, which it does not have any more.
    fn event(&mut self, at: usize) -> (Event, Vec<Details>) {
        let count = self.details.iter().take_while(|next| next.0 <= at).count();
        let details = self.details.drain(..count).map(|(_, details)| details);
        let details = details.collect();
        (self.events[at], details)
    }
}

impl Iterator for Events<'_> {
    type Item = Timed;

    fn next(&mut self) -> Option<Timed> {
        let Reverse((_, index)) = self.next.pop()?;
        let thread = &mut self.threads[index];
        let (event, details) = thread.block.event(thread.at);
        thread.at += 1;
        self.refill(index);
        Some(self.timed(event, details))
    }
}
