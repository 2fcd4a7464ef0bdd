//! Findings on attributes.

use super::DataRules;
use crate::FileId;
use crate::layers::FileFacts;
use crate::stat::Finding;
use crate::sums::{add, sum};
use iota_quantity::{bytes, many, time as time_of};

impl DataRules<'_> {
    /// Transfers of attributes of each file: calls, bytes and time.
    fn attributes(&self, file: FileId) -> (u64, u64, u64) {
        let of_file = self
            .objects
            .partition_point(|((known, _), _)| *known < file);
        let of_file = self.objects[of_file..].iter();
        let of_file = of_file.take_while(|((known, _), _)| *known == file);
        let (mut calls, mut moved, mut time) = (0, 0, 0);
        for (_, facts) in of_file {
            calls += facts.attributes.calls;
            add(&mut moved, facts.attributes.bytes);
            add(&mut time, facts.attributes.time);
        }
        (calls, moved, time)
    }

    pub(super) fn opened_for_attributes(&self) -> Option<Finding> {
        let cost = |(file, facts): &(FileId, &FileFacts)| {
            let (calls, ..) = self.attributes(*file);
            let transfers = facts.sum.transfers.iter().sum::<u64>();
            let ranks = u64::from(facts.ranks);
            // Each rank reads one, and nothing else: that is no threshold.
            let is = self.thresholds.ranks.is_reached(ranks)
                && calls >= ranks
                && transfers <= calls
                && self.thresholds.attributes_each.is_kept(calls, ranks);
            if is && facts.sum.transfers[1] == 0 {
                facts.sum.time
            } else {
                0
            }
        };
        let worst = self
            .files
            .iter()
            .max_by_key(|of| (cost(of), std::cmp::Reverse(of.0)))?;
        let all = self.files.iter().filter(|of| cost(of) > 0).count() as u64;
        (cost(worst) > 0).then(|| Finding {
            kind: "opened-for-attributes",
            cost: self
                .run
                .share(sum(self.files.iter().map(cost)), |sum| sum.time),
            what: "all ranks open files to read an attribute or two".to_owned(),
            evidence: format!(
                "{}: {} read {}; {} in all",
                self.names.file(worst.0),
                many(worst.1.ranks.into(), "rank"),
                many(self.attributes(worst.0).0, "attribute"),
                many(all, "such file"),
            ),
            advice: "Let one rank open the file and broadcast what it read.",
            select: self.select().file(self.path(worst.0)).text(),
        })
    }

    pub(super) fn many_attributes(&self) -> Option<Finding> {
        let cost = |file: FileId| {
            let (calls, moved, time) = self.attributes(file);
            let is = self.thresholds.attributes.is_reached(calls)
                && !self
                    .thresholds
                    .attribute_bytes
                    .is_reached(moved / calls.max(1));
            if is { time } else { 0 }
        };
        let worst = self
            .files
            .iter()
            .max_by_key(|of| (cost(of.0), std::cmp::Reverse(of.0)))?;
        let (calls, moved, time) = self.attributes(worst.0);
        (cost(worst.0) > 0).then(|| Finding {
            kind: "many-attributes",
            cost: self.run.share(sum(self.files.iter().map(|of| cost(of.0))), |sum| sum.time),
            what: "thousands of small attributes are read or written one by one".to_owned(),
            evidence: format!(
                "{}: {} on attributes, which moved {} on average, took {}",
                self.names.file(worst.0),
                many(calls, "call"),
                bytes(moved / calls.max(1)),
                time_of(time),
            ),
            advice: "Put the values into one dataset or one attribute of a compound type; on several ranks, let one read or write \
                them.",
            select: self.select().file(self.path(worst.0)).and("object", "'*@*'").text(),
        })
    }
}
