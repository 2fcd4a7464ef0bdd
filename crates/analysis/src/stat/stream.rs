//! The calls of one thread on one file: what of them depends on the call before is kept open at both ends.

use super::pattern::{Pattern, Step};
use super::tally::{ALIGNMENT, Class, SMALL, Tally, Way};
use super::touched::Touched;
use crate::{Call, FileId, Moved};
use iota_calls::Kind;
use serde::{Deserialize, Serialize};

/// Whose calls they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The part.
    pub part: u32,
    /// The thread.
    pub thread: u32,
    /// The file.
    pub file: FileId,
}

/// Calls of one thread on one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stream {
    pub key: Key,
    pub tally: Tally,
    pub ways: [Transfers; 2],
    /// Whether the first call is a seek that changed something, and what its time was.
    first_seek: Option<bool>,
    /// Whether the last call was a seek that is not counted as idle.
    last_seek: bool,
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
            tally: Tally::default(),
            ways: Default::default(),
            first_seek: None,
            last_seek: false,
        }
    }

    /// One call; `most` ranges of the file are told exactly.
    #[inline(always)]
    pub fn add(&mut self, call: &Call, class: Class, waited: u64, most: usize) {
        self.tally.call(call, class, waited);
        if !call.is_io() {
            return;
        }
        match class {
            Class::Read => {
                self.transfer(Way::Read, call.moved.read, call.event.offset, waited, most)
            }
            Class::Write => self.transfer(
                Way::Write,
                call.moved.written,
                call.event.offset,
                waited,
                most,
            ),
            Class::Sync | Class::Meta => self.other(call, waited),
        }
        if class != Class::Meta {
            self.first_seek.get_or_insert(false);
            self.last_seek = false;
        }
    }

    /// What a call moved from or to this file; a call that moved nothing has no place.
    #[inline(always)]
    pub fn transfer(&mut self, way: Way, bytes: u64, offset: i64, waited: u64, most: usize) {
        let at = way as usize;
        self.tally.bytes[at] += bytes;
        if bytes == 0 {
            return;
        }
        if bytes < SMALL {
            self.tally.small[at] += 1;
            self.tally.small_time[at] += waited;
        }
        if offset >= 0 {
            self.place(way, offset, bytes, waited, most);
        }
    }

    #[inline(always)]
    fn place(&mut self, way: Way, offset: i64, bytes: u64, waited: u64, most: usize) {
        let (transfers, tally, at) = (&mut self.ways[way as usize], &mut self.tally, way as usize);
        if !(offset as u64).is_multiple_of(ALIGNMENT) {
            tally.unaligned[at] += 1;
            tally.unaligned_time[at] += waited;
        }
        transfers.note(waited);
        let step = transfers.pattern.step(offset, bytes);
        tally.steps[at][step as usize] += 1;
        if step == Step::Random {
            tally.random_time[at] += waited;
        }
        let end = (offset as u64).saturating_add(bytes);
        transfers.touched.add(offset as u64, end, most);
    }

    #[inline(never)]
    fn other(&mut self, call: &Call, waited: u64) {
        let tally = &mut self.tally;
        match call.kind() {
            Kind::Open if !call.failed() => {
                tally.opens += 1;
                tally.open_time += waited;
                self.ways.iter_mut().for_each(|way| way.pattern.anew());
            }
            Kind::Seek => {
                tally.seeks += 1;
                tally.seek_time += waited;
                let idle = call.event.ret == call.event.offset || self.last_seek;
                tally.idle_seeks += u64::from(idle);
                self.first_seek.get_or_insert(!idle);
                self.last_seek = true;
                return;
            }
            _ => {}
        }
        self.first_seek.get_or_insert(false);
        self.last_seek = false;
    }

    /// Takes in the calls that follow.
    pub fn join(&mut self, later: Stream, most: usize) {
        self.tally.merge(&later.tally);
        // A seek that followed another one was not known to.
        self.tally.idle_seeks += u64::from(self.last_seek && later.first_seek == Some(true));
        if let Some(first) = later.first_seek {
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

/// What a call that copies from one file to another did to each: first file, second file.
pub fn sides(call: &Call) -> [(Way, u64); 2] {
    let Moved { read, written } = call.moved;
    // Of `sendfile` alone the first descriptor is the one written to.
    match call.function.name.starts_with(b"sendfile") {
        true => [(Way::Write, written), (Way::Read, read)],
        false => [(Way::Read, read), (Way::Write, written)],
    }
}
