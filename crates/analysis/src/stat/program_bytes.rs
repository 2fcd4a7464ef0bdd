//! Bytes that programs moved: by libraries, or without them.

use super::figures::Spread;
use super::library_share::LibraryShare;
use super::{Stat, TaskStat};
use crate::{Call, Run, Tasks};

impl TaskStat {
    /// Bytes that the program moves with calls of libraries, whoever writes for them, and with calls of its own.
    fn bytes_of_program(&self) -> u64 {
        let LibraryShare { above, below, .. } = self.library_share;
        let own = self.tally.get().all_bytes().saturating_sub(below);
        own.saturating_add(above)
    }
}

/// Bytes that programs move, over tasks.
pub(super) struct ProgramBytes {
    pub spread: Spread,
    /// Of all tasks together.
    pub all: u64,
    /// Time in I/O of the task that moves most.
    pub time_of_most: u64,
}

impl ProgramBytes {
    pub fn of(stat: &Stat, tasks: &Tasks) -> ProgramBytes {
        // Where a filter left out calls of libraries, those below them are all that is known.
        let is_lifted = stat.library_calls() > 0;
        let of = |task: &TaskStat| match is_lifted {
            true => task.bytes_of_program(),
            false => task.tally.get().all_bytes(),
        };
        let bytes: Vec<_> = stat
            .tasks
            .iter()
            .map(|(task, stat)| (*task, of(stat)))
            .collect();
        let spread = Spread::over(tasks, bytes.iter().copied());
        let most = stat.tasks.iter().find(|(task, _)| *task == spread.max_task);
        ProgramBytes {
            all: bytes
                .iter()
                .fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes)),
            spread,
            time_of_most: most.map_or(0, |(_, stat)| stat.busy),
        }
    }
}

impl Stat {
    /// Calls of libraries that no other one encloses.
    pub fn library_calls(&self) -> u64 {
        let calls = self.tasks.iter().map(|(_, task)| task.library_share.calls);
        calls.sum()
    }

    /// A call of a library that counts by calls below it, or one of these.
    #[inline(always)]
    pub(super) fn add_library(&mut self, call: &Call) {
        if call.function.is_library || call.is_under_library() {
            self.pass_through(call, 1);
        }
    }

    /// Calls that are alike.
    pub(super) fn run_through(&mut self, run: &Run) {
        if run.first.is_under_library() {
            self.pass_through(&run.first, run.count());
        }
    }

    #[cold]
    fn pass_through(&mut self, call: &Call, count: u64) {
        let Some((_, task)) = self.tasks.last_mut() else {
            return;
        };
        let share = &mut task.library_share;
        let (function, moved) = (call.function, call.moved);
        let is_alone = call.event.parent == 0 || call.is_only_under_probes();
        let bytes = count.saturating_mul(moved.read.saturating_add(moved.written));
        match (function.is_library && function.does_io, function.is_io) {
            (true, is_io) if is_alone => {
                share.calls += count;
                // Where calls of libraries count themselves, their bytes are in the task's sums.
                share.above = share.above.saturating_add(if is_io { 0 } else { bytes });
            }
            (false, true) if !is_alone => share.below = share.below.saturating_add(bytes),
            _ => {}
        }
    }
}
