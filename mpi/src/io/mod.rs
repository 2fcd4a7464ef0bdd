//! The shapes of MPI-IO: what the hooks of `MPI_File_*`, and of what completes their requests, do besides the real call.
//!
//! The hooks are rendered from the rows of `crates/calls/src/mpiio.rs`. What the tracer itself asks of MPI goes by `PMPI_`
//! functions on handles that a successful call showed to be valid, so that no error handler of the program is called.

mod collective;
mod completions;
mod extent;
mod files;
mod hints;
mod on;
mod opens;
mod requests;
mod status;
mod transfers;

pub use collective::FileGroup;
pub use completions::*;
pub use on::{ALL, At, By, ONE, OWN, SHARED, at, start};
pub use opens::*;
pub use requests::abandon;
pub use transfers::*;

use crate::abi::Word;
use crate::pmpi;
use core::ffi::{c_char, c_int};
use iota_calls::Op;
use iota_runtime::library;
use on::{On, is_on, outcome};

/// A call on an open file that moves no bytes.
#[inline(always)]
pub fn mpi_on(op: Op, real: impl FnOnce() -> c_int, file: Word, by: By) -> c_int {
    if !is_on() {
        return real();
    }
    let on = On::of(file, by);
    let (code, span) = library::span(op, real);
    on.record(span, code, |_| ());
    code
}

/// `MPI_File_set_size`, `MPI_File_preallocate`: the length is the size.
#[inline(always)]
pub fn mpi_sized(op: Op, real: impl FnOnce() -> c_int, file: Word, size: i64) -> c_int {
    if !is_on() {
        return real();
    }
    let on = On::of(file, By::All);
    let (code, span) = library::span(op, real);
    on.record(span, code, |note| note.length = size as u64);
    code
}

/// Seeks: the length is the distance in etypes, from the beginning, the position or the end as `whence` says: 0, 1 or 2, and
/// 3 if that is not known.
#[inline(always)]
pub fn mpi_seek(
    op: Op,
    real: impl FnOnce() -> c_int,
    file: Word,
    by: By,
    offset: i64,
    whence: c_int,
) -> c_int {
    if !is_on() {
        return real();
    }
    let on = On::of(file, by);
    let (code, span) = library::span(op, real);
    on.record(span, code, |note| {
        (note.length, note.whence) = (offset as u64, pmpi::io::whence(whence));
    });
    code
}

/// `MPI_File_delete`.
///
/// # Safety
/// The path is what the program passed.
#[inline(always)]
pub unsafe fn mpi_path(op: Op, real: impl FnOnce() -> c_int, path: *const c_char) -> c_int {
    if !is_on() {
        return real();
    }
    let (code, span) = library::span(op, real);
    if let Some(span) = span {
        let mut note = outcome(code);
        // SAFETY: MPI read the path if it deleted the file.
        note.file = unsafe { files::of_path(span.thread(), path, code == pmpi::SUCCESS) };
        span.record(note);
    }
    code
}
