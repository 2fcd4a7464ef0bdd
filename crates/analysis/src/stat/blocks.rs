//! A file as a number of equal blocks, as large as it takes.

use serde::{Deserialize, Serialize};

/// Blocks that a file is taken as, when it is no longer known exactly.
const BLOCKS: usize = 4096;

/// First byte and the one behind the last.
pub type Range = (u64, u64);

/// A file as [`BLOCKS`] blocks of `1 << shift` bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocks {
    pub shift: u32,
    pub bits: Vec<u64>,
}

impl Blocks {
    pub fn new() -> Blocks {
        Blocks {
            shift: 12,
            bits: vec![0; BLOCKS / 64],
        }
    }

    /// Makes blocks larger until the file has few enough up to `end`.
    pub fn reach(&mut self, end: u64) {
        while end.saturating_sub(1) >> self.shift >= BLOCKS as u64 {
            self.widen();
        }
    }

    /// Twice the bytes in a block.
    pub fn widen(&mut self) {
        let (pairs, _) = self.bits.as_chunks::<2>();
        let mut wide: Vec<u64> = pairs
            .iter()
            .map(|[low, high]| halved(*low) | halved(*high) << 32)
            .collect();
        wide.resize(self.bits.len(), 0);
        self.bits = wide;
        self.shift += 1;
    }

    pub fn take(&mut self, (start, end): Range) {
        self.reach(end);
        let (first, last) = (start >> self.shift, end.saturating_sub(1) >> self.shift);
        for word in first / 64..=last / 64 {
            let from = if word == first / 64 { first % 64 } else { 0 };
            let to = if word == last / 64 { last % 64 } else { 63 };
            self.bits[word as usize] |= u64::MAX << from & u64::MAX >> (63 - to);
        }
    }

    /// Both with blocks of the same size.
    pub fn level(&mut self, other: &mut Blocks) {
        while self.shift < other.shift {
            self.widen();
        }
        while other.shift < self.shift {
            other.widen();
        }
    }

    pub fn and(&self, other: &Blocks) -> Vec<u64> {
        self.bits
            .iter()
            .zip(&other.bits)
            .map(|(a, b)| a & b)
            .collect()
    }

    pub fn or(&mut self, more: &[u64]) {
        self.bits
            .iter_mut()
            .zip(more)
            .for_each(|(to, from)| *to |= from);
    }

    pub fn count(&self) -> u64 {
        self.bits
            .iter()
            .map(|bits| u64::from(bits.count_ones()))
            .sum()
    }
}

/// A bit for each two: whether one of them is set.
fn halved(bits: u64) -> u64 {
    let mut halved = (bits | bits >> 1) & 0x5555_5555_5555_5555;
    for (shift, mask) in [
        (1, 0x3333_3333_3333_3333),
        (2, 0x0F0F_0F0F_0F0F_0F0F),
        (4, 0x00FF_00FF_00FF_00FF),
        (8, 0x0000_FFFF_0000_FFFF),
        (16, 0x0000_0000_FFFF_FFFF),
    ] {
        halved = (halved | halved >> shift) & mask;
    }
    halved
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn blocks_are_those_that_ranges_touch(ranges in prop::collection::vec((0u64..1 << 26, 1u64..1 << 21), 1..20)) {
            let mut blocks = Blocks::new();
            ranges.iter().for_each(|(start, length)| blocks.take((*start, start + length)));
            let touched = |(start, length): &(u64, u64)| start >> blocks.shift..=(start + length - 1) >> blocks.shift;
            let expected: BTreeSet<u64> = ranges.iter().flat_map(touched).collect();
            let set = |block: &u64| blocks.bits[*block as usize / 64] >> (block % 64) & 1 != 0;
            let found: BTreeSet<u64> = (0..BLOCKS as u64).filter(set).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
