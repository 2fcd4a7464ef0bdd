//! The path of every call: number it, stamp it, make the real call, stamp again, describe, store.

use crate::paths::File;
use crate::thread::Thread;
use crate::{clock, sys};
use core::ffi::c_int;
use core::sync::atomic::Ordering::Relaxed;
use iota_calls::Op;
use iota_trace::{Record, flags};

/// What a shape says of a call after it returned.
pub struct Note {
    /// What the call returned, as a number.
    pub ret: i64,
    /// The position before the call, -1 where there is none.
    pub offset: i64,
    /// Bytes asked for.
    pub length: u64,
    /// The descriptor, -1 where there is none.
    pub fd: c_int,
    /// The file.
    pub file: File,
    /// The seek's origin, or what else the op needs.
    pub whence: u16,
    /// The second descriptor, file and offset.
    pub more: Option<Second>,
}

/// The second file of a call that has two.
#[derive(Clone, Copy)]
pub struct Second {
    pub fd: c_int,
    pub file: File,
    pub offset: i64,
}

/// What a real call returns, as the trace shows it.
pub trait Return: Copy {
    /// As a number; -1 for the failures that set errno.
    fn number(self) -> i64;
}

macro_rules! numbers {
    ($($type:ty)*) => { $(impl Return for $type {
        #[inline(always)]
        fn number(self) -> i64 { self as i64 }
    })* };
}
numbers!(i8 u8 i16 u16 i32 u32 i64 u64 isize usize);

impl Return for () {
    #[inline(always)]
    fn number(self) -> i64 {
        0
    }
}

impl<T> Return for *mut T {
    /// Pointers differ from run to run and say nothing: 0, or -1 for NULL.
    #[inline(always)]
    fn number(self) -> i64 {
        if self.is_null() { -1 } else { 0 }
    }
}

/// Makes the real call and records it as `describe` says.
#[inline(always)]
pub fn traced<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    describe: impl FnOnce(&Thread, R, &mut Note),
) -> R {
    let Some(thread) = Thread::current() else {
        return real();
    };
    let marker = 0u8;
    let frame = (&raw const marker) as usize;
    let numbers = thread.begin(frame);
    let start = clock::now();
    let ret = real();
    let end = clock::now();
    let mut note = Note {
        ret: ret.number(),
        offset: -1,
        length: 0,
        fd: -1,
        file: File::NONE,
        whence: 0,
        more: None,
    };
    let errno = if note.ret == -1 { sys::errno() } else { 0 };
    describe(thread, ret, &mut note);
    thread.end(numbers);
    if note.file.is_filtered() {
        thread
            .filtered
            .store(thread.filtered.load(Relaxed).wrapping_add(1), Relaxed);
        return ret;
    }
    let record = Record {
        start,
        end,
        ret: note.ret,
        offset: note.offset,
        length: note.length,
        id: numbers.id,
        parent: numbers.parent,
        file: note.file.id(),
        fd: note.fd,
        op: op.0,
        errno: if note.ret == -1 { errno as u16 } else { 0 },
        flags: 0,
        whence: note.whence,
    };
    match note.more {
        None => thread.store(record, frame),
        Some(second) => store_both(thread, record, second, frame),
    }
    ret
}

fn store_both(thread: &Thread, record: Record, second: Second, frame: usize) {
    let file = if second.file.is_filtered() {
        File::NONE
    } else {
        second.file
    };
    let more = Record::more(file.id(), second.fd, second.offset, 0);
    thread.store_pair(
        Record {
            flags: record.flags | flags::MORE,
            ..record
        },
        more,
        frame,
    );
}
