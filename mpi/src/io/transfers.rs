//! Transfers: blocking ones, and the beginnings of others.

use super::extent::{self, FileExtent};
use super::on::{At, By, On, is_on, outcome};
use super::requests::{self, Transfer};
use super::status::{Status, moved};
use crate::abi::Word;
use crate::pmpi::{self, io as mpi};
use core::ffi::{c_int, c_void};
use iota_calls::{Form, Op};
use iota_runtime::library::{self, Returned, Span};

/// What a transfer was asked for, and at which position of the view it begins.
#[derive(Clone, Copy)]
struct Asked {
    on: On,
    handle: Word,
    position: Option<i64>,
    count: i64,
    datatype: Word,
}

impl Asked {
    /// Before the call.
    fn of(handle: Word, by: By, at: At, count: i64, datatype: Word) -> Asked {
        let on = On::of(handle, by);
        Asked {
            on,
            handle,
            position: extent::position(on, handle, at),
            count,
            datatype,
        }
    }

    /// Bytes, and where, after the call. A call that failed may have been given anything: MPI has looked at the datatype only
    /// if the file is open, and the error is the file's.
    #[inline(always)]
    fn length_and_place(&self, code: c_int) -> (u64, FileExtent) {
        let worked = code == pmpi::SUCCESS;
        let is_type_good = worked || self.on.file.is_some() && mpi::is_of_file(code);
        let size = if is_type_good {
            mpi::size(self.datatype)
        } else {
            0
        };
        let length = self.count.wrapping_mul(size).max(0) as u64;
        let place = extent::of(self.on, self.handle, self.position, length, worked);
        (length, place)
    }

    fn transfer(&self) -> Transfer {
        let (length, place) = self.length_and_place(pmpi::SUCCESS);
        Transfer {
            file: self.on.name(),
            ranks: self.on.ranks(),
            collective: self.on.collective,
            length,
            place,
        }
    }
}

/// A transfer that has ended when the call returns.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "MPI's")]
pub unsafe fn mpi_transfer(
    op: Op,
    real: impl FnOnce(*mut c_void) -> c_int,
    handle: Word,
    by: By,
    at: At,
    count: impl Into<i64>,
    datatype: Word,
    status: *mut c_void,
) -> c_int {
    if !is_on() {
        return real(status);
    }
    let asked = Asked::of(handle, by, at, count.into(), datatype);
    let mut own = Status::NEW;
    let status = own.of_transfer(op, status);
    let (code, returned) = library::called(op, || real(status));
    if let Some(returned) = &returned {
        transferred(returned, &asked, code, status.addr());
    }
    code
}

/// Stands once in the program, and calls as little as it can: after a system call each return may be predicted wrongly.
#[inline(never)]
fn transferred(returned: &Returned, asked: &Asked, code: c_int, status: Word) {
    record(returned.span(), asked, code, status);
}

#[inline(always)]
fn record(span: Span, asked: &Asked, code: c_int, status: Word) {
    let mut note = outcome(code);
    let (length, place) = asked.length_and_place(code);
    if code == pmpi::SUCCESS {
        note.ret = moved(status).unwrap_or(length as i64);
    }
    (note.file, note.length, note.offset) = (asked.on.name(), length, place.offset);
    // What the open says of the file need not be said again.
    let is_plain = asked.on.collective == 0 && place.extent == length;
    if is_plain || asked.on.file.is_none() {
        return span.record_often(note);
    }
    let details = asked.on.details(Form::MPIIO, &[place.extent]);
    span.record_detailed(note, &[details]);
}

/// A nonblocking transfer: recorded when its request is completed.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "MPI's")]
pub unsafe fn mpi_starts(
    op: Op,
    real: impl FnOnce() -> c_int,
    handle: Word,
    by: By,
    at: At,
    count: impl Into<i64>,
    datatype: Word,
    request: *mut Word,
) -> c_int {
    if !is_on() {
        return real();
    }
    let asked = Asked::of(handle, by, at, count.into(), datatype);
    let (code, span) = library::span(op, real);
    if let Some(span) = span {
        let key = || {
            // SAFETY: MPI has written a request there.
            unsafe { requests::key_at(request.cast()) }
        };
        begun(span, &asked, code, key);
    }
    code
}

/// The beginning of a split collective: recorded when it is ended. A file has one at a time.
#[inline(always)]
pub fn mpi_begins(
    op: Op,
    real: impl FnOnce() -> c_int,
    handle: Word,
    at: At,
    count: impl Into<i64>,
    datatype: Word,
) -> c_int {
    if !is_on() {
        return real();
    }
    let asked = Asked::of(handle, By::All, at, count.into(), datatype);
    let (code, span) = library::span(op, real);
    if let Some(span) = span {
        begun(span, &asked, code, || requests::key_of_file(handle));
    }
    code
}

#[inline(never)]
fn begun(span: Span, asked: &Asked, code: c_int, key: impl FnOnce() -> Option<usize>) {
    if code != pmpi::SUCCESS {
        return record(span, asked, code, 0);
    }
    let transfer = asked.transfer();
    requests::begin(key(), span.keep(), transfer);
}
