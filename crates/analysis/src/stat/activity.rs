//! I/O over time: when tasks read, wrote, or did other I/O, and how many bytes moved.

use super::{Direction, Grid, TimeCategory};
use crate::sums::{add, portion, sum};
use serde::{Deserialize, Serialize};

/// Time in outermost calls, and bytes, in bins of equal width.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Activity {
    /// Reading; writing and syncing.
    transfers: [Flow; 2],
    /// All else.
    other: Grid,
}

impl Activity {
    /// None, in at most `bins` bins of a time from 0 to `duration` ns.
    pub fn new(duration: i64, bins: usize) -> Activity {
        let other = Grid::new(duration, bins);
        let flow = Flow::of(&other);
        Activity {
            transfers: [flow.clone(), flow],
            other,
        }
    }

    /// Calls that transfer so many bytes each, whether they are outermost or not.
    #[inline(always)]
    pub fn transfer(
        &mut self,
        way: Direction,
        spans: &[(i64, i64)],
        is_outermost: bool,
        bytes: u64,
    ) {
        self.transfers[way as usize].add(spans, is_outermost, bytes);
    }

    /// An outermost call that moves no bytes.
    #[inline(always)]
    pub fn wait(&mut self, class: TimeCategory, (start, end): (i64, i64)) {
        match class {
            TimeCategory::Read => self.transfer(Direction::Read, &[(start, end)], true, 0),
            TimeCategory::Write | TimeCategory::Sync => {
                self.transfer(Direction::Write, &[(start, end)], true, 0);
            }
            TimeCategory::Meta | TimeCategory::Wait => self.other.add(start, end),
        }
    }

    /// Takes in another of the same time and bins.
    pub fn merge(&mut self, more: &Activity) {
        for (to, from) in self.transfers.iter_mut().zip(&more.transfers) {
            to.merge(from);
        }
        self.other.merge(&more.other);
    }

    /// When any task was in any of these calls.
    pub fn busy(&self) -> Grid {
        let mut all = self.other.clone();
        self.transfers.iter().for_each(|of| all.merge(&of.times()));
        all
    }

    /// When tasks read, or wrote.
    pub fn times(&self, way: Direction) -> Grid {
        self.transfers[way as usize].times()
    }

    /// Bytes of each bin.
    pub fn bytes(&self, way: Direction) -> Vec<u64> {
        self.transfers[way as usize].bytes().collect()
    }
}

/// Time and bytes in the bins of a grid, side by side: most calls are within one bin.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Flow {
    /// Without what is within.
    grid: Grid,
    /// Nanoseconds and bytes of what begins or ends within the bin.
    within: Vec<(u64, u64)>,
    /// How many more bytes move in each bin from this one on.
    across: Vec<i64>,
}

impl Flow {
    fn of(grid: &Grid) -> Flow {
        Flow {
            within: vec![(0, 0); grid.bins()],
            across: vec![0; grid.bins() + 1],
            grid: grid.clone(),
        }
    }

    /// Calls with so many bytes each.
    #[inline(always)]
    fn add(&mut self, spans: &[(i64, i64)], is_busy: bool, bytes: u64) {
        let scale = self.grid.scale();
        for &(start, end) in spans {
            let (from, to) = scale.bins(start, end);
            match self.within.get_mut(from) {
                Some((time, moved)) if from == to => {
                    let elapse = end.wrapping_sub(start).max(0) as u64;
                    add(time, if is_busy { elapse } else { 0 });
                    add(moved, bytes);
                }
                _ => self.over((start, end), (from, to), is_busy, bytes),
            }
        }
    }

    /// Divides bytes by the time in the first bin, in each one between, and in the last.
    fn over(
        &mut self,
        (start, end): (i64, i64),
        (from, to): (usize, usize),
        is_busy: bool,
        bytes: u64,
    ) {
        if is_busy {
            self.grid.add(start, end);
        }
        let [first, each, last] = self.grid.parts_of(start, end, from, to);
        let between = (to - from - 1) as u64;
        let all = sum([first, each.saturating_mul(between), last]);
        let of_first = portion(bytes, first, all);
        let of_each = if between > 0 {
            portion(bytes, each, all)
        } else {
            0
        };
        let rest = bytes - of_first - of_each * between;
        add(&mut self.within[from].1, of_first);
        add(&mut self.within[to].1, rest);
        let of_each = of_each.min(i64::MAX as u64) as i64;
        self.across[from + 1] = self.across[from + 1].wrapping_add(of_each);
        self.across[to] = self.across[to].wrapping_sub(of_each);
    }

    fn merge(&mut self, more: &Flow) {
        self.grid.merge(&more.grid);
        for (to, from) in self.within.iter_mut().zip(&more.within) {
            add(&mut to.0, from.0);
            add(&mut to.1, from.1);
        }
        for (to, from) in self.across.iter_mut().zip(&more.across) {
            *to = to.wrapping_add(*from);
        }
    }

    fn times(&self) -> Grid {
        let mut times = self.grid.clone();
        times.add_within(self.within.iter().map(|(time, _)| *time));
        times
    }

    fn bytes(&self) -> impl Iterator<Item = u64> {
        let mut across = 0i64;
        let bins = self.within.iter().zip(&self.across);
        bins.map(move |((_, bytes), more)| {
            across = across.wrapping_add(*more);
            bytes.saturating_add(across.max(0) as u64)
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
                activity.transfer(Direction::Write, &[(start, start + elapse)], true, bytes);
            }
            let all: u64 = calls.iter().map(|(.., bytes)| bytes).sum();
            prop_assert_eq!(activity.bytes(Direction::Write).iter().sum::<u64>(), all);
            prop_assert_eq!(activity.bytes(Direction::Read).iter().sum::<u64>(), 0);
        }
    }

    #[test]
    fn bytes_of_a_long_call_are_in_all_of_its_bins() {
        let mut activity = Activity::new(1023, 1024);
        activity.transfer(Direction::Read, &[(100, 110)], true, 1000);
        let bytes = activity.bytes(Direction::Read);
        assert_eq!(
            bytes[99..112],
            [0, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 0, 0]
        );
    }

    #[test]
    fn damaged_numbers_are_no_trouble() {
        let mut activity = Activity::new(i64::MAX, 10);
        activity.transfer(Direction::Read, &[(i64::MIN, i64::MAX)], true, u64::MAX);
        activity.transfer(Direction::Read, &[(5, i64::MAX)], false, u64::MAX);
        activity.wait(TimeCategory::Sync, (i64::MIN, i64::MAX));
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
