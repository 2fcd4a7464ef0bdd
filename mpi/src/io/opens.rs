//! Files that are opened and closed, and their views.

use super::collective::FileGroup;
use super::files::{self, Opened};
use super::on::{By, On, is_on, outcome};
use crate::abi::Word;
use crate::part::quietly;
use crate::pmpi::{self, io as mpi};
use core::ffi::{c_char, c_int};
use iota_calls::{Form, Op};
use iota_runtime::library::{self, Span};
use iota_trace::Details;

/// `MPI_File_open`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn mpi_open(
    op: Op,
    real: impl FnOnce() -> c_int,
    comm: Word,
    path: *const c_char,
    amode: c_int,
    info: Word,
    handle: *mut Word,
) -> c_int {
    if !is_on() {
        return real();
    }
    let (code, span) = library::span(op, real);
    if let Some(span) = span {
        // SAFETY: the arguments of the call that returned this.
        unsafe { opened(span, code, (comm, info), path, amode, handle) };
    }
    code
}

/// # Safety
/// The arguments of `MPI_File_open`, which returned `code`.
#[inline(never)]
unsafe fn opened(
    span: Span,
    code: c_int,
    (comm, info): (Word, Word),
    path: *const c_char,
    amode: c_int,
    handle: *mut Word,
) {
    let (thread, worked) = (span.thread(), code == pmpi::SUCCESS);
    let mut note = outcome(code);
    // SAFETY: MPI read the path if it opened the file.
    note.file = unsafe { files::of_path(thread, path, worked) };
    if !worked {
        return span.record(note);
    }
    // SAFETY: MPI has written a handle there, which is an address in every MPI, and has read the path.
    let (handle, group) = unsafe { (handle.read_unaligned(), FileGroup::of(comm, path)) };
    files::remember(&Opened {
        handle,
        name: note.file,
        ranks: group.ranks,
        amode,
        collective: group.first_collective(),
    });
    let hints = super::hints::of(thread, handle).into();
    let asked = super::hints::asked(thread, info).into();
    let (bits, collective) = (mpi::standard_amode(amode as u32), group.first_collective());
    let details = Details::new(
        Form::MPIIO_OPEN.0,
        &[group.ranks.into(), collective, bits, hints, asked],
    );
    span.record_detailed(note, &[details]);
}

/// `MPI_File_close`: the handle is forgotten before, as another thread may get the same right after.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn mpi_close(op: Op, real: impl FnOnce() -> c_int, handle: *mut Word) -> c_int {
    if !is_on() {
        return real();
    }
    // SAFETY: MPI reads the handle as well.
    let file = (!handle.is_null()).then(|| files::forget(unsafe { handle.read_unaligned() }));
    let on = On::file(file.flatten(), By::All);
    let (code, span) = library::span(op, real);
    on.record(span, code, |_| ());
    code
}

/// `MPI_File_set_info`: what came of the hints.
#[inline(always)]
pub fn mpi_hints(op: Op, real: impl FnOnce() -> c_int, handle: Word) -> c_int {
    if !is_on() {
        return real();
    }
    let on = On::of(handle, By::All);
    let (code, span) = library::span(op, real);
    if let Some(span) = span {
        hinted(on, span, code, handle);
    }
    code
}

#[inline(never)]
fn hinted(on: On, span: Span, code: c_int, handle: Word) {
    let Some(file) = on.file.filter(|_| code == pmpi::SUCCESS) else {
        return on.record(Some(span), code, |_| ());
    };
    let mut note = outcome(code);
    note.file = on.name();
    let hints = super::hints::of(span.thread(), handle).into();
    span.record_detailed(
        note,
        &[on.details(Form::MPIIO_OPEN, &[file.amode(), hints])],
    );
}

/// `MPI_File_set_view`: the offset is the displacement.
#[inline(always)]
pub fn mpi_view(
    op: Op,
    real: impl FnOnce() -> c_int,
    handle: Word,
    displacement: i64,
    etype: Word,
    filetype: Word,
) -> c_int {
    if !is_on() {
        return real();
    }
    let on = On::of(handle, By::All);
    let (code, span) = library::span(op, real);
    // The view is noted even if the call is not recorded.
    quietly(|| viewed(on, span, code, handle, displacement, (etype, filetype)));
    code
}

#[inline(never)]
fn viewed(
    on: On,
    span: Option<Span>,
    code: c_int,
    handle: Word,
    displacement: i64,
    (etype, filetype): (Word, Word),
) {
    let Some(file) = on.file.filter(|_| code == pmpi::SUCCESS) else {
        return on.record(span, code, |note| note.offset = offset_of(displacement));
    };
    let etype_span = mpi::true_extent(etype).map(|(_, extent)| extent);
    let (etype, size) = (mpi::size(etype), mpi::size(filetype));
    let (lower, span_of_type) = mpi::extent(filetype);
    // A type may be as long as its bytes, and have them behind its first byte or its last.
    let is_dense = lower == 0 && span_of_type == size;
    let contiguous = is_dense && mpi::true_extent(filetype) == Some((0, size));
    file.set_view(displacement, etype, etype_span.unwrap_or(etype), contiguous);
    let Some(span) = span else { return };
    let mut note = outcome(code);
    (note.file, note.offset) = (on.name(), offset_of(displacement));
    let hints = super::hints::of(span.thread(), handle).into();
    let numbers = [etype as u64, size as u64, span_of_type as u64, hints];
    span.record_detailed(note, &[on.details(Form::MPIIO_VIEW, &numbers)]);
}

/// MPI_DISPLACEMENT_CURRENT is negative: where that is, only MPI knows.
fn offset_of(displacement: i64) -> i64 {
    displacement.max(-1)
}
