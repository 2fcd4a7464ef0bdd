//! Numbers for property tests and for the simulation: the same on every run.

/// SplitMix64.
pub struct Random(u64);

impl Random {
    /// A sequence of its own for each seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 when there is none.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw().checked_rem(end).unwrap_or(0)
    }
}
