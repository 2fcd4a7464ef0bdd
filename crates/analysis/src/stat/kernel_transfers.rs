//! Transfers that the buffers of C streams make: what reaches the kernel of calls that the C library gathers.

use super::histogram::Histogram;
use super::stream_buffer::Reached;
use super::table::OpStat;
use super::tally::Direction;
use serde::{Deserialize, Serialize};

/// Their sizes and times, by [`Direction`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct KernelTransfers([SizesAndTimes; 2]);

/// Of transfers in one direction.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SizesAndTimes {
    /// Bytes of each.
    pub sizes: Histogram,
    /// How long each took, in ns.
    pub latencies: Histogram,
}

impl KernelTransfers {
    /// What a call caused that took so long: transfers of one call share its time.
    #[inline]
    pub fn add(&mut self, way: Direction, reached: Reached, waited: u64) {
        let count = reached.transfers();
        if let Some(each) = waited.checked_div(count) {
            let of = &mut self.0[way as usize];
            reached.sizes().for_each(|bytes| of.sizes.add(bytes));
            of.latencies.add_several(each, count);
        }
    }

    /// Takes others in.
    pub fn merge(&mut self, more: &KernelTransfers) {
        for (to, from) in self.0.iter_mut().zip(&more.0) {
            to.merge(from);
        }
    }

    /// Those in one direction.
    pub fn of(&self, way: Direction) -> &SizesAndTimes {
        &self.0[way as usize]
    }
}

impl SizesAndTimes {
    /// Takes in those of a function.
    pub fn add(&mut self, op: &OpStat) {
        op.sizes.iter().for_each(|sizes| self.sizes.merge(sizes));
        self.latencies.merge(&op.latencies);
    }

    fn merge(&mut self, more: &SizesAndTimes) {
        self.sizes.merge(&more.sizes);
        self.latencies.merge(&more.latencies);
    }
}
