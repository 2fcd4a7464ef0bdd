//! What of a thread no block holds yet: its slot of the spool as bytes, of which none is trusted.

use core::mem::offset_of;

use super::source::Source;
use crate::bytes::Get;
use crate::details::{Details, Gathered};
use crate::spool::{FILE, FUNCTION, LAYOUT, NAMES, RING_RECORDS, SLOT, Slot, TEXT, name_check};
use crate::{OP_DETAILS, OP_MORE, Record, flags};

/// More of them than can interrupt each other.
const MOST_HANDLERS: u64 = 128;

/// Places that a store may have taken and not filled: those of a pair, or one, and one of the store that it interrupted.
const UNDER_WAY: u64 = 2;

/// Running numbers of a ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    first: u64,
    end: u64,
    /// Whether the counters said so.
    pub is_sound: bool,
}

impl Range {
    fn places(self) -> std::ops::Range<u64> {
        self.first..self.end
    }

    /// How many there are.
    pub fn count(self) -> u64 {
        self.end - self.first
    }
}

/// What a place has.
enum Content {
    /// A call, all of it.
    Event(Record, Option<Record>),
    /// What was a call, or a half of one.
    Torn,
    /// More of the one before it: its second half, or details.
    Half,
    /// Nothing of this turn: nobody has filled it, or in the first turn it was wiped.
    Empty,
}

/// A thread's slot.
pub(super) struct Waiting {
    bytes: Vec<u8>,
    start: u64,
}

impl Waiting {
    /// The slot at `at`, as far as the file goes: what lies behind its end was never written.
    pub fn read(source: &Source, at: u64) -> Waiting {
        let mut bytes = vec![0; SLOT];
        source.read(at, &mut bytes);
        Waiting { bytes, start: at }
    }

    fn at(&self, offset: usize) -> Get<'_> {
        Get(self.bytes.get(offset..).unwrap_or_default())
    }

    fn long(&self, offset: usize) -> u64 {
        self.at(offset).u64().unwrap_or(0)
    }

    fn short(&self, offset: usize) -> u32 {
        self.at(offset).u32().unwrap_or(0)
    }

    /// Where it is in the file.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Whether anything was ever stored here.
    pub fn is_used(&self) -> bool {
        let ring = offset_of!(Slot, ring) + offset_of!(Record, op);
        let names = self.bytes.get(offset_of!(Slot, names)).copied();
        self.long(ring) != 0 || names.unwrap_or(0) != 0
    }

    /// Number of the thread in its process.
    pub fn thread(&self) -> u32 {
        self.short(offset_of!(Slot, thread))
    }

    /// Whether that is what was stored.
    pub fn has_thread(&self) -> bool {
        self.thread() == !self.short(offset_of!(Slot, thread_inverted))
    }

    /// Calls left out that the header does not count.
    pub fn filtered(&self) -> u64 {
        let counted = self.long(offset_of!(Slot, filtered_counted));
        self.long(offset_of!(Slot, filtered))
            .saturating_sub(counted)
    }

    /// Which running numbers of the ring no block holds yet. The counters are held against the places, each of which says
    /// by itself whether it has a record of its turn.
    pub fn range(&self) -> Range {
        let (stored, sealed) = (
            self.long(offset_of!(Slot, places.stored)),
            self.long(offset_of!(Slot, places.sealed)),
        );
        let (counted, room) = (stored.wrapping_sub(sealed), RING_RECORDS as u64);
        // Handlers that found the ring full may have counted themselves in.
        if counted <= room + MOST_HANDLERS {
            let end = sealed.wrapping_add(counted.min(room));
            let filled = self.filled(sealed).max(end);
            return Range {
                first: sealed,
                end: filled,
                is_sound: filled == end,
            };
        }
        let found = [sealed, stored.saturating_sub(room)].map(|first| (first, self.filled(first)));
        let [first, end] = match found {
            [(first, end), (other, until)] if end - first >= until - other => [first, end],
            [_, (first, end)] => [first, end],
        };
        Range {
            first,
            end,
            is_sound: false,
        }
    }

    /// The end of what the ring holds from `first` on, were that the first record that no block holds.
    fn filled(&self, first: u64) -> u64 {
        let first = first.min(u64::MAX - RING_RECORDS as u64);
        let mut all = first..first + RING_RECORDS as u64;
        all.rfind(|at| self.holds(*at))
            .map_or(first, |last| last + 1)
    }

    fn holds(&self, at: u64) -> bool {
        self.record(at as usize % RING_RECORDS, at).is_some()
    }

    /// Its names, up to the first that is not whole: tag, id, bytes.
    pub fn names(&self) -> impl Iterator<Item = (u8, u32, &[u8])> {
        let start = offset_of!(Slot, names);
        let room = self.bytes.get(start..start + NAMES).unwrap_or_default();
        let mut at = self.short(offset_of!(Slot, names_done)) as usize;
        std::iter::from_fn(move || {
            let mut get = Get(room.get(at..)?);
            let [tag, check] = *get.bytes(2)? else {
                return None;
            };
            let (length, id) = (usize::from(get.u16()?), get.u32()?);
            let is_known = matches!(tag, FILE | LAYOUT | TEXT | FUNCTION);
            let bytes = get.bytes(length).filter(|_| is_known)?;
            let bytes = Some(bytes).filter(|bytes| name_check(id, bytes) == check)?;
            at += (length + 8).next_multiple_of(8);
            Some((tag, id, bytes))
        })
    }

    /// The events that were stored whole, in their order.
    pub fn events(&self) -> impl Iterator<Item = Stored> {
        let range = self.range();
        range
            .places()
            .filter_map(move |at| match self.at_place(at) {
                Content::Event(record, more) => {
                    let after = at + 1 + u64::from(more.is_some());
                    let following = (after..range.end).map_while(|at| self.details(at));
                    Some(Stored::of(record, more, following))
                }
                _ => None,
            })
    }

    /// How many events were stored, and are not whole any more. What a store under way may have taken at the end counts for
    /// nothing: its call had not returned.
    pub fn lost(&self) -> u64 {
        let (mut lost, mut empty) = (0, 0);
        for at in self.range().places() {
            let more = match self.at_place(at) {
                Content::Half => continue,
                Content::Empty => {
                    empty += 1;
                    continue;
                }
                Content::Event(..) => 0,
                Content::Torn => 1,
            };
            lost += empty + more;
            empty = 0;
        }
        lost + Some(empty).filter(|n| *n > UNDER_WAY).unwrap_or(0)
    }

    fn at_place(&self, at: u64) -> Content {
        let place = at as usize % RING_RECORDS;
        let Some(record) = self.record(place, at) else {
            return self.without_record(place, at);
        };
        // The second half stands behind the first, also where that is the ring's last place.
        let behind = || self.record(place + 1, at).filter(|more| more.op == OP_MORE);
        match (record.op, record.flags & flags::MORE) {
            (OP_MORE | OP_DETAILS, _) => Content::Half,
            (_, 0) => Content::Event(record, None),
            _ => behind().map_or(Content::Torn, |more| Content::Event(record, Some(more))),
        }
    }

    /// A place that holds no record of its turn: not filled, if it is as it was in the turn before.
    fn without_record(&self, place: usize, at: u64) -> Content {
        let start = offset_of!(Slot, ring) + place * size_of::<Record>();
        let last = self.long(start + offset_of!(Record, op));
        let is_first_turn = at < RING_RECORDS as u64;
        let is_as_before = match last {
            0 => is_first_turn,
            last => !is_first_turn && Record::whole(last, at - RING_RECORDS as u64).is_some(),
        };
        match is_as_before {
            true => Content::Empty,
            false => Content::Torn,
        }
    }

    fn at_turn(&self, at: u64) -> Option<Record> {
        self.record(at as usize % RING_RECORDS, at)
    }

    fn details(&self, at: u64) -> Option<Record> {
        self.at_turn(at).filter(|record| record.op == OP_DETAILS)
    }

    /// What stands at `place`, if it is the record with the running number `at`.
    fn record(&self, place: usize, at: u64) -> Option<Record> {
        let start = offset_of!(Slot, ring) + place * size_of::<Record>();
        let last = self.long(start + offset_of!(Record, op));
        let (op, flags) = Record::whole(last, at)?;
        let mut get = self.at(start);
        let record = Record {
            start: get.u64()?,
            end: get.u64()?,
            ret: get.u64()? as i64,
            offset: get.u64()? as i64,
            length: get.u64()?,
            id: get.u32()?,
            parent: get.u32()?,
            file: get.u32()?,
            fd: get.u32()? as i32,
            op,
            errno: (last >> 16) as u16,
            flags,
            whence: (last >> 48) as u16,
        };
        record.is_intact(last).then_some(record)
    }
}

/// A call in a ring.
pub(super) struct Stored {
    pub record: Record,
    pub more: Option<Record>,
    details: Vec<Details>,
    /// Some of its details are not whole, and are none.
    pub is_torn: bool,
}

impl Stored {
    fn of(record: Record, more: Option<Record>, following: impl Iterator<Item = Record>) -> Stored {
        let (mut gathered, mut details, mut open) = (Gathered::NEW, Vec::new(), 0usize);
        let mut is_torn = false;
        for next in following {
            open += 1;
            if let Some(whole) = gathered.add(&next).filter(|_| next.id == record.id) {
                is_torn |= open != whole.records(0).count();
                details.push(*whole);
                open = 0;
            }
        }
        Stored {
            record,
            more,
            details,
            is_torn: is_torn || open > 0,
        }
    }

    /// It as its ring has it.
    pub fn records(&self) -> impl Iterator<Item = Record> {
        let details = self.details.iter();
        let details = details.flat_map(|details| details.records(self.record.id));
        std::iter::once(self.record).chain(self.more).chain(details)
    }

    /// The forms of its details.
    pub fn forms(&self) -> impl Iterator<Item = u16> {
        self.details.iter().map(|details| details.form)
    }
}
