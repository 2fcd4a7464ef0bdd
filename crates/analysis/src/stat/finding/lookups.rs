//! Opens and queries of files that are not there.

use super::{Measure, Rules};
use crate::filter::Select;
use crate::job::directory;
use crate::stat::facts::printable;
use crate::stat::{Finding, TimeCategory};
use iota_quantity::{count, share, time};
use std::collections::BTreeMap;

impl Rules<'_> {
    pub(super) fn failed_lookups(&self) -> Option<Finding> {
        let (missed, all) = (self.all.missed, self.all.calls[TimeCategory::Meta as usize]);
        if !self.is_habit(missed) || !self.thresholds.lookups.is_reached(missed, all) {
            return None;
        }
        let (directory, most) = self.directory_of_most()?;
        let tasks = self.stat.tasks.iter();
        let tasks = tasks.map(|(task, of)| (*task, of.tally.get().missed));
        let (task, of_task) = tasks.max_by_key(|(_, missed)| *missed)?;
        Some(Finding {
            kind: "failed-lookups",
            cost: self
                .run_cost
                .share(Measure::FailedLookups, self.all.missed_time),
            what: format!(
                "{} of metadata calls look for files that are not there",
                share(missed, all)
            ),
            evidence: format!(
                "{} opens and queries found no file and took {}; {} of them in {}, {} by {}",
                count(missed),
                time(self.all.missed_time),
                count(most),
                printable(directory),
                count(of_task),
                self.facts.tasks.described(task),
            ),
            select: Select::class("open,meta")
                .and("errno", "ENOENT,ENOTDIR")
                .directory(directory)
                .text(),
            advice: "Shorten search paths (LD_LIBRARY_PATH, PYTHONPATH, plugin paths), the right directory first; pack \
                the files into one archive or container, or copy them to the nodes.",
        })
    }

    /// The directory in which most files were missed, and how many.
    fn directory_of_most(&self) -> Option<(&[u8], u64)> {
        let mut directories: BTreeMap<&[u8], u64> = BTreeMap::new();
        for (id, file) in self.stat.named_files() {
            let of = directory(self.facts.raw(id));
            *directories.entry(of).or_default() += file.tally.missed;
        }
        directories.into_iter().max_by_key(|(_, missed)| *missed)
    }
}
