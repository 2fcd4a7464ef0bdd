//! Calls, bytes and time by function, by file and by part.

use super::summary::Totals;
use iota_analysis::stat::Sums;
use iota_analysis::{
    Accumulator, ByNumber, Call, FileId, Job, Media, Medium, Moved, NO_FILE, OpId, Pass, Process,
    Run, TaskId,
};

/// What a pass finds
#[derive(Default)]
pub struct Tally {
    /// By the function's number
    functions: Vec<Totals>,
    /// In boxes, because a map has room for up to twice as many
    files: ByNumber<Box<OfFile>>,
    /// Calls of each part that has any, in order
    found: Vec<(u32, u64)>,
    /// What each of these did on storage, but for what MPI did for itself: as `iota stat` counts
    own: Vec<(u32, Sums)>,
    /// By what the time of each part in outermost I/O calls is longer than in those of descriptors and streams, in ns
    in_libraries: Vec<(u32, i64)>,
    /// What files are on
    media: Option<Media>,
    /// The part of the calls that come
    part: u32,
}

/// A file's calls
pub struct OfFile {
    /// What they come to
    pub totals: Totals,
    /// How many ranks use it, or processes of a job without ranks
    pub tasks: u64,
    /// The first and the last of these: parts come in their order
    first: TaskId,
    last: TaskId,
    /// Calls that MPI makes to start and to end
    startup: u64,
}

impl Tally {
    /// Reads all calls
    pub fn of(job: &Job) -> Tally {
        Pass::of(job).run(|| Tally {
            media: Some(job.files.media()),
            ..Tally::default()
        })
    }

    /// Takes their number from the index, and reads none
    pub fn outlined(job: &Job) -> Tally {
        let parts = job.trace.parts().iter();
        Tally {
            found: parts
                .map(|part| (part.place(), part.event_count()))
                .collect(),
            ..Tally::default()
        }
    }

    /// Calls of a part
    pub fn found(&self, part: u32) -> u64 {
        let at = self.found.binary_search_by_key(&part, |(known, _)| *known);
        at.map_or(0, |at| self.found[at].1)
    }

    /// What each part did on storage
    pub fn own(&self) -> impl Iterator<Item = (u32, Sums)> {
        self.own.iter().copied()
    }

    /// Time of each part in outermost I/O calls on storage
    pub fn outermost(&self) -> impl Iterator<Item = (u32, u64)> {
        self.own.iter().map(|(part, sums)| {
            let at = self
                .in_libraries
                .binary_search_by_key(part, |(part, _)| *part);
            let more = at.map_or(0, |at| self.in_libraries[at].1);
            (*part, sums.time.saturating_add_signed(more))
        })
    }

    /// Functions that were called
    pub fn functions(&self) -> impl Iterator<Item = (OpId, &Totals)> {
        (0..).zip(&self.functions).filter(|(_, of)| of.calls > 0)
    }

    /// Files that were used
    pub fn files(&self) -> impl Iterator<Item = (FileId, &OfFile)> {
        self.files.iter().map(|(file, of)| (*file, &**of))
    }

    #[inline(always)]
    fn take(&mut self, call: &Call, alike: &Totals) {
        let op = usize::from(call.op);
        if self.functions.len() <= op {
            self.functions.resize(op + 1, Totals::default());
        }
        self.functions[op].add(alike);
        if call.is_io() && call.copies() {
            self.copy(call, alike);
        } else if call.is_io() {
            self.use_file(call.file, call, alike);
        }
        match self.found.last_mut() {
            Some((part, calls)) if *part == self.part => *calls += alike.calls,
            _ => self.found.push((self.part, alike.calls)),
        }
        let of_call = |media: &Media| media.of_call(call) == Medium::Storage;
        if self.media.as_ref().is_some_and(of_call) {
            self.take_own(self.part, &counted(call, alike));
            if call.function.is_library || call.is_under_library() {
                self.through_library(call, alike.inclusive);
            }
        }
    }

    #[inline(always)]
    fn use_file(&mut self, file: FileId, call: &Call, alike: &Totals) {
        if file != NO_FILE {
            let task = call.process.task;
            let of = self.files.entry(file);
            let of = of.or_insert_with(|| OfFile::of(task));
            of.add(task, alike);
            if call.is_startup() {
                of.startup += alike.calls;
            }
        }
    }

    /// The calls are those of the first file; each file has its bytes.
    #[cold]
    fn copy(&mut self, call: &Call, alike: &Totals) {
        let [(first, of_first), (second, of_second)] = call.sides();
        let moved = |moved: Moved, of: Totals| Totals {
            bytes_read: moved.read.saturating_mul(alike.calls),
            bytes_written: moved.written.saturating_mul(alike.calls),
            ..of
        };
        self.use_file(first, call, &moved(of_first, *alike));
        self.use_file(second, call, &moved(of_second, Totals::default()));
    }

    /// A call of a library counts as a whole, and not by the calls that it makes
    #[cold]
    fn through_library(&mut self, call: &Call, time: u64) {
        let time = i64::try_from(time).unwrap_or(i64::MAX);
        let more = match (call.is_outermost(), call.is_waited_for()) {
            _ if call.is_startup() => 0,
            (true, false) => time,
            (false, true) => -time,
            _ => 0,
        };
        self.add_in_libraries(self.part, more);
    }

    fn add_in_libraries(&mut self, part: u32, more: i64) {
        match self.in_libraries.last_mut() {
            Some((last, known)) if *last == part => *known = known.saturating_add(more),
            _ => self.in_libraries.push((part, more)),
        }
    }

    #[inline(always)]
    fn take_own(&mut self, part: u32, sums: &Sums) {
        match self.own.last_mut() {
            Some((last, known)) if *last == part => known.merge(sums),
            _ => self.own.push((part, *sums)),
        }
    }
}

impl Accumulator for Tally {
    fn part(&mut self, process: &Process) {
        self.part = process.part;
    }

    #[inline(always)]
    fn add(&mut self, call: &Call) {
        let elapse = call.elapse();
        let times = (elapse, elapse);
        self.take(call, &totals(call, 1, times));
    }

    #[inline(always)]
    fn run(&mut self, run: &Run) {
        let times = run.elapses().fold((0u64, 0), |(sum, longest), elapse| {
            (sum.saturating_add(elapse), elapse.max(longest))
        });
        self.take(&run.first, &totals(&run.first, run.count(), times));
    }

    fn merge(&mut self, later: Tally) {
        let most = self.functions.len().max(later.functions.len());
        self.functions.resize(most, Totals::default());
        for (to, from) in self.functions.iter_mut().zip(&later.functions) {
            to.add(from);
        }
        for (file, of) in later.files {
            match self.files.get_mut(&file) {
                Some(known) => known.merge(&of),
                None => drop(self.files.insert(file, of)),
            }
        }
        for (part, sums) in later.own {
            self.take_own(part, &sums);
        }
        for (part, more) in later.in_libraries {
            self.add_in_libraries(part, more);
        }
        for (part, calls) in later.found {
            match self.found.last_mut() {
                Some((last, known)) if *last == part => *known += calls,
                _ => self.found.push((part, calls)),
            }
        }
    }
}

/// Of calls that are alike, what counts for their process
fn counted(call: &Call, alike: &Totals) -> Sums {
    if call.function.class.is_none() || call.is_startup() {
        return Sums::default();
    }
    let counts = u64::from(call.is_io());
    Sums {
        calls: counts * alike.calls,
        bytes_read: counts * alike.bytes_read,
        bytes_written: counts * alike.bytes_written,
        time: u64::from(call.is_waited_for()) * alike.inclusive,
    }
}

impl OfFile {
    /// Whether the program uses it, and not only MPI
    pub fn is_of_program(&self) -> bool {
        self.totals.calls > self.startup
    }

    fn of(task: TaskId) -> Box<OfFile> {
        Box::new(OfFile {
            totals: Totals::default(),
            tasks: 1,
            first: task,
            last: task,
            startup: 0,
        })
    }

    #[inline(always)]
    fn add(&mut self, task: TaskId, alike: &Totals) {
        self.totals.add(alike);
        self.tasks += u64::from(self.last != task);
        self.last = task;
    }

    fn merge(&mut self, later: &OfFile) {
        self.totals.add(&later.totals);
        self.tasks += later.tasks - u64::from(self.last == later.first);
        self.last = later.last;
        self.startup += later.startup;
    }
}

/// Those of so many calls that are alike, with the sum of their times and the longest
#[inline(always)]
fn totals(call: &Call, calls: u64, (inclusive, max): (u64, u64)) -> Totals {
    Totals {
        calls,
        failed: if call.failed() { calls } else { 0 },
        inclusive,
        max,
        bytes_read: call.moved.read.saturating_mul(calls),
        bytes_written: call.moved.written.saturating_mul(calls),
    }
}
