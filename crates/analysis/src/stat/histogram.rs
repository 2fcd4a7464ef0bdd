//! Log-linear histograms: sixteen bins for each power of two, so that a value is known to within 6 %, and as many bins
//! whatever comes.

use serde::{Deserialize, Serialize};

/// Binary places within a power of two.
const PLACES: u32 = 4;
const BINS: usize = ((64 - PLACES as usize) << PLACES) + (1 << PLACES);

/// How often which values came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    bins: Vec<u64>,
    /// The greatest of all.
    pub max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram {
            bins: vec![0; BINS],
            max: 0,
        }
    }
}

#[inline(always)]
fn bin(value: u64) -> usize {
    let shift = (63 - PLACES).saturating_sub((value | 1).leading_zeros());
    ((shift as usize) << PLACES) + (value >> shift) as usize
}

/// The values of a bin: first and last.
fn values(bin: usize) -> (u64, u64) {
    let shift = (bin >> PLACES).saturating_sub(1);
    let first = ((bin - (shift << PLACES)) as u64) << shift;
    (first, first + ((1 << shift) - 1))
}

impl Histogram {
    /// One value.
    #[inline(always)]
    pub fn add(&mut self, value: u64) {
        self.add_several(value, 1);
    }

    /// A value that came several times.
    #[inline(always)]
    pub fn add_several(&mut self, value: u64, count: u64) {
        // Every value has a bin: the slice is checked once.
        if let Some(bin) = self.bins.get_mut(bin(value)) {
            *bin += count;
        }
        self.max = self.max.max(value);
    }

    /// Takes others in.
    pub fn merge(&mut self, more: &Histogram) {
        for (to, from) in self.bins.iter_mut().zip(&more.bins) {
            *to += from;
        }
        self.max = self.max.max(more.max);
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.bins.iter().sum()
    }

    /// A value that this share of all (in percent) does not exceed: the last one of its bin. 0 without values.
    pub fn percentile(&self, percent: f64) -> u64 {
        let count = self.count();
        let wanted = ((percent / 100.0 * count as f64).ceil() as u64).clamp(1, count.max(1));
        let mut seen = 0;
        let reached = self.bins.iter().position(|bin| {
            seen += bin;
            seen >= wanted
        });
        reached.map_or(0, |bin| values(bin).1.min(self.max))
    }

    /// First value, last value and count of the bins that are not empty.
    pub fn bins(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let counted = self
            .bins
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0);
        counted.map(|(bin, count)| (values(bin).0, values(bin).1, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_value_has_its_bin() {
        for value in (0..200).chain([u64::MAX, 1 << 63, (1 << 63) - 1]) {
            let (first, last) = values(bin(value));
            assert!(
                (first..=last).contains(&value),
                "{value}: {first} to {last}"
            );
        }
        assert_eq!(bin(u64::MAX), BINS - 1);
        assert_eq!(values(BINS - 1).1, u64::MAX);
    }

    proptest! {
        #[test]
        fn percentiles_are_right_within_a_bin(mut values in prop::collection::vec(0u64..10_000_000, 1..300), percent in 0.1f64..100.0) {
            let mut histogram = Histogram::default();
            values.iter().for_each(|value| histogram.add(*value));
            values.sort();
            let at = (percent / 100.0 * values.len() as f64).ceil() as usize - 1;
            let (exact, found) = (values[at], histogram.percentile(percent));
            prop_assert!(found >= exact && found as f64 <= exact as f64 * 1.0625 + 1.0, "{exact} {found}");
        }
    }
}
