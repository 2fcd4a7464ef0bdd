//! Who writes what where. Pure arithmetic on quantities that every rank learns from its neighbours: a leader knows
//! the parts of its own node and where its node's segment begins, nobody knows more.
//!
//! The output is one segment for each node, in the order of the leaders: the parts of the node's ranks, small ones in packs,
//! then the node's index and footer. Segments follow each other without a gap.

use crate::group::GroupRank;
use iota_trace::deflate::LAST;
use iota_trace::pack::{HEAD, MOST, Packed, SMALL};

/// No single write is longer, and none crosses a multiple of it: what one rank writes lies in one Lustre stripe.
pub const PIECE: u64 = 1 << 20;

/// So many ranks of a node have a pack in common at most: who loses a byte of it loses their parts.
pub const SHARING: u32 = MOST / SMALL as u32;

/// How many stripes the output shall have when the longest of so many segments has `longest` bytes: one for each
/// writer, and none that would stay empty.
pub fn stripes(writers: u32, longest: u64) -> u32 {
    let pieces = u64::from(writers).saturating_mul(longest).div_ceil(PIECE);
    writers
        .min(u32::try_from(pieces).unwrap_or(u32::MAX))
        .max(1)
}

/// Bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Where the first byte lies.
    pub offset: u64,
    /// How many there are.
    pub length: u64,
}

impl Extent {
    /// The byte after the last.
    pub fn end(self) -> u64 {
        self.offset.wrapping_add(self.length)
    }

    /// The same bytes, cut at every multiple of [`PIECE`].
    pub fn pieces(self) -> Pieces {
        Pieces(self)
    }
}

/// Iterator over the pieces of an extent.
pub struct Pieces(Extent);

impl Iterator for Pieces {
    type Item = Extent;

    fn next(&mut self) -> Option<Extent> {
        let rest = self.0;
        let length = rest.length.min(PIECE.wrapping_sub(rest.offset % PIECE));
        self.0 = Extent {
            offset: rest.offset.wrapping_add(length),
            length: rest.length.wrapping_sub(length),
        };
        (length != 0).then_some(Extent {
            offset: rest.offset,
            length,
        })
    }
}

/// What a rank tells its leader.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Share {
    /// The rank in MPI_COMM_WORLD.
    pub rank: u32,
    /// The process.
    pub pid: u32,
    /// Bytes of its part, compressed if it goes into a pack; 0: it has none.
    pub length: u64,
    /// Calls in its part.
    pub events: u64,
    /// Bytes before they were compressed; 0: the part stays as it is.
    pub raw: u32,
    /// Checksum of the compressed bytes.
    pub sum: u32,
}

impl Share {
    /// Bytes of a share in a message.
    pub const BYTES: usize = 32;

    /// As it travels. Both ends are processes of one job on one kind of machine.
    pub fn to_bytes(self) -> [u8; Share::BYTES] {
        let mut bytes = [0; Share::BYTES];
        let words = [
            u64::from(self.rank) | u64::from(self.pid) << 32,
            self.length,
            self.events,
            u64::from(self.raw) | u64::from(self.sum) << 32,
        ];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    /// The share in a message.
    pub fn from_bytes(bytes: &[u8]) -> Share {
        let mut words = bytes.chunks_exact(8).map(word);
        let mut next = || words.next().unwrap_or(0);
        let (who, length, events, packed) = (next(), next(), next(), next());
        Share {
            rank: who as u32,
            pid: (who >> 32) as u32,
            length,
            events,
            raw: packed as u32,
            sum: (packed >> 32) as u32,
        }
    }
}

/// Eight bytes of a message as a number; fewer count as 0.
pub fn word(bytes: &[u8]) -> u64 {
    bytes
        .first_chunk()
        .map_or(0, |eight| u64::from_ne_bytes(*eight))
}

/// The shares of a node's ranks, as they were gathered.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    table: &'t [u8],
}

impl<'t> Node<'t> {
    /// Reads a gathered table.
    pub fn new(table: &'t [u8]) -> Node<'t> {
        Node { table }
    }

    /// What stands in the node's segment, which begins at `base`.
    pub fn units(self, base: u64) -> impl Iterator<Item = Unit<'t>> {
        let all = Units {
            rest: self.table.as_chunks().0,
            member: 0,
            offset: base,
        };
        all.filter(|unit| unit.end() != unit.offset)
    }

    /// How many these are.
    pub fn count(self) -> usize {
        self.units(0).count()
    }

    /// Bytes of them all.
    pub fn units_length(self) -> u64 {
        self.units(0).fold(0, |_, unit| unit.end())
    }

    /// Bytes of the node's segment, when an index of so many units with its footer takes `trailer(units)`.
    pub fn length(self, trailer: impl Fn(usize) -> u64) -> u64 {
        match self.count() {
            0 => 0,
            units => self.units_length().wrapping_add(trailer(units)),
        }
    }
}

/// Iterator over units, and ranks without a part.
struct Units<'t> {
    rest: &'t [[u8; Share::BYTES]],
    member: u32,
    offset: u64,
}

impl<'t> Iterator for Units<'t> {
    type Item = Unit<'t>;

    fn next(&mut self) -> Option<Unit<'t>> {
        let left = SHARING.wrapping_sub(self.member % SHARING);
        let is_packed = |share: &&[u8; Share::BYTES]| Share::from_bytes(*share).raw != 0;
        let together = self.rest.iter().take(left as usize);
        let together = together.take_while(is_packed).count().max(1);
        let (shares, rest) = self.rest.split_at_checked(together)?;
        let unit = Unit {
            shares,
            member: self.member,
            offset: self.offset,
        };
        self.rest = rest;
        self.member = self.member.wrapping_add(together as u32);
        self.offset = unit.end();
        Some(unit)
    }
}

/// What an entry of the index names: a part as it is, or a pack.
#[derive(Clone, Copy)]
pub struct Unit<'t> {
    shares: &'t [[u8; Share::BYTES]],
    /// Whose the first is.
    member: u32,
    /// Where it begins.
    pub offset: u64,
}

impl<'t> Unit<'t> {
    /// Of its parts.
    pub fn shares(self) -> impl Iterator<Item = Share> + 't {
        self.shares.iter().map(|share| Share::from_bytes(share))
    }

    fn is_pack(self) -> bool {
        self.shares().any(|share| share.raw != 0)
    }

    /// None: it is a part as it is.
    pub fn pack(self) -> Option<Packed> {
        let all = self.shares().fold(Packed::default(), |all, share| {
            all.with(1, share.raw, share.length, share.sum)
        });
        self.is_pack().then_some(all)
    }

    /// Where its parts lie, and the member of the node that has each.
    pub fn parts(self) -> impl Iterator<Item = (u32, Extent)> + 't {
        let mut offset = self
            .offset
            .wrapping_add(if self.is_pack() { HEAD as u64 } else { 0 });
        (self.member..)
            .zip(self.shares())
            .map(move |(member, share)| {
                let extent = Extent {
                    offset,
                    length: share.length,
                };
                offset = extent.end();
                (member, extent)
            })
    }

    /// The byte after its last.
    pub fn end(self) -> u64 {
        let last = self.parts().fold(self.offset, |_, (_, part)| part.end());
        last.wrapping_add(if self.is_pack() { LAST.len() as u64 } else { 0 })
    }
}

/// The memory that a rank takes for gathering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryNeed {
    /// Bytes for one piece, or for the node's index where that is longer.
    pub piece: usize,
    /// Bytes for the shares of the node's ranks.
    pub table: usize,
}

impl MemoryNeed {
    /// What the rank at `place` on its node takes.
    pub fn of(place: GroupRank, trailer: impl Fn(usize) -> u64) -> MemoryNeed {
        if place.rank != 0 {
            return MemoryNeed {
                piece: PIECE as usize,
                table: 0,
            };
        }
        let ranks = place.size as usize;
        MemoryNeed {
            piece: trailer(ranks).max(PIECE) as usize,
            table: ranks.saturating_mul(Share::BYTES),
        }
    }

    /// Both together.
    pub fn total(self) -> usize {
        self.piece.saturating_add(self.table)
    }
}

#[cfg(test)]
mod tests;
