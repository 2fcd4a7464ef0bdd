//! Packs: small parts one behind the other in one block, compressed together, without what can be made of the rest. So
//! what the processes of a node have in common, names and all that is known of a process, is written once.

mod fields;

pub use crate::block::SMALL;
pub use fields::{Clocks, OWN_ID, SHORT, has_own_id};

use crate::block::{self, HEADER_SIZE, Header, Ids, PREFIX, kind};
use crate::bytes::Put;
use crate::columns::zigzag;
use crate::crc::Crc;
use crate::deflate::LAST;

/// No pack has more bytes before they are compressed.
pub const MOST: u32 = 1 << 20;
/// With the number of these bytes: they stand in columns.
pub const IN_COLUMNS: u32 = 1 << 31;
/// Bytes of a pack before the compressed ones.
pub const HEAD: usize = HEADER_SIZE + 4;

/// What is of a kind in all parts, which compresses better without the rest between. In this order.
pub mod column {
    /// What stands before the payloads.
    pub const HEADS: usize = 0;
    /// Payloads of Process blocks.
    pub const PROCESSES: usize = 1;
    /// Payloads of Names blocks.
    pub const NAMES: usize = 2;
    /// Payloads of events without their raw bits.
    pub const EVENTS: usize = 3;
    /// Raw bits of events.
    pub const RAW_BITS: usize = 4;
    /// All other payloads.
    pub const OTHERS: usize = 5;
    /// So many there are.
    pub const COUNT: usize = 6;

    /// Whether compression finds nothing in it.
    pub const fn is_noise(column: usize) -> bool {
        column == RAW_BITS
    }
}

/// The column of a block's payload.
pub fn column_of(kind: u8) -> usize {
    match kind {
        kind::PROCESS => column::PROCESSES,
        kind::NAMES => column::NAMES,
        kind::EVENTS => column::EVENTS,
        _ => column::OTHERS,
    }
}

/// How many of a payload's bytes are raw bits, by its first bytes.
pub fn raw_bits(first: &[u8], length: usize) -> usize {
    let announced = first.get(1..PREFIX);
    let announced = announced
        .and_then(<[u8]>::first_chunk)
        .map_or(0, |announced| u32::from_le_bytes(*announced));
    let has_room = (announced as usize) <= length.saturating_sub(PREFIX);
    if has_room { announced as usize } else { 0 }
}

/// Compressed parts that follow one another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// How many.
    pub parts: u32,
    /// Bytes before they were compressed.
    pub raw: u32,
    /// Bytes.
    pub length: u64,
    crc: Crc,
}

impl Packed {
    /// With more of which only lengths and checksum are known.
    #[must_use]
    pub fn with(self, parts: u32, raw: u32, length: u64, sum: u32) -> Packed {
        Packed {
            parts: self.parts.wrapping_add(parts),
            raw: self.raw.wrapping_add(raw),
            length: self.length.wrapping_add(length),
            crc: self.crc.followed_by(sum, length),
        }
    }

    /// What stands before them, when [`LAST`] is behind them.
    pub fn head(&self) -> [u8; HEAD] {
        let raw = self.raw.to_le_bytes();
        let length = self.block_len().wrapping_sub(HEADER_SIZE as u64);
        let header = Header::new(kind::PACK, Ids::default(), self.parts);
        let header = header.sealed_by(length as usize, |crc| {
            let crc = crc.with(&raw).followed_by(self.crc.sum(), self.length);
            crc.with(&LAST)
        });
        let mut head = [0; HEAD];
        let mut put = Put::new(&mut head);
        put.bytes(&header);
        put.bytes(&raw);
        head
    }

    /// Bytes of the block.
    pub fn block_len(&self) -> u64 {
        self.length.wrapping_add((HEAD + LAST.len()) as u64)
    }
}

/// Writes a whole part as it stands in a pack before it is compressed: its blocks, without index and footer. Returns how
/// many bytes and events that are; `None`: the part is not one that comes back as it was, or finds no room.
///
/// `before` are the clocks of the part before it in the pack, and become its own; `None`: they are not known. `ends` is
/// called for each piece with the column in which it belongs, and where it ends.
pub fn raw(
    part: &[u8],
    before: Option<&mut Clocks>,
    out: &mut [u8],
    ends: impl FnMut(usize, usize),
) -> Option<(usize, u64)> {
    let mut raw = PackInput {
        put: Put::new(out),
        ends,
        clocks: before.as_deref().copied(),
        thread: 0,
        ids: None,
        has_ended: false,
        events: 0,
    };
    for block in block::blocks(part) {
        let block::Block {
            header,
            more,
            payload,
        } = block?;
        match header.kind {
            kind::INDEX | kind::FOOTER => {}
            _ => raw.block(&header, more, payload)?,
        }
    }
    let length = raw.put.done().filter(|_| raw.has_ended)?;
    if let (Some(before), Some(own)) = (before, raw.clocks) {
        *before = own;
    }
    Some((length, raw.events))
}

/// A part on its way.
struct PackInput<'o, E> {
    put: Put<'o>,
    ends: E,
    /// Of the part before, until there are its own.
    clocks: Option<Clocks>,
    /// Of the block before.
    thread: u32,
    ids: Option<Ids>,
    has_ended: bool,
    events: u64,
}

impl<E: FnMut(usize, usize)> PackInput<'_, E> {
    /// One of its blocks. A part that does not begin with its Process block, and end with its End block, is none.
    fn block(&mut self, header: &Header, more: &[u8], payload: &[u8]) -> Option<()> {
        let Ids { rank, pid, thread } = header.ids;
        let ids = Ids {
            thread: pid,
            ..header.ids
        };
        let is_first = self.ids.is_none();
        let belongs = *self.ids.get_or_insert(ids) == ids;
        let is_placed = is_first == (header.kind == kind::PROCESS) && !self.has_ended;
        if !(belongs && is_placed) || header.kind == kind::PACK {
            return None;
        }
        self.has_ended = header.kind == kind::END;
        let clocks = self
            .clocks
            .filter(|_| fields::are_short(header.kind, payload));
        self.put.u8(header.kind | clocks.map_or(0, |_| SHORT));
        if is_first {
            self.put.varint(rank.into());
            self.put.varint(pid.into());
            self.thread = pid;
        }
        self.signed(i64::from(thread).wrapping_sub(self.thread.into()));
        self.thread = if is_first { 0 } else { thread };
        self.put.varint(header.count.into());
        self.signed(header.first);
        self.signed(header.last.wrapping_sub(header.first));
        self.put.varint(more.len() as u64);
        let raw_bits = match header.kind {
            kind::EVENTS => raw_bits(payload, payload.len()),
            _ => 0,
        };
        let put = &mut self.put;
        put.varint(payload.len() as u64);
        put.bytes(more);
        let at = put.at();
        (self.ends)(column::HEADS, at);
        match clocks {
            Some(clocks) => clocks.write(payload, pid, put),
            None => put.bytes(payload),
        }
        if raw_bits > 0 {
            let begin = at.wrapping_add(PREFIX);
            (self.ends)(column::EVENTS, begin);
            (self.ends)(column::RAW_BITS, begin.wrapping_add(raw_bits));
        }
        (self.ends)(column_of(header.kind), self.put.at());
        if is_first {
            self.clocks = Some(Clocks::of(payload));
        }
        if header.kind == kind::EVENTS {
            self.events = self.events.wrapping_add(header.count.into());
        }
        Some(())
    }

    fn signed(&mut self, number: i64) {
        self.put.varint(zigzag(number));
    }
}
