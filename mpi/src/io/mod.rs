//! The shapes of MPI-IO: what the hooks of `MPI_File_*`, and of what completes their requests, do besides the real call.
//!
//! The hooks are rendered from the rows of `crates/calls/src/mpiio.rs`. What the tracer itself asks of MPI goes by `PMPI_`
//! functions on handles that a successful call showed to be valid, so that no error handler of the program is called.

mod collective;
mod completions;
mod extent;
mod files;
mod hints;
mod opens;
mod requests;
mod status;
mod transfers;

pub use collective::FileGroup;
pub use completions::*;
pub use opens::*;
pub use requests::abandon;
pub use transfers::*;

use crate::abi::Word;
use crate::pmpi;
use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicBool, Ordering::*};
use files::OpenFile;
use iota_calls::{Form, Op};
use iota_runtime::library::{self, FileId, Note, Span};
use iota_trace::Details;

/// Whether calls are recorded: the MPI is known, and the user wants them.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// MPI has started.
pub fn start() {
    IS_ON.store(iota_runtime::rank::records_mpiio(), Release);
}

#[inline(always)]
fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// Who makes a call: one rank for itself, or all that have the file open together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Independent.
    One,
    /// Collective.
    All,
}
/// For rows.
pub const ONE: By = By::One;
/// For rows.
pub const ALL: By = By::All;

/// Which position a transfer begins at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// The offset that it is given, in etypes of the view.
    Given(i64),
    /// The file pointer of this rank.
    OwnPart,
    /// The one that all ranks share, which only MPI knows.
    Shared,
}
/// For rows.
pub const OWN: At = At::OwnPart;
/// For rows.
pub const SHARED: At = At::Shared;

/// At this offset.
pub fn at(offset: i64) -> At {
    At::Given(offset)
}

/// A call on an open file: which file, and which of its collective calls.
#[derive(Clone, Copy)]
struct On {
    file: Option<&'static OpenFile>,
    collective: u64,
}

impl On {
    /// Before the call. A collective call is counted on each rank, whatever becomes of it.
    fn of(handle: Word, by: By) -> On {
        On::file(files::find(handle), by)
    }

    fn file(file: Option<&'static OpenFile>, by: By) -> On {
        let collective = match (file, by) {
            (Some(file), By::All) => file.next_collective(),
            _ => 0,
        };
        On { file, collective }
    }

    fn name(self) -> FileId {
        self.file.map_or(FileId::NONE, OpenFile::name)
    }

    fn ranks(self) -> u64 {
        self.file.map_or(0, OpenFile::ranks)
    }

    /// What every call says, and these numbers.
    fn details(self, form: Form, more: &[u64]) -> Details {
        let mut numbers = [0; 6];
        let all = [self.ranks(), self.collective];
        for (to, from) in numbers.iter_mut().zip(all.iter().chain(more)) {
            *to = *from;
        }
        let count = more.len().wrapping_add(all.len());
        Details::new(form.0, numbers.get(..count).unwrap_or(&numbers))
    }

    /// The record of a call that gets what it returned, and nothing else.
    fn record(self, span: Option<Span>, code: c_int, describe: impl FnOnce(&mut Note)) {
        let Some(span) = span else { return };
        let mut note = outcome(code);
        note.file = self.name();
        describe(&mut note);
        if self.collective == 0 {
            return span.record(note);
        }
        span.record_detailed(note, &[self.details(Form::MPIIO, &[])]);
    }
}

/// What a call returned: 0, or -1 and the class of the error.
#[inline(always)]
fn outcome(code: c_int) -> Note {
    let mut note = Note::of(0);
    if code != pmpi::SUCCESS {
        (note.ret, note.errno) = (-1, c_int::from(pmpi::io::class(code)));
    }
    note
}

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
