//! What pictures are made of, found in two passes: a survey of how much there is, then sums in bins that fit it. Memory
//! depends on the bins, and on marks up to a number of them, not on the calls.

pub mod bins;
mod extents;
mod marks;
mod matrix;
mod osts;
pub(crate) mod plan;
pub mod sizes;
mod survey;

pub use bins::Bins;
pub use extents::{Coverage, Owners, Sharing, overlaps};
pub use iota_analysis::stat::{Direction, TimeCategory};
pub use marks::{MOST_MARKS, Span, TransferMark};
pub use matrix::{Offsets, RankTime};
pub use osts::Osts;
pub use plan::{Focus, Needs, Plan};
pub use sizes::{Sizes, SlowCall};
pub use survey::{OfFile, Survey, Transfer, transfers};

use bins::{CachedBins, Stretch};
use iota_analysis::{Accumulator, Call, Job, Process};

/// What the second pass counts and sums, in bins or mark by mark.
pub struct Aggregates<'p> {
    plan: &'p Plan,
    job: &'p Job<'p>,
    time: CachedBins,
    /// Ranks over time.
    pub ranks: RankTime,
    /// Offsets over time, of the files in focus.
    pub offsets: Offsets,
    /// Each transfer of the files in focus, unless they are too many.
    pub marks: Vec<TransferMark>,
    /// Each call that a thread waited for, unless they are too many.
    pub spans: Vec<Span>,
    /// What is touched of the file in focus.
    pub coverage: Coverage,
    /// Who touches it.
    pub owners: Owners,
    /// Sizes and latencies.
    pub sizes: Sizes,
    /// OSTs over time.
    pub osts: Osts,
}

impl<'p> Aggregates<'p> {
    /// Nothing yet.
    pub fn new(plan: &'p Plan, job: &'p Job) -> Aggregates<'p> {
        Aggregates {
            plan,
            job,
            time: CachedBins::new(plan.time),
            ranks: RankTime::new(plan),
            offsets: Offsets::new(plan),
            marks: Vec::new(),
            spans: Vec::new(),
            coverage: Coverage::new(plan),
            owners: Owners::new(plan),
            sizes: Sizes::default(),
            osts: Osts::new(plan),
        }
    }

    /// A call of a class, and when it was in [`Plan::time`].
    #[inline(always)]
    pub fn called(&mut self, call: &Call, class: TimeCategory, when: &Stretch) {
        if call.is_waited_for() {
            self.ranks.waited(when, class, call.elapse());
            if self.plan.wants.spans {
                self.spans.push(Span::of(call, class));
            }
        }
        if call.is_io() {
            if self.plan.wants.sizes {
                self.sizes.took(call, class);
            }
            for side in transfers(call) {
                self.transfer(call, when, &side);
            }
        }
    }

    #[inline(always)]
    fn transfer(&mut self, call: &Call, when: &Stretch, side: &Transfer) {
        let plan = self.plan;
        self.ranks.moved(when, side);
        if plan.wants.sizes {
            self.sizes.moved(call, side);
        }
        let Some(offset) = side.offset else { return };
        if plan.wants.osts
            && let Some(layout) = self.job.files.layout(side.file)
        {
            self.osts.moved(plan, call, side, offset, layout);
        }
        if plan.focus.has(side.file) {
            self.in_focus(&TransferMark::of(call, side, offset), when);
        }
    }

    #[inline(always)]
    fn in_focus(&mut self, mark: &TransferMark, when: &Stretch) {
        let plan = self.plan;
        if plan.wants.marks {
            self.marks.push(*mark);
        }
        if plan.wants.offsets {
            self.offsets.add(plan, mark, when);
        }
        if plan.wants.map {
            self.coverage.add(plan, mark);
        }
        if plan.wants.conflicts {
            self.owners.add(mark);
        }
    }
}

impl Accumulator for Aggregates<'_> {
    fn part(&mut self, process: &Process) {
        self.ranks.of_rank(self.plan, process.task);
    }

    #[inline(always)]
    fn add(&mut self, call: &Call) {
        if let Some(class) = call.function.class {
            let when = self.time.stretch(call.start, call.end);
            self.called(call, class, &when);
        }
    }

    fn merge(&mut self, later: Self) {
        self.ranks.merge(later.ranks);
        self.offsets.merge(later.offsets);
        self.marks.extend(later.marks);
        self.spans.extend(later.spans);
        self.coverage.merge(later.coverage);
        self.owners.merge(later.owners);
        self.sizes.merge(later.sizes);
        self.osts.merge(later.osts);
    }
}
