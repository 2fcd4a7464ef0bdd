//! Which bytes of a file were touched, and by which tasks: exact up to a number of extents, by blocks of the file beyond it.

use super::blocks::Blocks;
use super::touched::Touched;
use crate::TaskId;
use crate::sums::{add, sum};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The owner of bytes that several tasks touched.
const MANY: TaskId = TaskId::MAX;
/// A range and the task that touched it.
pub type Owned = (u64, u64, TaskId);

/// The bytes of a file that tasks touched, and which of them several did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shares {
    /// Disjoint ranges in order; several such lists, each at most half as long as the one before.
    #[serde(with = "super::range_lists")]
    lists: Vec<Vec<Owned>>,
    /// Blocks that some task touched, and those that several did, if ranges became too many.
    blocks: Option<Box<(Blocks, Blocks)>>,
    /// Bytes that several tasks touched, as far as ranges were exact when that was lost.
    known: u64,
    /// The first overlap that was found.
    example: Option<Overlap>,
}

/// Two tasks that touched the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlap {
    /// Where.
    pub offset: u64,
    /// Who.
    pub tasks: (TaskId, TaskId),
}

/// What several tasks touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Overlapping {
    /// Bytes that surely several tasks touched.
    pub bytes: u64,
    /// Blocks that several tasks touched, where ranges became too many to tell bytes.
    pub blocks: u64,
    /// Bytes of such a block; 0: all is exact.
    pub block: u64,
    /// An example.
    #[serde(skip)]
    pub example: Option<Overlap>,
}

impl Overlapping {
    /// Takes in what they touched at another time.
    pub(super) fn add(&mut self, more: &Overlapping) {
        add(&mut self.bytes, more.bytes);
        self.blocks += more.blocks;
        self.block = self.block.max(more.block);
        self.example = self.example.or(more.example);
    }
}

impl Shares {
    /// Takes in what a process of a task touched; `most` ranges are kept exactly.
    pub fn take(&mut self, mut touched: Touched, task: TaskId, most: usize) {
        touched.finish(most);
        match touched.blocks.take() {
            Some(blocks) => {
                self.blur();
                self.take_blocks(*blocks, None);
            }
            None if touched.ranges.is_empty() => {}
            None => {
                let owned = touched
                    .ranges
                    .iter()
                    .map(|&(start, end)| (start, end, task));
                self.push(owned.collect(), most);
            }
        }
    }

    /// Takes in what was found elsewhere.
    pub fn merge(&mut self, more: Shares, most: usize) {
        add(&mut self.known, more.known);
        if let Some(blocks) = more.blocks {
            self.blur();
            self.take_blocks(blocks.0, Some(blocks.1));
        }
        more.lists
            .into_iter()
            .for_each(|list| self.push(list, most));
        self.example = self.example.or(more.example);
    }

    fn push(&mut self, list: Vec<Owned>, most: usize) {
        self.lists.push(list);
        while let [.., a, b] = &self.lists[..]
            && b.len() * 2 > a.len()
        {
            self.join_last();
        }
        if self.blocks.is_some() || self.lists.iter().map(Vec::len).sum::<usize>() > most {
            self.settle();
            if self.blocks.is_some() || self.lists.iter().map(Vec::len).sum::<usize>() > most {
                self.blur();
            }
        }
    }

    fn join_last(&mut self) {
        let (Some(b), Some(a)) = (self.lists.pop(), self.lists.pop()) else {
            return;
        };
        let joined = joined(&a, &b, &mut self.example);
        self.lists.push(joined);
    }

    /// All lists as one.
    fn settle(&mut self) {
        while self.lists.len() > 1 {
            self.join_last();
        }
    }

    fn exact(&self) -> u64 {
        let lists = self.lists.iter().flatten();
        let shared = lists.filter(|owned| owned.2 == MANY);
        sum(shared.map(|owned| owned.1 - owned.0))
    }

    /// Itself with all lists as one: a copy only if it has several.
    fn settled(&self) -> Cow<'_, Shares> {
        let mut settled = Cow::Borrowed(self);
        if self.lists.len() > 1 {
            settled.to_mut().settle();
        }
        settled
    }

    /// Bytes that any task touched; where ranges became too many, those of whole blocks.
    pub fn distinct(&self) -> u64 {
        let settled = self.settled();
        let exact: u64 = settled
            .lists
            .iter()
            .flatten()
            .map(|owned| owned.1 - owned.0)
            .sum();
        let blocks = self.blocks.as_ref();
        exact.saturating_add(blocks.map_or(0, |blocks| blocks.0.count() << blocks.0.shift))
    }

    /// Gives exactness up: what is known to be shared stays so, block by block.
    fn blur(&mut self) {
        self.settle();
        self.known = self.known.saturating_add(self.exact());
        let mut ranges: Vec<Owned> = self.lists.drain(..).flatten().collect();
        ranges.sort_unstable_by_key(|owned| owned.2);
        self.blocks
            .get_or_insert_with(|| Box::new((Blocks::new(), Blocks::new())));
        for of_task in ranges.chunk_by(|a, b| a.2 == b.2) {
            let mut blocks = Blocks::new();
            of_task
                .iter()
                .for_each(|&(start, end, _)| blocks.take((start, end)));
            let many = (of_task[0].2 == MANY).then(|| blocks.clone());
            self.take_blocks(blocks, many);
        }
    }

    fn take_blocks(&mut self, mut any: Blocks, many: Option<Blocks>) {
        let mut many = many.unwrap_or_else(Blocks::new);
        let Some(own) = &mut self.blocks else {
            return;
        };
        let (own_any, own_many) = &mut **own;
        own_any.level(&mut any);
        own_any.level(&mut many);
        own_any.level(own_many);
        // The last levelling may have widened what came first.
        own_any.level(&mut any);
        own_many.level(&mut many);
        own_many.or(&own_any.and(&any));
        own_many.or(&many.bits);
        own_any.or(&any.bits);
    }

    /// What several tasks touched.
    pub fn overlapping(&self) -> Overlapping {
        let settled = self.settled();
        Overlapping {
            bytes: settled.known + settled.exact(),
            blocks: self.blocks.as_ref().map_or(0, |blocks| blocks.1.count()),
            block: self.block(),
            example: settled.example,
        }
    }

    /// Bytes of a block; 0: all is exact.
    fn block(&self) -> u64 {
        self.blocks.as_ref().map_or(0, |blocks| 1 << blocks.1.shift)
    }

    /// Bytes that one task touched here, and another one there; what is not known exactly counts for nothing.
    pub fn between(&self, other: &Shares) -> Overlapping {
        let (ours, theirs) = (self.settled(), other.settled());
        let (mut found, none) = (Overlapping::default(), Vec::new());
        let (a, b) = (
            ours.lists.first().unwrap_or(&none),
            theirs.lists.first().unwrap_or(&none),
        );
        let (mut i, mut j) = (0, 0);
        while let (Some(&a), Some(&b)) = (a.get(i), b.get(j)) {
            let (start, end) = (a.0.max(b.0), a.1.min(b.1));
            if start < end && (a.2 != b.2 || a.2 == MANY) {
                add(&mut found.bytes, end - start);
                found.example = found.example.or(Overlap::of(start, a.2, b.2));
            }
            if a.1 < b.1 { i += 1 } else { j += 1 }
        }
        found.block = self.block().max(other.block());
        found
    }
}

impl Overlap {
    fn of(offset: u64, a: u32, b: u32) -> Option<Overlap> {
        let tasks = (a.min(b), a.max(b));
        (a != MANY && b != MANY).then_some(Overlap { offset, tasks })
    }
}

/// Two lists as one; where they overlap the owner is both's, or MANY.
fn joined(a: &[Owned], b: &[Owned], example: &mut Option<Overlap>) -> Vec<Owned> {
    let (mut out, mut a, mut b) = (
        Vec::with_capacity(a.len() + b.len()),
        a.iter().copied(),
        b.iter().copied(),
    );
    let (mut left, mut right) = (a.next(), b.next());
    loop {
        let (x, y) = match (left, right) {
            (None, None) => return out,
            (Some(x), None) => {
                put(&mut out, x);
                left = a.next();
                continue;
            }
            (None, Some(y)) => {
                put(&mut out, y);
                right = b.next();
                continue;
            }
            (Some(x), Some(y)) => (x, y),
        };
        // What lies before the other range belongs to its owner alone; then both go on at the same byte.
        let start = x.0.max(y.0);
        let (before_x, before_y) = (start.min(x.1), start.min(y.1));
        put(&mut out, (x.0, before_x, x.2));
        put(&mut out, (y.0, before_y, y.2));
        let (x, y) = ((before_x, x.1, x.2), (before_y, y.1, y.2));
        let end = x.1.min(y.1);
        if x.0 == y.0 && x.0 < end {
            let owner = if x.2 == y.2 { x.2 } else { MANY };
            if owner == MANY {
                *example = example.or(Overlap::of(x.0, x.2, y.2));
            }
            put(&mut out, (x.0, end, owner));
        }
        let rest = |range: Owned| (range.0.max(end).min(range.1), range.1, range.2);
        let (x, y) = match x.0 == y.0 {
            true => (rest(x), rest(y)),
            false => (x, y),
        };
        left = if x.0 < x.1 { Some(x) } else { a.next() };
        right = if y.0 < y.1 { Some(y) } else { b.next() };
    }
}

fn put(out: &mut Vec<Owned>, range: Owned) {
    if range.0 >= range.1 {
        return;
    }
    match out.last_mut() {
        Some(last) if last.1 == range.0 && last.2 == range.2 => last.1 = range.1,
        _ => out.push(range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const MOST: usize = 64;

    fn shares(ranks: &[Vec<(u64, u64)>], most: usize) -> Shares {
        let mut all = Shares::default();
        for (rank, extents) in (0..).zip(ranks) {
            let mut touched = Touched::default();
            extents
                .iter()
                .for_each(|&(offset, length)| touched.add(offset, offset + length, most));
            all.take(touched, rank, most);
        }
        all
    }

    /// Byte by byte.
    fn naive(ranks: &[Vec<(u64, u64)>]) -> Vec<BTreeSet<usize>> {
        let mut bytes = vec![BTreeSet::new(); 400];
        for (rank, extents) in ranks.iter().enumerate() {
            for &(offset, length) in extents {
                for byte in &mut bytes[offset as usize..(offset + length) as usize] {
                    byte.insert(rank);
                }
            }
        }
        bytes
    }

    fn extents() -> impl Strategy<Value = Vec<Vec<(u64, u64)>>> {
        prop::collection::vec(prop::collection::vec((0u64..300, 1u64..60), 0..8), 0..6)
    }

    proptest! {
        #[test]
        fn overlaps_are_exact(ranks in extents(), cut in 0usize..6) {
            let bytes = naive(&ranks).iter().filter(|ranks| ranks.len() > 1).count() as u64;
            prop_assert_eq!(shares(&ranks, MOST).overlapping().bytes, bytes);
            let (left, right) = ranks.split_at(cut.min(ranks.len()));
            let mut all = shares(left, MOST);
            let mut later = Shares::default();
            for (rank, extents) in (left.len() as u32..).zip(right) {
                let mut touched = Touched::default();
                extents.iter().for_each(|&(offset, length)| touched.add(offset, offset + length, MOST));
                later.take(touched, rank, MOST);
            }
            all.merge(later, MOST);
            prop_assert_eq!(all.overlapping().bytes, bytes);
        }

        #[test]
        fn readers_of_what_others_wrote_are_found(writers in extents(), readers in extents()) {
            let (wrote, read) = (naive(&writers), naive(&readers));
            let differ = |(w, r): &(&BTreeSet<usize>, &BTreeSet<usize>)| {
                w.iter().any(|writer| r.iter().any(|reader| reader != writer))
            };
            let bytes = wrote.iter().zip(&read).filter(differ).count() as u64;
            prop_assert_eq!(shares(&writers, MOST).between(&shares(&readers, MOST)).bytes, bytes);
        }

        #[test]
        fn blocks_miss_no_overlap(ranks in extents()) {
            let exact = shares(&ranks, MOST).overlapping();
            let coarse = shares(&ranks, 1).overlapping();
            prop_assert!(exact.bytes == 0 || coarse.bytes > 0 || coarse.blocks > 0, "{:?} {:?}", exact, coarse);
            prop_assert!(coarse.bytes <= exact.bytes);
        }
    }

    #[test]
    fn a_file_of_any_length_has_few_blocks() {
        let mut touched = Touched::default();
        for n in 0..10_000u64 {
            touched.add(n * 3_000_000, n * 3_000_000 + 10, 64);
        }
        assert!(touched.ranges.len() <= 128 && touched.blocks.is_some());
        let mut all = Shares::default();
        all.take(touched.clone(), 0, 64);
        all.take(touched, 1, 64);
        let found = all.overlapping();
        assert_eq!(found.block, 8 << 20);
        assert!(found.blocks > 3500, "{found:?}");
    }
}
