//! What of a file was touched, how often and by whom: by cells for any number of transfers, to the byte for a few.

use super::{Plan, TransferMark};
use iota_analysis::stat::Direction;
use iota_analysis::sums::{add, add_each};

/// Bytes touched in each cell of a file. A transfer costs the same however long it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    width: u64,
    /// Bytes at the ends of transfers, by way and cell.
    parts: [Vec<u64>; 2],
    /// How many transfers more than in the cell before cover it whole.
    whole: [Vec<i64>; 2],
}

impl Coverage {
    pub(super) fn new(plan: &Plan) -> Coverage {
        let cells = if plan.wants.map {
            plan.cells.count + 1
        } else {
            0
        };
        Coverage {
            width: plan.cells.width,
            parts: [vec![0; cells], vec![0; cells]],
            whole: [vec![0; cells], vec![0; cells]],
        }
    }

    pub(super) fn add(&mut self, plan: &Plan, mark: &TransferMark) {
        let way = mark.way as usize;
        let (first, last) = (plan.cells.at(mark.offset), plan.cells.at(mark.until() - 1));
        if first == last {
            add(&mut self.parts[way][first], mark.bytes);
            return;
        }
        let [of_first, of_last] = [
            plan.cells.start(first + 1).abs_diff(mark.offset),
            mark.until().abs_diff(plan.cells.start(last)),
        ];
        add(&mut self.parts[way][first], of_first);
        add(&mut self.parts[way][last], of_last);
        self.whole[way][first + 1] += 1;
        self.whole[way][last] -= 1;
    }

    pub(super) fn merge(&mut self, later: Coverage) {
        for way in 0..2 {
            add_each(&mut self.parts[way], &later.parts[way]);
            let whole = self.whole[way].iter_mut().zip(&later.whole[way]);
            whole.for_each(|(to, from)| *to += from);
        }
    }

    /// Bytes moved from or to each cell.
    pub fn bytes(&self, way: Direction) -> Vec<u64> {
        let mut covered = 0;
        let cells = self.parts[way as usize]
            .iter()
            .zip(&self.whole[way as usize]);
        let sums = cells.map(|(part, more)| {
            covered += more;
            part.saturating_add(self.width.saturating_mul(covered.max(0) as u64))
        });
        let mut sums: Vec<u64> = sums.collect();
        sums.pop();
        sums
    }
}

/// The first and the last rank that did something to each block of a file. A range of blocks is given in two pieces of a
/// power of two blocks each, so that a transfer costs the same however long it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owners {
    count: usize,
    blocks: super::Bins,
    /// By power of two, then by first block: lowest and highest rank, by way.
    levels: [Vec<Vec<(u32, u32)>>; 2],
}

const NOBODY: (u32, u32) = (u32::MAX, 0);

fn joined(one: (u32, u32), other: (u32, u32)) -> (u32, u32) {
    (one.0.min(other.0), one.1.max(other.1))
}

impl Owners {
    pub(super) fn new(plan: &Plan) -> Owners {
        let count = if plan.wants.conflicts {
            plan.blocks.count
        } else {
            0
        };
        let levels = count.checked_ilog2().map_or(0, |power| power as usize + 1);
        let level = || vec![vec![NOBODY; count]; levels];
        Owners {
            count,
            blocks: plan.blocks,
            levels: [level(), level()],
        }
    }

    pub(super) fn add(&mut self, mark: &TransferMark) {
        let (first, last) = (
            self.blocks.at(mark.offset),
            self.blocks.at(mark.until() - 1),
        );
        let power = (last - first + 1).ilog2() as usize;
        let level = &mut self.levels[mark.way as usize][power];
        for from in [first, last + 1 - (1 << power)] {
            level[from] = joined(level[from], (mark.rank, mark.rank));
        }
    }

    pub(super) fn merge(&mut self, later: Owners) {
        for (to, from) in self
            .levels
            .iter_mut()
            .flatten()
            .zip(later.levels.iter().flatten())
        {
            to.iter_mut()
                .zip(from)
                .for_each(|(to, from)| *to = joined(*to, *from));
        }
    }

    /// Lowest and highest rank of each block.
    fn flat(&self, way: Direction) -> Vec<(u32, u32)> {
        let mut flat = vec![NOBODY; self.count];
        for (power, level) in self.levels[way as usize].iter().enumerate().rev() {
            let wide: Vec<_> = flat
                .iter()
                .zip(level)
                .map(|(a, b)| joined(*a, *b))
                .collect();
            flat = wide.clone();
            // A piece of 2^n blocks is two of half as many: what it says is handed on to both.
            let half = (1usize << power) / 2;
            for (from, owners) in wide.into_iter().enumerate().filter(|_| half > 0) {
                if owners != NOBODY && from + half < self.count {
                    flat[from + half] = joined(flat[from + half], owners);
                }
            }
        }
        flat
    }

    /// Blocks that several ranks touch, at least one of them writing.
    pub fn shared(&self) -> Vec<Sharing> {
        let (read, written) = (self.flat(Direction::Read), self.flat(Direction::Write));
        let blocks = (0..self.count).filter_map(|block| {
            let (read, written) = (read[block], written[block]);
            let all = joined(read, written);
            (written != NOBODY && all.0 != all.1).then(|| Sharing {
                start: self.blocks.start(block),
                end: self.blocks.start(block + 1),
                several_write: written.0 != written.1,
            })
        });
        neighbours_joined(blocks)
    }
}

/// A range of a file that several ranks touch, at least one of them writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// Its first byte.
    pub start: i64,
    /// The place behind its last.
    pub end: i64,
    /// Whether several of them write.
    pub several_write: bool,
}

fn neighbours_joined(ranges: impl Iterator<Item = Sharing>) -> Vec<Sharing> {
    let mut joined: Vec<Sharing> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end == range.start && last.several_write == range.several_write => {
                last.end = range.end;
            }
            _ => joined.push(range),
        }
    }
    joined
}

/// To the byte: ranges that several ranks touch, at least one of them writing.
pub fn overlaps(marks: &[TransferMark]) -> Vec<Sharing> {
    let ends = marks.iter().enumerate();
    let ends = ends.flat_map(|(n, mark)| [(mark.offset, true, n), (mark.until(), false, n)]);
    let mut ends: Vec<(i64, bool, usize)> = ends.collect();
    ends.sort_unstable();
    let mut open = Open::default();
    let mut found = Vec::new();
    for pair in ends.windows(2) {
        let (place, begins, n) = pair[0];
        open.change(&marks[n], begins);
        let end = pair[1].0;
        if end > place && open.writers() > 0 && open.ranks() > 1 {
            found.push(Sharing {
                start: place,
                end,
                several_write: open.writers() > 1,
            });
        }
    }
    neighbours_joined(found.into_iter())
}

/// Whose transfers cover the place that is looked at.
#[derive(Default)]
struct Open {
    all: std::collections::HashMap<u32, u64>,
    writing: std::collections::HashMap<u32, u64>,
}

impl Open {
    fn change(&mut self, mark: &TransferMark, begins: bool) {
        let mut both = [Some(&mut self.all), None];
        if mark.way == Direction::Write {
            both[1] = Some(&mut self.writing);
        }
        for counts in both.into_iter().flatten() {
            let count = counts.entry(mark.rank).or_default();
            *count = if begins {
                *count + 1
            } else {
                count.saturating_sub(1)
            };
            if *count == 0 {
                counts.remove(&mark.rank);
            }
        }
    }

    fn ranks(&self) -> usize {
        self.all.len()
    }

    fn writers(&self) -> usize {
        self.writing.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Bins, Focus, Needs};
    use super::*;
    use proptest::prelude::*;

    fn plan(end: i64, width: u64) -> Plan {
        Plan {
            wants: Needs::ALL,
            time: Bins::over(0, 1, 1),
            ranks: Bins::over(0, 1, 1),
            offsets: Bins::over(0, end, 7),
            cells: Bins::of(0, end, width),
            columns: 4,
            blocks: Bins::of(0, end, width),
            focus: Focus::All,
            osts: Vec::new(),
        }
    }

    prop_compose! {
        fn mark()(offset in 0i64..100, bytes in 1u64..60, rank in 0u32..4, writes: bool) -> TransferMark {
            let way = if writes { Direction::Write } else { Direction::Read };
            TransferMark { start: 0, end: 1, offset, bytes, rank, way }
        }
    }

    proptest! {
        #[test]
        fn cells_have_the_bytes_that_were_moved(marks in proptest::collection::vec(mark(), 0..20), width in 1u64..20) {
            let plan = plan(160, width);
            let mut coverage = Coverage::new(&plan);
            marks.iter().for_each(|mark| coverage.add(&plan, mark));
            for way in [Direction::Read, Direction::Write] {
                let mut expected = vec![0; plan.cells.count];
                for mark in marks.iter().filter(|mark| mark.way == way) {
                    (mark.offset..mark.until()).for_each(|at| expected[at as usize / width as usize] += 1);
                }
                prop_assert_eq!(coverage.bytes(way), expected);
            }
        }

        #[test]
        fn ranges_of_several_ranks_are_those_of_the_model(marks in proptest::collection::vec(mark(), 0..12), width in 1u64..9) {
            let several = |touched: &dyn Fn(&&TransferMark) -> bool| {
                let ranks = |way: Option<Direction>| {
                    let marks = marks.iter().filter(touched).filter(|mark| way.is_none_or(|way| mark.way == way));
                    marks.map(|mark| mark.rank).collect::<std::collections::BTreeSet<_>>().len()
                };
                let writers = ranks(Some(Direction::Write));
                (writers > 0 && ranks(None) > 1).then_some(writers > 1)
            };
            let said = |ranges: &[Sharing], at: i64| {
                ranges.iter().find(|range| range.start <= at && at < range.end).map(|range| range.several_write)
            };
            let exact = overlaps(&marks);
            for at in 0..160 {
                prop_assert_eq!(said(&exact, at), several(&|mark| mark.offset <= at && at < mark.until()), "at {}", at);
            }
            let plan = plan(160, width);
            let mut owners = Owners::new(&plan);
            marks.iter().for_each(|mark| owners.add(mark));
            let shared = owners.shared();
            for block in 0..plan.blocks.count {
                let (start, end) = (plan.blocks.start(block), plan.blocks.start(block + 1));
                let expected = several(&|mark| mark.offset < end && start < mark.until());
                prop_assert_eq!(said(&shared, start), expected, "block {}", block);
            }
        }
    }
}
