//! The bytes of a file that one process touched.

use super::blocks::{Blocks, Range};
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

impl Touched {
    /// `most` ranges are told exactly.
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

    fn finish_ranges(&mut self, most: usize) {
        coalesce(&mut self.ranges);
        self.disorder = false;
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
}

/// In order, those that touch made one.
fn coalesce(ranges: &mut Vec<Range>) {
    // Where two begin at the same byte, their order makes no difference.
    ranges.sort_unstable_by_key(|range| range.0);
    ranges.dedup_by(|next, known| {
        let touch = next.0 <= known.1;
        if touch {
            known.1 = known.1.max(next.1);
        }
        touch
    });
}
