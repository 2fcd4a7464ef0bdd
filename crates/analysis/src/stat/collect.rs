//! The statistics as an accumulator: calls come in, units are merged.

use super::idle::Idle;
use super::stream::{Key, Stream};
use super::{Grid, OPEN, PROCESS_BINS, Stat, TaskStat, TimeCategory};
use crate::{Accumulator, Call, FileId, Medium, NO_FILE, NO_OBJECT, Process, Run};
use iota_trace::lustre::Layout;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

impl Accumulator for Stat {
    fn part(&mut self, process: &Process) {
        let now = &mut self.now;
        now.process = Some(*process);
        now.places.clear();
        now.thread = None;
        now.several = process.threads > 1;
        if now.several {
            self.grids
                .push((process.part, Grid::new(self.duration, PROCESS_BINS)));
        }
        if self.tasks.last().map(|(task, _)| *task) != Some(process.task) {
            self.tasks.push((process.task, TaskStat::default()));
        }
    }

    fn thread(&mut self, thread: u32) {
        if self.now.thread != Some(thread) {
            self.now.thread = Some(thread);
            self.now.lately.0.fill((FileId::MAX, 0));
        }
    }

    #[inline(always)]
    fn add(&mut self, call: &Call) {
        if self.is_elsewhere(call) {
            return;
        }
        let elapse = call.elapse();
        self.op(call).add(call, elapse);
        self.add_library(call);
        if call.object != NO_OBJECT {
            self.objects.add(call, elapse);
        }
        if self.has_sites {
            self.sites.add(call, elapse);
        }
        let Some(class) = call.function.class else {
            return;
        };
        let waited = if call.is_waited_for() { elapse } else { 0 };
        let (span, is_outermost) = ((call.start, call.end), call.is_outermost());
        match class.way() {
            Some(way) if call.is_io() => {
                let bytes = call.moved.read.max(call.moved.written);
                self.activity.transfer(way, &[span], is_outermost, bytes);
            }
            _ if is_outermost => self.activity.wait(class, span),
            _ => {}
        }
        if is_outermost {
            self.of_process(&[span]);
        } else if waited > 0 {
            self.wait_below(call.start, call.end);
        }
        if call.copies() {
            return self.copy(call, class, waited);
        }
        if let Some(layout) = on_osts(call) {
            self.osts.add(call, layout, waited);
        }
        let limits = self.limits;
        // The descriptor of a ring is of no file.
        let file = match class {
            TimeCategory::Wait => NO_FILE,
            _ => call.file,
        };
        let (stream, buffers) = self.stream(file);
        stream.add(call, class, waited, limits, buffers);
    }

    fn run(&mut self, run: &Run) {
        let first = &run.first;
        // Where one is elsewhere, all are.
        if self
            .media
            .as_ref()
            .is_some_and(|media| media.of_call(first) != Medium::Storage)
        {
            return run.each(|call| self.add(call));
        }
        let way = first.function.class.and_then(TimeCategory::way);
        let counts_alike = !first.copies() && first.is_io() && on_osts(first).is_none();
        let Some(way) = way.filter(|_| counts_alike) else {
            return run.each(|call| self.add(call));
        };
        let elapse = self.op(first).run(run);
        self.run_through(run);
        let is_outermost = first.is_outermost();
        let bytes = first.moved.read.max(first.moved.written);
        self.activity.transfer(way, run.times, is_outermost, bytes);
        if is_outermost {
            self.of_process(run.times);
        } else if first.is_waited_for() {
            let times = run.times.iter();
            times.for_each(|&(start, end)| self.wait_below(start, end));
        }
        let limits = self.limits;
        let (stream, buffers) = self.stream(first.file);
        stream.run(run, way, elapse, limits, buffers);
    }

    fn merge(&mut self, later: Stat) {
        let most = self.limits.ranges;
        self.ops.resize(self.ops.len().max(later.ops.len()), None);
        for (to, from) in self.ops.iter_mut().zip(later.ops) {
            match (to, from) {
                (Some(to), Some(from)) => to.merge(&from),
                (to @ None, from) => *to = from,
                (Some(_), None) => {}
            }
        }
        for (file, stat) in later.files {
            match self.files.entry(file) {
                Entry::Occupied(mut known) => {
                    let stat = stat.into_value();
                    known.get_mut().change(|known| known.merge(stat, most));
                }
                Entry::Vacant(place) => drop(place.insert(stat)),
            }
        }
        for (task, stat) in later.tasks {
            match self.tasks.last_mut() {
                Some((last, known)) if *last == task => known.merge(&stat, self.duration),
                _ => self.tasks.push((task, stat)),
            }
        }
        self.merge_processes(later.threads, later.processes, later.hosts);
        self.parts.extend(later.parts);
        self.activity.merge(&later.activity);
        match (&mut self.below, later.below) {
            (Some(below), Some(later)) => below.merge(&later),
            (below @ None, later) => *below = later,
            (Some(_), None) => {}
        }
        self.osts.merge(later.osts);
        self.objects.merge(later.objects);
        self.sites.merge(later.sites);
        self.buffers.merge(&later.buffers);
        self.elsewhere.merge(&later.elsewhere);
        self.join_streams(later.idle, later.open);
        self.join_grids(later.grids);
    }

    fn process_complete(&mut self, process: &Process) {
        self.close(process);
    }
}

impl Stat {
    /// When a thread of a process with several was in outermost calls.
    #[inline(always)]
    fn of_process(&mut self, spans: &[(i64, i64)]) {
        if self.now.several
            && let Some((_, grid)) = self.grids.last_mut()
        {
            spans.iter().for_each(|&(start, end)| grid.add(start, end));
        }
    }

    /// Joins streams of the process that is cut here.
    fn join_streams(&mut self, idle: Idle, open: Vec<Stream>) {
        if !idle.is_empty() || self.open.len() + open.len() > OPEN {
            self.rest();
            self.idle.merge(idle, self.limits.ranges);
        }
        let most = self.limits.ranges;
        let mut places: HashMap<Key, usize> = HashMap::new();
        if let Some(first) = open.first() {
            let part = first.key.part;
            let cut = self
                .open
                .iter()
                .enumerate()
                .filter(|(_, stream)| stream.key.part == part);
            places = cut.map(|(place, stream)| (stream.key, place)).collect();
        }
        for stream in open {
            match places.get(&stream.key) {
                Some(&place) => self.open[place].join(stream, most),
                None => self.open.push(stream),
            }
        }
    }

    fn join_grids(&mut self, grids: Vec<(u32, Grid)>) {
        for (part, grid) in grids {
            match self.grids.iter_mut().find(|(known, _)| *known == part) {
                Some((_, known)) => known.merge(&grid),
                None => self.grids.push((part, grid)),
            }
        }
    }
}

/// The layout of a call that moved bytes on OSTs.
#[inline(always)]
fn on_osts<'a>(call: &Call<'a>) -> Option<Layout<'a>> {
    let moves = call.is_io() && call.moved.read.max(call.moved.written) > 0;
    call.layout.filter(|_| moves)
}
