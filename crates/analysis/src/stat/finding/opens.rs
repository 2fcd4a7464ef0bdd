//! Files that are opened again and again.

use super::{Measure, Rules, percent};
use crate::FileId;
use crate::filter::Select;
use crate::stat::{FileStat, Finding, Tally, TimeCategory};
use crate::sums::portion;
use iota_quantity::{bytes, count, many};

/// Files that are opened for a transfer or two, together.
#[derive(Default)]
struct PerAccess {
    files: u64,
    opens: u64,
    again: u64,
    transfers: u64,
    cost: u64,
}

impl Rules<'_> {
    /// One of two: the files are opened for each access, or just again.
    pub(super) fn opens(&self) -> Option<Finding> {
        if !self.thresholds.opens.is_reached(self.stored.again) {
            return None;
        }
        let each = self.per_access();
        // No threshold: it decides which of the two tells most of these opens, not whether they are reported.
        let is_most = each.again * 2 > self.stored.again
            && self.is_worth(self.run_cost.share(Measure::Metadata, each.cost));
        match is_most {
            true => self.open_per_access(&each),
            false => self.repeated_opens(),
        }
    }

    fn repeated_opens(&self) -> Option<Finding> {
        let (again, opens) = (self.stored.again, self.stored.opens);
        let (file, most) = self.most(|file| file.opener.1)?;
        Some(Finding {
            kind: "repeated-opens",
            cost: self
                .run_cost
                .share(Measure::Opens, portion(self.stored.open_time, again, opens)),
            what: format!(
                "{} of opens are of a file that the process had opened before",
                percent(again, opens)
            ),
            evidence: format!(
                "{} of {}; {} opened {} {}",
                count(again),
                many(opens, "open"),
                self.facts
                    .tasks
                    .described(self.stat.files[&file].get().opener.0),
                self.place(file),
                many(most, "time"),
            ),
            advice: "Keep the file open between uses; look for an open and close within a loop.",
            select: self.on(Select::class("open"), file),
        })
    }

    fn open_per_access(&self, each: &PerAccess) -> Option<Finding> {
        let (file, _) = self.most(|file| match self.is_per_access(&file.tally) {
            true => cost(&file.tally),
            false => 0,
        })?;
        Some(Finding {
            kind: "open-per-access",
            cost: self.run_cost.share(Measure::Metadata, each.cost),
            what: format!(
                "files are opened again for few transfers, {:.1} each time",
                each.transfers as f64 / each.opens.max(1) as f64
            ),
            evidence: format!(
                "{} of {} for {}; {}",
                many(each.opens, "open"),
                many(each.files, "file"),
                many(each.transfers, "transfer"),
                self.worst(file),
            ),
            advice: "Open the file before the loop and close it after the loop; keep the handle where the loop is in a library \
                (h5py.File, netCDF4.Dataset, a logger).",
            select: self.on(Select::class("open,close"), file),
        })
    }

    fn worst(&self, file: FileId) -> String {
        let of = self.stat.files[&file].get();
        let (all, moved) = (transfers(&of.tally), of.tally.all_bytes());
        format!(
            "{} opened {} {}, where a transfer has {} on average",
            self.facts.tasks.described(of.opener.0),
            self.place(file),
            many(of.opener.1, "time"),
            bytes(moved / all.max(1)),
        )
    }

    fn per_access(&self) -> PerAccess {
        let stored = self.judged();
        let each = stored.filter(|(_, file)| self.is_per_access(&file.tally));
        each.fold(PerAccess::default(), |sum, (_, file)| sum.with(&file))
    }

    fn is_per_access(&self, of: &Tally) -> bool {
        let (all, opens) = (transfers(of), of.opens);
        let is_few = self.thresholds.accesses.is_kept(all, opens);
        self.thresholds.opens.is_reached(of.again) && all > 0 && is_few
    }
}

impl PerAccess {
    fn with(self, file: &FileStat) -> PerAccess {
        let of = &file.tally;
        PerAccess {
            files: self.files + 1,
            opens: self.opens + of.opens,
            again: self.again + of.again,
            transfers: self.transfers + transfers(of),
            cost: self.cost.saturating_add(cost(of)),
        }
    }
}

fn transfers(of: &Tally) -> u64 {
    of.calls[TimeCategory::Read as usize] + of.calls[TimeCategory::Write as usize]
}

/// Opening, closing and queries, as far as one open were enough.
fn cost(of: &Tally) -> u64 {
    portion(of.time[TimeCategory::Meta as usize], of.again, of.opens)
}
