//! Bytes that were read or written more than once.

use super::{Measure, Rules};
use crate::FileId;
use crate::stat::{Finding, TimeCategory};
use crate::sums::portion;
use iota_quantity::bytes;

/// Bytes that several tasks or one read or wrote, of all files together and of the one where most were moved again.
struct Again {
    /// Moved, at places that are known.
    moved: u64,
    /// In the files.
    distinct: u64,
    /// Where most were moved again.
    file: FileId,
    /// How many bytes that was.
    most: u64,
    /// Tasks that used it.
    tasks: u32,
}

impl Rules<'_> {
    pub(super) fn rereads(&self) -> Option<Finding> {
        let again = self.again(TimeCategory::Read)?;
        let by = self.facts.tasks.many(again.tasks.into());
        Some(Finding {
            kind: "rereads",
            cost: self.cost(TimeCategory::Read, &again),
            what: format!(
                "the same bytes are read {:.1} times on average",
                again.times()
            ),
            evidence: format!(
                "reads moved {} from {} of the files; most was read again in {}, by {by}",
                bytes(again.moved),
                bytes(again.distinct),
                self.place(again.file),
            ),
            select: self.of(TimeCategory::Read, again.file, "off>=0"),
            advice: "Read them once and keep them in memory. Where several read the same bytes, let one read them for all \
                (MPI_Bcast, collective reads, shared memory); copy what every node needs to the nodes.",
        })
    }

    pub(super) fn rewrites(&self) -> Option<Finding> {
        let again = self.again(TimeCategory::Write)?;
        let by = self.facts.tasks.many(again.tasks.into());
        Some(Finding {
            kind: "rewrites",
            cost: self.cost(TimeCategory::Write, &again),
            what: format!(
                "the same bytes are written {:.1} times on average",
                again.times()
            ),
            evidence: format!(
                "writes moved {} to {} of the files; most was written again in {}, by {by}",
                bytes(again.moved),
                bytes(again.distinct),
                self.place(again.file),
            ),
            select: self.of(TimeCategory::Write, again.file, "off>=0"),
            advice: "Gather changes in memory and write each place once: a larger cache of the library (H5Pset_cache, \
                chunk cache), fewer flushes, or no fill values that are written over (H5Pset_fill_time, nc_set_fill).",
        })
    }

    /// The share of the time that goes into bytes that were moved before.
    fn cost(&self, class: TimeCategory, again: &Again) -> u64 {
        let (time, moved) = (
            self.files.all.time[class as usize],
            self.files.all.bytes[class as usize],
        );
        let surplus = again.moved - again.distinct;
        let cost = portion(time, surplus, moved.max(again.moved));
        self.run_cost.share(Measure::transfers(class), cost)
    }

    fn again(&self, class: TimeCategory) -> Option<Again> {
        let way = class as usize;
        let transfers: u64 = self.files.all.steps[way].iter().sum();
        if !self.is_habit(transfers) {
            return None;
        }
        let (moved, surplus) = (self.files.all.placed[way], &self.files.again[way]);
        let again = Again {
            moved,
            distinct: moved.saturating_sub(surplus.bytes),
            file: surplus.file,
            most: surplus.most,
            tasks: surplus.tasks,
        };
        let is_often = self
            .thresholds
            .again
            .is_reached(again.moved, again.distinct);
        (again.most > 0 && is_often).then_some(again)
    }
}

impl Again {
    fn times(&self) -> f64 {
        self.moved as f64 / self.distinct.max(1) as f64
    }
}
