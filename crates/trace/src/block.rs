//! The frame of everything in a file: a 48-byte header with length and checksum, then the payload.

use crate::bytes::{Get, Put};
use crate::crc::Crc;

/// The first four bytes of every block.
pub const MAGIC: [u8; 4] = *b"IOTA";
/// The version of the format that this code writes; readers refuse others.
pub const VERSION: u8 = 1;
/// Bytes of a block header.
pub const HEADER_SIZE: usize = 48;

/// Records that one block of events takes.
pub const MAX_RECORDS: usize = 2048;

/// Bytes of the payload of events before the bits: the encoding, and their length.
pub const PREFIX: usize = 5;

/// No part that goes into a pack is longer.
pub const SMALL: usize = 1 << 16;

/// What a block holds. Readers skip kinds that they do not know.
pub mod kind {
    /// Who was traced, how, on what clock; the first block of a part.
    pub const PROCESS: u8 = 1;
    /// Paths and calls by the ids that later blocks use.
    pub const NAMES: u8 = 2;
    /// Calls of one thread.
    pub const EVENTS: u8 = 3;
    /// Totals and the end of the clock; the last block of a complete part before its index.
    pub const END: u8 = 4;
    /// Where blocks or segments stand.
    pub const INDEX: u8 = 5;
    /// The last bytes of a segment.
    pub const FOOTER: u8 = 6;
    /// In an index: a segment (a part, or a group of segments) instead of a block.
    pub const SEGMENT: u8 = 7;
    /// Small parts, compressed together.
    pub const PACK: u8 = 8;
}

/// Whose block it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    /// Rank in MPI_COMM_WORLD; 0 without MPI.
    pub rank: u32,
    /// The process.
    pub pid: u32,
    /// The thread; the process id in blocks that belong to no thread.
    pub thread: u32,
}

/// A block's header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// See [`kind`].
    pub kind: u8,
    /// Version of the format.
    pub version: u8,
    /// Bytes of the header; a later version may have more.
    pub header_len: u16,
    /// Bytes after the header.
    pub payload_len: u32,
    /// Events or entries in the payload.
    pub count: u32,
    /// Whose block it is.
    pub ids: Ids,
    /// CRC-32C of the header with this field 0, then the payload.
    pub crc: u32,
    /// Clock steps of the earliest start.
    pub first: i64,
    /// Clock steps of the latest end.
    pub last: i64,
}

impl Header {
    /// A header of this version.
    pub const fn new(kind: u8, ids: Ids, count: u32) -> Header {
        Header {
            kind,
            version: VERSION,
            header_len: HEADER_SIZE as u16,
            payload_len: 0,
            count,
            ids,
            crc: 0,
            first: 0,
            last: 0,
        }
    }

    /// The header at the start of `bytes`, if they start with the magic and hold all of it.
    pub fn parse(bytes: &[u8]) -> Option<Header> {
        let mut get = Get(bytes);
        if get.bytes(4)? != MAGIC {
            return None;
        }
        Some(Header {
            kind: get.u8()?,
            version: get.u8()?,
            header_len: get.u16()?,
            payload_len: get.u32()?,
            count: get.u32()?,
            ids: Ids {
                rank: get.u32()?,
                pid: get.u32()?,
                thread: get.u32()?,
            },
            crc: get.u32()?,
            first: get.u64()? as i64,
            last: get.u64()? as i64,
        })
    }

    /// Header and payload.
    pub fn block_len(&self) -> u64 {
        u64::from(self.header_len).wrapping_add(u64::from(self.payload_len))
    }

    fn put(&self, put: &mut Put) {
        put.bytes(&MAGIC);
        put.u8(self.kind);
        put.u8(self.version);
        put.u16(self.header_len);
        put.u32(self.payload_len);
        put.u32(self.count);
        put.u32(self.ids.rank);
        put.u32(self.ids.pid);
        put.u32(self.ids.thread);
        put.u32(self.crc);
        put.u64(self.first as u64);
        put.u64(self.last as u64);
    }

    fn encoded(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        self.put(&mut Put::new(&mut bytes));
        bytes
    }

    /// The header's 48 bytes, with length and checksum of a payload in two pieces.
    pub fn sealed(self, head: &[u8], rest: &[u8]) -> [u8; HEADER_SIZE] {
        let length = head.len().wrapping_add(rest.len());
        self.sealed_by(length, |crc| crc.with(head).with(rest))
    }

    /// The first 48 bytes of a header that has more.
    pub fn sealed_longer(mut self, more: &[u8], payload: &[u8]) -> [u8; HEADER_SIZE] {
        self.header_len = HEADER_SIZE.wrapping_add(more.len()) as u16;
        self.sealed_by(payload.len(), |crc| crc.with(more).with(payload))
    }

    /// The 48 bytes before a payload of that length, which `add` adds to a checksum.
    pub fn sealed_by(mut self, length: usize, add: impl FnOnce(Crc) -> Crc) -> [u8; HEADER_SIZE] {
        self.payload_len = length as u32;
        self.crc = 0;
        self.crc = add(Crc::new().with(&self.encoded())).sum();
        self.encoded()
    }
}

/// Puts the header before the `payload_len` bytes that already stand behind its place in `out`.
pub(crate) fn seal(header: Header, payload_len: usize, out: &mut [u8]) -> Option<usize> {
    let (head, payload) = out.split_first_chunk_mut::<HEADER_SIZE>()?;
    let payload = payload.get(..payload_len)?;
    *head = header.sealed(payload, &[]);
    payload_len.checked_add(HEADER_SIZE)
}

/// The checksum of a block, whose header may be longer than this version's; `crc` stands at byte 28.
pub struct Check(Crc);

impl Check {
    /// Begins with the header's bytes, all of them.
    pub fn new(header: &[u8]) -> Check {
        let (before, after) = header.split_at_checked(28).unwrap_or((header, &[]));
        let after = after.get(4..).unwrap_or(&[]);
        Check(Crc::new().with(before).with(&[0; 4]).with(after))
    }

    /// Goes on with some of the payload.
    #[must_use]
    pub fn with(self, payload: &[u8]) -> Check {
        Check(self.0.with(payload))
    }

    /// Whether the block is what was written.
    pub fn holds(&self, header: &Header) -> bool {
        self.0.sum() == header.crc
    }
}

/// A block that is what was written.
pub struct Block<'a> {
    /// Its header.
    pub header: Header,
    /// What a longer header has more.
    pub more: &'a [u8],
    /// What is behind the header.
    pub payload: &'a [u8],
}

impl<'a> Block<'a> {
    /// The one at the start of `bytes`, and what is behind it.
    fn first(bytes: &'a [u8]) -> Option<(Block<'a>, &'a [u8])> {
        let header = Header::parse(bytes)?;
        let (block, rest) = bytes.split_at_checked(header.block_len() as usize)?;
        let (head, payload) = block.split_at_checked(header.header_len.into())?;
        let more = head.get(HEADER_SIZE..)?;
        let is_whole = Check::new(head).with(payload).holds(&header);
        let block = Block {
            header,
            more,
            payload,
        };
        (is_whole && header.version == VERSION).then_some((block, rest))
    }
}

/// Blocks of this version that stand one behind the other, up to the first that is none.
pub fn blocks(mut bytes: &[u8]) -> impl Iterator<Item = Option<Block<'_>>> {
    core::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let first = Block::first(bytes);
        bytes = first.as_ref().map_or(&[], |(_, rest)| *rest);
        Some(first.map(|(block, _)| block))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back_and_guards_its_payload() {
        let ids = Ids {
            rank: 7,
            pid: 8,
            thread: 9,
        };
        let header = Header {
            first: -5,
            last: i64::MAX,
            ..Header::new(kind::EVENTS, ids, 3)
        };
        let mut out = [0u8; 64];
        out[HEADER_SIZE..HEADER_SIZE + 4].copy_from_slice(b"abcd");
        assert_eq!(seal(header, 4, &mut out), Some(52));
        let back = Header::parse(&out).unwrap();
        assert_eq!(
            (back.ids, back.first, back.last, back.payload_len),
            (ids, -5, i64::MAX, 4)
        );
        assert!(Check::new(&out[..48]).with(b"abcd").holds(&back));
        for bit in 0..52 * 8 {
            let mut bad = out;
            bad[bit / 8] ^= 1 << (bit % 8);
            let whole = Header::parse(&bad)
                .is_some_and(|h| Check::new(&bad[..48]).with(&bad[48..52]).holds(&h));
            assert!(!whole, "bit {bit}");
        }
    }
}
