//! What stands around the blocks of a segment: which entries its indexes have, and its end. For whoever writes one,
//! wherever: it knows of the bytes only where they begin and how many they are.

use super::{End, Entry, FOOTER_SIZE, Footer, INDEX_ENTRY_SIZE, INDEX_HEAD_SIZE, Spawn, index};
use crate::block::{Header, Ids, kind};
use crate::bytes::Put;

/// Room for one index entry.
pub type Slot = [u8; INDEX_ENTRY_SIZE];

/// A part with so many blocks or fewer has no index: its headers are as soon read.
const WITHOUT_INDEX: u64 = 32;
/// Bytes that suffice for an End block.
pub const END_SIZE: usize = 512;

/// Bytes that suffice for the end of a part, when so many entries are held at most.
pub const fn end_room(entries: usize) -> usize {
    END_SIZE
        .wrapping_add(INDEX_HEAD_SIZE)
        .wrapping_add(entries.wrapping_mul(INDEX_ENTRY_SIZE))
        .wrapping_add(FOOTER_SIZE)
}

/// A segment being written. `R` is the room for entries that stand in no index block yet.
#[repr(C)]
pub struct PartWriter<R> {
    held: usize,
    /// Entries in all, and where the last index block begins.
    total: u64,
    index: u64,
    events: u64,
    is_group: bool,
    // Last, for it is large, and most parts use little of it.
    room: R,
}

impl<R> PartWriter<R> {
    /// Nothing is written.
    pub const fn new(room: R) -> Self {
        PartWriter {
            held: 0,
            total: 0,
            index: 0,
            events: 0,
            is_group: false,
            room,
        }
    }

    /// Another segment begins.
    pub fn begin(&mut self) {
        (self.held, self.total, self.index, self.events) = (0, 0, 0, 0);
        self.is_group = false;
    }

    /// Events in the segment so far.
    pub fn events(&self) -> u64 {
        self.events
    }
}

impl<R: AsRef<[Slot]> + AsMut<[Slot]>> PartWriter<R> {
    /// A block was written at `at`, which counts from the start of the segment.
    pub fn add_block(&mut self, at: u64, header: &Header) {
        if header.kind == kind::EVENTS {
            self.events = self.events.wrapping_add(u64::from(header.count));
        }
        self.add(Entry::of(at, header));
    }

    /// A segment of this segment was written.
    pub fn add_segment(&mut self, rank: u32, pid: u32, offset: u64, len: u64, events: u64) {
        let segment = Entry::Segment {
            rank,
            pid,
            offset,
            len,
            events,
        };
        self.add_parts(segment, events);
    }

    /// A pack of so many parts was written.
    pub fn add_pack(&mut self, parts: u32, offset: u64, len: u64, events: u64) {
        let pack = Entry::Pack {
            parts,
            offset,
            len,
            events,
        };
        self.add_parts(pack, events);
    }

    /// What has parts makes the segment a group.
    fn add_parts(&mut self, entry: Entry, events: u64) {
        self.is_group = true;
        self.events = self.events.wrapping_add(events);
        self.add(entry);
    }

    fn add(&mut self, entry: Entry) {
        if let Some(slot) = self.room.as_mut().get_mut(self.held) {
            *slot = entry.encoded();
            self.held = self.held.wrapping_add(1);
            self.total = self.total.wrapping_add(1);
        }
    }

    /// There is no room for another entry before an index block is written.
    pub fn is_full(&self) -> bool {
        self.held >= self.room.as_ref().len()
    }

    fn entries(&self) -> &[u8] {
        let held = self.room.as_ref().get(..self.held);
        held.unwrap_or_default().as_flattened()
    }

    /// An index block of the entries held, in two pieces.
    pub fn index(&self, ids: Ids) -> ([u8; INDEX_HEAD_SIZE], &[u8]) {
        (index(ids, self.index, self.entries()), self.entries())
    }

    /// They stand in an index block now, which begins at `at`; where it could not be written, they are forgotten.
    pub fn indexed(&mut self, at: Option<u64>) {
        match at {
            Some(at) => self.index = at,
            None => self.total = self.total.wrapping_sub(self.held as u64),
        }
        self.held = 0;
    }

    /// Whether the end has an index block.
    fn ends_with_index(&self) -> bool {
        let is_small = self.total <= WITHOUT_INDEX && self.index == 0 && !self.is_group;
        self.held > 0 && !is_small
    }

    /// Bytes of the end of a segment, without an End block.
    pub fn close_len(&self) -> usize {
        let index = if self.ends_with_index() {
            INDEX_HEAD_SIZE.wrapping_add(self.entries().len())
        } else {
            0
        };
        index.wrapping_add(FOOTER_SIZE)
    }

    /// The footer of a segment whose end, without an End block, begins at `at`.
    pub fn footer(&self, at: u64) -> Footer {
        let (index, entries) = match (self.ends_with_index(), self.index) {
            (true, _) => (at, self.total),
            (false, 0) => (0, 0),
            (false, last) => (last, self.total),
        };
        Footer {
            len: at.wrapping_add(self.close_len() as u64),
            index,
            entries,
            events: self.events,
        }
    }

    /// Index and footer, for the place `at`; their length, if they fitted.
    pub fn close(&self, ids: Ids, at: u64, out: &mut [u8]) -> Option<usize> {
        let mut put = Put::new(out);
        if self.ends_with_index() {
            let (head, entries) = self.index(ids);
            put.bytes(&head);
            put.bytes(entries);
        }
        put.bytes(&self.footer(at).encoded(ids));
        put.done()
    }

    /// The end of a part: an End block, then what closes it.
    pub fn finish(
        &self,
        (end, spawns): (&End, &[Spawn]),
        ids: Ids,
        at: u64,
        out: &mut [u8],
    ) -> Option<usize> {
        let len = end.write_with(spawns, ids, out)?;
        let at = at.wrapping_add(len as u64);
        let closed = self.close(ids, at, out.get_mut(len..)?)?;
        len.checked_add(closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Anchor, Offset};
    use crate::part::{SPAWNS, Traffic};

    #[test]
    fn the_longest_end_block_has_room_and_is_read_back() {
        let most = u64::MAX;
        let end = End {
            captured: most,
            filtered: most,
            lost: most,
            end: Anchor {
                ticks: most,
                monotonic: most,
                realtime: most,
            },
            offset: Some(Offset {
                nanos: -1,
                error: most,
                drift: -1,
            }),
            reason: u8::MAX,
            meant: Some(u8::MAX),
            errors: most,
            missed: most,
            unseen: most,
            uncalled: Some(Traffic {
                read: most,
                reads: most,
                written: most,
                writes: most,
            }),
            waited: [most; 2],
        };
        let spawns: [Spawn; SPAWNS] = core::array::from_fn(|n| Spawn {
            since: n as u64,
            until: most,
            ranks: u32::MAX,
        });
        let mut room = [0; END_SIZE];
        let length = end.write_with(&spawns, Ids::default(), &mut room);
        let payload = &room[crate::block::HEADER_SIZE..length.expect("it has room")];
        assert_eq!(End::parse(payload), end);
        assert!(Spawn::all(payload).eq(spawns));
    }
}
