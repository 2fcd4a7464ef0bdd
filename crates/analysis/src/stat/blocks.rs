//! A file as a number of equal blocks, as large as it takes.

use serde::{Deserialize, Serialize};

/// Blocks that a file is taken as, when it is no longer told exactly.
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
        let mut wide = vec![0; self.bits.len()];
        for block in (0..BLOCKS).filter(|block| self.bits[block / 64] >> (block % 64) & 1 != 0) {
            wide[block / 2 / 64] |= 1 << (block / 2 % 64);
        }
        self.bits = wide;
        self.shift += 1;
    }

    pub fn take(&mut self, (start, end): Range) {
        self.reach(end);
        let last = (end.saturating_sub(1) >> self.shift) as usize;
        for block in (start >> self.shift) as usize..=last {
            self.bits[block / 64] |= 1 << (block % 64);
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
