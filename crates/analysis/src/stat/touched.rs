//! The bytes of a file that one process touched.

use super::blocks::{Blocks, Range};
use crate::sums::sum;
use serde::{Deserialize, Serialize};

/// The bytes that one process touched.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Touched {
    current: Range,
    pub ranges: Vec<Range>,
    /// Whether ranges do not come in order: many of these are not worth sorting.
    disorder: bool,
    pub blocks: Option<Box<Blocks>>,
}

/// No more ranges than this are put in order.
const SORTED: usize = 4096;
/// Fewer are put in order by comparing them.
const FEW: usize = 64;

impl Touched {
    /// `most` ranges are kept exactly.
    #[inline(always)]
    pub fn add(&mut self, start: u64, end: u64, most: usize) {
        if start == self.current.1 {
            self.current.1 = end;
        } else if start < self.current.0 || end > self.current.1 {
            self.jump((start, end), most);
        }
    }

    /// So many bytes at each of `left` places, which are a stride apart.
    #[inline(always)]
    pub fn add_several(
        &mut self,
        starts: impl Iterator<Item = u64>,
        mut left: u64,
        stride: i64,
        bytes: u64,
        most: usize,
    ) {
        let consecutive = stride as u64 == bytes;
        for start in starts {
            if consecutive && start == self.current.1 {
                self.current.1 = start.saturating_add(bytes.saturating_mul(left));
                return;
            }
            self.add(start, start.saturating_add(bytes), most);
            left -= 1;
        }
    }

    #[inline(never)]
    fn jump(&mut self, range: Range, most: usize) {
        let before = std::mem::replace(&mut self.current, range);
        self.put(before, most);
    }

    #[inline]
    fn put(&mut self, range: Range, most: usize) {
        if range.0 == range.1 {
            return;
        }
        match &mut self.blocks {
            Some(blocks) => blocks.take(range),
            None => {
                self.disorder |= self.ranges.last().is_some_and(|last| last.1 > range.0);
                self.ranges.push(range);
            }
        }
        let most = if self.disorder {
            most.min(SORTED)
        } else {
            most
        };
        if self.ranges.len() >= 2 * most {
            self.finish_ranges(most);
        }
    }

    #[inline(never)]
    fn finish_ranges(&mut self, most: usize) {
        if std::mem::take(&mut self.disorder) {
            sort(&mut self.ranges);
        }
        coalesce(&mut self.ranges);
        if self.ranges.len() > most {
            self.blur();
        }
    }

    fn blur(&mut self) {
        let blocks = self.blocks.get_or_insert_with(|| Box::new(Blocks::new()));
        self.ranges.drain(..).for_each(|range| blocks.take(range));
    }

    /// Takes in what the same process touched elsewhere.
    pub fn merge(&mut self, mut more: Touched, most: usize) {
        if let Some(mut blocks) = more.blocks.take() {
            self.blur();
            if let Some(own) = &mut self.blocks {
                own.level(&mut blocks);
                own.or(&blocks.bits);
            }
        }
        for range in more.ranges.into_iter().chain([more.current]) {
            self.put(range, most);
        }
    }

    /// Its ranges in order, if they are few enough.
    pub fn finish(&mut self, most: usize) {
        let last = std::mem::take(&mut self.current);
        self.put(last, most);
        self.finish_ranges(most);
    }

    /// How many bytes; where ranges became too many, those of whole blocks.
    pub fn distinct(mut self, most: usize) -> u64 {
        self.finish(most);
        let exact = sum(self.ranges.iter().map(|range| range.1 - range.0));
        let blocks = self.blocks.as_ref();
        exact.saturating_add(blocks.map_or(0, |blocks| blocks.count() << blocks.shift))
    }
}

/// Puts ranges in the order of their starts. Where two begin at the same byte, their order makes no difference.
fn sort(ranges: &mut Vec<Range>) {
    let by_start = |some: &mut [Range]| some.sort_unstable_by_key(|range| range.0);
    let Some((first, _)) = ranges.first().filter(|_| ranges.len() >= FEW) else {
        return by_start(ranges);
    };
    // By the highest bits in which starts differ, as many as there are ranges; then few are left to be compared with each
    // other. To compare all would cost several times as much where a program goes through its file at random.
    let differing = ranges.iter().fold(0, |bits, range| bits | range.0 ^ first);
    let bits = ranges.len().ilog2();
    let (shift, mask) = (
        (64 - bits).saturating_sub(differing.leading_zeros()),
        (1 << bits) - 1,
    );
    let group = |range: &Range| (range.0 >> shift) as usize & mask;
    let (mut places, mut before) = (vec![0; mask + 1], 0);
    ranges.iter().for_each(|range| places[group(range)] += 1);
    for place in &mut places {
        before += std::mem::replace(place, before);
    }
    let mut sorted = vec![(0, 0); ranges.len()];
    for range in &*ranges {
        let place = &mut places[group(range)];
        sorted[*place] = *range;
        *place += 1;
    }
    let mut begin = 0;
    for end in places {
        by_start(&mut sorted[begin..end]);
        begin = end;
    }
    *ranges = sorted;
}

/// Of ranges in order, those that touch made one.
fn coalesce(ranges: &mut Vec<Range>) {
    ranges.dedup_by(|next, known| {
        let touch = next.0 <= known.1;
        if touch {
            known.1 = known.1.max(next.1);
        }
        touch
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_are_put_in_order(
            mut ranges in prop::collection::vec((any::<u64>(), any::<u64>()), 0..3 * FEW),
            bits in 0u32..64,
            low in 0u32..64,
        ) {
            ranges.iter_mut().for_each(|range| range.0 = range.0 >> bits << low);
            let mut expected = ranges.clone();
            expected.sort_by_key(|range| range.0);
            sort(&mut ranges);
            let starts = |ranges: &[Range]| ranges.iter().map(|range| range.0).collect::<Vec<_>>();
            prop_assert_eq!(starts(&ranges), starts(&expected));
            ranges.sort();
            expected.sort();
            prop_assert_eq!(ranges, expected);
        }
    }
}
