//! How long at least one of many calls was under way, in memory that does not grow.

use crate::stat::Grid;
use crate::sums::add;

/// So many stretches of time are kept exactly.
const MOST: usize = 1024;
/// Bins for more of them.
const BINS: usize = 2048;

/// The union of intervals in any order: exact as long as it is of up to 1,024 stretches; of more in bins of a 2048th of the
/// job.
#[derive(Clone, Debug)]
pub enum Spans {
    /// One by one, in order; none touches another
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
            Spans::Few(few) => {
                join(few, start, end.max(start));
                if few.len() > MOST {
                    let mut grid = Grid::new(duration, BINS);
                    few.iter().for_each(|(start, end)| grid.add(*start, *end));
                    *self = Spans::Many(Box::new(grid));
                }
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

    /// The union, in ns, and how far it may be too long at each call that overlaps others; 0: it is exact.
    pub fn length(&self) -> (u64, u64) {
        match self {
            Spans::Many(grid) => (grid.union(), grid.width()),
            Spans::Few(few) => {
                let mut sum = 0;
                few.iter()
                    .for_each(|(start, end)| add(&mut sum, end.saturating_sub(*start) as u64));
                (sum, 0)
            }
        }
    }
}

/// Puts a stretch in its place among others, and takes those that it touches in.
fn join(few: &mut Vec<(i64, i64)>, start: i64, end: i64) {
    let first = few.partition_point(|(_, until)| *until < start);
    let touched = few[first..].iter().take_while(|(from, _)| *from <= end);
    let last = first + touched.count();
    let (from, until) = match &few[first..last] {
        [] => (start, end),
        [(from, _), ..] => (start.min(*from), end.max(few[last - 1].1)),
    };
    few.splice(first..last, [(from, until)]);
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

    /// Ranks that call together, again and again: their calls overlap, and are few stretches of time.
    #[test]
    fn what_overlaps_is_exact() {
        let ranks = |n: i64| (0..4).map(move |rank| (5000 * n + rank, 5000 * n + 400 - rank));
        let all: Vec<(i64, i64)> = (0..200).flat_map(ranks).collect();
        assert_eq!(spans(&all).length(), (200 * 400, 0));
        let (mut even, odd): (Vec<_>, Vec<_>) = all.iter().partition(|(start, _)| start % 2 == 0);
        even.reverse();
        let mut both = spans(&even);
        both.merge(&spans(&odd), JOB);
        assert_eq!(both.length(), (200 * 400, 0));
    }

    #[test]
    fn many_are_exact_to_a_bin_however_they_were_joined() {
        let many: Vec<(i64, i64)> = (0..2000)
            .map(|n| (500 * n, 500 * n + 200 + n % 10))
            .collect();
        let whole = spans(&many).length();
        let exact: i64 = many.iter().map(|(start, end)| end - start).sum();
        assert_eq!(whole.1, 1024);
        assert!(whole.0.abs_diff(exact as u64) < 2000 * whole.1);
        for at in [1, 64, 500, 970, 1900] {
            let (first, last) = many.split_at(at);
            let mut both = spans(first);
            both.merge(&spans(last), JOB);
            assert_eq!(both.length(), whole, "{at}");
        }
    }
}
