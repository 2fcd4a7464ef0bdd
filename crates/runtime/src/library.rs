//! Calls of a library above descriptors and streams: the interface for `mpi/`, whose hooks record the calls of MPI-IO, and
//! for the crates of libraries above MPI-IO.
//!
//! What such a call causes in its thread has it as parent. A call that only begins something ends later, perhaps in another
//! thread: until then [`CallStart`] stands for it.

mod owners;

use crate::life::current;
use crate::record::{self, Ongoing};
use crate::state::{clock, job, settings};
use crate::tables::{lookup, paths};
use crate::thread::LibraryCall;
use crate::{early, sys};
use core::ffi::c_char;
use iota_calls::{Kind, Op};
use iota_trace::{Details, flags};

pub use crate::record::Note;
pub use crate::tables::pending::PendingCall as Moment;
pub use crate::tables::{FileId, Keyed};
pub use crate::thread::{Thread, quietly};
pub use owners::{Owners, find_beside};

/// A call that returned. Whatever is asked of the library until it is recorded, `errno` is then as the call left it.
pub struct Span {
    op: Op,
    ongoing: Ongoing,
    end: u64,
    _errno: sys::KeptErrno,
}

/// A call that returned just now.
pub struct Returned {
    op: Op,
    ongoing: Ongoing,
    outer: LibraryCall,
}

impl Returned {
    /// To be asked for at once: it ends now.
    #[inline(always)]
    pub fn span(&self) -> Span {
        let (end, errno) = (clock::now(), sys::KeptErrno::now());
        let Returned { op, ongoing, outer } = *self;
        ongoing.thread.leave_library(outer);
        ongoing.thread.end(ongoing.numbers);
        Span {
            op,
            ongoing,
            end,
            _errno: errno,
        }
    }

    #[inline(never)]
    fn span_of_seldom(&self) -> Span {
        self.span()
    }
}

/// Makes the real call. No span where its thread's calls are not recorded, or where it is made by a call of the same
/// function: each is recorded once, though a library may call one by two names.
#[inline(always)]
pub fn span<R>(op: Op, real: impl FnOnce() -> R) -> (R, Option<Span>) {
    let (ret, returned) = called(op, real);
    (ret, returned.as_ref().map(Returned::span_of_seldom))
}

/// The same for calls that a program makes by the million: who asks for the span and records it does both in one function.
#[inline(always)]
pub fn called<R>(op: Op, real: impl FnOnce() -> R) -> (R, Option<Returned>) {
    called_unless(op, real, is_same)
}

/// The same of a library whose functions call each other: what it calls for itself is not recorded.
#[inline(always)]
pub fn outermost_span<R>(op: Op, real: impl FnOnce() -> R) -> (R, Option<Span>) {
    let (ret, returned) = called_unless(op, real, is_of_same_layer);
    (ret, returned.as_ref().map(Returned::span_of_seldom))
}

fn is_same(one: Op, other: Op) -> bool {
    one == other
}

fn is_of_same_layer(one: Op, other: Op) -> bool {
    let layer = |op: Op| op.info().map(|info| info.layer);
    layer(one) == layer(other)
}

#[inline(always)]
fn called_unless<R>(
    op: Op,
    real: impl FnOnce() -> R,
    is_its_own: fn(Op, Op) -> bool,
) -> (R, Option<Returned>) {
    let marker = 0u8;
    let frame = (&raw const marker) as usize;
    let begun = begin(op, frame, is_its_own);
    (real(), begun)
}

/// Stands once in the program: `is_its_own` gets the op of the call around this one, and its own.
#[inline(never)]
fn begin(op: Op, frame: usize, is_its_own: fn(Op, Op) -> bool) -> Option<Returned> {
    let Some(thread) = current() else {
        early::missed();
        return None;
    };
    let around = thread.library_around(frame);
    if around.is_some_and(|around| is_its_own(around, op)) || is_left_out(op) {
        return None;
    }
    let ongoing = Ongoing::begin(thread, frame);
    let call = LibraryCall {
        id: ongoing.numbers.id,
        op: op.0,
    };
    let outer = thread.enter_library(call);
    Some(Returned { op, ongoing, outer })
}

/// Whether the user does not want the calls of its layer.
fn is_left_out(op: Op) -> bool {
    let bits = settings::get().left_out;
    bits != 0
        && op
            .info()
            .is_some_and(|info| bits >> info.layer as u16 & 1 != 0)
}

impl Span {
    /// The thread that called.
    pub fn thread(&self) -> &'static Thread {
        self.ongoing.thread
    }

    /// It is not to be recorded, and has caused nothing.
    pub fn abandon(self) {}

    /// The call has ended.
    pub fn record(self, note: Note) {
        record::finish_seldom(self.op, self.ongoing, self.end, note);
    }

    /// The same for calls that a program makes by the million.
    #[inline(always)]
    pub fn record_often(self, note: Note) {
        record::finish(self.op, self.ongoing, self.end, note);
    }

    /// The same of one that says more of itself than its record holds.
    #[inline(never)]
    pub fn record_detailed(self, note: Note, details: &[Details]) {
        record::finish_detailed(self.op, self.ongoing, self.end, note, details);
    }

    /// The call has begun something, and the end of that is its end.
    pub fn keep(self) -> CallStart {
        let Ongoing {
            thread,
            numbers,
            start,
            ..
        } = self.ongoing;
        CallStart {
            op: self.op,
            thread: thread.number(),
            call: thread.full(numbers.id),
            parent: numbers.parent,
            start,
            took: nanoseconds(self.end.wrapping_sub(start)),
            part: paths::part(),
        }
    }
}

/// What a call began.
#[derive(Clone, Copy)]
pub struct CallStart {
    op: Op,
    /// The thread that called, by its number, and the call's number in it.
    thread: u32,
    call: u64,
    parent: u32,
    start: u64,
    /// How long the call took that began it, in ns.
    pub took: u64,
    part: u32,
}

impl CallStart {
    /// Whether it reads or writes.
    pub fn kind(&self) -> Kind {
        self.op.info().map_or(Kind::Other, |info| info.kind)
    }

    /// Makes a call that may do a part of what was begun: what it causes has that as parent, if it began in this thread.
    pub fn inside<R>(&self, real: impl FnOnce() -> R) -> R {
        let marker = 0u8;
        let Some(thread) = current().filter(|thread| self.is_of(thread)) else {
            return real();
        };
        let call = LibraryCall {
            id: self.call as u32,
            op: self.op.0,
        };
        let outer = thread.enter(call, (&raw const marker) as usize);
        let ret = real();
        thread.leave(outer);
        ret
    }

    /// It has ended, as this thread learnt. `describe` gets where it began, if that was in another thread.
    pub fn record(self, describe: impl FnOnce(&mut Note, Option<(u32, u64)>) -> Details) {
        let (marker, end) = (0u8, clock::now());
        let Some(thread) = current() else { return };
        let frame = (&raw const marker) as usize;
        let (mut note, is_own) = (Note::of(0), self.is_of(thread));
        let numbers = if is_own {
            thread.again(self.call as u32, self.parent)
        } else {
            thread.begin(frame)
        };
        note.flags |= flags::ASYNCHRONOUS;
        let began = (!is_own).then_some((self.thread, self.call));
        let details = describe(&mut note, began);
        if self.part != paths::part() {
            note.file = FileId::NONE;
        }
        let ongoing = Ongoing::new(thread, numbers, frame, self.start);
        record::finish_detailed(self.op, ongoing, end, note, &[details]);
    }

    fn is_of(&self, thread: &Thread) -> bool {
        self.thread == thread.number() && self.part == paths::part()
    }
}

/// Now, for [`record`].
pub fn now(op: Op) -> Moment {
    Moment::new(op, clock::now())
}

/// Records a call that began then and ends now, and of which it was not known whether it would be recorded.
pub fn record(begun: Moment, ret: i64, describe: impl FnOnce(&mut Note)) {
    if let Some(thread) = current() {
        record::store_begun(thread, begun, ret, |note, _| {
            describe(note);
            None
        });
    }
}

/// The file of a path that the program passed to a call; `is_read` says that the call took it without complaint.
///
/// # Safety
/// If `is_read`, the path ends with NUL.
pub unsafe fn file(thread: &Thread, path: *const c_char, is_read: bool) -> FileId {
    if is_read {
        // SAFETY: as this function's.
        return unsafe { lookup::named(thread, path) };
    }
    if path.is_null() {
        return FileId::NONE;
    }
    lookup::tried_at(thread, libc::AT_FDCWD, path)
}

/// The id of a text of details; 0: there was no room for it.
pub fn text(thread: &Thread, text: &[u8]) -> u32 {
    paths::text(thread, text)
}

/// The names of which part hold now.
pub fn part() -> u32 {
    paths::part()
}

/// Ticks of the clock in ns. No product is larger than 64 bits: a clock has less than 18 ticks in a ns.
fn nanoseconds(ticks: u64) -> u64 {
    const SECOND: u64 = 1_000_000_000;
    let rate = job::facts().rate.max(1);
    let (seconds, rest) = (ticks / rate, ticks % rate);
    let whole = seconds.wrapping_mul(SECOND);
    whole.wrapping_add(rest.wrapping_mul(SECOND) / rate)
}
