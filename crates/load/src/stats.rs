//! Figures that are kept while a piece is worked on, in little memory, whatever the number of operations.

use crate::api::Direction;
use hdrhistogram::Histogram;
use iota_quantity as quantity;

/// Minimum, arithmetic mean and maximum of rates in MB/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// How many there are.
    pub count: u64,
    /// Their sum.
    pub sum: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
}

impl Rates {
    /// Of nothing.
    pub const NONE: Rates = Rates {
        count: 0,
        sum: 0.0,
        min: f64::INFINITY,
        max: 0.0,
    };

    /// Adds a transfer.
    #[inline]
    pub fn add(&mut self, bytes: u64, nanos: u64) {
        let Some(rate) = quantity::mb_per_s(bytes, nanos) else {
            return;
        };
        self.count += 1;
        self.sum += rate;
        self.min = self.min.min(rate);
        self.max = self.max.max(rate);
    }

    /// Of both.
    pub fn and(self, other: Rates) -> Rates {
        Rates {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// The arithmetic mean.
    pub fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }
}

/// How long transfers took, in ns: shares of them to one part in a hundred, and exactly the least, the most and the mean.
#[derive(Clone, Debug)]
pub struct Latency {
    steps: Histogram<u32>,
    min: u64,
    max: u64,
    sum: u64,
}

/// An hour; in the steps, what takes longer counts as that.
const LONGEST: u64 = 3_600_000_000_000;

impl Default for Latency {
    fn default() -> Latency {
        Latency {
            steps: Histogram::new_with_bounds(1, LONGEST, 2)
                .expect("bounds and digits that are allowed"),
            min: u64::MAX,
            max: 0,
            sum: 0,
        }
    }
}

impl Latency {
    /// Adds a transfer.
    #[inline]
    pub fn add(&mut self, nanos: u64) {
        self.steps.saturating_record(nanos);
        self.min = self.min.min(nanos);
        self.max = self.max.max(nanos);
        self.sum += nanos;
    }

    /// Adds those of another.
    pub fn merge(&mut self, other: &Latency) {
        // Both have the same bounds, so that everything fits.
        let _ = self.steps.add(&other.steps);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum += other.sum;
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.steps.len()
    }

    /// Minimum, arithmetic mean and maximum.
    pub fn spread(&self) -> (u64, f64, u64) {
        let mean = self.sum as f64 / self.count().max(1) as f64;
        (self.min.min(self.max), mean, self.max)
    }

    /// The time that `percent` of all stayed within.
    pub fn percentile(&self, percent: f64) -> u64 {
        let step = self.steps.value_at_percentile(percent);
        // A step's upper end may be more than any of its times.
        step.max(self.min).min(self.max)
    }

    /// Times and how many transfers took that long: the upper ends of steps, each twice the one before.
    pub fn histogram(&self) -> Vec<(u64, u64)> {
        let steps = self.steps.iter_log(1024, 2.0);
        steps
            .map(|step| (step.value_iterated_to(), step.count_since_last_iteration()))
            .collect()
    }
}

/// What a piece did.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    /// Transfers, reads and writes.
    pub transfers: [u64; 2],
    /// Bytes, reads and writes.
    pub bytes: [u64; 2],
    /// Times of transfers, reads and writes.
    pub latency: [Latency; 2],
}

impl Sum {
    /// Adds a transfer.
    #[inline]
    pub fn add(&mut self, direction: Direction, bytes: u64, nanos: u64) {
        let which = direction as usize;
        self.transfers[which] += 1;
        self.bytes[which] += bytes;
        self.latency[which].add(nanos);
    }

    /// Adds those of another.
    pub fn merge(&mut self, other: &Sum) {
        for which in 0..2 {
            self.transfers[which] += other.transfers[which];
            self.bytes[which] += other.bytes[which];
            self.latency[which].merge(&other.latency[which]);
        }
    }

    /// Bytes in both directions.
    pub fn all_bytes(&self) -> u64 {
        self.bytes.iter().sum()
    }

    /// Transfers in both directions.
    pub fn all_transfers(&self) -> u64 {
        self.transfers.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_min_mean_max() {
        let mut rates = Rates::NONE;
        for nanos in [1_000_000_000, 500_000_000, 0] {
            rates.add(1 << 20, nanos);
        }
        assert_eq!(
            (rates.count, rates.min, rates.mean(), rates.max),
            (2, 1.0, 1.5, 2.0)
        );
        assert_eq!(rates.and(Rates::NONE), rates);
    }

    #[test]
    fn percentiles_are_right_to_one_in_a_hundred() {
        let mut sum = Sum::default();
        (1..=1000u64).for_each(|n| sum.add(Direction::Write, 1, n * 1000));
        let latency = &sum.latency[1];
        for percent in [50.0, 90.0, 99.0] {
            let exact = percent * 10_000.0;
            let estimate = latency.percentile(percent) as f64;
            assert!(
                (estimate / exact - 1.0).abs() < 0.01,
                "{percent}: {estimate}"
            );
        }
        assert_eq!(
            latency.histogram().iter().map(|step| step.1).sum::<u64>(),
            1000
        );
        assert_eq!((sum.all_transfers(), sum.all_bytes()), (1000, 1000));
    }

    #[test]
    fn the_least_the_most_and_the_mean_are_exact() {
        let (mut latency, mut other) = (Latency::default(), Latency::default());
        assert_eq!(latency.spread(), (0, 0.0, 0));
        latency.add(11_397);
        other.add(2 * LONGEST);
        other.add(931_166);
        latency.merge(&other);
        let mean = (11_397 + 931_166 + 2 * LONGEST) as f64 / 3.0;
        assert_eq!(latency.spread(), (11_397, mean, 2 * LONGEST));
        let mut one = Latency::default();
        one.add(931_166);
        assert_eq!(
            [1.0, 50.0, 99.99].map(|percent| one.percentile(percent)),
            [931_166; 3]
        );
    }
}
