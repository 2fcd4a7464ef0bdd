//! What the second pass finds, call by call: when a call was is looked up once for all that asks for it.

use crate::histograms::Histograms;
use crate::layout::Layout;
use crate::windows::Windows;
use iota_analysis::{Accumulator, Call, Job, Process};
use iota_plot::aggregates::bins::CachedBins;
use iota_plot::aggregates::{Aggregates, Plan};

/// What the second pass found.
pub struct SecondPass<'a> {
    time: CachedBins,
    pub sums: Aggregates<'a>,
    pub windows: Windows<'a>,
    pub histograms: Histograms,
}

impl<'a> SecondPass<'a> {
    /// Nothing yet.
    pub fn new(job: &'a Job<'a>, plan: &'a Plan, layout: &'a Layout) -> SecondPass<'a> {
        SecondPass {
            time: CachedBins::new(plan.time),
            sums: Aggregates::new(plan, job),
            windows: Windows::new(layout),
            histograms: Histograms::new(plan.time),
        }
    }
}

impl Accumulator for SecondPass<'_> {
    fn part(&mut self, process: &Process) {
        self.sums.part(process);
        self.windows.part(process);
    }

    #[inline(always)]
    fn add(&mut self, call: &Call) {
        if let Some(class) = call.function.class {
            let when = self.time.stretch(call.start, call.end);
            self.sums.called(call, class, &when);
            self.windows.called(call, &when);
            self.histograms.called(call, class, &when);
        }
    }

    fn merge(&mut self, later: Self) {
        self.sums.merge(later.sums);
        self.windows.merge(&later.windows);
        self.histograms.merge(&later.histograms);
    }
}
