//! The events of a part as one stream, whatever the number of blocks: of each thread a window of its current block is in
//! memory. Where very many threads overlap their windows are small, and a block is decoded once for each.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::part::Part;
use super::source::Walk;
use super::stretch::Buffers;
use crate::block::kind;
use crate::clock::Nanos;
use crate::{Details, Event, decode};

/// Events that there is room for in all windows, about: 160 MB.
const ROOM: usize = 3 << 19;
/// A window takes such a share of what is free: whole blocks while fewer than 256 overlap.
const SHARE: usize = 512;
/// No window is smaller.
const LEAST: usize = 4;

/// Events that all windows have room for.
static HELD: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

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
    threads: Vec<Thread>,
    /// The threads by the end of their next event, or by the time before which their next block has none.
    next: BinaryHeap<Reverse<(i64, usize)>>,
    /// A window that nobody uses.
    spare: EventWindow,
}

/// One thread's blocks.
#[derive(Default)]
struct Thread {
    /// Where they begin, and where the next known block does, the first last.
    blocks: Vec<(u64, u64)>,
    /// Events of the current one that windows have held.
    passed: usize,
    window: EventWindow,
    at: usize,
}

/// Events of a block, one behind the other.
#[derive(Default)]
struct EventWindow {
    events: Vec<Event>,
    /// Details, by the places of their events.
    details: VecDeque<(usize, Details)>,
}

impl EventWindow {
    /// Events for whose memory it has room.
    fn capacity(&self) -> usize {
        self.events.capacity() + self.details.capacity()
    }

    fn clear(&mut self) {
        self.events.clear();
        self.details.clear();
    }

    fn add(&mut self, event: &Event, details: &[Details]) {
        let at = self.events.len();
        self.details
            .extend(details.iter().map(|details| (at, *details)));
        self.events.push(*event);
    }

    /// The event at a place, and its details, which it does not have any more.
    fn take(&mut self, at: usize) -> Option<(Event, Vec<Details>)> {
        let event = *self.events.get(at)?;
        let count = self.details.iter().take_while(|next| next.0 <= at).count();
        let details = self.details.drain(..count).map(|(_, details)| details);
        Some((event, details.collect()))
    }
}

impl Part {
    /// Its events, all threads in the order in which calls ended.
    pub fn events(&self) -> Events<'_> {
        Events::new(self)
    }
}

impl<'a> Events<'a> {
    fn new(part: &'a Part) -> Self {
        let mut events = Events {
            part,
            threads: threads(part),
            next: BinaryHeap::new(),
            spare: EventWindow::default(),
        };
        for index in 0..events.threads.len() {
            events.await_block(index);
        }
        events
    }

    /// Enters into the order the time from which on a thread may have events, if it has blocks left.
    fn await_block(&mut self, index: usize) {
        let Some(&(at, _)) = self.threads[index].blocks.last() else {
            return;
        };
        let header = self.part.source.header(at, self.part.location.region.end);
        let first = header.map_or(i64::MIN, |header| header.first);
        self.next.push(Reverse((first, index)));
    }

    /// Gives a thread a window, and enters its first event into the order.
    fn open(&mut self, index: usize) {
        let (thread, room) = (&mut self.threads[index], window(HELD.load(Relaxed)));
        if self.spare.capacity() <= 2 * room {
            thread.window = std::mem::take(&mut self.spare);
        }
        thread.fill(self.part, room);
        match thread.window.events.first() {
            Some(event) => self.next.push(Reverse((event.end, index))),
            None => self.close(index),
        }
    }

    /// Takes a thread's window, which is used up.
    fn close(&mut self, index: usize) {
        let thread = &mut self.threads[index];
        self.spare = std::mem::take(&mut thread.window);
        HELD.fetch_sub(self.spare.capacity(), Relaxed);
        self.spare.clear();
        match thread.passed {
            0 => self.await_block(index),
            _ => self.open(index),
        }
    }

    fn timed(&self, (event, details): (Event, Vec<Details>)) -> Timed {
        Timed {
            start: self.part.time(event.start),
            end: self.part.time(event.end),
            event,
            details,
        }
    }
}

/// Every thread with its blocks.
fn threads(part: &Part) -> Vec<Thread> {
    let (mut threads, mut found) = (BTreeMap::new(), 0);
    let mut blocks = Walk::for_events(&part.source, part.location.region).peekable();
    while let Some((at, header)) = blocks.next() {
        if header.kind != kind::EVENTS {
            continue;
        }
        found += u64::from(header.count);
        // Nearer than the length says: that was wrong, and what stands there is known.
        let next = blocks.peek().map_or(u64::MAX, |(next, _)| *next);
        let thread: &mut Thread = threads.entry(header.ids.thread).or_default();
        thread.blocks.push((at, next.min(at + header.block_len())));
    }
    part.expect(found);
    let in_turn = |mut thread: Thread| {
        thread.blocks.reverse();
        thread.blocks.shrink_to_fit();
        thread
    };
    threads.into_values().map(in_turn).collect()
}

impl Thread {
    /// The next events of the current block; none if it has no more, or is damaged.
    fn fill(&mut self, part: &Part, room: usize) {
        self.at = 0;
        let Some(&(at, next)) = self.blocks.last() else {
            return;
        };
        let is_whole =
            BUFFERS.with_borrow_mut(|buffers| self.decode(part, (at, next), room, buffers));
        HELD.fetch_add(self.window.capacity(), Relaxed);
        if is_whole {
            self.blocks.pop();
            self.passed = 0;
        } else {
            self.passed += self.window.events.len();
        }
    }

    /// Whether nothing of the block is left for another window.
    fn decode(
        &mut self,
        part: &Part,
        (at, next): (u64, u64),
        room: usize,
        buffers: &mut Buffers,
    ) -> bool {
        let (source, end) = (&part.source, part.location.region.end);
        let Buffers { buffer, scratch } = buffers;
        let block = source.header(at, end).and_then(|header| {
            let payload = source.payload(at, &header, buffer)?;
            Some((header, payload))
        });
        let Some((header, payload)) = block else {
            source.problem(at, source.cause(at, end));
            self.blocks.pop();
            self.blocks.extend(within(part, at, next).into_iter().rev());
            self.passed = 0;
            return false;
        };
        let (window, mut seen) = (&mut self.window, 0);
        let (passed, mut is_all) = (self.passed, true);
        window.events.reserve_exact(room.min(header.count as usize));
        let decoded = decode::detailed(&header, payload, scratch, |event, details| {
            seen += 1;
            if seen <= passed {
                return;
            }
            // At least one, however much it says.
            let has_room = window.events.len() + window.details.len() < room;
            is_all &= has_room || window.events.is_empty();
            if is_all {
                window.add(event, details);
            }
        });
        if let Err(error) = decoded {
            source.problem(at, error.cause());
        }
        is_all
    }
}

/// Whole blocks of events within one that is damaged: its length may be what is wrong, and lead behind other blocks.
fn within(part: &Part, at: u64, end: u64) -> Vec<(u64, u64)> {
    let (source, mut from, mut found) = (&part.source, at + 1, Vec::new());
    while let Some((block, header)) = source.find_block(from, end) {
        from = block + header.block_len();
        if header.kind == kind::EVENTS {
            found.push((block, from));
        }
    }
    found
}

/// Events of a window where windows hold so many.
fn window(held: usize) -> usize {
    (ROOM.saturating_sub(held) / SHARE).max(LEAST)
}

impl Iterator for Events<'_> {
    type Item = Timed;

    fn next(&mut self) -> Option<Timed> {
        loop {
            let Reverse((_, index)) = self.next.pop()?;
            let thread = &mut self.threads[index];
            let Some(call) = thread.window.take(thread.at) else {
                self.open(index);
                continue;
            };
            thread.at += 1;
            match thread.window.events.get(thread.at) {
                Some(next) => self.next.push(Reverse((next.end, index))),
                None => self.close(index),
            }
            return Some(self.timed(call));
        }
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        let windows = self.threads.iter().map(|thread| thread.window.capacity());
        HELD.fetch_sub(windows.sum(), Relaxed);
    }
}
