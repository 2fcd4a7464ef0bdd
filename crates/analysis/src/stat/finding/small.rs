//! Transfers of few bytes.

use super::{Measure, MostOf, Rules, named, percent};
use crate::filter::Select;
use crate::stat::{Finding, TimeCategory};
use iota_quantity::{bytes, count, many, time};

impl Rules<'_> {
    pub(super) fn small(&self, class: TimeCategory) -> Option<Finding> {
        let (way, name) = named(class);
        let (small, all) = (
            self.files.all.small[way],
            self.files.all.reaching_kernel(way),
        );
        if !self.is_habit(small) || !self.thresholds.small.is_reached(small, all) {
            return None;
        }
        let below = self.stat.limits.small;
        let file = self.files.most(MostOf::small(class))?.0;
        let of_streams = self.files.all.of_streams[way];
        let streams = match of_streams {
            0 => String::new(),
            calls => format!(
                "; {} of streams became some {} by their buffers",
                many(calls, name),
                many(self.files.all.of_buffers[way], name),
            ),
        };
        let is_most_of_streams = self.files.all.of_buffers[way] > all / 2;
        let (measure, kind) = match class {
            TimeCategory::Read => (Measure::SmallReads, "small-reads"),
            _ => (Measure::SmallWrites, "small-writes"),
        };
        Some(Finding {
            kind,
            cost: self.run_cost.share(measure, self.files.all.small_time[way]),
            what: format!(
                "{} of {name}s of files move less than {}",
                percent(small, all),
                bytes(below)
            ),
            evidence: format!(
                "{} of {}, {} on average, took {}{streams}; most of it in {}",
                count(small),
                many(all, name),
                bytes(self.files.all.bytes[way] / all.max(1)),
                time(self.files.all.small_time[way]),
                self.place(file),
            ),
            advice: match class {
                _ if is_most_of_streams => {
                    "Give the stream a larger buffer, such as 1 MiB (setvbuf, right after fopen), and flush it seldom."
                }
                TimeCategory::Read => {
                    "Read more at once: larger records, a larger buffer, prefetching, a chunk cache, collective MPI-IO \
                        (romio_cb_read), or one transfer for a whole array."
                }
                _ => {
                    "Gather them before they reach the file system: a larger buffer, a chunk cache, collective MPI-IO \
                        (romio_cb_write), or one transfer for a whole array."
                }
            },
            select: self.on(Select::class(name).below(below), file),
        })
    }
}
