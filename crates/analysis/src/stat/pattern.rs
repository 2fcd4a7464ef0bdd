//! How a thread goes through a file: by the step from one transfer to the next in the same direction.

use serde::{Deserialize, Serialize};

/// Kinds of steps.
pub const STEPS: usize = 5;

/// A step to a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// None: it is the thread's first in the file and direction.
    First,
    /// It begins where the one before ended.
    Consecutive,
    /// It begins further on, at another distance than last time.
    Sequential,
    /// Its distance from the one before is the same as last time, forwards or backwards.
    Strided,
    /// It begins before the end of the one before.
    Random,
}

/// A transfer's place.
pub type Extent = (i64, u64);

/// The transfers of one thread in one file and direction, or of a stretch of them: what it takes to go on at both ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// The first two, up to where the file was opened anew.
    head: [Extent; 2],
    heads: usize,
    /// Whether the file was opened anew.
    anew: bool,
    /// Transfers since then.
    seen: u64,
    last: Extent,
    /// From the one before the last to the last, if there are two.
    distance: i64,
}

impl Pattern {
    /// The next transfer.
    #[inline(always)]
    pub fn step(&mut self, offset: i64, length: u64) -> Step {
        let step = self.kind(offset);
        if self.heads < 2 && !self.anew {
            self.head[self.heads] = (offset, length);
            self.heads += 1;
        }
        self.distance = offset.wrapping_sub(self.last.0);
        self.last = (offset, length);
        self.seen += 1;
        step
    }

    /// So many transfers more, each as far from the one before as the last two were from theirs.
    pub fn go_on(&mut self, count: u64) {
        self.last.0 = self
            .last
            .0
            .wrapping_add(self.distance.wrapping_mul(count as i64));
        self.seen += count;
    }

    /// The file was opened: what comes next has none before it.
    pub fn anew(&mut self) {
        self.anew = true;
        self.seen = 0;
    }

    /// Where the next transfer would stand among the first two.
    #[inline(always)]
    pub fn heads(&self) -> Option<usize> {
        (self.heads < 2 && !self.anew).then_some(self.heads)
    }

    #[inline(always)]
    fn kind(&self, offset: i64) -> Step {
        let end = self.last.0.wrapping_add(self.last.1 as i64);
        if self.seen == 0 {
            Step::First
        } else if offset == end {
            Step::Consecutive
        } else if self.seen > 1
            && self.distance != 0
            && self.distance == offset.wrapping_sub(self.last.0)
        {
            Step::Strided
        } else if offset > end {
            Step::Sequential
        } else {
            Step::Random
        }
    }

    /// What follows this stretch. What its first two transfers were taken for, without those before, is put right in `steps`;
    /// `random` is called for each that became random (true) or ceased to be so.
    pub fn join(
        &mut self,
        later: Pattern,
        steps: &mut [u64; STEPS],
        mut random: impl FnMut(usize, bool),
    ) {
        let mut alone = Pattern::default();
        for (at, (offset, length)) in later.head.into_iter().take(later.heads).enumerate() {
            let (was, is) = (alone.step(offset, length), self.step(offset, length));
            steps[was as usize] -= 1;
            steps[is as usize] += 1;
            if (was == Step::Random) != (is == Step::Random) {
                random(at, is == Step::Random);
            }
        }
        if later.anew {
            self.anew = true;
            self.seen = later.seen;
        } else {
            self.seen += later.seen - later.heads as u64;
        }
        if later.anew || later.seen > 2 {
            (self.last, self.distance) = (later.last, later.distance);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn steps(extents: &[Extent]) -> (Pattern, [u64; STEPS]) {
        let (mut pattern, mut steps) = (Pattern::default(), [0; STEPS]);
        for &(offset, length) in extents {
            match length {
                0 => pattern.anew(),
                _ => steps[pattern.step(offset, length) as usize] += 1,
            }
        }
        (pattern, steps)
    }

    #[test]
    fn steps_are_distinguished() {
        let mut pattern = Pattern::default();
        let places = [0, 10, 30, 50, 70, 75, 80, 20, 20, 5, -10];
        let found = places.map(|offset| pattern.step(offset, 10));
        use Step::*;
        let expected = [
            First,
            Consecutive,
            Sequential,
            Strided,
            Strided,
            Random,
            Strided,
            Random,
            Random,
            Random,
            Strided,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_file_opened_anew_is_begun_anew() {
        let mut pattern = Pattern::default();
        let mut found: Vec<Step> = [0, 10].map(|offset| pattern.step(offset, 10)).into();
        pattern.anew();
        found.extend([0, 10].map(|offset| pattern.step(offset, 10)));
        use Step::*;
        assert_eq!(found, [First, Consecutive, First, Consecutive]);
    }

    proptest! {
        #[test]
        fn cut_anywhere_it_is_the_same(
            extents in prop::collection::vec((0i64..60, 0u64..12), 0..40),
            mut cuts in prop::collection::vec(0usize..40, 0..6),
        ) {
            let (whole, expected) = steps(&extents);
            cuts.push(extents.len());
            cuts.iter_mut().for_each(|cut| *cut = (*cut).min(extents.len()));
            cuts.sort();
            let (mut all, mut counts, mut random, mut from) = (Pattern::default(), [0; STEPS], 0i64, 0);
            for cut in cuts {
                let (later, more) = steps(&extents[from..cut]);
                counts.iter_mut().zip(more).for_each(|(to, more)| *to += more);
                random += more[Step::Random as usize] as i64;
                all.join(later, &mut counts, |_, is| random += if is { 1 } else { -1 });
                from = cut;
            }
            prop_assert_eq!(counts, expected);
            prop_assert_eq!(random, expected[Step::Random as usize] as i64);
            let next = |mut pattern: Pattern| [7, 14, 21].map(|offset| pattern.step(offset, 7));
            prop_assert_eq!(next(all), next(whole));
        }
    }
}
