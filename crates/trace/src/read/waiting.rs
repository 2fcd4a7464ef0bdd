//! What of a thread no block holds yet: its slot of the spool as bytes, of which none is trusted.

use core::mem::offset_of;

use super::source::Source;
use crate::bytes::Get;
use crate::details::{Details, Gathered};
use crate::spool::{FILE, LAYOUT, NAMES, RING_RECORDS, SLOT, Slot, TEXT};
use crate::{OP_DETAILS, OP_MORE, Record, flags};

/// More of them than can interrupt each other.
const MOST_HANDLERS: u64 = 128;

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

    /// Number of the thread in its process.
    pub fn thread(&self) -> u32 {
        self.short(offset_of!(Slot, thread))
    }

    /// Calls left out that the header does not count.
    pub fn filtered(&self) -> u64 {
        let counted = self.long(offset_of!(Slot, filtered_counted));
        self.long(offset_of!(Slot, filtered))
            .saturating_sub(counted)
    }

    /// Places of the ring that no block holds yet; `None` if that is more than there are.
    pub fn places(&self) -> Option<u64> {
        let (stored, sealed) = (
            self.long(offset_of!(Slot, places.stored)),
            self.long(offset_of!(Slot, places.sealed)),
        );
        let (places, room) = (stored.wrapping_sub(sealed), RING_RECORDS as u64);
        // Handlers that found the ring full may have counted themselves in.
        (places <= room + MOST_HANDLERS).then_some(places.min(room))
    }

    /// Its names, up to the first that is not whole: tag, id, bytes.
    pub fn names(&self) -> impl Iterator<Item = (u8, u32, &[u8])> {
        let start = offset_of!(Slot, names);
        let room = self.bytes.get(start..start + NAMES).unwrap_or_default();
        let mut at = self.short(offset_of!(Slot, names_done)) as usize;
        std::iter::from_fn(move || {
            let mut get = Get(room.get(at..)?);
            let [tag, _] = *get.bytes(2)? else {
                return None;
            };
            let (length, id) = (usize::from(get.u16()?), get.u32()?);
            let is_known = matches!(tag, FILE | LAYOUT | TEXT);
            let bytes = get.bytes(length).filter(|_| is_known)?;
            at += (length + 8).next_multiple_of(8);
            Some((tag, id, bytes))
        })
    }

    /// The events that were stored whole, in their order; a place whose call had not come so far is passed over.
    pub fn events(&self) -> impl Iterator<Item = Stored> {
        let first = self.long(offset_of!(Slot, places.sealed));
        let places = self.places().unwrap_or(0);
        (0..places).filter_map(move |n| {
            let at = first.wrapping_add(n);
            let record = self.at_turn(at)?;
            // The second half stands behind the first, also where that is the ring's last place.
            let behind = || self.record(at as usize % RING_RECORDS + 1, at);
            let is_pair = record.flags & flags::MORE != 0;
            let more = is_pair.then(behind).flatten();
            let more = more.filter(|more| more.op == OP_MORE);
            let after = n + 1 + u64::from(more.is_some());
            let following = (after..places).map_while(|n| self.details(first.wrapping_add(n)));
            let is_call = !matches!(record.op, OP_MORE | OP_DETAILS);
            is_call.then(|| Stored::of(record, more, following))
        })
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
        Some(Record {
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
        })
    }
}

/// A call in a ring.
pub(super) struct Stored {
    pub record: Record,
    more: Option<Record>,
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
