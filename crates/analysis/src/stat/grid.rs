//! Time in bins of equal width, to add up what overlaps: how long at least one of several was busy.

use crate::sums::{add, add_each};
use serde::{Deserialize, Serialize};

/// Busy time, bin by bin; exact unless several were busy in the same bin at different moments, when it is too long by less
/// than a bin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    shift: u32,
    /// Nanoseconds of what begins or ends within the bin.
    within: Vec<u64>,
    /// How many more are busy from this bin on, all of each.
    across: Vec<i64>,
}

/// Where the bins of a grid begin.
#[derive(Clone, Copy)]
pub struct Scale {
    shift: u32,
    last: usize,
}

impl Scale {
    /// The first and the last bin of a time.
    #[inline(always)]
    pub fn bins(self, start: i64, end: i64) -> (usize, usize) {
        let bin = |time: i64| (time.max(0) as usize >> self.shift).min(self.last);
        let from = bin(start);
        (from, bin(end).max(from))
    }
}

impl Grid {
    /// Of a time from 0 to `duration` ns, in at most `bins` bins; what lies outside counts for the first or last.
    pub fn new(duration: i64, bins: usize) -> Grid {
        let mut shift = 0;
        while duration.max(0) >> shift >= bins as i64 {
            shift += 1;
        }
        let bins = (duration.max(0) >> shift) as usize + 1;
        Grid {
            shift,
            within: vec![0; bins],
            across: vec![0; bins + 1],
        }
    }

    /// Busy from `start` to `end`.
    #[inline(always)]
    pub fn add(&mut self, start: i64, end: i64) {
        let (from, to) = self.scale().bins(start, end);
        let elapse = end.wrapping_sub(start).max(0) as u64;
        if from == to {
            add(&mut self.within[from], elapse);
        } else {
            self.over(from, to, start, end);
        }
    }

    /// Its bins.
    #[inline(always)]
    pub fn scale(&self) -> Scale {
        Scale {
            shift: self.shift,
            last: self.within.len() - 1,
        }
    }

    /// How much of a time is in its first bin, in each one between, and in its last.
    pub fn parts_of(&self, start: i64, end: i64, from: usize, to: usize) -> [u64; 3] {
        let begin = |bin: usize| (bin << self.shift) as i64;
        let first = begin(from + 1).saturating_sub(start);
        let last = end.saturating_sub(begin(to));
        [first.max(0) as u64, self.width(), last.max(0) as u64]
    }

    fn over(&mut self, from: usize, to: usize, start: i64, end: i64) {
        let [first, _, last] = self.parts_of(start, end, from, to);
        add(&mut self.within[from], first);
        add(&mut self.within[to], last);
        self.across[from + 1] += 1;
        self.across[to] -= 1;
    }

    /// Adds what begins and ends within each bin.
    pub fn add_within(&mut self, times: impl Iterator<Item = u64>) {
        let bins = self.within.iter_mut().zip(times);
        bins.for_each(|(within, time)| add(within, time));
    }

    /// Takes in another of the same time and bins.
    pub fn merge(&mut self, more: &Grid) {
        add_each(&mut self.within, &more.within);
        self.across
            .iter_mut()
            .zip(&more.across)
            .for_each(|(to, from)| *to += from);
    }

    /// Busy time of each bin, not more than its width.
    pub fn busy(&self) -> impl Iterator<Item = u64> {
        let (mut across, width) = (0, 1u64 << self.shift);
        self.within
            .iter()
            .zip(&self.across)
            .map(move |(within, more)| {
                across += more;
                if across > 0 {
                    width
                } else {
                    width.min(*within)
                }
            })
    }

    /// Busy time of each bin, of all that were busy in it together.
    pub fn sums(&self) -> impl Iterator<Item = u64> {
        let (mut across, width) = (0i64, 1u64 << self.shift);
        self.within
            .iter()
            .zip(&self.across)
            .map(move |(within, more)| {
                across += more;
                within.saturating_add(width.saturating_mul(across.max(0) as u64))
            })
    }

    /// How many bins.
    pub fn bins(&self) -> usize {
        self.within.len()
    }

    /// How long at least one was busy: at most this.
    pub fn union(&self) -> u64 {
        self.busy().sum()
    }

    /// Width of a bin, in ns.
    pub fn width(&self) -> u64 {
        1 << self.shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_union_is_right_within_bins(calls in prop::collection::vec((0i64..5000, 0i64..900), 0..60)) {
            let mut covered = vec![false; 6000];
            for &(start, elapse) in &calls {
                covered[start as usize..(start + elapse) as usize].fill(true);
            }
            let exact = covered.iter().filter(|covered| **covered).count() as u64;
            let union = |bins| {
                let mut grid = Grid::new(5999, bins);
                calls.iter().for_each(|&(start, elapse)| grid.add(start, start + elapse));
                (grid.union(), grid.width())
            };
            prop_assert_eq!(union(6000), (exact, 1));
            let (coarse, width) = union(100);
            prop_assert!(coarse >= exact && coarse <= exact + 2 * width * calls.len() as u64);
        }
    }

    #[test]
    fn times_outside_are_no_trouble() {
        let mut grid = Grid::new(1000, 10);
        grid.add(-500, -400);
        grid.add(-5, 2000);
        grid.add(i64::MIN, i64::MAX);
        assert!(grid.union() > 0);
        assert_eq!(Grid::new(-1, 10).union(), 0);
    }
}
