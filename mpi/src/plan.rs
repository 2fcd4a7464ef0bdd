//! Who writes what where. Pure arithmetic on quantities that every rank learns from its neighbours: a leader knows
//! the parts of its own node and where its node's segment begins, nobody knows more.
//!
//! The output is one segment for each node, in the order of the leaders: the parts of the node's ranks, then the
//! node's index and footer. Segments follow each other without a gap.

use crate::group::GroupRank;

/// No single write is longer, and none crosses a multiple of it: what one rank writes lies in one Lustre stripe.
pub const PIECE: u64 = 1 << 20;

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
    /// Bytes of its part; 0: it has none.
    pub length: u64,
    /// Calls in its part.
    pub events: u64,
}

impl Share {
    /// Bytes of a share in a message.
    pub const BYTES: usize = 24;

    /// As it travels. Both ends are processes of one job on one kind of machine.
    pub fn to_bytes(self) -> [u8; Share::BYTES] {
        let mut bytes = [0; Share::BYTES];
        let words = [
            u64::from(self.rank) | u64::from(self.pid) << 32,
            self.length,
            self.events,
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
        let who = next();
        Share {
            rank: who as u32,
            pid: (who >> 32) as u32,
            length: next(),
            events: next(),
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

    /// The ranks' shares, in the order of the node's ranks.
    pub fn shares(self) -> impl Iterator<Item = Share> + 't {
        self.table.chunks_exact(Share::BYTES).map(Share::from_bytes)
    }

    /// Where the parts lie when the node's segment begins at `base`, and the member of the node that has each.
    pub fn parts(self, base: u64) -> impl Iterator<Item = (u32, Extent)> + 't {
        let mut offset = base;
        (0u32..)
            .zip(self.shares())
            .filter(|(_, share)| share.length != 0)
            .map(move |(member, share)| {
                let extent = Extent {
                    offset,
                    length: share.length,
                };
                offset = extent.end();
                (member, extent)
            })
    }

    /// The shares of the ranks that have a part.
    pub fn of_parts(self) -> impl Iterator<Item = Share> + 't {
        self.shares().filter(|share| share.length != 0)
    }

    /// How many these are.
    pub fn count(self) -> usize {
        self.of_parts().count()
    }

    /// Bytes of all parts.
    pub fn parts_length(self) -> u64 {
        self.shares()
            .fold(0, |sum, share| sum.wrapping_add(share.length))
    }

    /// Bytes of the node's segment, when an index of so many parts with its footer takes `trailer(parts)`.
    pub fn length(self, trailer: impl Fn(usize) -> u64) -> u64 {
        match self.count() {
            0 => 0,
            parts => self.parts_length().wrapping_add(trailer(parts)),
        }
    }
}

/// The memory that a rank takes for gathering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Bytes for one piece, or for the node's index where that is longer.
    pub piece: usize,
    /// Bytes for the shares of the node's ranks.
    pub table: usize,
}

impl Memory {
    /// What the rank at `place` on its node takes.
    pub fn of(place: GroupRank, trailer: impl Fn(usize) -> u64) -> Memory {
        if place.rank != 0 {
            return Memory {
                piece: PIECE as usize,
                table: 0,
            };
        }
        let ranks = place.size as usize;
        Memory {
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
mod tests {
    use super::*;
    use crate::random::Random;

    fn table(shares: &[Share]) -> Vec<u8> {
        shares.iter().flat_map(|share| share.to_bytes()).collect()
    }

    #[test]
    fn there_are_as_many_stripes_as_writers_that_have_something_to_fill_them() {
        assert_eq!(stripes(1, 100 << 20), 1);
        assert_eq!(stripes(64, 1000), 1);
        assert_eq!(stripes(64, PIECE / 2), 32);
        assert_eq!(stripes(64, PIECE), 64);
        assert_eq!(stripes(u32::MAX, u64::MAX), u32::MAX);
        assert_eq!(stripes(3, 0), 1);
    }

    #[test]
    fn pieces_are_disjoint_complete_and_never_cross_a_boundary() {
        let mut random = Random::new(1);
        for _ in 0..10_000 {
            let extent = Extent {
                offset: random.below(5 * PIECE),
                length: random.below(5 * PIECE),
            };
            let mut at = extent.offset;
            for piece in extent.pieces() {
                assert_eq!(piece.offset, at);
                assert!(piece.length > 0);
                assert_eq!(piece.offset / PIECE, (piece.end() - 1) / PIECE);
                at = piece.end();
            }
            assert_eq!(at, extent.end());
        }
    }

    #[test]
    fn an_empty_extent_has_no_piece() {
        assert_eq!(
            Extent {
                offset: 77,
                length: 0
            }
            .pieces()
            .next(),
            None
        );
    }

    #[test]
    fn only_the_first_and_the_last_piece_are_short() {
        let lengths: Vec<u64> = Extent {
            offset: 10,
            length: 3 * PIECE,
        }
        .pieces()
        .map(|p| p.length)
        .collect();
        assert_eq!(lengths, [PIECE - 10, PIECE, PIECE, 10]);
    }

    #[test]
    fn parts_of_a_node_follow_each_other_and_empty_ones_are_left_out() {
        let mut random = Random::new(2);
        for _ in 0..1_000 {
            let shares: Vec<Share> = (0..random.below(70) as u32)
                .map(|rank| Share {
                    rank,
                    pid: 9,
                    length: random.below(3).min(1) * random.below(1 << 22),
                    events: 1,
                })
                .collect();
            let bytes = table(&shares);
            let node = Node::new(&bytes);
            let (base, mut at) = (123, 123);
            for (member, extent) in node.parts(base) {
                assert_eq!(
                    (extent.offset, extent.length),
                    (at, shares[member as usize].length)
                );
                assert_ne!(extent.length, 0);
                at = extent.end();
            }
            assert_eq!(at - base, shares.iter().map(|s| s.length).sum::<u64>());
            assert_eq!(node.count(), shares.iter().filter(|s| s.length > 0).count());
            let trailer = if node.count() == 0 { 0 } else { 1000 };
            assert_eq!(node.length(|_| 1000), at - base + trailer);
        }
    }

    #[test]
    fn a_share_survives_its_journey() {
        let share = Share {
            rank: 110_051,
            pid: u32::MAX,
            length: u64::MAX - 3,
            events: 1 << 40,
        };
        assert_eq!(Share::from_bytes(&share.to_bytes()), share);
        assert_eq!(Share::from_bytes(&[]), Share::default());
    }
}
