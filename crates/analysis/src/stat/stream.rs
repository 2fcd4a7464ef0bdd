//! The calls of one thread on one file: what of them depends on the call before is kept open at both ends.

use super::kernel_transfers::KernelTransfers;
use super::limits::Limits;
use super::pattern::{Pattern, Step};
use super::stream_buffer::{Reached, StreamBuffer};
use super::tally::{Direction, Tally, TimeCategory};
use super::touched::Touched;
use crate::sums::add;
use crate::{Call, FileId, Run};
use iota_calls::{Kind, Layer};
use serde::{Deserialize, Serialize};

/// Whose calls they are.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Key {
    /// The part.
    pub part: u32,
    /// The file.
    pub file: FileId,
    /// The thread.
    pub thread: u32,
}

/// Calls of one thread on one file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Stream {
    pub key: Key,
    pub tally: Tally,
    pub ways: [Transfers; 2],
    /// If it is a C stream.
    buffer: StreamBuffer,
    /// The number of the first seek.
    first_seek: Option<u64>,
    last_seek: Option<Seek>,
}

/// A seek that another one may follow.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Seek {
    /// The call's number in its thread.
    id: u64,
    /// Whether it counts as idle already.
    is_idle: bool,
}

impl Seek {
    /// Whether the call of this number makes it idle: a seek that comes at once, with no call of the thread between them.
    fn is_undone_by(self, id: u64) -> bool {
        !self.is_idle && id == self.id.wrapping_add(1)
    }
}

/// Transfers in one direction.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Transfers {
    pattern: Pattern,
    /// Time of the first two.
    head: [u64; 2],
    pub touched: Touched,
}

impl Stream {
    pub fn new(key: Key) -> Stream {
        Stream {
            key,
            ..Stream::default()
        }
    }

    /// One call; what buffers of C streams make of it goes to `buffers`.
    #[inline(always)]
    pub fn add(
        &mut self,
        call: &Call,
        class: TimeCategory,
        waited: u64,
        limits: Limits,
        buffers: &mut KernelTransfers,
    ) {
        self.tally.call(call, class, waited);
        if !call.is_io() {
            return;
        }
        let is_of_stream = call.function.layer == Layer::Stdio as u8;
        if is_of_stream {
            self.of_stream(call, class, waited, limits, buffers);
        }
        let limits = limits.of_calls(is_of_stream);
        match class.way() {
            Some(way) => match bytes(call, way) {
                0 if call.kind() == Kind::Sync => self.flush(1, waited),
                bytes => {
                    if call.is_asynchronous() {
                        add(&mut self.tally.asynchronous[way as usize], bytes);
                    }
                    let is_small = bytes < limits.small && !is_of_stream;
                    self.transfer(way, bytes, call.event.offset, (waited, is_small), limits);
                }
            },
            None => self.other(call, waited),
        }
    }

    /// What a call of a stream becomes.
    #[inline(never)]
    fn of_stream(
        &mut self,
        call: &Call,
        class: TimeCategory,
        waited: u64,
        limits: Limits,
        buffers: &mut KernelTransfers,
    ) {
        let (way, bytes) = match class.way() {
            Some(way) => (way, bytes(call, way)),
            None => (Direction::Write, 0),
        };
        let reached = match call.kind() {
            _ if bytes > 0 => {
                self.tally.of_streams[way as usize] += 1;
                self.buffer.moved(way, bytes)
            }
            Kind::Sync | Kind::Close => self.buffer.empty(),
            Kind::Seek if moves(&call.function.name) => self.buffer.empty(),
            Kind::Other if call.function.name.ends_with(b"setvbuf") => {
                self.buffer.resize(call.event.length);
                return;
            }
            _ => return,
        };
        self.reach(way, reached, waited, limits.small);
        buffers.add(way, reached, waited);
    }

    fn reach(&mut self, way: Direction, reached: Reached, waited: u64, small: u64) {
        let (tally, way, small) = (&mut self.tally, way as usize, reached.below(small));
        tally.of_buffers[way] += reached.transfers();
        tally.small[way] += small;
        if small > 0 {
            add(&mut tally.small_time[way], waited);
        }
    }

    /// Transfers that are alike, which took `time` together.
    #[inline(always)]
    pub fn run(
        &mut self,
        run: &Run,
        way: Direction,
        time: u64,
        limits: Limits,
        buffers: &mut KernelTransfers,
    ) {
        let (first, count, at) = (&run.first, run.count(), way as usize);
        let (bytes, time) = (
            bytes(first, way),
            if first.is_waited_for() { time } else { 0 },
        );
        self.tally.run(run, way.class(), time);
        add(&mut self.tally.bytes[at], count.saturating_mul(bytes));
        if bytes == 0 {
            if first.kind() == Kind::Sync {
                self.flush(count, time);
            }
            return;
        }
        self.tally.transfers[at] += count;
        if first.is_asynchronous() {
            add(
                &mut self.tally.asynchronous[at],
                count.saturating_mul(bytes),
            );
        }
        let is_of_stream = first.function.layer == Layer::Stdio as u8;
        if is_of_stream {
            self.tally.of_streams[at] += count;
            for elapse in run.elapses() {
                let waited = if first.is_waited_for() { elapse } else { 0 };
                let reached = self.buffer.moved(way, bytes);
                self.reach(way, reached, waited, limits.small);
                buffers.add(way, reached, waited);
            }
        } else if bytes < limits.small {
            self.tally.small[at] += count;
            add(&mut self.tally.small_time[at], time);
        }
        self.places(run, way, bytes, time, limits.of_calls(is_of_stream));
    }

    #[inline(always)]
    fn places(&mut self, run: &Run, way: Direction, bytes: u64, time: u64, limits: Limits) {
        let is_waited_for = run.first.is_waited_for();
        let waited = |elapse| if is_waited_for { elapse } else { 0 };
        let mut calls = run.offsets().zip(run.elapses().map(waited));
        let last = run.stride.checked_mul(run.count() as i64 - 1);
        let last = last.and_then(|span| run.first.event.offset.checked_add(span));
        if run.first.event.offset < 0 || last.is_none_or(|last| last < 0) {
            for (offset, waited) in calls.filter(|(offset, _)| *offset >= 0) {
                self.place(way, offset, bytes, waited, limits);
            }
            return;
        }
        let (mut rest, mut step) = (time, Step::First);
        // It takes three to know of all others what step they are.
        for (offset, waited) in calls.by_ref().take(3) {
            rest = rest.saturating_sub(waited);
            step = self.place(way, offset, bytes, waited, limits);
        }
        let left = run.count().saturating_sub(3);
        let (transfers, tally, at) = (&mut self.ways[way as usize], &mut self.tally, way as usize);
        add(&mut tally.placed[at], left.saturating_mul(bytes));
        tally.steps[at][step as usize] += left;
        if step == Step::Random {
            add(&mut tally.random_time[at], rest);
        }
        transfers.pattern.go_on(left);
        let starts = run.offsets().skip(3).map(|offset| offset as u64);
        transfers
            .touched
            .add_several(starts, left, run.stride, bytes, limits.ranges);
        if limits.is_aligned(run.first.event.offset) && limits.is_aligned(run.stride) {
            return;
        }
        for (_, waited) in calls.filter(|(offset, _)| !limits.is_aligned(*offset)) {
            tally.unaligned[at] += 1;
            add(&mut tally.unaligned_time[at], waited);
        }
    }

    /// What a call moved from or to this file; a call that moved nothing has no place.
    #[inline(always)]
    pub fn transfer(
        &mut self,
        way: Direction,
        bytes: u64,
        offset: i64,
        (waited, is_small): (u64, bool),
        limits: Limits,
    ) {
        let at = way as usize;
        add(&mut self.tally.bytes[at], bytes);
        if bytes == 0 {
            return;
        }
        self.tally.transfers[at] += 1;
        if is_small {
            self.tally.small[at] += 1;
            add(&mut self.tally.small_time[at], waited);
        }
        if offset >= 0 {
            self.place(way, offset, bytes, waited, limits);
        }
    }

    #[inline(always)]
    fn place(
        &mut self,
        way: Direction,
        offset: i64,
        bytes: u64,
        waited: u64,
        limits: Limits,
    ) -> Step {
        let (transfers, tally, at) = (&mut self.ways[way as usize], &mut self.tally, way as usize);
        add(&mut tally.placed[at], bytes);
        if !limits.is_aligned(offset) {
            tally.unaligned[at] += 1;
            add(&mut tally.unaligned_time[at], waited);
        }
        transfers.note(waited);
        let step = transfers.pattern.step(offset, bytes);
        tally.steps[at][step as usize] += 1;
        if step == Step::Random {
            add(&mut tally.random_time[at], waited);
        }
        let end = (offset as u64).saturating_add(bytes);
        transfers.touched.add(offset as u64, end, limits.ranges);
        step
    }

    fn flush(&mut self, count: u64, waited: u64) {
        self.tally.flushes += count;
        add(&mut self.tally.flush_time, waited);
    }

    #[inline(never)]
    fn other(&mut self, call: &Call, waited: u64) {
        let tally = &mut self.tally;
        if call.kind() == Kind::Open {
            add(&mut tally.all_open_time, waited);
        }
        match call.kind() {
            Kind::Open if !call.failed() => {
                tally.opens += 1;
                add(&mut tally.open_time, waited);
                self.ways.iter_mut().for_each(|way| way.pattern.anew());
            }
            Kind::Open | Kind::Meta if call.found_nothing() => {
                tally.missed += 1;
                add(&mut tally.missed_time, waited);
            }
            Kind::Seek => {
                tally.seeks += 1;
                add(&mut tally.seek_time, waited);
                self.seek(call.event.id, call.event.ret == call.event.offset);
            }
            Kind::Open | Kind::Close => {}
            Kind::Meta if call.function.is_query => {}
            _ => tally.uses += 1,
        }
    }

    fn seek(&mut self, id: u64, is_idle: bool) {
        let undone = self.last_seek.is_some_and(|last| last.is_undone_by(id));
        self.tally.idle_seeks += u64::from(is_idle) + u64::from(undone);
        self.first_seek.get_or_insert(id);
        self.last_seek = Some(Seek { id, is_idle });
    }

    /// Takes in the calls that follow.
    pub fn join(&mut self, later: Stream, most: usize) {
        self.tally.merge(&later.tally);
        self.buffer = later.buffer;
        if let Some(first) = later.first_seek {
            // That a seek would come at once was not known.
            let undone = self.last_seek.is_some_and(|last| last.is_undone_by(first));
            self.tally.idle_seeks += u64::from(undone);
            self.first_seek.get_or_insert(first);
            self.last_seek = later.last_seek;
        }
        for (at, transfers) in later.ways.into_iter().enumerate() {
            let (steps, time) = (&mut self.tally.steps[at], &mut self.tally.random_time[at]);
            self.ways[at].join(transfers, steps, time, most);
        }
    }
}

impl Transfers {
    #[inline(always)]
    fn note(&mut self, waited: u64) {
        if let Some(at) = self.pattern.heads() {
            self.head[at] = waited;
        }
    }

    fn join(
        &mut self,
        later: Transfers,
        steps: &mut [u64; super::pattern::STEPS],
        random: &mut u64,
        most: usize,
    ) {
        if let Some(from) = self.pattern.heads() {
            for (at, time) in (from..2).zip(later.head) {
                self.head[at] = time;
            }
        }
        self.pattern.join(later.pattern, steps, |at, is| {
            let time = later.head[at];
            *random = if is { *random + time } else { *random - time };
        });
        self.touched.merge(later.touched, most);
    }
}

/// Whether a function that seeks moves the position, and does not only ask for it.
fn moves(function: &[u8]) -> bool {
    let has = |word: &[u8]| function.windows(word.len()).any(|some| some == word);
    has(b"seek") || has(b"setpos") || has(b"rewind")
}

fn bytes(call: &Call, way: Direction) -> u64 {
    match way {
        Direction::Read => call.moved.read,
        Direction::Write => call.moved.written,
    }
}
