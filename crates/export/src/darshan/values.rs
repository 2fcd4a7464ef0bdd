//! The values that came most often, and times that do not count twice.

use std::collections::BTreeMap;

/// Different values that are counted; of those that come later nothing is known
const MOST: usize = 4096;

/// How often each value came
#[derive(Default)]
pub struct Values(BTreeMap<i64, i64>);

impl Values {
    /// It came once more; 0 is no value
    pub fn add(&mut self, value: i64) {
        let is_full = self.0.len() >= MOST;
        match self.0.get_mut(&value) {
            Some(count) => *count += 1,
            None if value == 0 || is_full => {}
            None => drop(self.0.insert(value, 1)),
        }
    }

    /// The four that came most often, and how often: of those that came equally often the greater ones
    pub fn most(&self) -> [i64; 8] {
        let mut all: Vec<(i64, i64)> = self
            .0
            .iter()
            .map(|(value, count)| (*count, *value))
            .collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        let mut most = [0; 8];
        for (place, (count, value)) in all.into_iter().take(4).enumerate() {
            (most[place], most[place + 4]) = (value, count);
        }
        most
    }
}

/// Calls of one kind: when the first began and the last ended, and how long they took
#[derive(Default)]
pub struct Busy {
    /// Of the first; None: there was none
    first: Option<i64>,
    last: i64,
    /// In ns; where calls of several threads overlap, once
    time: i64,
}

impl Busy {
    /// One more
    pub fn add(&mut self, start: i64, end: i64) {
        let known = self.first.map_or(i64::MIN, |_| self.last);
        self.first = Some(self.first.map_or(start, |first| first.min(start)));
        self.time += end.saturating_sub(start.max(known)).max(0);
        self.last = known.max(end);
    }

    /// Start of the first, in seconds; 0: there was none
    pub fn start(&self) -> f64 {
        seconds(self.first.unwrap_or(0))
    }

    /// End of the last
    pub fn end(&self) -> f64 {
        seconds(self.last)
    }

    /// All of their time
    pub fn time(&self) -> f64 {
        seconds(self.time)
    }
}

/// Of ns
pub fn seconds(nanos: i64) -> f64 {
    nanos as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_most_frequent_values_come_first() {
        let mut values = Values::default();
        for value in [8, 8, 8, 4, 4, 100, 7, 9, 0, 0, 0, 0] {
            values.add(value);
        }
        assert_eq!(values.most(), [8, 4, 100, 9, 3, 2, 1, 1]);
        assert_eq!(Values::default().most(), [0; 8]);
    }

    #[test]
    fn time_that_calls_share_counts_once() {
        let mut busy = Busy::default();
        busy.add(1_000_000_000, 3_000_000_000);
        busy.add(2_000_000_000, 4_000_000_000);
        busy.add(2_500_000_000, 3_500_000_000);
        busy.add(6_000_000_000, 7_000_000_000);
        assert_eq!((busy.start(), busy.end(), busy.time()), (1.0, 7.0, 4.0));
    }
}
