//! Where the blocks of a part and the segments of a group stand: index entries, index blocks, footers.

use crate::block::{HEADER_SIZE, Header, Ids, kind};
use crate::bytes::{Get, Put};

/// Bytes of an index entry.
pub const INDEX_ENTRY_SIZE: usize = 40;
/// Bytes of an index block before its entries.
pub const INDEX_HEAD_SIZE: usize = HEADER_SIZE + 8;
/// Bytes of a footer.
pub const FOOTER_SIZE: usize = HEADER_SIZE + 32;

/// One block or segment in an index; offsets count from the start of the segment that the index belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A block of a part.
    Block {
        /// See [`kind`].
        kind: u8,
        /// The block's thread.
        thread: u32,
        /// Where it starts.
        offset: u64,
        /// Header and payload.
        len: u32,
        /// Events or entries.
        count: u32,
        /// As in its header.
        first: i64,
        /// As in its header.
        last: i64,
    },
    /// A segment of a group.
    Segment {
        /// Of a part; `u32::MAX` of a group.
        rank: u32,
        /// Of a part; 0 of a group.
        pid: u32,
        /// Where it starts.
        offset: u64,
        /// All of it, with its footer.
        len: u64,
        /// Events in it.
        events: u64,
    },
    /// A pack of a group.
    Pack {
        /// Parts in it.
        parts: u32,
        /// Where it starts.
        offset: u64,
        /// Header and payload.
        len: u64,
        /// Events in its parts.
        events: u64,
    },
}

impl Entry {
    /// The entry of a block that starts at `offset`, from the block's header.
    pub fn of(offset: u64, block: &Header) -> Entry {
        Entry::Block {
            kind: block.kind,
            thread: block.ids.thread,
            offset,
            len: block.block_len() as u32,
            count: block.count,
            first: block.first,
            last: block.last,
        }
    }

    /// Its fixed-size form, to collect one after another for [`index`].
    pub fn encoded(&self) -> [u8; INDEX_ENTRY_SIZE] {
        let mut bytes = [0; INDEX_ENTRY_SIZE];
        let mut put = Put::new(&mut bytes);
        match *self {
            Entry::Block {
                kind,
                thread,
                offset,
                len,
                count,
                first,
                last,
            } => {
                put.u32(u32::from(kind));
                put.u32(thread);
                put.u64(offset);
                put.u32(len);
                put.u32(count);
                put.u64(first as u64);
                put.u64(last as u64);
            }
            Entry::Segment {
                rank,
                pid,
                offset,
                len,
                events,
            } => {
                put.u32(u32::from(kind::SEGMENT));
                put.u32(rank);
                put.u64(offset);
                put.u64(len);
                put.u64(events);
                put.u64(u64::from(pid));
            }
            Entry::Pack {
                parts,
                offset,
                len,
                events,
            } => {
                put.u32(u32::from(kind::PACK));
                put.u32(parts);
                put.u64(offset);
                put.u64(len);
                put.u64(events);
            }
        }
        bytes
    }

    /// From its fixed-size form.
    pub fn parse(bytes: &[u8; INDEX_ENTRY_SIZE]) -> Entry {
        Entry::read(&mut Get(bytes)).unwrap_or(Entry::Segment {
            rank: 0,
            pid: 0,
            offset: 0,
            len: 0,
            events: 0,
        })
    }

    fn read(get: &mut Get) -> Option<Entry> {
        let (kind, id, offset) = (get.u32()? as u8, get.u32()?, get.u64()?);
        if kind == kind::SEGMENT {
            let (len, events, pid) = (get.u64()?, get.u64()?, get.u64()? as u32);
            return Some(Entry::Segment {
                rank: id,
                pid,
                offset,
                len,
                events,
            });
        }
        if kind == kind::PACK {
            let (parts, len, events) = (id, get.u64()?, get.u64()?);
            return Some(Entry::Pack {
                parts,
                offset,
                len,
                events,
            });
        }
        let (len, count) = (get.u32()?, get.u32()?);
        let (first, last) = (get.u64()? as i64, get.u64()? as i64);
        Some(Entry::Block {
            kind,
            thread: id,
            offset,
            len,
            count,
            first,
            last,
        })
    }
}

/// What goes before `entries` (each of [`INDEX_ENTRY_SIZE`] bytes) to make an index block of them.
///
/// `previous` is the offset of the segment's index block before this one, 0 if this is the first: whoever
/// cannot hold all entries writes several blocks.
pub fn index(ids: Ids, previous: u64, entries: &[u8]) -> [u8; INDEX_HEAD_SIZE] {
    let count = entries.len() / INDEX_ENTRY_SIZE;
    let previous = previous.to_le_bytes();
    let header = Header::new(kind::INDEX, ids, count as u32).sealed(&previous, entries);
    let mut out = [0; INDEX_HEAD_SIZE];
    let mut put = Put::new(&mut out);
    put.bytes(&header);
    put.bytes(&previous);
    out
}

/// The last bytes of a segment: a reader starts here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// Bytes of the segment, this footer's among them.
    pub len: u64,
    /// Offset of the last index block, from the segment's start.
    pub index: u64,
    /// Entries in all of its index blocks.
    pub entries: u64,
    /// Events in the segment.
    pub events: u64,
}

impl Footer {
    /// The whole block.
    pub fn encoded(&self, ids: Ids) -> [u8; FOOTER_SIZE] {
        let mut payload = [0; FOOTER_SIZE - HEADER_SIZE];
        let mut put = Put::new(&mut payload);
        for word in [self.len, self.index, self.entries, self.events] {
            put.u64(word);
        }
        let header = Header::new(kind::FOOTER, ids, 1).sealed(&payload, &[]);
        let mut out = [0; FOOTER_SIZE];
        let mut put = Put::new(&mut out);
        put.bytes(&header);
        put.bytes(&payload);
        out
    }

    /// From a footer's payload.
    pub fn parse(payload: &[u8]) -> Option<Footer> {
        let mut get = Get(payload);
        Some(Footer {
            len: get.u64()?,
            index: get.u64()?,
            entries: get.u64()?,
            events: get.u64()?,
        })
    }
}
