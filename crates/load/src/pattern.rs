//! What is written and looked for: every byte follows from seed, file and absolute offset, so that data that went to
//! another file or place, or stayed from another run, is found, not only data that changed.
//!
//! Aligned words of eight bytes hold a number of their own. Across each boundary between pieces lies a key: four bytes
//! on either side, in reverse native byte order. Who reads must divide buffers as who wrote.

use crate::options::Test;
use crate::random;

const WORD: usize = 8;
/// Bytes of a boundary's key on each side of it
const HALF: usize = WORD / 2;
const KEY: u64 = 0x6b65_7900;

/// The pattern of a file.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    test: Test,
    seed: u64,
}

/// The first byte that is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Its absolute offset.
    pub offset: u64,
    /// What it should be.
    pub expected: u8,
    /// What it is.
    pub found: u8,
    /// How many bytes of the piece differ.
    pub count: u64,
}

impl Pattern {
    /// That of file number `file`.
    pub fn new(test: Test, seed: u64, file: u32) -> Pattern {
        Pattern {
            test,
            seed: random::of([seed, file.into()]),
        }
    }

    fn word(&self, offset: u64) -> [u8; WORD] {
        random::mixed(self.seed ^ offset.wrapping_mul(0x9e37_79b9_7f4a_7c15)).to_ne_bytes()
    }

    fn key(&self, boundary: u64) -> [u8; WORD] {
        random::of([self.seed, KEY, boundary])
            .swap_bytes()
            .to_ne_bytes()
    }

    /// Fills a piece that starts at `offset`.
    pub fn fill(&self, offset: u64, piece: &mut [u8]) {
        if self.test != Test::Boundaries {
            self.words(offset, piece);
        }
        if self.test != Test::None {
            self.keys(offset, piece);
        }
    }

    fn words(&self, offset: u64, piece: &mut [u8]) {
        let skip = (offset.wrapping_neg() % WORD as u64) as usize;
        let (head, rest) = piece.split_at_mut(skip.min(piece.len()));
        let before = self.word(offset & !(WORD as u64 - 1));
        head.copy_from_slice(&before[WORD - skip..][..head.len()]);
        let mut at = offset + skip as u64;
        let (words, tail) = rest.as_chunks_mut::<WORD>();
        for word in words {
            *word = self.word(at);
            at += WORD as u64;
        }
        tail.copy_from_slice(&self.word(at)[..tail.len()]);
    }

    /// The second half of the key at its start, the first half of the key at its end.
    fn keys(&self, offset: u64, piece: &mut [u8]) {
        let length = piece.len();
        let half = HALF.min(length);
        piece[..half].copy_from_slice(&self.key(offset)[HALF..][..half]);
        let end = self.key(offset + length as u64);
        piece[length - half..].copy_from_slice(&end[HALF - half..HALF]);
    }

    /// Holds a piece against the pattern; `room` is as long as the piece.
    pub fn check(&self, offset: u64, piece: &[u8], room: &mut [u8]) -> Option<Mismatch> {
        if self.test == Test::None {
            return None;
        }
        let expected = &mut room[..piece.len()];
        if self.test == Test::Boundaries {
            expected.copy_from_slice(piece);
        }
        self.fill(offset, expected);
        if expected == piece {
            return None;
        }
        let mut bad = piece
            .iter()
            .zip(&*expected)
            .enumerate()
            .filter(|(_, (a, b))| a != b);
        let (at, (found, expected)) = bad.next()?;
        Some(Mismatch {
            offset: offset + at as u64,
            expected: *expected,
            found: *found,
            count: 1 + bad.count() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filled(test: Test, offset: u64, length: usize) -> Vec<u8> {
        let mut piece = vec![0; length];
        Pattern::new(test, 1, 0).fill(offset, &mut piece);
        piece
    }

    proptest! {
        #[test]
        fn a_flipped_byte_is_named(offset in 0u64..1 << 40, length in 1usize..200, at: prop::sample::Index, flip in 1u8..) {
            let pattern = Pattern::new(Test::Buffer, 1, 0);
            let mut piece = filled(Test::Buffer, offset, length);
            let mut room = vec![0; length];
            prop_assert_eq!(pattern.check(offset, &piece, &mut room), None);
            let at = at.index(length);
            let expected = piece[at];
            piece[at] ^= flip;
            let found = Mismatch { offset: offset + at as u64, expected, found: expected ^ flip, count: 1 };
            prop_assert_eq!(pattern.check(offset, &piece, &mut room), Some(found));
        }
    }

    #[test]
    fn patterns_tell_file_offset_and_seed() {
        let of = |seed, file, offset| {
            let mut piece = [0; 64];
            Pattern::new(Test::Buffer, seed, file).fill(offset, &mut piece);
            piece
        };
        let base = of(1, 0, 0);
        for other in [of(2, 0, 0), of(1, 1, 0), of(1, 0, 64), of(0, 1, 0)] {
            let same = base.iter().zip(&other).filter(|(a, b)| a == b).count();
            assert!(same < 8, "{same} bytes are the same");
        }
    }

    #[test]
    fn words_are_those_of_their_place() {
        let long = filled(Test::None, 0, 64);
        for (from, to) in [(0, 64), (3, 30), (5, 7), (8, 9), (13, 64)] {
            assert_eq!(
                filled(Test::None, from as u64, to - from),
                long[from..to],
                "{from}..{to}"
            );
        }
    }

    #[test]
    fn a_key_lies_across_the_boundary_in_reverse_byte_order() {
        let (left, right) = (
            filled(Test::Boundaries, 0, 21),
            filled(Test::Boundaries, 21, 30),
        );
        let key: Vec<u8> = left[17..].iter().chain(&right[..4]).copied().collect();
        let pattern = Pattern::new(Test::Boundaries, 1, 0);
        let mut native = random::of([pattern.seed, KEY, 21]).to_ne_bytes();
        native.reverse();
        assert_eq!(key, native);
        assert!(
            left[4..17].iter().all(|byte| *byte == 0),
            "nothing else is touched"
        );
    }

    #[test]
    fn boundaries_are_checked_alone() {
        let pattern = Pattern::new(Test::Boundaries, 1, 0);
        let mut piece = filled(Test::Boundaries, 100, 40);
        piece[20] ^= 1;
        assert_eq!(pattern.check(100, &piece, &mut [0; 40]), None);
        piece[39] ^= 1;
        let found = pattern.check(100, &piece, &mut [0; 40]).unwrap();
        assert_eq!((found.offset, found.count), (139, 1));
    }
}
