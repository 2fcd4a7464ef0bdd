//! When ranks came together in collective calls: what they wrote before is ordered with what they write after.

use super::Layers;
use crate::FileId;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Moments in which the last rank came to a collective call, in ns since the job's start, in order.
#[derive(Clone, Debug, Default)]
pub struct SyncPoints {
    /// Of all ranks.
    of_all: Vec<i64>,
    /// Of some of them, on a file: how many ranks, and when.
    of_files: BTreeMap<FileId, Vec<(u32, i64)>>,
}

impl SyncPoints {
    pub(super) fn of(found: &Layers, ranks: u32) -> SyncPoints {
        let mut points = SyncPoints::default();
        for one in found.collectives.all.values() {
            let Some(waiting) = one.waiting() else {
                continue;
            };
            match one.shares.len() as u32 {
                all if all == ranks => points.of_all.push(waiting.arrival),
                some => {
                    let of_file = points.of_files.entry(one.file).or_default();
                    of_file.push((some, waiting.arrival));
                }
            }
        }
        points.of_all.sort_unstable();
        points
    }

    /// Those of all ranks, and those of all that use a file, which are so many. (A rank uses a file in each of its calls on it, so
    /// that no other ranks than these take part in a collective one.)
    pub fn of_file(&self, file: FileId, tasks: u32) -> Cow<'_, [i64]> {
        let own = self.of_files.get(&file).into_iter().flatten();
        let own = own.filter(|(ranks, _)| *ranks >= tasks);
        let mut own: Vec<i64> = own.map(|(_, at)| *at).collect();
        if own.is_empty() {
            return Cow::Borrowed(&self.of_all);
        }
        own.extend(&self.of_all);
        own.sort_unstable();
        Cow::Owned(own)
    }
}
