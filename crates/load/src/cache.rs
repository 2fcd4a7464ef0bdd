//! Whether a disk was asked at all, or memory answered.

use crate::engine::Outcome;
use crate::options::{Fsync, OpenSync};
use crate::plan::Plan;
use crate::sys;

/// What the kernel had fetched for this process before a load.
pub struct Before(Option<u64>);

impl Before {
    /// Reads the counter in /proc/self/io.
    pub fn now() -> Before {
        Before(fetched())
    }

    /// What the user should know of a load that came after it.
    pub fn notes(&self, plan: &Plan, outcome: &Outcome) -> Vec<String> {
        let mut files = plan.paths.iter().filter(|path| path.is_file());
        let Some(path) = files.next() else {
            return Vec::new();
        };
        match sys::file_system(path) {
            Some(libc::TMPFS_MAGIC) => {
                vec![
                    "the files are in memory (tmpfs), so these figures do not measure a disk"
                        .to_owned(),
                ]
            }
            _ => self
                .reads(plan, outcome)
                .into_iter()
                .chain(writes(plan, outcome))
                .collect(),
        }
    }

    fn reads(&self, plan: &Plan, outcome: &Outcome) -> Option<String> {
        let read = bytes(outcome, 0);
        let fetched = fetched()?.saturating_sub(self.0?);
        let cached = read.saturating_sub(fetched) as f64 * 100.0 / read.max(1) as f64;
        (cached >= 50.0 && !plan.options.direct && read > 0).then(|| {
            format!("{cached:.0} % of the data that were read came from the page cache, not the disk; -drop_cache or -direct reads from the disk")
        })
    }
}

fn writes(plan: &Plan, outcome: &Outcome) -> Option<String> {
    let options = &plan.options;
    let waits = options.direct || options.fsync != Fsync::None || options.osync != OpenSync::None;
    let note = "writes ended in the page cache, without waiting for the disk; -fsync end, -osync or -direct waits for it";
    (bytes(outcome, 1) > 0 && !waits).then(|| note.to_owned())
}

fn bytes(outcome: &Outcome, which: usize) -> u64 {
    outcome
        .workers
        .iter()
        .map(|worker| worker.sum.bytes[which])
        .sum()
}

fn fetched() -> Option<u64> {
    sys::process_io("read_bytes")
}
