//! Sizes and latencies of the calls that begin in each moment, so that histograms can follow the time that plots show.

use iota_analysis::stat::Class;
use iota_analysis::sums::add_each;
use iota_analysis::{Accumulator, Call};
use iota_plot::aggregates::bins::log;
use iota_plot::aggregates::{Bins, transfers};

/// Ways of moving bytes, then classes of calls.
const KINDS: usize = 2 + Class::COUNT;

/// Calls by moment, kind, and bin of their size or latency.
#[derive(Clone, Debug)]
pub struct Histograms {
    time: Bins,
    calls: Vec<u64>,
}

impl Histograms {
    /// Nothing yet.
    pub fn new(time: Bins) -> Histograms {
        let calls = vec![0; time.count * KINDS * log::COUNT];
        Histograms { time, calls }
    }

    /// Transfers by size, reads and writes.
    pub fn sizes(&self) -> [Vec<u64>; 2] {
        [self.pairs(0), self.pairs(1)]
    }

    /// Calls by latency, each class.
    pub fn latencies(&self) -> [Vec<u64>; Class::COUNT] {
        std::array::from_fn(|class| self.pairs(2 + class))
    }

    /// The number of a cell, by moment and bin, and its calls, of all cells that have some.
    fn pairs(&self, kind: usize) -> Vec<u64> {
        let moments = self.calls.chunks(log::COUNT).skip(kind).step_by(KINDS);
        let cells = moments.flatten().zip(0..);
        let used = cells.filter(|(calls, _)| **calls > 0);
        used.flat_map(|(calls, cell)| [cell, *calls]).collect()
    }

    #[inline(always)]
    fn count(&mut self, moment: usize, kind: usize, value: u64) {
        self.calls[(moment * KINDS + kind) * log::COUNT + log::at(value)] += 1;
    }

    /// What the call moved, and how long it took; one that began before the first moment is in that.
    #[inline(always)]
    fn told(&mut self, call: &Call, class: Class) {
        let moment = self.time.at(call.start);
        self.count(moment, 2 + class as usize, call.elapse());
        for side in transfers(call) {
            self.count(moment, side.way as usize, side.bytes);
        }
    }
}

impl Accumulator for Histograms {
    #[inline(always)]
    fn add(&mut self, call: &Call) {
        let class = call.function.class.filter(|_| call.is_io());
        if let Some(class) = class {
            self.told(call, class);
        }
    }

    fn merge(&mut self, later: Histograms) {
        add_each(&mut self.calls, &later.calls);
    }
}
