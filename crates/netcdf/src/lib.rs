//! The shapes of PnetCDF and NetCDF: what the hooks of `ncmpi_*` and `nc_*` do besides the real call.
//!
//! The hooks are rendered from the rows of `crates/calls/src/pnetcdf.rs` and `netcdf.rs`. What the tracer itself asks of these
//! libraries (`asks.rs`) is local: no other rank is waited for, and no file is read. It is asked after a call that worked, of
//! what that call has used.

#![no_std]
#![allow(
    missing_docs,
    reason = "internal to the workspace; what is not obvious is documented"
)]

mod asks;
mod files;
mod on;
mod opens;
mod parts;
mod record;
mod requests;
mod transfers;
mod types;
mod variables;
mod waits;

pub use parts::*;
pub use record::on;
pub use transfers::*;
pub use types::{ALONE, AS_OPENED, AS_SET, Access, Ranks};
pub use waits::*;

use asks::Library;
use core::ffi::{c_char, c_int, c_void};
use files::OpenFile;
use iota_calls::{Form, Op};
use iota_mpi::above::By;
use iota_runtime::library::{self, Thread};
pub(crate) use on::On;
pub(crate) use record::{outcome, span, text};
pub(crate) use types::{GLOBAL, SUCCESS};

/// Calls that open or create a file.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn nc_opens(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    path: *const c_char,
    ranks: Ranks,
    ncid: *mut c_int,
) -> c_int {
    let (code, span) = span(op, real);
    if let Some(span) = span {
        // SAFETY: the arguments of the call that returned this.
        unsafe { opens::opened(Library::of(op, at), span, code, path, ranks, ncid) };
    }
    code
}

/// Calls that close a file. The number is forgotten before, as another thread may get the same right after.
#[inline(always)]
pub fn nc_closes(op: Op, at: *const c_void, real: impl FnOnce() -> c_int, ncid: c_int) -> c_int {
    let on = On::of(Library::of(op, at), ncid, GLOBAL, AS_OPENED);
    let library = Library::of(op, at);
    // A call that the library makes of itself closes nothing that the program knows.
    let (code, span) = span(op, real);
    if span.is_some() {
        requests::closed(on.file, library, ncid);
        files::forget(on.file);
    }
    on.record(span, code, 0);
    code
}

/// A call on an open file.
#[inline(always)]
pub fn nc_on(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    by: impl Into<Access>,
) -> c_int {
    let on = On::of(Library::of(op, at), ncid, GLOBAL, by.into());
    let (code, span) = span(op, real);
    on.record(span, code, 0);
    code
}

/// Calls after which variables may be others: what is known of them is asked anew.
#[inline(always)]
pub fn nc_redefines(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    by: impl Into<Access>,
) -> c_int {
    let on = On::of(Library::of(op, at), ncid, GLOBAL, by.into());
    let (code, span) = span(op, real);
    if let Some(file) = on.file {
        file.changed();
    }
    on.record(span, code, 0);
    code
}

/// A call that gives a name to something: the object.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn nc_named(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    name: *const c_char,
) -> c_int {
    let on = On::of(Library::of(op, at), ncid, GLOBAL, Access::Is(By::One));
    let (code, span) = span(op, real);
    if let Some(file) = on.file {
        file.changed();
    }
    if let Some(span) = span {
        // SAFETY: the library took the name if the call worked.
        let name = unsafe { text(span.thread(), name, code == SUCCESS) };
        on.record(Some(span), code, name);
    }
    code
}

/// A call on a variable that moves no bytes of it. Its name is recorded if it is known already: nothing is read for it.
#[inline(always)]
pub fn nc_variable(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    varid: c_int,
    by: impl Into<Access>,
) -> c_int {
    let on = On::of(Library::of(op, at), ncid, varid, by.into());
    let (code, span) = span(op, real);
    if let Some(span) = span {
        let name = variables::name(on.file, ncid, varid);
        on.record(Some(span), code, name);
    }
    code
}

/// `nc_var_par_access`.
#[inline(always)]
pub fn nc_access(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    varid: c_int,
    access: c_int,
) -> c_int {
    sets_access(op, at, real, (ncid, varid), Some(access != 0))
}

/// Calls that give a variable filters. Through filters ranks write only together: then NetCDF makes its access collective, and
/// it stays so.
#[inline(always)]
pub fn nc_filters(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    varid: c_int,
    filters: c_int,
) -> c_int {
    sets_access(op, at, real, (ncid, varid), (filters != 0).then_some(true))
}

#[inline(always)]
fn sets_access(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    (ncid, varid): (c_int, c_int),
    is_collective: Option<bool>,
) -> c_int {
    let library = Library::of(op, at);
    let on = On::of(library, ncid, varid, Access::Is(By::One));
    let (code, span) = span(op, real);
    if let Some(span) = span {
        let shared = on.file.filter(|file| code == SUCCESS && file.is_shared());
        if let Some((file, is_collective)) = shared.zip(is_collective) {
            set_access(span.thread(), library, file, (ncid, varid, is_collective));
        }
        let name = variables::name(on.file, ncid, varid);
        on.record(Some(span), code, name);
    }
    code
}

/// PnetCDF reads and writes the classic formats: there the access is that of all variables, whichever was named.
#[inline(never)]
fn set_access(
    thread: &Thread,
    library: Library,
    file: &OpenFile,
    (ncid, varid, is_collective): (c_int, c_int, bool),
) {
    let is_classic = library::quietly(thread, || library.is_classic(ncid));
    let of = if is_classic { GLOBAL } else { varid };
    variables::set_access(file, ncid, of, is_collective);
}

/// A call on an attribute of a variable, or of the file.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn nc_attribute(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    varid: c_int,
    name: *const c_char,
) -> c_int {
    let on = On::of(Library::of(op, at), ncid, varid, Access::Is(By::One));
    let (code, span) = span(op, real);
    if let Some(span) = span {
        let worked = code == SUCCESS;
        let variable = variables::name(on.file, ncid, varid);
        // SAFETY: the library took the name if the call worked.
        let name = unsafe { text(span.thread(), name, worked) };
        let mut note = outcome(code);
        note.file = on.name();
        span.record_detailed(note, &[on.details(Form::ATTRIBUTE, variable, &[name])]);
    }
    code
}

/// `nc_delete`, `ncmpi_delete`.
///
/// # Safety
/// The path is what the program passed.
#[inline(always)]
pub unsafe fn nc_path(
    op: Op,
    _at: *const c_void,
    real: impl FnOnce() -> c_int,
    path: *const c_char,
) -> c_int {
    let (code, span) = span(op, real);
    if let Some(span) = span {
        let mut note = outcome(code);
        // SAFETY: the library read the path if it deleted the file.
        note.file = unsafe { files::of_path(span.thread(), path, code == SUCCESS) };
        span.record(note);
    }
    code
}

/// Room for copies of what is written: the length is its size.
#[inline(always)]
pub fn nc_buffer(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    ncid: c_int,
    size: i64,
) -> c_int {
    let on = On::of(Library::of(op, at), ncid, GLOBAL, Access::Is(By::One));
    let (code, span) = span(op, real);
    if let Some(span) = span {
        let mut note = outcome(code);
        (note.file, note.length) = (on.name(), size.max(0) as u64);
        span.record(note);
    }
    code
}
