//! Transfers of few bytes.

use super::{Rules, named, percent};
use crate::filter::Select;
use crate::stat::{Finding, TimeCategory};
use crate::sums::portion;
use iota_quantity::{bytes, count, many, time};

impl Rules<'_> {
    pub(super) fn small(&self, class: TimeCategory) -> Option<Finding> {
        let (way, name) = named(class);
        let (small, all) = (self.stored.small[way], self.stored.transfers[way]);
        if !self.is_habit(small) || !self.thresholds.small.is_reached(small, all) {
            return None;
        }
        let below = self.stat.limits.small;
        // Where a stream is flushed after each, the flush takes what the write would have.
        let flushes = match class {
            TimeCategory::Write => portion(self.stored.flush_time, small, all),
            _ => 0,
        };
        let of_flushes = match self.stored.flushes {
            0 => String::new(),
            _ if flushes == 0 => String::new(),
            many_of => format!(
                "; {} of streams took {}",
                many(many_of, "flush"),
                time(self.stored.flush_time)
            ),
        };
        let file = self.file(|file| file.tally.small_time[way])?;
        Some(Finding {
            kind: if class == TimeCategory::Read {
                "small-reads"
            } else {
                "small-writes"
            },
            cost: self.stored.small_time[way].saturating_add(flushes),
            what: format!(
                "{} of {name}s of files move less than {}",
                percent(small, all),
                bytes(below)
            ),
            evidence: format!(
                "{} of {}, {} on average, took {}{of_flushes}; most of it in {}",
                count(small),
                many(all, name),
                bytes(self.stored.bytes[way] / all),
                time(self.stored.small_time[way]),
                self.facts.path(file),
            ),
            advice: if class == TimeCategory::Read {
                "Read more at once: larger records, a larger buffer (setvbuf), prefetching, a chunk cache, collective MPI-IO \
                    (romio_cb_read), or one transfer for a whole array."
            } else {
                "Gather them before they reach the file system: a larger buffer (setvbuf, a chunk cache), collective MPI-IO \
                    (romio_cb_write), or one transfer for a whole array."
            },
            select: Select::class(name)
                .below(below)
                .file(self.facts.raw(file))
                .text(),
        })
    }
}
