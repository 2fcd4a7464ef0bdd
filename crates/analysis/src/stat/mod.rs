//! Where the time of a job's I/O went: everything that `iota stat` says, found in one pass.
//!
//! A thread's calls on a file come together in a [`stream::Stream`], as long as its process may have more of them; then they
//! are added to their file, their rank and their thread. So memory grows with the number of files and of ranks, not with
//! their product, and not with the number of calls. What is kept of a file, and streams that had no call lately, are packed.

mod activity;
mod blocks;
mod close;
mod collect;
mod extents;
mod facts;
mod facts_of_job;
mod families;
mod figures;
mod finding;
mod grid;
mod histogram;
mod idle;
mod kernel_transfers;
mod library_share;
mod limits;
mod non_storage;
mod objects;
mod options;
mod osts;
mod overwrites;
mod packed;
mod partial;
mod pattern;
mod phases;
mod processes;
mod program_bytes;
mod range_lists;
mod report;
mod rows;
mod sites;
mod stream;
mod stream_buffer;
mod table;
mod tally;
mod touched;

pub use extents::{Overlap, Overlapping};
pub use facts::Facts;
pub use families::{Families, Family};
pub use figures::{
    Balance, ClassTimes, Conflict, Example, FileFigures, IoFigures, IoTime, JobFigures, PartOfRun,
    Percentiles, Report, Row, SomeFiles, Spread, Steps, Table, TransferFigures,
};
pub use finding::Finding;
pub(crate) use finding::dearest;
pub use histogram::Histogram;
pub use non_storage::{NonStorage, Sums};
pub use options::{By, Options, Sort};
pub use osts::{Holder, OstStat, Osts};
pub use overwrites::Overwrites;
pub use packed::Packed;
pub use partial::{Partial, Unreadable};
pub use pattern::{STEPS, Step};
pub use phases::{Phase, Phases};
pub use processes::{HostStat, ProcessStat};
pub use report::Further;
pub use table::{FileStat, OpStat, TaskStat, ThreadStat};
pub use tally::{Direction, Tally, TimeCategory};
pub(crate) use touched::Touched;

use crate::sums::add;
use crate::thresholds::Thresholds;
use crate::{Call, FileId, Filter, Function, Job, Media, Moved, Process, TaskId};
use activity::Activity;
pub(crate) use grid::Grid;
use idle::Idle;
use kernel_transfers::KernelTransfers;
use limits::Limits;
use objects::ObjectStats;
use serde::{Deserialize, Serialize};
use sites::SiteStats;
use std::collections::{BTreeMap, HashMap};
use stream::{Key, Stream};

/// Bins of the time in which ranks are busy together.
const BINS: usize = 4096;
/// Bins of a process with several threads.
const PROCESS_BINS: usize = 1024;
/// Places of streams that were used lately.
const LATELY: usize = 1024;
/// Streams that are not packed; few where overflows are checked, as tests have few files.
const OPEN: usize = if cfg!(debug_assertions) { 3 } else { 1 << 14 };
/// Threads that are listed one by one.
const THREADS: usize = 1 << 16;
/// Ranges that are kept exactly, in all files together.
const RANGES: usize = 1 << 21;

/// What has been found out so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stat {
    /// Functions by their numbers.
    pub ops: Vec<Option<Box<OpStat>>>,
    /// Files.
    pub files: HashMap<FileId, Packed<FileStat>>,
    /// Tasks in order.
    pub tasks: Vec<(TaskId, TaskStat)>,
    /// Threads, those that waited longest.
    pub threads: Vec<ThreadStat>,
    /// Processes, those that waited longest.
    pub processes: Vec<ProcessStat>,
    /// What each part did, by its number.
    pub parts: Vec<(u32, Sums)>,
    /// Hosts by their numbers in the job.
    pub hosts: BTreeMap<u32, HostStat>,
    /// OSTs and their like, of files whose layout is known.
    pub osts: Osts,
    /// Datasets, variables and attributes.
    objects: ObjectStats,
    /// From where calls were made, as far as that is known.
    sites: SiteStats,
    /// What buffers of C streams passed on to the kernel.
    buffers: KernelTransfers,
    /// Calls on what is no storage, if these are left out.
    pub elsewhere: NonStorage,
    /// When tasks were in outermost I/O calls, and moved bytes,
    activity: Activity,
    /// and when any was in one of descriptors or streams that a library made; none where no library did.
    below: Option<Grid>,
    limits: Limits,
    /// End of the job.
    duration: i64,
    /// Streams of processes that may have more calls, in the order of processes.
    open: Vec<Stream>,
    /// Others of them, or what came before in the same.
    idle: Idle,
    /// Of processes with several threads that may have more calls, when any was in I/O.
    grids: Vec<(u32, Grid)>,
    /// What files are on, if only calls on storage count.
    #[serde(skip)]
    media: Option<Media>,
    /// Whether the job has sites.
    has_sites: bool,
    #[serde(skip)]
    now: Now,
}

/// Where calls that come belong.
#[derive(Clone, Debug, Default)]
struct Now {
    process: Option<Process>,
    thread: Option<u32>,
    places: HashMap<(u32, FileId), u32>,
    /// File and place of streams of the current thread.
    lately: RecentStreams,
    several: bool,
}

/// By the low bits of the file.
#[derive(Clone, Debug)]
struct RecentStreams(Box<[(FileId, u32); LATELY]>);

impl Default for RecentStreams {
    fn default() -> Self {
        RecentStreams(Box::new([(FileId::MAX, 0); LATELY]))
    }
}

impl Stat {
    /// Nothing of this job.
    pub fn new(job: &Job) -> Stat {
        Stat {
            limits: Limits {
                ranges: (RANGES / job.files.len().max(1)).clamp(64, 1 << 16),
                ..Limits::default()
            },
            has_sites: !job.sites.is_empty(),
            ..Stat::empty(job.duration)
        }
    }

    /// The same with these thresholds, as far as they decide what is counted.
    #[must_use]
    pub fn with(self, thresholds: &Thresholds) -> Stat {
        Stat {
            limits: Limits {
                ranges: self.limits.ranges,
                ..Limits::of(thresholds)
            },
            ..self
        }
    }

    /// Nothing of this job, of which the filter will choose calls: unless it chooses files, those on storage count.
    pub fn of(job: &Job, filter: &Filter) -> Stat {
        Stat {
            media: (!filter.chooses_files()).then(|| job.files.media()),
            ..Stat::new(job)
        }
    }

    /// Nothing, of a job of this duration that has no event.
    pub fn empty(duration: i64) -> Stat {
        Stat {
            ops: Vec::new(),
            files: HashMap::new(),
            tasks: Vec::new(),
            threads: Vec::new(),
            processes: Vec::new(),
            parts: Vec::new(),
            hosts: BTreeMap::new(),
            osts: Osts::default(),
            objects: ObjectStats::default(),
            sites: SiteStats::default(),
            buffers: KernelTransfers::default(),
            elsewhere: NonStorage::default(),
            activity: Activity::new(duration, BINS),
            below: None,
            limits: Limits::default(),
            duration,
            open: Vec::new(),
            idle: Idle::default(),
            grids: Vec::new(),
            media: None,
            has_sites: false,
            now: Now::default(),
        }
    }

    /// Counts a call that is left out everywhere else.
    #[inline(always)]
    fn is_elsewhere(&mut self, call: &Call) -> bool {
        let media = self.media.as_ref();
        media.is_some_and(|media| self.elsewhere.takes(media, call))
    }

    /// Time in which at least one task was in I/O, at most; the second number is how far it may be off at each call that
    /// overlaps others.
    pub fn union(&self) -> (u64, u64) {
        // Where a filter left out the calls of libraries, those below them are all that is known.
        let below = self.below.as_ref().filter(|_| self.library_calls() == 0);
        let mut busy = self.activity.busy();
        below.into_iter().for_each(|below| busy.merge(below));
        (busy.union(), busy.width())
    }

    /// The stream of the current thread and a file, and what buffers of all streams passed on.
    #[inline(always)]
    fn stream(&mut self, file: FileId) -> (&mut Stream, &mut KernelTransfers) {
        let lately = self.now.lately.0[file as usize % LATELY];
        let place = match lately.0 == file {
            true => lately.1,
            false => self.find(file),
        };
        (&mut self.open[place as usize], &mut self.buffers)
    }

    #[inline(never)]
    fn find(&mut self, file: FileId) -> u32 {
        let thread = self.now.thread.unwrap_or_default();
        let place = match self.now.places.get(&(thread, file)) {
            Some(place) => *place,
            None => self.begin(thread, file),
        };
        self.now.lately.0[file as usize % LATELY] = (file, place);
        place
    }

    fn begin(&mut self, thread: u32, file: FileId) -> u32 {
        let process = self.now.process.unwrap_or_default();
        if self.open.len() >= OPEN {
            self.rest();
        }
        let place = self.open.len() as u32;
        let part = process.part;
        self.open.push(Stream::new(Key { part, thread, file }));
        self.now.places.insert((thread, file), place);
        // Processes come by task now; they may be closed in another order.
        let known = self.files.entry(file).or_default();
        known.change(|file| file.used_by(process.task));
        place
    }

    /// Puts all streams away.
    fn rest(&mut self) {
        for stream in self.open.drain(..) {
            self.idle.put(stream, self.limits.ranges);
        }
        self.now.places.clear();
        self.now.lately.0.fill((FileId::MAX, 0));
    }

    #[inline(always)]
    fn op(&mut self, call: &Call) -> &mut OpStat {
        let op = usize::from(call.op);
        if op >= self.ops.len() || self.ops[op].is_none() {
            self.new_op(op, call.function);
        }
        match &mut self.ops[op] {
            Some(op) => op,
            None => unreachable!("it was just made"),
        }
    }

    #[cold]
    fn new_op(&mut self, op: usize, function: &Function) {
        self.ops.resize(self.ops.len().max(op + 1), None);
        self.ops[op] = Some(Box::new(OpStat::of(function)));
    }

    /// When a library waited for a call of descriptors or streams.
    #[inline(never)]
    fn wait_below(&mut self, start: i64, end: i64) {
        let new = || Grid::new(self.duration, BINS);
        self.below.get_or_insert_with(new).add(start, end);
    }

    #[cold]
    fn copy(&mut self, call: &Call, class: TimeCategory, waited: u64) {
        let (limits, offsets) = (self.limits, [call.event.offset, call.event.second.offset]);
        // It reads one file and writes the other: each way has half of the time, so that times add up.
        let of_write = waited / 2;
        let tally = &mut self.stream(call.file).0.tally;
        tally.call(call, class, 0);
        add(&mut tally.time[Direction::Read as usize], waited - of_write);
        add(&mut tally.time[Direction::Write as usize], of_write);
        for ((file, Moved { read, written }), offset) in call.sides().into_iter().zip(offsets) {
            let (way, share) = match written {
                0 => (Direction::Read, waited - of_write),
                _ => (Direction::Write, of_write),
            };
            let bytes = read.max(written);
            let timed = (share, bytes < limits.small);
            let (stream, _) = self.stream(file);
            stream.transfer(way, bytes, offset, timed, limits);
        }
    }
}
