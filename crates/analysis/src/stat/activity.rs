//! I/O over time: when tasks read, wrote, or did other I/O, and how many bytes moved.

use super::{Direction, Grid, TimeCategory};
use crate::sums::{add, add_each};
use serde::{Deserialize, Serialize};

/// Time in outermost calls, and bytes, in bins of equal width.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Activity {
    /// Reading; writing and syncing; all else.
    times: [Grid; 3],
    /// By [`Direction`].
    moved: [ByteBins; 2],
}

impl Activity {
    /// None, in at most `bins` bins of a time from 0 to `duration` ns.
    pub fn new(duration: i64, bins: usize) -> Activity {
        let grid = Grid::new(duration, bins);
        let moved = ByteBins::new(grid.bins());
        Activity {
            moved: [moved.clone(), moved],
            times: [grid.clone(), grid.clone(), grid],
        }
    }

    /// A task is in a call.
    #[inline(always)]
    pub fn wait(&mut self, class: TimeCategory, start: i64, end: i64) {
        let of = match class {
            TimeCategory::Read => 0,
            TimeCategory::Write | TimeCategory::Sync => 1,
            TimeCategory::Meta | TimeCategory::Wait => 2,
        };
        self.times[of].add(start, end);
    }

    /// Bytes move, evenly from the start of a call to its end.
    #[inline(always)]
    pub fn transfer(&mut self, way: Direction, start: i64, end: i64, bytes: u64) {
        let grid = &self.times[way as usize];
        self.moved[way as usize].add(grid, start, end, bytes);
    }

    /// Takes in another of the same time and bins.
    pub fn merge(&mut self, more: &Activity) {
        for (to, from) in self.times.iter_mut().zip(&more.times) {
            to.merge(from);
        }
        for (to, from) in self.moved.iter_mut().zip(&more.moved) {
            to.merge(from);
        }
    }

    /// When any task was in any of these calls.
    pub fn busy(&self) -> Grid {
        let [mut all, writing, other] = self.times.clone();
        all.merge(&writing);
        all.merge(&other);
        all
    }

    /// When tasks read, or wrote.
    pub fn times(&self, way: Direction) -> &Grid {
        &self.times[way as usize]
    }

    /// Bytes of each bin.
    pub fn bytes(&self, way: Direction) -> Vec<u64> {
        self.moved[way as usize].bytes().collect()
    }
}

/// Bytes in the bins of a grid.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ByteBins {
    /// Of what begins or ends within the bin.
    within: Vec<u64>,
    /// How many more move in each bin from this one on.
    across: Vec<i64>,
}

impl ByteBins {
    fn new(bins: usize) -> ByteBins {
        ByteBins {
            within: vec![0; bins],
            across: vec![0; bins + 1],
        }
    }

    #[inline(always)]
    fn add(&mut self, grid: &Grid, start: i64, end: i64, bytes: u64) {
        let (from, to) = grid.span(start, end);
        if from == to {
            add(&mut self.within[from], bytes);
        } else {
            self.over((from, to), grid.parts_of(start, end, from, to), bytes);
        }
    }

    /// Divides bytes by the time in the first bin, in each one between, and in the last.
    fn over(&mut self, (from, to): (usize, usize), parts: [u64; 3], bytes: u64) {
        let [first, each, last] = parts.map(u128::from);
        let between = (to - from - 1) as u128;
        let all = (first + each * between + last).max(1);
        let part = |time: u128| (u128::from(bytes) * time / all) as u64;
        let (of_first, of_each) = (part(first), part(each));
        let rest = bytes - of_first - of_each * between as u64;
        add(&mut self.within[from], of_first);
        add(&mut self.within[to], rest);
        let of_each = of_each.min(i64::MAX as u64) as i64;
        self.across[from + 1] = self.across[from + 1].wrapping_add(of_each);
        self.across[to] = self.across[to].wrapping_sub(of_each);
    }

    fn merge(&mut self, more: &ByteBins) {
        add_each(&mut self.within, &more.within);
        for (to, from) in self.across.iter_mut().zip(&more.across) {
            *to = to.wrapping_add(*from);
        }
    }

    fn bytes(&self) -> impl Iterator<Item = u64> {
        let mut across = 0i64;
        self.within.iter().zip(&self.across).map(move |(of, more)| {
            across = across.wrapping_add(*more);
            of.saturating_add(across.max(0) as u64)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_byte_is_lost(calls in prop::collection::vec((-50i64..1200, 0i64..900, 0u64..1 << 40), 0..60), bins in 1usize..200) {
            let mut activity = Activity::new(999, bins);
            for &(start, elapse, bytes) in &calls {
                activity.transfer(Direction::Write, start, start + elapse, bytes);
            }
            let all: u64 = calls.iter().map(|(.., bytes)| bytes).sum();
            prop_assert_eq!(activity.bytes(Direction::Write).iter().sum::<u64>(), all);
            prop_assert_eq!(activity.bytes(Direction::Read).iter().sum::<u64>(), 0);
        }
    }

    #[test]
    fn bytes_of_a_long_call_are_in_all_of_its_bins() {
        let mut activity = Activity::new(1023, 1024);
        activity.transfer(Direction::Read, 100, 110, 1000);
        let bytes = activity.bytes(Direction::Read);
        assert_eq!(
            bytes[99..112],
            [0, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 0, 0]
        );
    }

    #[test]
    fn damaged_numbers_are_no_trouble() {
        let mut activity = Activity::new(i64::MAX, 10);
        activity.transfer(Direction::Read, i64::MIN, i64::MAX, u64::MAX);
        activity.transfer(Direction::Read, 5, i64::MAX, u64::MAX);
        activity.wait(TimeCategory::Sync, i64::MIN, i64::MAX);
        let more = activity.clone();
        activity.merge(&more);
        assert!(
            activity
                .bytes(Direction::Read)
                .iter()
                .any(|bytes| *bytes > 0)
        );
        assert!(activity.busy().union() > 0);
    }
}
