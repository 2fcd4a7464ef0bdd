//! What is kept of a process, all of whose calls have come.

use super::stream::Stream;
use super::{Stat, Tally, TaskStat};
use crate::sums::add;
use crate::{NO_FILE, Process, TaskId};
use std::collections::BTreeMap;

impl Stat {
    /// The streams of a process, all of whose calls have come, are added to what is kept.
    pub(super) fn close(&mut self, process: &Process) {
        let grid = self
            .grids
            .iter()
            .position(|(part, _)| *part == process.part);
        let union = grid.map(|at| self.grids.swap_remove(at).1.union());
        let mut threads: BTreeMap<u32, Tally> = BTreeMap::new();
        let (mut files, mut again) = (0, 0);
        let mut streams = self.take(process.part).peekable();
        while let Some(mut of_file) = streams.next() {
            let thread = threads.entry(of_file.key.thread).or_default();
            thread.merge(&of_file.tally);
            while let Some(more) = streams.next_if(|next| next.key.file == of_file.key.file) {
                let thread = threads.entry(more.key.thread).or_default();
                thread.merge(&more.tally);
                of_file.tally.merge(&more.tally);
                for (to, more) in of_file.ways.iter_mut().zip(more.ways) {
                    to.touched.merge(more.touched, self.limits.ranges);
                }
            }
            files += u64::from(of_file.key.file != NO_FILE);
            // Who opens a file again had it before.
            of_file.tally.again = of_file.tally.opens.saturating_sub(1);
            again += of_file.tally.again;
            self.by_file(process, of_file);
        }
        self.task(process, &threads, union, (files, again));
        self.process(process, &threads);
        self.threads(process, threads);
    }

    /// The streams of a part, which are no longer here, in the order of files.
    fn take(&mut self, part: u32) -> Box<dyn Iterator<Item = Stream>> {
        let first = self.open.partition_point(|stream| stream.key.part < part);
        let last = self.open.partition_point(|stream| stream.key.part <= part);
        let mut open: Vec<Stream> = self.open.drain(first..last).collect();
        if !self.idle.has(part) {
            open.sort_by_key(|stream| stream.key);
            return Box::new(open.into_iter());
        }
        for stream in open {
            self.idle.put(stream, self.limits.ranges);
        }
        Box::new(self.idle.of_part(part))
    }

    fn task(
        &mut self,
        process: &Process,
        threads: &BTreeMap<u32, Tally>,
        union: Option<u64>,
        (files, again): (u64, u64),
    ) {
        let duration = self.duration.max(0) as u64;
        let Some(task) = self.task_stat(process.task) else {
            return;
        };
        let (mut outermost, mut all) = (0, 0);
        task.tally.change(|of_task| {
            for tally in threads.values() {
                of_task.merge(tally);
                add(&mut outermost, tally.outermost);
                add(&mut all, tally.all_time());
            }
            of_task.again += again;
        });
        task.files += files;
        task.processes += u64::from(process.is_first);
        task.threads += threads.len() as u64;
        let in_outermost = union.map_or(outermost, |union| union.min(outermost));
        task.busy = task
            .busy
            .saturating_add(in_outermost)
            .saturating_add(all.saturating_sub(outermost))
            .min(duration.max(task.busy));
    }

    fn task_stat(&mut self, task: TaskId) -> Option<&mut TaskStat> {
        let at = self
            .tasks
            .binary_search_by_key(&task, |(task, _)| *task)
            .ok()?;
        Some(&mut self.tasks[at].1)
    }

    /// What all threads of a process did with a file.
    fn by_file(&mut self, process: &Process, mut of_file: Stream) {
        let (file, most) = (of_file.key.file, self.limits.ranges);
        if file == NO_FILE {
            of_file.ways = Default::default();
        }
        let touched = of_file.ways.map(|way| way.touched);
        let known = self.files.entry(file).or_default();
        known.change(|file| file.take(process.task, of_file.tally, touched, most));
    }
}
