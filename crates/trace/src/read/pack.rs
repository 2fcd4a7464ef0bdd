//! Packs: small parts one behind the other in one block, compressed together, without what can be made of the rest. So
//! what the processes of a node have in common, names and all that is known of a process, is written once.

use miniz_oxide::deflate;

use crate::block::{Check, HEADER_SIZE, Header, Ids, VERSION, kind};
use crate::codec::zigzag;

/// No part that is packed is longer.
pub const SMALL: usize = 1 << 16;
/// So many bytes make a pack: who loses a byte of it loses them all.
const FULL: usize = 1 << 18;
/// How hard to look for what was there before.
const LEVEL: u8 = 9;

/// Parts on their way into a pack.
#[derive(Default)]
pub struct Packer {
    raw: Vec<u8>,
    pub parts: u32,
    pub events: u64,
}

impl Packer {
    /// Takes a whole part; `false`: it is none that comes back as it was.
    pub fn add(&mut self, part: &[u8]) -> bool {
        let before = self.raw.len();
        match Packed::of(part, &mut self.raw) {
            Some(events) => {
                self.parts += 1;
                self.events += events;
                true
            }
            None => {
                self.raw.truncate(before);
                false
            }
        }
    }

    pub fn is_full(&self) -> bool {
        self.raw.len() >= FULL
    }

    /// The block; nothing waits afterwards.
    pub fn block(&mut self) -> Vec<u8> {
        let Packer { raw, parts, .. } = std::mem::take(self);
        let length = (raw.len() as u32).to_le_bytes();
        let packed = deflate::compress_to_vec(&raw, LEVEL);
        let header = Header::new(kind::PACK, Ids::default(), parts).sealed(&length, &packed);
        [&header[..], &length, &packed].concat()
    }
}

/// A part as it is packed.
struct Packed<'a> {
    raw: &'a mut Vec<u8>,
    ids: Option<Ids>,
    has_ended: bool,
    events: u64,
}

impl Packed<'_> {
    /// Its blocks without index and footer; how many events they have.
    fn of(mut part: &[u8], raw: &mut Vec<u8>) -> Option<u64> {
        let mut packed = Packed {
            raw,
            ids: None,
            has_ended: false,
            events: 0,
        };
        while !part.is_empty() {
            let header = Header::parse(part)?;
            let (block, rest) = part.split_at_checked(header.block_len() as usize)?;
            let (head, payload) = block.split_at_checked(header.header_len.into())?;
            let more = head.get(HEADER_SIZE..)?;
            let is_whole = Check::new(head).with(payload).holds(&header);
            match header.kind {
                kind::INDEX | kind::FOOTER if is_whole => {}
                _ if is_whole && header.version == VERSION => {
                    packed.block(&header, more, payload)?
                }
                _ => return None,
            }
            part = rest;
        }
        packed.has_ended.then_some(packed.events)
    }

    /// One of its blocks. Where a part does not begin with its Process block, and end with its End block, none of it is.
    fn block(&mut self, header: &Header, more: &[u8], payload: &[u8]) -> Option<()> {
        let Ids { rank, pid, thread } = header.ids;
        let ids = Ids {
            rank,
            pid,
            thread: pid,
        };
        let is_first = self.ids.is_none();
        let belongs = *self.ids.get_or_insert(ids) == ids;
        let is_placed = is_first == (header.kind == kind::PROCESS) && !self.has_ended;
        if !(belongs && is_placed) || header.kind == kind::PACK {
            return None;
        }
        self.has_ended = header.kind == kind::END;
        self.raw.push(header.kind);
        if is_first {
            self.number(rank.into());
            self.number(pid.into());
        }
        self.signed(i64::from(thread) - i64::from(pid));
        self.number(header.count.into());
        self.signed(header.first);
        self.signed(header.last.wrapping_sub(header.first));
        self.number(more.len() as u64);
        self.number(payload.len() as u64);
        self.raw.extend_from_slice(more);
        self.raw.extend_from_slice(payload);
        if header.kind == kind::EVENTS {
            self.events += u64::from(header.count);
        }
        Some(())
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.raw.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.raw.push(number as u8);
    }

    fn signed(&mut self, number: i64) {
        self.number(zigzag(number));
    }
}
