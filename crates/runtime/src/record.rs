//! The path of every call: number it, stamp it, make the real call, stamp again, describe, store.

use crate::life::current;
use crate::stacks;
use crate::state::{clock, early, phase, settings};
use crate::sys;
use crate::tables::FileId;
use crate::tables::pending::PendingCall;
use crate::thread::{Numbers, Thread};
use core::ffi::c_int;
use iota_calls::Op;
use iota_trace::{Details, Record, flags, unlocked_atomic};

/// What a shape says of a call after it returned.
pub struct Note {
    /// What the call returned, as a number.
    pub ret: i64,
    /// What errno says of a call that failed.
    pub errno: c_int,
    /// The position before the call, -1 where there is none.
    pub offset: i64,
    /// Bytes asked for.
    pub length: u64,
    /// The descriptor, -1 where there is none.
    pub fd: c_int,
    /// The file.
    pub file: FileId,
    /// The seek's origin, or what else the op needs.
    pub whence: u16,
    /// Bits of [`flags`].
    pub flags: u16,
    /// The second descriptor, file and offset.
    pub more: Option<Second>,
}

/// The second file of a call that has two.
#[derive(Clone, Copy)]
pub struct Second {
    pub fd: c_int,
    pub file: FileId,
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
    /// Pointers differ from run to run and say nothing: 0, or -1 for NULL and MAP_FAILED.
    #[inline(always)]
    fn number(self) -> i64 {
        if self.is_null() || self.addr() == usize::MAX {
            -1
        } else {
            0
        }
    }
}

/// A call under way.
#[derive(Clone, Copy)]
pub struct Ongoing {
    pub thread: &'static Thread,
    pub numbers: Numbers,
    frame: usize,
    pub start: u64,
}

impl Ongoing {
    /// One that begins now.
    #[inline(always)]
    pub fn begin(thread: &'static Thread, frame: usize) -> Ongoing {
        Ongoing {
            thread,
            numbers: thread.begin(frame),
            frame,
            start: clock::now(),
        }
    }

    /// It ended, and is not recorded.
    pub fn abandon(self) {
        self.thread.end(self.numbers);
    }

    /// One at this frame.
    pub fn new(thread: &'static Thread, numbers: Numbers, frame: usize, start: u64) -> Ongoing {
        Ongoing {
            thread,
            numbers,
            frame,
            start,
        }
    }
}

/// Makes the real call and records it as `describe` says; for calls that a program makes by the million.
#[inline(always)]
pub fn traced<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    describe: impl FnOnce(&Thread, R, &mut Note),
) -> R {
    let marker = 0u8;
    let Some(ongoing) = begin((&raw const marker) as usize) else {
        return real();
    };
    let ret = real();
    let end = clock::now();
    let mut note = Note::of(ret.number());
    describe(ongoing.thread, ret, &mut note);
    finish(op, ongoing, end, note);
    ret
}

/// The same for all others: what is common to them stands once in the program.
#[inline(always)]
pub fn traced_seldom<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    describe: impl FnOnce(&Thread, R, &mut Note),
) -> R {
    let marker = 0u8;
    let Some(ongoing) = begin_seldom((&raw const marker) as usize) else {
        return real();
    };
    let ret = real();
    let (end, mut note) = returned(ret.number());
    describe(ongoing.thread, ret, &mut note);
    finish_seldom(op, ongoing, end, note);
    ret
}

/// A call that returns in a child process as well. There all state of ours is gone, and the call is its parent's.
pub fn traced_fork(op: Op, real: impl FnOnce() -> c_int) -> c_int {
    let marker = 0u8;
    let Some(ongoing) = begin_seldom((&raw const marker) as usize) else {
        return real();
    };
    let ret = real();
    if ret == 0 {
        return ret;
    }
    let end = clock::now();
    finish_seldom(op, ongoing, end, Note::of(ret.number()));
    ret
}

/// A call that only returns if it failed. In a fresh child it does not start the tracer: exec would discard what that makes.
pub fn traced_exec(
    op: Op,
    real: impl FnOnce() -> c_int,
    describe: impl FnOnce(&Thread, &mut Note),
) -> c_int {
    if phase::is_active() {
        return traced_seldom(op, real, |thread, _, note| describe(thread, note));
    }
    let begun = PendingCall::new(op, clock::now());
    let ret = real();
    match current() {
        Some(thread) => store_begun(thread, begun, ret.number(), |note, _| {
            describe(thread, note);
            None
        }),
        None => early::missed(),
    }
    ret
}

/// What began earlier, and not as a call that was followed, ends now; errno stays. `describe` gets the number of the call
/// that encloses its end, and returns what is to be said of it beyond its record.
pub fn store_begun(
    thread: &'static Thread,
    begun: PendingCall,
    ret: i64,
    describe: impl FnOnce(&mut Note, u32) -> Option<Details>,
) {
    let (marker, end, _errno) = (0u8, clock::now(), sys::KeptErrno::now());
    let frame = (&raw const marker) as usize;
    let ongoing = Ongoing::new(thread, thread.begin(frame), frame, begun.start);
    let mut note = Note::of(ret);
    match describe(&mut note, ongoing.numbers.parent) {
        Some(details) => finish_detailed(begun.op, ongoing, end, note, &[details]),
        None => finish_seldom(begun.op, ongoing, end, note),
    }
}

#[inline(always)]
fn begin(frame: usize) -> Option<Ongoing> {
    let Some(thread) = current() else {
        early::missed();
        return None;
    };
    Some(Ongoing::begin(thread, frame))
}

#[inline(never)]
fn begin_seldom(frame: usize) -> Option<Ongoing> {
    begin(frame)
}

#[inline(never)]
fn returned(ret: i64) -> (u64, Note) {
    (clock::now(), Note::of(ret))
}

#[inline(always)]
pub fn finish(op: Op, ongoing: Ongoing, end: u64, note: Note) {
    if settings::get().stacks {
        return finish_detailed(op, ongoing, end, note, &[]);
    }
    let Ongoing { thread, frame, .. } = ongoing;
    let more = note.more;
    let Some(record) = ended(op, ongoing, end, note) else {
        return;
    };
    match more {
        None => thread.store(record, frame),
        Some(second) => store_both(thread, record, second, frame),
    }
}

#[inline(never)]
pub fn finish_seldom(op: Op, ongoing: Ongoing, end: u64, note: Note) {
    finish(op, ongoing, end, note);
}

/// The same for a call that says more of itself than its record holds.
#[inline(never)]
pub fn finish_detailed(op: Op, ongoing: Ongoing, end: u64, note: Note, details: &[Details]) {
    let Ongoing { thread, frame, .. } = ongoing;
    let more = note.more;
    let Some(record) = ended(op, ongoing, end, note) else {
        return;
    };
    // What MPI does for itself while it starts and ends, no line of the program asks for.
    let has_stack = settings::get().stacks && record.flags & flags::MPI_STARTUP == 0;
    let stack = match has_stack {
        true => stacks::details(thread, frame, op),
        false => None,
    };
    let details = (details, stack.as_ref());
    match more.map(|second| both(record, second)) {
        None => thread.store_detailed(record, None, details, frame),
        Some((record, more)) => thread.store_detailed(record, Some(more), details, frame),
    }
}

/// The record of a call that ended; none where the user left it out.
#[inline(always)]
fn ended(op: Op, ongoing: Ongoing, end: u64, note: Note) -> Option<Record> {
    let Ongoing {
        thread,
        numbers,
        start,
        ..
    } = ongoing;
    thread.end(numbers);
    // Under IOTA_FILES a call on no file that could match is left out, too.
    // One that the user named by itself is not.
    let matches_none = note.file == FileId::NONE
        && note.more.is_none()
        && settings::selects()
        && op.probe().is_none();
    if note.file.is_filtered() || matches_none {
        unlocked_atomic::fetch_add(&thread.slot().filtered, 1);
        return None;
    }
    let under = match thread.library_op(numbers.parent) {
        None => 0,
        // A probe inside a call of a library goes by that call's name.
        Some(around) if Op(around).probe().is_some() => flags::UNDER_LIBRARY | flags::UNDER_PROBE,
        Some(_) => flags::UNDER_LIBRARY,
    };
    Some(Record {
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
        errno: note.errno as u16,
        flags: note.flags | under | phase::flags(),
        whence: note.whence,
    })
}

impl Note {
    /// Of a call that returned this.
    #[inline(always)]
    pub fn of(ret: i64) -> Note {
        Note {
            ret,
            errno: if ret == -1 { sys::errno() } else { 0 },
            offset: -1,
            length: 0,
            fd: -1,
            file: FileId::NONE,
            whence: 0,
            flags: 0,
            more: None,
        }
    }

    /// The call returned an error number, not -1 and errno; 0 is none.
    pub fn answers(&mut self, error: c_int) {
        if error > 0 {
            (self.ret, self.errno) = (-1, error);
        }
    }
}

#[inline(never)]
fn store_both(thread: &Thread, record: Record, second: Second, frame: usize) {
    let (record, more) = both(record, second);
    thread.store_pair(record, more, frame);
}

/// Both records of a call on two files.
fn both(record: Record, second: Second) -> (Record, Record) {
    let file = if second.file.is_filtered() {
        FileId::NONE
    } else {
        second.file
    };
    let flags = record.flags | flags::MORE;
    let more = Record::more(file.id(), second.fd, second.offset, 0);
    (Record { flags, ..record }, more)
}
