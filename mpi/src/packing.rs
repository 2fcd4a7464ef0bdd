//! A small part goes compressed into a pack, with those of its neighbours (docs/design/format.md). Each rank compresses its own, all
//! at the same time, and refers to what the rank before it has, so that what they have in common is written once.

use crate::clocks::Offset;
use crate::gather::Part;
use crate::group::{GatherError, Group, GroupRank, Result};
use crate::plan::{SHARING, Share, word};
use iota_trace::crc::Crc;
use iota_trace::deflate::{self, DeflateSegment, WINDOW, deflate};
use iota_trace::pack::{SMALL, column, raw};

/// Bytes that are compressed, behind those of the rank before this one.
const BYTES: usize = WINDOW + SMALL;
/// Three bytes may take five.
const OUT: usize = 2 * SMALL;

/// The memory that this takes: plain data, of which zeroed is a valid value.
pub struct Room {
    bytes: [u8; BYTES],
    out: [u8; OUT],
    tables: [u8; deflate::ROOM],
    stretches: Stretches,
}

impl Room {
    /// As good as zeroed memory.
    pub const NEW: Room = Room {
        bytes: [0; BYTES],
        out: [0; OUT],
        tables: [0; deflate::ROOM],
        stretches: Stretches::NEW,
    };
}

/// What is of a kind, as far as there is room for it.
struct Stretches {
    all: [DeflateSegment; 64],
    count: usize,
}

impl Stretches {
    const NEW: Stretches = Stretches {
        all: [DeflateSegment::NONE; 64],
        count: 0,
    };

    fn add(&mut self, column: usize, end: usize) {
        if let Some(place) = self.all.get_mut(self.count) {
            let is_noise = column::is_noise(column);
            *place = DeflateSegment { end, is_noise };
            self.count = self.count.wrapping_add(1);
        }
    }

    fn all(&self) -> &[DeflateSegment] {
        self.all.get(..self.count).unwrap_or_default()
    }
}

/// This rank's part as it is gathered.
pub struct Packing<'a, P> {
    part: &'a mut P,
    room: &'a mut Room,
    packed: Option<Packed>,
}

#[derive(Clone, Copy)]
struct Packed {
    /// Bytes before they were compressed, and then.
    raw: u32,
    length: u64,
    sum: u32,
}

impl<'a, P: Part> Packing<'a, P> {
    /// Takes the part as it is.
    pub fn new(part: &'a mut P, room: &'a mut Room) -> Self {
        Packing {
            part,
            room,
            packed: None,
        }
    }

    /// Packs the part if it is small. All ranks of a node do this together.
    pub fn pack(&mut self, node: &mut impl Group) -> Result<()> {
        let length = self.part.length();
        let Room {
            bytes,
            out,
            tables,
            stretches,
        } = &mut *self.room;
        let (before, own) = bytes.split_at_mut_checked(WINDOW).unwrap_or_default();
        let size = read(self.part, length, out, (stretches, own)).unwrap_or(0);
        let (known, sent) = exchange(node, before, own.get(..size).unwrap_or_default());
        if size == 0 {
            return sent;
        }
        let known = known.min(WINDOW);
        let from = WINDOW.wrapping_sub(known);
        let bytes = bytes.get(from..WINDOW.wrapping_add(size));
        let packed = deflate(
            bytes.unwrap_or_default(),
            known,
            stretches.all(),
            tables,
            out,
        );
        let length = packed.ok_or(GatherError(libc::EOVERFLOW))?;
        self.packed = Some(Packed {
            raw: size as u32,
            length: length as u64,
            sum: Crc::new().with(out.get(..length).unwrap_or_default()).sum(),
        });
        sent
    }

    /// What the leader is to know of it.
    pub fn share(&mut self, rank: u32, pid: u32) -> Share {
        let (raw, sum) = self
            .packed
            .map_or((0, 0), |packed| (packed.raw, packed.sum));
        Share {
            rank,
            pid,
            length: self.length(),
            events: self.events(),
            raw,
            sum,
        }
    }
}

/// The bytes of a part that a pack has; none if it is not small, or not whole.
fn read(
    part: &mut impl Part,
    length: u64,
    bytes: &mut [u8],
    (stretches, to): (&mut Stretches, &mut [u8]),
) -> Option<usize> {
    let bytes = bytes.get_mut(..usize::try_from(length).ok()?)?;
    if bytes.len() > SMALL || bytes.is_empty() || !part.read_at(0, bytes) {
        return None;
    }
    // What the rank before it has is not known here.
    let packed = raw(bytes, None, to, |column, end| stretches.add(column, end));
    packed.map(|(size, _)| size)
}

/// Tells the next rank the last bytes of this one's, and learns how many the rank before it has sent, which stand at the end
/// of `before` then. Every second rank begins with the one, the others with the other.
fn exchange(node: &mut impl Group, before: &mut [u8], own: &[u8]) -> (usize, Result<()>) {
    let GroupRank { rank, size } = node.place();
    let next = rank.wrapping_add(1);
    let (hears, speaks) = (
        !rank.is_multiple_of(SHARING),
        next < size && !next.is_multiple_of(SHARING),
    );
    let own = own
        .get(own.len().saturating_sub(WINDOW)..)
        .unwrap_or_default();
    let mut sent = Ok(());
    if speaks && rank.is_multiple_of(2) {
        sent = tell(node, next, own);
    }
    let heard = if hears {
        hear(node, rank.wrapping_sub(1), before)
    } else {
        Ok(0)
    };
    if speaks && !rank.is_multiple_of(2) {
        sent = tell(node, next, own);
    }
    (heard.unwrap_or(0), sent.and(heard.map(|_| ())))
}

fn tell(node: &mut impl Group, to: u32, bytes: &[u8]) -> Result<()> {
    node.send(to, &(bytes.len() as u64).to_ne_bytes())?;
    if bytes.is_empty() {
        return Ok(());
    }
    node.send(to, bytes)
}

fn hear(node: &mut impl Group, from: u32, room: &mut [u8]) -> Result<usize> {
    let mut length = [0; 8];
    node.receive(from, &mut length)?;
    let length = word(&length) as usize;
    if length == 0 {
        return Ok(0);
    }
    let at = room.len().checked_sub(length).ok_or(GatherError::MESSAGE)?;
    node.receive(from, room.get_mut(at..).unwrap_or_default())?;
    Ok(length)
}

impl<P: Part> Part for Packing<'_, P> {
    fn base(&self) -> i64 {
        self.part.base()
    }

    fn set_clock(&mut self, offset: Offset) {
        self.part.set_clock(offset);
    }

    fn length(&mut self) -> u64 {
        match self.packed {
            Some(packed) => packed.length,
            None => self.part.length(),
        }
    }

    fn events(&self) -> u64 {
        self.part.events()
    }

    fn read_at(&mut self, offset: u64, to: &mut [u8]) -> bool {
        if self.packed.is_none() {
            return self.part.read_at(offset, to);
        }
        let from = self.room.out.get(offset as usize..);
        let from = from.and_then(|rest| rest.get(..to.len()));
        to.iter_mut()
            .zip(from.unwrap_or_default())
            .for_each(|(to, from)| *to = *from);
        from.is_some()
    }
}
