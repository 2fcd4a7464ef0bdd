//! Equal bins over a range, and how something that lasts is shared among them.

/// Bins of equal width from `from` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bins {
    /// Where the first begins.
    pub from: i64,
    /// Width of each.
    pub width: u64,
    /// How many.
    pub count: usize,
}

impl Bins {
    /// At most `most` that hold all from `from` up to `until`.
    pub fn over(from: i64, until: i64, most: usize) -> Bins {
        let length = until.saturating_sub(from).max(1) as u64;
        let width = length.div_ceil(most.max(1) as u64);
        Bins::of(from, until, width)
    }

    /// Those of a width.
    pub fn of(from: i64, until: i64, width: u64) -> Bins {
        let length = until.saturating_sub(from).max(1) as u64;
        let count = length.div_ceil(width.max(1)) as usize;
        Bins { from, width, count }
    }

    /// Where bin `index` begins.
    pub fn start(&self, index: usize) -> i64 {
        self.from
            .saturating_add_unsigned(self.width.saturating_mul(index as u64))
    }

    /// The end of the last.
    pub fn until(&self) -> i64 {
        self.start(self.count)
    }

    /// The bin of a value; what lies outside is in the first or the last.
    #[inline(always)]
    pub fn at(&self, value: i64) -> usize {
        let behind = value.saturating_sub(self.from).max(0) as u64;
        ((behind / self.width) as usize).min(self.count - 1)
    }

    /// Whether anything from `start` up to `end` is in a bin.
    pub fn has(&self, start: i64, end: i64) -> bool {
        end >= self.from && start < self.until()
    }

    /// What is from `start` up to `end`.
    #[inline(always)]
    pub fn stretch(&self, start: i64, end: i64) -> Stretch {
        let first = self.at(start);
        let (begin, last) = (self.start(first), end.max(self.from));
        // The last bin has the end of all, too.
        let is_in_first = last.abs_diff(begin) < self.width || first + 1 == self.count;
        let is_inside = start >= self.from && end <= self.until();
        Stretch {
            bins: *self,
            start,
            end,
            first,
            is_in_one: is_inside && last >= begin && is_in_first,
        }
    }

    /// Tells each bin's share of `amount`, as [`Stretch::spread`] does.
    #[inline(always)]
    pub fn spread(&self, start: i64, end: i64, amount: u64, tell: impl FnMut(usize, u64)) {
        self.stretch(start, end).spread(amount, tell);
    }
}

/// Something that lasts, and where it lies in bins: what is looked up once for all that is spread over it.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    bins: Bins,
    start: i64,
    end: i64,
    /// The bin of its start.
    first: usize,
    is_in_one: bool,
}

/// Bins in which stretches are looked up one after the other: most are in the bin of the one before, which is found
/// without a division. So it is with the calls of a thread, in bins of time.
#[derive(Clone, Copy, Debug)]
pub struct CachedBins {
    bins: Bins,
    /// The bin of the one before.
    bin: usize,
    begin: i64,
    /// No later than `begin` until there was one.
    end: i64,
}

impl CachedBins {
    /// In these bins.
    pub fn new(bins: Bins) -> CachedBins {
        CachedBins {
            bins,
            bin: 0,
            begin: 0,
            end: 0,
        }
    }

    /// As [`Bins::stretch`].
    #[inline(always)]
    pub fn stretch(&mut self, start: i64, end: i64) -> Stretch {
        if self.begin <= start && start <= end && end < self.end {
            return Stretch {
                bins: self.bins,
                start,
                end,
                first: self.bin,
                is_in_one: true,
            };
        }
        self.find(start, end)
    }

    #[inline(never)]
    fn find(&mut self, start: i64, end: i64) -> Stretch {
        let found = self.bins.stretch(start, end);
        if found.is_in_one {
            let bin = found.first;
            (self.begin, self.end) = (self.bins.start(bin), self.bins.start(bin + 1));
            self.bin = bin;
        }
        found
    }
}

impl Stretch {
    /// The bin of its start, or the first or last one, as [`Bins::at`] says.
    #[inline(always)]
    pub fn first(&self) -> usize {
        self.first
    }

    /// The bin that all of it is in, if there is one.
    #[inline(always)]
    pub fn only(&self) -> Option<usize> {
        self.is_in_one.then_some(self.first)
    }

    /// The bin in which it starts, if it does in any.
    #[inline(always)]
    pub fn begins(&self) -> Option<usize> {
        (self.is_in_one || self.bins.has(self.start, self.start)).then_some(self.first)
    }

    /// Tells each bin's share of `amount`, which is spread evenly over it: the shares' sum is what lies within the bins,
    /// and all of it if everything does.
    #[inline(always)]
    pub fn spread(&self, amount: u64, mut tell: impl FnMut(usize, u64)) {
        if self.is_in_one {
            tell(self.first, amount);
        } else if self.bins.has(self.start, self.end) {
            self.spread_far(amount, &mut tell);
        }
    }

    fn spread_far(&self, amount: u64, tell: &mut impl FnMut(usize, u64)) {
        let Stretch {
            bins, start, end, ..
        } = *self;
        let length = end.saturating_sub(start).max(1) as u128;
        let before = |place: i64| {
            let behind = place.clamp(start, end).saturating_sub(start) as u128;
            (u128::from(amount) * behind / length) as u64
        };
        for bin in self.first..=bins.at(end) {
            let share = before(bins.start(bin + 1)) - before(bins.start(bin));
            if share > 0 {
                tell(bin, share);
            }
        }
    }
}

/// Four bins for each power of two.
pub mod log {
    /// Bins of all values.
    pub const COUNT: usize = 256;

    /// The bin of a value.
    #[inline(always)]
    pub fn at(value: u64) -> usize {
        let value = value.max(1);
        let power = value.ilog2();
        let quarter = if power >= 2 {
            value >> (power - 2) & 3
        } else {
            (value << (2 - power)) & 3
        };
        (power as usize) * 4 + quarter as usize
    }

    /// Where a bin begins.
    pub fn start(bin: usize) -> f64 {
        let (power, quarter) = (bin / 4, bin % 4);
        2f64.powi(power as i32) * (1.0 + quarter as f64 / 4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn log_bins_hold_their_values() {
        for value in [1u64, 2, 3, 4, 5, 7, 8, 9, 1000, 1 << 40, u64::MAX] {
            let bin = log::at(value);
            let (start, end) = (log::start(bin), log::start(bin + 1));
            assert!(start <= value as f64 && (value as f64) <= end, "{value}");
        }
        assert!(log::at(u64::MAX) < log::COUNT);
    }

    proptest! {
        #[test]
        fn all_of_what_is_inside_is_shared(
            from in -1000i64..1000, length in 1i64..5000, most in 1usize..50,
            start in 0i64..4000, lasts in 0i64..4000, amount in 0u64..1 << 60,
        ) {
            let bins = Bins::over(from, from + length, most);
            prop_assert!(bins.count <= most && bins.until() >= from + length);
            let start = from + start % length;
            let end = (start + lasts).min(from + length);
            let mut sum = 0;
            bins.spread(start, end, amount, |bin, share| {
                assert!(bin < bins.count);
                sum += share;
            });
            prop_assert_eq!(sum, amount);
        }

        #[test]
        fn stretches_in_turn_are_as_each_alone(
            from in -100i64..100, length in 1i64..200, most in 1usize..20,
            all in prop::collection::vec((-200i64..400, -20i64..60), 1..40),
        ) {
            let bins = Bins::over(from, from + length, most);
            let mut in_turn = CachedBins::new(bins);
            for (start, lasts) in all {
                let (end, found) = (start + lasts, in_turn.stretch(start, start + lasts));
                let is_inside = start >= from && end <= bins.until();
                let is_in_one = is_inside && bins.at(start) == bins.at(end);
                prop_assert_eq!((found.first, found.is_in_one), (bins.at(start), is_in_one));
            }
        }

        #[test]
        fn nothing_outside_is_counted(start in -9000i64..9000, lasts in 0i64..9000, amount in 0u64..1 << 60) {
            let bins = Bins::over(100, 1100, 7);
            let mut sum = 0;
            bins.spread(start, start + lasts, amount, |bin, share| {
                assert!(bin < bins.count);
                sum += share;
            });
            prop_assert!(sum <= amount);
        }
    }
}
