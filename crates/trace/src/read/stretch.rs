//! A part in stretches of whole blocks, each of which can be read by itself, in any order and by several threads.

use std::collections::BTreeSet;

use super::layout;
use super::names::Names;
use super::part::Part;
use super::source::{Region, Walk};
use crate::Details;
use crate::block::{Header, kind};
use crate::clock::Nanos;
use crate::decode::{self, Run};
use crate::part::Entry;

/// Whole blocks of a part that stand one behind the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch(Region);

impl Stretch {
    /// Bytes in the file.
    pub fn bytes(&self) -> u64 {
        self.0.end - self.0.start
    }
}

/// What a part's index says, or, where it cannot be trusted, the headers of its blocks: it is read without an event.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    region: Option<Region>,
    /// Place, events, earliest start and latest end of each block of events.
    events: Vec<(u64, u32, i64, i64)>,
    names: Vec<Region>,
    threads: BTreeSet<u32>,
}

/// Buffers to read and decode in, for as many stretches as one likes.
pub struct Buffers {
    pub(super) buffer: Vec<u8>,
    pub(super) scratch: Box<decode::Scratch>,
}

impl Default for Buffers {
    fn default() -> Self {
        Buffers {
            buffer: Vec::new(),
            scratch: Box::new(decode::Scratch::NEW),
        }
    }
}

/// The blocks of events in a stretch. One that is damaged is left out, and stands among the trace's problems.
pub struct Blocks<'a> {
    part: &'a Part,
    walk: Walk<'a>,
}

impl Part {
    /// Where its blocks stand.
    pub fn outline(&self) -> Outline {
        self.indexed().unwrap_or_else(|| {
            let blocks = self.blocks();
            let outline = Outline::of(
                self.location.region,
                blocks.map(|(at, header)| (at, Entry::of(0, &header))),
            );
            self.expect(outline.event_count());
            outline
        })
    }

    /// By the index, if all of it is there and says what a part can hold.
    fn indexed(&self) -> Option<Outline> {
        let (region, footer) = (self.location.region, self.location.footer?);
        let entries = layout::all_entries(&self.source, region, footer)?;
        // A small part has none, whether it has events or not.
        if entries.is_empty() {
            return None;
        }
        let mut at = region.start;
        let mut placed = Vec::with_capacity(entries.len());
        for entry in entries {
            let Entry::Block { offset, len, .. } = entry else {
                return None;
            };
            let start = region
                .start
                .checked_add(offset)
                .filter(|start| *start >= at)?;
            at = start
                .checked_add(len.into())
                .filter(|end| *end <= region.end)?;
            placed.push((start, entry));
        }
        let outline = Outline::of(region, placed.into_iter());
        (outline.event_count() == footer.events).then_some(outline)
    }

    /// Paths and calls by the ids that its events use.
    pub fn names(&self) -> Names {
        self.names_of(&self.outline())
    }

    /// Paths and calls, found by the outline: what is not there, because it or its block is damaged, is not known.
    pub fn names_of(&self, outline: &Outline) -> Names {
        Names::of(&self.source, &outline.names)
    }

    /// The blocks of events of a stretch of this part.
    pub fn blocks_of(&self, stretch: Stretch) -> Blocks<'_> {
        Blocks {
            part: self,
            walk: Walk::for_events(&self.source, stretch.0),
        }
    }
}

impl Outline {
    fn of(region: Region, blocks: impl Iterator<Item = (u64, Entry)>) -> Outline {
        let mut outline = Outline {
            region: Some(region),
            ..Outline::default()
        };
        for (at, entry) in blocks {
            let Entry::Block {
                kind,
                len,
                count,
                first,
                last,
                thread,
                ..
            } = entry
            else {
                continue;
            };
            match kind {
                kind::EVENTS => {
                    outline.events.push((at, count, first, last));
                    outline.threads.insert(thread);
                }
                kind::NAMES => outline.names.push(Region {
                    start: at,
                    end: at + u64::from(len),
                }),
                _ => {}
            }
        }
        outline
    }

    /// Events in the part.
    pub fn event_count(&self) -> u64 {
        self.events
            .iter()
            .map(|(_, count, ..)| u64::from(*count))
            .sum()
    }

    /// Events and latest end of each block of events, since the start of the job.
    pub fn ends(&self, part: &Part) -> impl Iterator<Item = (u64, Nanos)> {
        let times = part.times();
        let events = self.events.iter();
        events.map(move |&(_, count, _, last)| (count.into(), times.at(last)))
    }

    /// Threads that have events.
    pub fn threads(&self) -> &BTreeSet<u32> {
        &self.threads
    }

    /// The earliest start and the latest end of its events, since the start of the job.
    pub fn span(&self, part: &Part) -> Option<(Nanos, Nanos)> {
        let spans = self.events.iter().map(|&(_, _, first, last)| (first, last));
        let (first, last) = spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        Some((part.time(first), part.time(last)))
    }

    /// The part in stretches with their events: all of it, cut before a block wherever `most` events are reached. What
    /// stands between the blocks, damaged or not, belongs to the stretch before.
    pub fn stretches(&self, most: u64) -> Vec<(Stretch, u64)> {
        let Some(region) = self.region else {
            return Vec::new();
        };
        let (mut stretches, mut start, mut events) = (Vec::new(), region.start, 0);
        for &(at, count, ..) in &self.events {
            if events >= most {
                stretches.push((Stretch(Region { start, end: at }), events));
                (start, events) = (at, 0);
            }
            events += u64::from(count);
        }
        let end = region.end;
        stretches.push((Stretch(Region { start, end }), events));
        stretches
    }
}

impl<'a> Blocks<'a> {
    /// The next block whose header is `wanted`; `None`: there is none. Those passed over are checked all the same: it may
    /// be damage that makes them unwanted.
    pub fn next<'r>(
        &mut self,
        room: &'r mut Buffers,
        wanted: impl Fn(&Header) -> bool,
    ) -> Option<EventBlock<'a, 'r>> {
        loop {
            let events = |(_, header): &(u64, Header)| header.kind == kind::EVENTS;
            let (at, header) = self.walk.find(events)?;
            let (part, wanted) = (self.part, wanted(&header));
            let is_whole = match wanted {
                true => part.source.payload(at, &header, &mut room.buffer).is_some(),
                false => part.source.whole(at, &header),
            };
            if !is_whole {
                self.walk.distrust(at);
            } else if wanted {
                return Some(EventBlock {
                    part,
                    at,
                    header,
                    room,
                });
            }
        }
    }
}

/// A block of events that is whole.
pub struct EventBlock<'a, 'r> {
    part: &'a Part,
    at: u64,
    /// Its header.
    pub header: Header,
    room: &'r mut Buffers,
}

impl EventBlock<'_, '_> {
    /// Decodes its events, in the order in which they ended, as many at once as are alike; with details if they are wanted.
    #[inline(always)]
    pub fn runs(self, wants_details: bool, each: impl FnMut(Run, &[Details])) {
        let Buffers { buffer, scratch } = self.room;
        let payload = buffer
            .get(usize::from(self.header.header_len)..)
            .unwrap_or_default();
        if let Err(error) = decode::runs(&self.header, payload, scratch, wants_details, each) {
            self.part.source.problem(self.at, error.cause());
        }
    }
}
