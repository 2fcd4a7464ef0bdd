//! Where the next bytes stood before.

/// Nothing further back is found.
pub const WINDOW: usize = 1 << 15;
/// Bytes of the tables.
pub const ROOM: usize = (HEADS + WINDOW) * 2;
const HEADS: usize = 1 << HASH_BITS;
const HASH_BITS: u32 = 14;
/// How many places are looked at.
const DEPTH: u32 = 32;
/// Nothing longer is looked for.
const LONGEST: usize = 258;
/// So long is long enough.
const GOOD: usize = 64;
/// Bytes that are hashed: fewer, found again, hardly save space.
const LEAST: usize = 4;

/// So many bytes as stood so far before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    pub length: usize,
    pub distance: usize,
}

impl Match {
    const NONE: Match = Match {
        length: 0,
        distance: 0,
    };

    /// Whether the next byte may begin a longer one that pays.
    pub fn is_worth_a_look(self) -> bool {
        (1..GOOD).contains(&self.length)
    }
}

/// For places modulo 2^16: whatever stands in the tables, only bytes that are the same are found.
type Link = [u8; 2];

pub struct MatchFinder<'a> {
    bytes: &'a [u8],
    /// The last place of bytes of this hash.
    heads: &'a mut [Link; HEADS],
    /// The place before that, of each place modulo the window.
    chain: &'a mut [Link; WINDOW],
    /// Places before this one are in the tables.
    known: usize,
}

impl<'a> MatchFinder<'a> {
    /// `None`: there is less room than [`ROOM`].
    pub fn new(bytes: &'a [u8], room: &'a mut [u8]) -> Option<Self> {
        let (heads, chain) = room.as_chunks_mut().0.split_first_chunk_mut::<HEADS>()?;
        let chain = chain.first_chunk_mut::<WINDOW>()?;
        // What is found shall not depend on what was there. Of the chain only places are looked at that were written before:
        // those that a head or another place tells of. Before the first there is none to look at.
        heads.fill([0; 2]);
        Some(MatchFinder {
            bytes,
            heads,
            chain,
            known: 0,
        })
    }

    /// The longest for the bytes at a place, which comes not before those that were asked for.
    pub fn find(&mut self, at: usize) -> Match {
        self.learn_until(at);
        let ahead = self.bytes.get(at..).unwrap_or(&[]);
        let ahead = ahead.get(..LONGEST).unwrap_or(ahead);
        match ahead.first_chunk() {
            Some(bytes) => {
                let head = self.heads[hash(u32::from_le_bytes(*bytes))];
                self.longest(at, ahead, head)
            }
            None => Match::NONE,
        }
    }

    /// Nothing is to be found in the bytes from `at` to `end`, either.
    pub fn pass_over(&mut self, at: usize, end: usize) {
        self.learn_until(at);
        self.known = self.known.max(end);
    }

    fn learn_until(&mut self, at: usize) {
        let ahead = self.bytes.get(self.known..).unwrap_or(&[]);
        if let Some((first, rest)) = ahead.split_first_chunk::<{ LEAST - 1 }>() {
            // The bytes of a place, of which each next one has three.
            let [one, two, three] = *first;
            let mut bytes = u32::from_le_bytes([0, one, two, three]);
            for (place, next) in (self.known..at).zip(rest) {
                bytes = bytes >> 8 | u32::from(*next) << 24;
                let head = &mut self.heads[hash(bytes)];
                self.chain[place & (WINDOW - 1)] = *head;
                *head = (place as u16).to_le_bytes();
            }
        }
        self.known = self.known.max(at);
    }

    fn longest(&self, at: usize, ahead: &[u8], mut place: Link) -> Match {
        let (mut best, mut nearer) = (Match::NONE, 0);
        for _ in 0..DEPTH {
            let distance = usize::from((at as u16).wrapping_sub(u16::from_le_bytes(place)));
            if distance <= nearer || distance > at.min(WINDOW) {
                break;
            }
            let before = at.wrapping_sub(distance);
            let last = self.bytes.get(before.wrapping_add(best.length));
            if last == ahead.get(best.length) {
                let before = self.bytes.get(before..).unwrap_or(&[]);
                let length = common(before, ahead);
                if length >= LEAST && length > best.length {
                    best = Match { length, distance };
                }
                if length >= ahead.len().min(GOOD * 2) {
                    break;
                }
            }
            nearer = distance;
            place = self.chain[usize::from(u16::from_le_bytes(place)) & (WINDOW - 1)];
        }
        best
    }
}

fn hash(bytes: u32) -> usize {
    (bytes.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize & (HEADS - 1)
}

/// How many bytes are the same.
fn common(a: &[u8], b: &[u8]) -> usize {
    let words = a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0);
    let mut same = 0usize;
    for (a, b) in words {
        let differ = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if differ != 0 {
            return same.wrapping_add(differ.trailing_zeros() as usize / 8);
        }
        same = same.wrapping_add(8);
    }
    let rest = a.get(same..).unwrap_or(&[]).iter();
    let rest = rest.zip(b.get(same..).unwrap_or(&[]));
    same.wrapping_add(rest.take_while(|(a, b)| a == b).count())
}
