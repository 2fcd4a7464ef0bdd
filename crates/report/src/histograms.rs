//! Sizes and latencies of the calls that begin in each moment, so that histograms can follow the time that plots show.

use iota_analysis::Call;
use iota_analysis::stat::TimeCategory;
use iota_analysis::sums::add_each;
use iota_plot::aggregates::bins::{Stretch, log};
use iota_plot::aggregates::{Bins, transfers};

/// Ways of moving bytes, then classes of calls.
const KINDS: usize = 2 + TimeCategory::COUNT;

/// Calls by moment, kind, and bin of their size or latency.
#[derive(Clone, Debug)]
pub struct Histograms {
    calls: Vec<u64>,
}

impl Histograms {
    /// Nothing yet.
    pub fn new(time: Bins) -> Histograms {
        let calls = vec![0; time.count * KINDS * log::COUNT];
        Histograms { calls }
    }

    /// Transfers by size, reads and writes.
    pub fn sizes(&self) -> [Vec<u64>; 2] {
        [self.pairs(0), self.pairs(1)]
    }

    /// Calls by latency, each class.
    pub fn latencies(&self) -> [Vec<u64>; TimeCategory::COUNT] {
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

    /// What a call moved, and how long it took, and when it was; one that began before the first moment is in that.
    #[inline(always)]
    pub fn called(&mut self, call: &Call, class: TimeCategory, when: &Stretch) {
        if !call.is_io() {
            return;
        }
        let moment = when.first();
        self.count(moment, 2 + class as usize, call.elapse());
        for side in transfers(call) {
            self.count(moment, side.way as usize, side.bytes);
        }
    }

    pub fn merge(&mut self, later: &Histograms) {
        add_each(&mut self.calls, &later.calls);
    }
}
