//! How long at least one of many calls was under way, in memory that does not grow.

use crate::stat::Grid;
use crate::sums::add;

/// So many are told exactly.
const MOST: usize = 64;
/// Bins for more of them.
const BINS: usize = 2048;

/// The union of intervals in any order: of up to 64 exactly, of more to a bin of a 2048th of the job.
#[derive(Clone, Debug)]
pub enum Spans {
    /// One by one
    Few(Vec<(i64, i64)>),
    /// In bins
    Many(Box<Grid>),
}

impl Default for Spans {
    fn default() -> Spans {
        Spans::Few(Vec::new())
    }
}

impl Spans {
    /// One more, of a job that lasted so long.
    pub fn add(&mut self, start: i64, end: i64, duration: i64) {
        match self {
            Spans::Many(grid) => grid.add(start, end),
            Spans::Few(few) if few.len() < MOST => few.push((start, end)),
            Spans::Few(few) => {
                let mut grid = Grid::new(duration, BINS);
                few.iter().for_each(|(start, end)| grid.add(*start, *end));
                grid.add(start, end);
                *self = Spans::Many(Box::new(grid));
            }
        }
    }

    /// Those of another.
    pub fn merge(&mut self, more: &Spans, duration: i64) {
        match (&mut *self, more) {
            (_, Spans::Few(few)) => few
                .iter()
                .for_each(|(start, end)| self.add(*start, *end, duration)),
            (Spans::Many(grid), Spans::Many(more)) => grid.merge(more),
            (Spans::Few(few), Spans::Many(more)) => {
                let mut grid = more.clone();
                few.iter().for_each(|(start, end)| grid.add(*start, *end));
                *self = Spans::Many(grid);
            }
        }
    }

    /// The union, in ns, and how far it may be off at each call; 0: it is exact.
    pub fn length(&self) -> (u64, u64) {
        match self {
            Spans::Many(grid) => (grid.union(), grid.width()),
            Spans::Few(few) => (union(few.clone()), 0),
        }
    }
}

fn union(mut all: Vec<(i64, i64)>) -> u64 {
    all.sort_unstable();
    let (mut sum, mut until) = (0, i64::MIN);
    for (start, end) in all {
        add(&mut sum, end.saturating_sub(start.max(until)).max(0) as u64);
        until = until.max(end);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: i64 = 1 << 20;

    fn spans(of: &[(i64, i64)]) -> Spans {
        let mut spans = Spans::default();
        of.iter()
            .for_each(|(start, end)| spans.add(*start, *end, JOB));
        spans
    }

    #[test]
    fn few_are_exact_in_any_order() {
        let few = [(10, 20), (0, 5), (15, 30), (5, 6), (40, 40)];
        assert_eq!(spans(&few).length(), (26, 0));
    }

    #[test]
    fn many_are_exact_to_a_bin_however_they_were_joined() {
        let many: Vec<(i64, i64)> = (0..1000)
            .map(|n| (1000 * n, 1000 * n + 400 + n % 10))
            .collect();
        let whole = spans(&many).length();
        let exact: i64 = many.iter().map(|(start, end)| end - start).sum();
        assert_eq!(whole.1, 1024);
        assert!(whole.0.abs_diff(exact as u64) < 1000 * whole.1);
        for at in [1, 64, 500, 970] {
            let (first, last) = many.split_at(at);
            let mut both = spans(first);
            both.merge(&spans(last), JOB);
            assert_eq!(both.length(), whole, "{at}");
        }
    }
}
