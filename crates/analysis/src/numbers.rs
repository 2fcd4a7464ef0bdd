//! Hash maps by numbers that iota gave out itself, one after the other: nobody can choose them so that they collide.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Values by such a number.
pub type ByNumber<V> = HashMap<u32, V, BuildHasherDefault<Mixer>>;

/// Spreads a number over all bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixer(u64);

/// 2^64 by the golden ratio, which keeps neighbours apart.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

impl Hasher for Mixer {
    #[inline(always)]
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32((*byte).into()));
    }

    #[inline(always)]
    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(SPREAD);
    }
}
