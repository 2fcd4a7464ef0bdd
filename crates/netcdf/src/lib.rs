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
mod parts;
mod requests;
mod transfers;
mod variables;
mod waits;

pub use parts::*;
pub use transfers::*;
pub use waits::*;

use asks::Library;
use core::ffi::{c_char, c_int, c_void};
use files::OpenFile;
use iota_calls::{Form, Op};
use iota_mpi::above::{By, Word};
use iota_runtime::library::{self, FileId, Note, Span, Thread};
use iota_trace::Details;

/// NC_NOERR.
const SUCCESS: c_int = 0;
/// NC_GLOBAL: attributes of the file, and the access of all variables.
const GLOBAL: c_int = -1;

/// Makes the real call. No span if a function of the same library makes it for itself.
#[inline(always)]
fn span(op: Op, real: impl FnOnce() -> c_int) -> (c_int, Option<Span>) {
    library::outermost_span(op, real)
}

/// Who makes a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// One rank for itself, or all that have the file open together.
    Is(By),
    /// As nc_var_par_access said of the variable.
    AsSet,
    /// All ranks if they opened the file together.
    AsOpened,
}
/// For rows.
pub const AS_SET: Access = Access::AsSet;
/// For rows.
pub const AS_OPENED: Access = Access::AsOpened;

impl From<By> for Access {
    fn from(by: By) -> Access {
        Access::Is(by)
    }
}

/// Which communicator a file is opened on.
#[derive(Clone, Copy)]
pub enum Ranks {
    /// None.
    Alone,
    /// This one.
    On(Word),
}
/// For rows.
pub const ALONE: Ranks = Ranks::Alone;

/// On this communicator.
pub fn on(comm: Word) -> Ranks {
    Ranks::On(comm)
}

/// A call on an open file: which file, and which of its collective calls.
#[derive(Clone, Copy)]
struct On {
    file: Option<&'static OpenFile>,
    collective: u64,
}

impl On {
    /// Before the call. A collective call is counted on each rank, whatever becomes of it.
    fn of(library: Library, ncid: c_int, varid: c_int, access: Access) -> On {
        let file = files::find(library, ncid);
        let is_collective = file.is_some_and(|file| match access {
            Access::Is(by) => by == By::All,
            Access::AsOpened => file.is_shared(),
            Access::AsSet => file.is_shared() && variables::is_collective(file, ncid, varid),
        });
        On {
            file,
            collective: file
                .filter(|_| is_collective)
                .map_or(0, OpenFile::next_collective),
        }
    }

    fn name(self) -> FileId {
        self.file.map_or(FileId::NONE, OpenFile::name)
    }

    fn ranks(self) -> u64 {
        self.file.map_or(0, OpenFile::ranks)
    }

    /// The object, what every call says, and these numbers; zeros at the end are left out.
    fn details(self, form: Form, object: u64, more: &[u64]) -> Details {
        let mut numbers = [0; 12];
        let all = [object, self.ranks(), self.collective];
        for (to, from) in numbers.iter_mut().zip(all.iter().chain(more)) {
            *to = *from;
        }
        let last = numbers.iter().rposition(|number| *number != 0);
        let count = last.map_or(1, |last| last.wrapping_add(1));
        Details::new(form.0, numbers.get(..count).unwrap_or(&numbers))
    }

    /// The record of a call that gets what it returned, and which object it is on.
    fn record(self, span: Option<Span>, code: c_int, object: u64) {
        let Some(span) = span else { return };
        let mut note = outcome(code);
        note.file = self.name();
        if self.collective == 0 && object == 0 {
            return span.record(note);
        }
        span.record_detailed(note, &[self.details(Form::VARIABLE, object, &[])]);
    }
}

/// What a call returned: 0, or -1 and the error. Errors of the library are negative, others are the system's.
fn outcome(code: c_int) -> Note {
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
unsafe fn text(thread: &Thread, name: *const c_char, is_read: bool) -> u64 {
    if !is_read || name.is_null() {
        return 0;
    }
    // SAFETY: as this function's.
    let name = unsafe { core::ffi::CStr::from_ptr(name) };
    library::text(thread, name.to_bytes()).into()
}

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
        unsafe { files::opened(Library::of(op, at), span, code, path, ranks, ncid) };
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
