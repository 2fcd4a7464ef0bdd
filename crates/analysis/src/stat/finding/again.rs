//! Bytes that were read or written more than once.

use super::{Measure, Rules};
use crate::FileId;
use crate::stat::{FileStat, Finding, Step, TimeCategory};
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
            self.stored.time[class as usize],
            self.stored.bytes[class as usize],
        );
        let surplus = again.moved - again.distinct;
        let cost = portion(time, surplus, moved.max(again.moved));
        self.run_cost.share(Measure::transfers(class), cost)
    }

    fn again(&self, class: TimeCategory) -> Option<Again> {
        let way = class as usize;
        let transfers: u64 = self.stored.steps[way].iter().sum();
        if !self.is_habit(transfers) {
            return None;
        }
        let mut again = Again {
            moved: self.stored.placed[way],
            distinct: self.stored.placed[way],
            file: 0,
            most: 0,
            tasks: 0,
        };
        for (id, file) in self.judged().filter(|(_, file)| may_be_again(file, way)) {
            let placed = file.tally.placed[way];
            let surplus = placed.saturating_sub(file.distinct(class));
            again.distinct -= surplus;
            if surplus > again.most {
                (again.file, again.most, again.tasks) = (id, surplus, file.tasks);
            }
        }
        let is_often = self
            .thresholds
            .again
            .is_reached(again.moved, again.distinct);
        (again.most > 0 && is_often).then_some(again)
    }
}

/// Who moves bytes again goes back, begins anew, or is not alone.
fn may_be_again(file: &FileStat, way: usize) -> bool {
    let steps = &file.tally.steps[way];
    file.tasks > 1 || steps[Step::First as usize] > 1 || steps[Step::Random as usize] > 0
}

impl Again {
    fn times(&self) -> f64 {
        self.moved as f64 / self.distinct.max(1) as f64
    }
}
