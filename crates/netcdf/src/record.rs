//! What every call of NetCDF is recorded by.

use crate::types::{Ranks, SUCCESS};
use core::ffi::{c_char, c_int};
use iota_calls::Op;
use iota_mpi::above::Word;
use iota_runtime::library::{self, Note, Span, Thread};

/// Makes the real call. No span if a function of the same library makes it for itself.
#[inline(always)]
pub(crate) fn span(op: Op, real: impl FnOnce() -> c_int) -> (c_int, Option<Span>) {
    library::outermost_span(op, real)
}

/// On this communicator.
pub fn on(comm: Word) -> Ranks {
    Ranks::On(comm)
}

/// What a call returned: 0, or -1 and the error. Errors of the library are negative, others are the system's.
pub(crate) fn outcome(code: c_int) -> Note {
    let mut note = Note::of(0);
    if code != SUCCESS {
        (note.ret, note.errno) = (-1, code);
    }
    note
}

/// The id of a name that a call was given; 0 if it did not take it.
///
/// # Safety
/// If the call worked (`is_read`), the name is null or ends with NUL.
pub(crate) unsafe fn text(thread: &Thread, name: *const c_char, is_read: bool) -> u64 {
    if !is_read || name.is_null() {
        return 0;
    }
    // SAFETY: as this function's.
    let name = unsafe { core::ffi::CStr::from_ptr(name) };
    library::text(thread, name.to_bytes()).into()
}
