//! Transfers under way: begun by one call, they end when the program learns of it by another.
//!
//! The table is in memory that a forked child finds empty, as it has none of its parent's transfers. A key is the address of
//! what the program describes the transfer with, or what stands for it. Transfers may share a key: the one that began
//! first ends first. One that finds no place is counted as lost, or recorded as the call that begins it.

use super::file::FileId;
use super::keyed::Keyed;
use super::paths;
use crate::sys::{self, Once, Starting};
use crate::thread::Thread;
use core::ffi::c_int;
use iota_calls::Op;

/// What a transfer is about, as its call said it.
#[derive(Clone, Copy)]
pub struct TransferFacts {
    pub fd: c_int,
    pub file: FileId,
    pub offset: i64,
    pub length: u64,
    /// The second path of a call that has two.
    pub second: FileId,
    /// Those of `pwritev2`, for a transfer.
    pub flags: c_int,
}

impl TransferFacts {
    /// Nothing.
    pub const NONE: TransferFacts = TransferFacts {
        fd: -1,
        file: FileId::NONE,
        offset: -1,
        length: 0,
        second: FileId::NONE,
        flags: 0,
    };
}

/// Where a transfer was begun.
#[derive(Clone, Copy)]
pub struct Cause {
    /// The thread's number.
    pub thread: u32,
    /// The call that enclosed what began it; 0: none.
    pub call: u64,
}

impl Cause {
    #[inline(never)]
    fn here(thread: &Thread) -> Cause {
        let marker = 0u8;
        Cause {
            thread: thread.number(),
            call: thread.enclosing((&raw const marker) as usize),
        }
    }
}

/// A transfer that was begun.
#[derive(Clone, Copy)]
pub struct PendingCall {
    /// What began it.
    pub op: Op,
    /// When.
    pub start: u64,
    pub about: TransferFacts,
    /// Where, if it is known.
    pub cause: Option<Cause>,
    /// The part whose names the files are of.
    part: u32,
}

impl PendingCall {
    /// One that says what it is about when it ends.
    pub fn new(op: Op, start: u64) -> PendingCall {
        PendingCall {
            op,
            start,
            about: TransferFacts::NONE,
            cause: None,
            part: paths::part(),
        }
    }

    /// One that says it now, begun by this thread.
    pub fn of(thread: &Thread, op: Op, start: u64, about: TransferFacts) -> PendingCall {
        PendingCall {
            about,
            cause: Some(Cause::here(thread)),
            ..PendingCall::new(op, start)
        }
    }

    /// True while its files have the names that the part holds.
    pub fn has_names(&self) -> bool {
        self.part == paths::part()
    }
}

static TABLE: Once<Option<&'static Keyed<PendingCall>>> = Once::new(None);

/// Maps the table.
pub fn start(starting: &mut Starting) -> bool {
    if TABLE.get().is_none() {
        TABLE.set(starting, sys::map_table().ok());
    }
    TABLE.get().is_some()
}

/// A transfer begins; false where there is no place for it.
pub fn begin(key: usize, begun: PendingCall) -> bool {
    TABLE.get().is_some_and(|table| table.put(key, begun))
}

/// It has ended, the first of this key that began.
pub fn end(key: usize) -> Option<PendingCall> {
    (*TABLE.get())?.take(key)
}

/// Calls `each` with every key that there is.
pub fn for_each_key(each: impl FnMut(usize)) {
    if let Some(table) = TABLE.get() {
        table.keys().for_each(each);
    }
}

/// It never began, the last of this key.
pub fn withdraw(key: usize) -> Option<PendingCall> {
    (*TABLE.get())?.take_last(key)
}
