//! One call as a reader sees it.

use crate::record::{Record, flags};
use crate::{Details, OP_MORE, Step};

/// A decoded call. Its times are clock steps since the start of its part; [`crate::Clock`] makes nanoseconds of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Clock steps since the part's origin, before the call.
    pub start: i64,
    /// Clock steps since the part's origin, after the call.
    pub end: i64,
    /// What the call returned.
    pub ret: i64,
    /// File position before the call; -1 where there is none.
    pub offset: i64,
    /// Bytes asked for (open: flags, and mode << 32).
    pub length: u64,
    /// The call's number in its thread, from 1.
    pub id: u64,
    /// The number of the enclosing call; 0: none.
    pub parent: u64,
    /// The thread that called.
    pub thread: u32,
    /// The path's id in the part's names; 0: none.
    pub file: u32,
    /// The descriptor; -1: none.
    pub fd: i32,
    /// The call's id in the part's names.
    pub op: u16,
    /// `errno` after a call that failed, else 0.
    pub errno: u16,
    /// See [`flags`].
    pub flags: u16,
    /// `whence` of a seek, or another small argument.
    pub whence: u16,
    /// Holds something only where `flags` has [`flags::MORE`].
    pub second: Second,
}

/// The second file, descriptor and offset of a call on two, and one more argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Second {
    /// The second path's id; 0: none.
    pub file: u32,
    /// The second descriptor; -1: none.
    pub fd: i32,
    /// The second offset; -1: none.
    pub offset: i64,
    /// One argument more.
    pub arg: u64,
}

impl Second {
    /// What an event without [`flags::MORE`] has.
    pub const NONE: Second = Second {
        file: 0,
        fd: -1,
        offset: -1,
        arg: 0,
    };

    /// Flags and second half of an event; a first half whose second was never written stands alone.
    #[cold]
    fn of(flags: u16, next: Option<&Record>) -> (u16, Second) {
        match next {
            Some(more) if more.op == OP_MORE => (
                flags,
                Second {
                    file: more.file,
                    fd: more.fd,
                    offset: more.offset,
                    arg: more.length,
                },
            ),
            _ => (flags & !flags::MORE, Second::NONE),
        }
    }
}

impl Default for Second {
    fn default() -> Self {
        Second::NONE
    }
}

impl Event {
    /// The event that `record` and the record after it stand for.
    ///
    /// `calls` is the thread's full call number at any time after the record and before 2^32 calls more.
    #[inline(always)]
    pub fn of(
        record: &Record,
        next: Option<&Record>,
        step: &Step,
        thread: u32,
        calls: u64,
    ) -> Event {
        let known = record.flags & flags::ALL;
        let (flags, second) = if known & flags::MORE == 0 {
            (known, Second::NONE)
        } else {
            Second::of(known, next)
        };
        Event {
            start: step.steps(record.start),
            end: step.steps(record.end),
            ret: record.ret,
            offset: record.offset,
            length: record.length,
            id: widen(record.id, calls),
            parent: widen_parent(record.parent, calls),
            thread,
            file: record.file,
            fd: record.fd,
            op: record.op,
            errno: record.errno,
            flags,
            whence: record.whence,
            second,
        }
    }

    /// The record that it is, and the one after it where it has a second half, by a clock whose ticks are its steps.
    pub fn records(&self) -> impl Iterator<Item = Record> + use<> {
        let second = self.second;
        let first = Record {
            start: self.start as u64,
            end: self.end as u64,
            ret: self.ret,
            offset: self.offset,
            length: self.length,
            id: self.id as u32,
            parent: self.parent as u32,
            file: self.file,
            fd: self.fd,
            op: self.op,
            errno: self.errno,
            flags: self.flags,
            whence: self.whence,
        };
        let has_second = self.flags & flags::MORE != 0;
        let second = Record::more(second.file, second.fd, second.offset, second.arg);
        [first].into_iter().chain(has_second.then_some(second))
    }

    /// The same, and the records of its details.
    pub fn records_with(&self, details: &[Details]) -> impl Iterator<Item = Record> {
        let id = self.id as u32;
        let details = details.iter().flat_map(move |details| details.records(id));
        self.records().chain(details)
    }
}

/// The number at or below `calls` whose low half is `low`.
#[inline(always)]
pub(crate) fn widen(low: u32, calls: u64) -> u64 {
    calls.wrapping_sub(u64::from((calls as u32).wrapping_sub(low)))
}

/// The same, but 0 stays 0.
#[inline(always)]
pub(crate) fn widen_parent(low: u32, calls: u64) -> u64 {
    if low == 0 { 0 } else { widen(low, calls) }
}
