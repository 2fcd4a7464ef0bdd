//! What times are expected of calls of a kind: a running mean, and a running spread that says by how many low bits the
//! next one is told.

use super::zigzag::{unzigzag, zigzag};

/// What is so many times as far off as the low bits reach, or further, is an outlier.
pub const LIMIT: u32 = 8;
/// Mean and spread are kept in eighths, and move by an eighth of what is new.
const RATE: u32 = 3;
/// While they are young, they move by a half: by so many times more.
const HASTE: u32 = 2;
/// So many calls of a key are its first.
pub const YOUNG: u8 = 32;

/// The times of calls of a kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Pace {
    /// From the end of the event before to the start.
    pub gap: Estimate,
    /// From start to end.
    pub time: Estimate,
}

/// What a time usually is, and how far off that.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Estimate {
    mean: i64,
    spread: i64,
}

/// How far a time is from the usual.
#[derive(Clone, Copy)]
pub struct Deviation {
    off: i64,
    pub zigzag: u64,
}

impl Pace {
    pub const NEW: Pace = Pace {
        gap: Estimate::NEW,
        time: Estimate::NEW,
    };

    /// Before the first call of a block.
    pub const FIRST: Pace = Pace {
        gap: Estimate::FIRST,
        time: Estimate::FIRST,
    };
}

impl Estimate {
    const NEW: Estimate = Estimate { mean: 0, spread: 0 };
    /// Some 50 steps from 0.
    const FIRST: Estimate = Estimate {
        mean: 0,
        spread: 400,
    };

    /// How many low bits tell the next one; at most 31.
    #[inline(always)]
    pub fn low(&self) -> u32 {
        // As a logarithm the compiler would take it apart, and count twice.
        ((self.spread >> RATE) as u32 | 1).leading_zeros() ^ 31
    }

    #[inline(always)]
    fn expected(&self) -> i64 {
        self.mean >> RATE
    }

    #[inline(always)]
    pub fn far(&self, actual: i64) -> Deviation {
        let off = actual.wrapping_sub(self.expected());
        Deviation {
            off,
            zigzag: zigzag(off),
        }
    }

    /// The time that is so far from the usual.
    #[inline(always)]
    pub fn actual(&self, far: Deviation) -> i64 {
        self.expected().wrapping_add(far.off)
    }

    /// Learns of a time that is no outlier.
    #[inline(always)]
    pub fn learn(&mut self, far: Deviation) {
        let narrower = self.spread.wrapping_sub(self.spread >> RATE);
        self.spread = narrower.wrapping_add(far.zigzag as i64);
        self.mean = self.mean.wrapping_add(far.off);
    }

    /// Learns of one while young, quickly, but of one that is far off no more than of one that is less so.
    #[inline(always)]
    pub fn learn_young(&mut self, far: Deviation) {
        let low = self.low() & 63;
        // Not by `clamp`, which may panic.
        let (least, most) = (-1i64 << low, 1i64 << low);
        let off = far.off.max(least).min(most);
        let zigzag = far.zigzag.min(4u64 << low) as i64;
        let narrower = self.spread.wrapping_sub(self.spread >> (RATE - HASTE));
        self.spread = narrower.wrapping_add(zigzag << HASTE);
        self.mean = self.mean.wrapping_add(off << HASTE);
    }

    /// Learns of one: all of the first, and of others no more than of the least that is.
    pub fn learn_outlier(&mut self, far: Deviation) {
        if self.spread == 0 {
            let actual = self.actual(far);
            self.mean = actual.wrapping_shl(RATE);
            self.spread = actual.wrapping_abs().wrapping_shl(RATE.wrapping_sub(1));
        } else {
            let least = u64::from(LIMIT) << self.low();
            self.learn(Deviation::from_zigzag(least | far.zigzag & 1));
        }
    }
}

impl Deviation {
    #[inline(always)]
    pub fn from_zigzag(zigzag: u64) -> Deviation {
        Deviation {
            off: unzigzag(zigzag),
            zigzag,
        }
    }
}
