//! What of a thread no block holds yet: its slot of the spool as bytes, of which none is trusted.

use core::mem::offset_of;

use super::source::Source;
use crate::bytes::Get;
use crate::spool::{FILE, LAYOUT, NAMES, RING_RECORDS, SLOT, Slot};
use crate::{OP_MORE, Record, flags};

/// More of them than can interrupt each other.
const MOST_HANDLERS: u64 = 128;

/// A thread's slot.
pub(super) struct Waiting(Vec<u8>);

impl Waiting {
    /// The slot at `at`, as far as the file goes: what lies behind its end was never written.
    pub fn read(source: &Source, at: u64) -> Waiting {
        let mut bytes = vec![0; SLOT];
        source.read(at, &mut bytes);
        Waiting(bytes)
    }

    fn at(&self, offset: usize) -> Get<'_> {
        Get(self.0.get(offset..).unwrap_or_default())
    }

    fn long(&self, offset: usize) -> u64 {
        self.at(offset).u64().unwrap_or(0)
    }

    fn short(&self, offset: usize) -> u32 {
        self.at(offset).u32().unwrap_or(0)
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
        let room = self.0.get(start..start + NAMES).unwrap_or_default();
        let mut at = self.short(offset_of!(Slot, names_done)) as usize;
        std::iter::from_fn(move || {
            let mut get = Get(room.get(at..)?);
            let [tag, _] = *get.bytes(2)? else {
                return None;
            };
            let (length, id) = (usize::from(get.u16()?), get.u32()?);
            let is_known = matches!(tag, FILE | LAYOUT);
            let bytes = get.bytes(length).filter(|_| is_known)?;
            at += (length + 8).next_multiple_of(8);
            Some((tag, id, bytes))
        })
    }

    /// The events that were stored whole, in their order; a place whose call had not come so far is passed over.
    pub fn events(&self) -> impl Iterator<Item = (Record, Option<Record>)> {
        let first = self.long(offset_of!(Slot, places.sealed));
        (0..self.places().unwrap_or(0)).filter_map(move |n| {
            let at = first.wrapping_add(n);
            let place = at as usize % RING_RECORDS;
            let record = self.record(place, at)?;
            // The second half stands behind the first, also where that is the ring's last place.
            let behind = || self.record(place + 1, at);
            let is_pair = record.flags & flags::MORE != 0;
            let more = is_pair
                .then(behind)
                .flatten()
                .filter(|more| more.op == OP_MORE);
            (record.op != OP_MORE).then_some((record, more))
        })
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
