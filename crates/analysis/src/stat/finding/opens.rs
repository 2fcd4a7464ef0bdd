//! Files that are opened again and again.

use super::per_access::{PerAccess, transfers};
use super::{METADATA, Measure, MostOf, Rules, percent};
use crate::FileId;
use crate::filter::Select;
use crate::stat::{Finding, Tally};
use crate::sums::portion;
use iota_quantity::{bytes, count, many, time};

impl Rules<'_> {
    /// One of two: the files are opened for each access, or just again.
    pub(super) fn opens(&self) -> Option<Finding> {
        if !self.thresholds.opens.is_reached(self.files.all.again) {
            return None;
        }
        let each = &self.files.per_access;
        // No threshold: it decides which of the two tells most of these opens, not whether they are reported.
        let is_most = each.again * 2 > self.files.all.again
            && self.is_worth(self.run_cost.share(Measure::Metadata, each.cost));
        match is_most {
            true => self.open_per_access(each),
            false => self.repeated_opens(),
        }
    }

    fn repeated_opens(&self) -> Option<Finding> {
        let (again, opens) = (self.files.all.again, self.files.all.opens);
        let (file, most) = self.files.most(MostOf::Opens)?;
        Some(Finding {
            kind: "repeated-opens",
            cost: self.run_cost.share(
                Measure::Opens,
                portion(self.files.all.open_time, again, opens),
            ),
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
        let (file, _) = self.files.most(MostOf::PerAccess)?;
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

    /// Files that are opened, perhaps queried, and closed.
    pub(super) fn unused_opens(&self) -> Option<Finding> {
        let (unused, opens) = (&self.files.unused, self.files.all.opens);
        let is_most = self.thresholds.unused.is_reached(unused.opens, opens);
        if !is_most || !self.is_habit(unused.opens) {
            return None;
        }
        let (file, most) = self.files.most(MostOf::Unused)?;
        Some(Finding {
            kind: "unused-opens",
            cost: self.run_cost.share(Measure::Metadata, unused.time),
            what: format!(
                "{} of opens are of files with which nothing is done",
                percent(unused.opens, opens)
            ),
            evidence: format!(
                "{} of {} are neither read nor written, mapped nor locked, and take {}; most opens, {}, of {}",
                many(unused.opens, "open"),
                many(unused.files, "file"),
                time(unused.time),
                count(most),
                self.place(file),
            ),
            advice: "Open a file where it is needed; ask whether it is there with one access or stat, by one rank for all.",
            select: self.on(Select::class(METADATA), file),
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

    pub(super) fn is_per_access(&self, of: &Tally) -> bool {
        let (all, opens) = (transfers(of), of.opens);
        let is_few = self.thresholds.accesses.is_kept(all, opens);
        self.thresholds.opens.is_reached(of.again) && all > 0 && is_few
    }
}
