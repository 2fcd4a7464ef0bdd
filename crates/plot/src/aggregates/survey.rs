//! The first pass: how much there is of everything, which says how the second one divides it.

use iota_analysis::stat::Direction;
use iota_analysis::sums::{add, add_each};
use iota_analysis::{Accumulator, ByNumber, Call, FileId, Job, NO_FILE, Run, is_installed};
use std::collections::BTreeSet;

/// Bytes that a call moved from or to a place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The file that is read or written.
    pub file: FileId,
    /// Which way.
    pub way: Direction,
    /// How many.
    pub bytes: u64,
    /// The first byte's place, if it is known.
    pub offset: Option<i64>,
}

impl Transfer {
    #[inline(always)]
    fn of(way: Direction, (file, offset): (FileId, i64), bytes: u64) -> Transfer {
        Transfer {
            file,
            way,
            bytes,
            offset: (offset >= 0).then_some(offset),
        }
    }
}

/// What a call moved: most move one way, copies both.
#[inline(always)]
pub fn transfers(call: &Call) -> impl Iterator<Item = Transfer> {
    let (moved, place) = (call.moved, (call.file, call.event.offset));
    let (sides, count) = match (moved.read, moved.written) {
        (0, written) => (
            [Transfer::of(Direction::Write, place, written); 2],
            written.min(1),
        ),
        (read, 0) => ([Transfer::of(Direction::Read, place, read); 2], 1),
        _ => (copied(call), 2),
    };
    sides.into_iter().take(count as usize)
}

/// What one that copies read, and what it wrote.
#[cold]
fn copied(call: &Call) -> [Transfer; 2] {
    let (first, second) = (
        (call.file, call.event.offset),
        (call.second, call.event.second.offset),
    );
    let (from, to) = match call.writes_first() {
        true => (second, first),
        false => (first, second),
    };
    [
        Transfer::of(Direction::Read, from, call.moved.read),
        Transfer::of(Direction::Write, to, call.moved.written),
    ]
}

/// What is known of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OfFile {
    /// Bytes read and written.
    pub bytes: [u64; 2],
    /// Transfers whose place is known.
    pub placed: u64,
    /// The end of the last byte moved.
    pub end: i64,
    /// A rank that moved bytes.
    pub rank: Option<u32>,
    /// Whether another one did, too.
    pub is_shared: bool,
}

impl OfFile {
    /// A rank moved bytes as well.
    fn used_by(&mut self, rank: u32) {
        self.is_shared |= *self.rank.get_or_insert(rank) != rank;
    }

    fn merge(&mut self, more: &OfFile) {
        add_each(&mut self.bytes, &more.bytes);
        self.placed += more.placed;
        self.end = self.end.max(more.end);
        self.is_shared |= more.is_shared;
        if let Some(rank) = more.rank {
            self.used_by(rank);
        }
    }
}

/// How much there is of everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Calls that count.
    pub calls: u64,
    /// Calls that a thread waited for.
    pub waited: u64,
    /// Start of the first and end of the last call.
    pub span: Option<(i64, i64)>,
    /// Files by their numbers.
    pub files: ByNumber<OfFile>,
    /// Ranks that called.
    pub ranks: BTreeSet<u32>,
    last_rank: Option<u32>,
}

impl Survey {
    /// Bytes read and written.
    pub fn bytes(&self) -> [u64; 2] {
        let files = self.files.values();
        files.fold([0, 0], |sum, file| {
            [sum[0] + file.bytes[0], sum[1] + file.bytes[1]]
        })
    }

    /// The file of which most bytes were moved to or from known places, the earlier of two; one of an installation only if
    /// there is no other.
    pub fn busiest(&self, job: &Job) -> Option<FileId> {
        let is_own = |id, of: &OfFile| of.bytes[1] > 0 || !is_installed(job.files.path(id));
        self.busiest_of(is_own)
            .or_else(|| self.busiest_of(|_, _| true))
    }

    /// The same of files that several ranks use and at least one writes.
    pub fn busiest_shared(&self) -> Option<FileId> {
        self.busiest_of(|_, of| of.is_shared && of.bytes[1] > 0)
    }

    fn busiest_of(&self, wanted: impl Fn(FileId, &OfFile) -> bool) -> Option<FileId> {
        let placed = self
            .files
            .iter()
            .filter(|(id, of)| of.placed > 0 && wanted(**id, of));
        let most = placed.max_by_key(|(id, of)| (of.bytes[0] + of.bytes[1], u32::MAX - **id));
        most.map(|(id, _)| *id)
    }
}

impl Survey {
    /// Calls that are alike, of a class, from the start of the first to the end of the last.
    #[inline(always)]
    fn called(&mut self, call: &Call, count: u64, (start, end): (i64, i64)) {
        if self.last_rank != Some(call.process.task) {
            self.last_rank = Some(call.process.task);
            self.ranks.insert(call.process.task);
        }
        self.waited += u64::from(call.is_waited_for()) * count;
        let known = self.span.unwrap_or((start, end));
        self.span = Some((known.0.min(start), known.1.max(end)));
        self.calls += u64::from(call.is_io()) * count;
    }

    /// As many transfers, the last byte of which ends at `end` if their places are known.
    #[inline(always)]
    fn moved(&mut self, side: &Transfer, rank: u32, count: u64, end: Option<i64>) {
        if side.file == NO_FILE {
            return;
        }
        let of = self.files.entry(side.file).or_default();
        add(
            &mut of.bytes[side.way as usize],
            side.bytes.saturating_mul(count),
        );
        of.used_by(rank);
        if let Some(end) = end {
            of.placed += count;
            of.end = of.end.max(end);
        }
    }
}

/// The end of the last byte of transfers whose first and last begin there.
fn end(first: i64, last: i64, bytes: u64) -> i64 {
    first.max(last).saturating_add_unsigned(bytes)
}

impl Accumulator for Survey {
    #[inline(always)]
    fn add(&mut self, call: &Call) {
        if call.function.class.is_none() {
            return;
        }
        self.called(call, 1, (call.start, call.end));
        if call.is_io() {
            for side in transfers(call) {
                let end = side.offset.map(|offset| end(offset, offset, side.bytes));
                self.moved(&side, call.process.task, 1, end);
            }
        }
    }

    fn run(&mut self, run: &Run) {
        let (call, count, first) = (&run.first, run.count(), run.first.event.offset);
        let last = run.stride.checked_mul(count as i64 - 1);
        let last = last.and_then(|span| first.checked_add(span));
        // The places of all are known, or of none.
        let last = last.filter(|last| (first < 0) == (*last < 0) && !call.copies());
        let Some(last) = last.filter(|_| call.function.class.is_some()) else {
            return run.each(|call| self.add(call));
        };
        let starts = run.times.iter().map(|(start, _)| *start).min();
        let ends = run.times.iter().map(|(_, end)| *end).max();
        let times = (starts.unwrap_or(call.start), ends.unwrap_or(call.end));
        self.called(call, count, times);
        if call.is_io() {
            for side in transfers(call) {
                let end = side.offset.map(|_| end(first, last, side.bytes));
                self.moved(&side, call.process.task, count, end);
            }
        }
    }

    fn merge(&mut self, later: Survey) {
        self.calls += later.calls;
        self.waited += later.waited;
        self.ranks.extend(later.ranks);
        self.span = match (self.span, later.span) {
            (Some(ours), Some(theirs)) => Some((ours.0.min(theirs.0), ours.1.max(theirs.1))),
            (ours, theirs) => ours.or(theirs),
        };
        for (file, more) in later.files {
            self.files.entry(file).or_default().merge(&more);
        }
    }
}
