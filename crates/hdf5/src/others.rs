//! Transfers of several datasets at once, of attributes, and of chunks as they are in the file.

use crate::ask::{Asked, file_of, name_of};
use crate::functions::Functions;
use crate::transfers::{ALL, SELECTIONS, Transfer, TransferInfo, described};
use crate::{Outcome, hid_t, known, library, library_after, record_on, succeeded};
use core::ffi::{c_int, c_void};
use iota_calls::Op;
use iota_runtime::library::{self as calls, Span};
use iota_trace::Details;

/// Datasets of one call at most of which the record says all; the bytes are those of all.
const MOST_DATASETS: usize = iota_trace::details::MOST;

/// `H5Dread_multi`, `H5Dwrite_multi`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "HDF5's")]
pub unsafe fn h5_multi(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    count: usize,
    datasets: *const hid_t,
    memory_types: *const hid_t,
    memory_spaces: *const hid_t,
    file_spaces: *const hid_t,
    dxpl: hid_t,
    events: hid_t,
) -> c_int {
    let (ret, span) = calls::span(op, real);
    if let Some(span) = span {
        let each = |nth: usize| {
            // SAFETY: HDF5 has read as many.
            unsafe {
                Transfer {
                    dataset: datasets.add(nth).read_unaligned(),
                    memory_type: memory_types.add(nth).read_unaligned(),
                    memory_space: memory_spaces.add(nth).read_unaligned(),
                    file_space: file_spaces.add(nth).read_unaligned(),
                    dxpl,
                }
            }
        };
        transferred_all(span, at, ret, (count, &each), events);
    }
    ret
}

#[inline(never)]
fn transferred_all(
    span: Span,
    at: *const c_void,
    ret: c_int,
    (count, each): (usize, &dyn Fn(usize) -> Transfer),
    events: hid_t,
) {
    let mut note = ret.note();
    let Some(library) = library_after(at, &note, events) else {
        return span.record(note);
    };
    let mut details = [Details::default(); MOST_DATASETS];
    for nth in 0..count {
        let transfer = each(nth);
        let asked = Asked::of(span.thread(), library, transfer.dataset);
        let object = asked.object();
        let info = asked.transfer(object, &transfer);
        note.length = note.length.wrapping_add(info.bytes());
        if nth == 0 {
            note.file = file_of(object);
        }
        if let Some(place) = details.get_mut(nth) {
            *place = info.details(name_of(object));
        }
    }
    span.record_detailed(note, details.get(..count).unwrap_or(&details));
}

/// `H5Aread`, `H5Awrite`: always all of it.
#[inline(always)]
pub fn h5_attribute_transfer(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    attribute: hid_t,
    memory_type: hid_t,
    events: hid_t,
) -> c_int {
    let (ret, span) = calls::span(op, real);
    if let Some(span) = span {
        transferred_attribute(span, at, ret, (attribute, memory_type), events);
    }
    ret
}

#[inline(never)]
fn transferred_attribute(
    span: Span,
    at: *const c_void,
    ret: c_int,
    (attribute, memory_type): (hid_t, hid_t),
    events: hid_t,
) {
    let (mut note, object) = (ret.note(), known(at, attribute));
    let Some(library) = library_after(at, &note, events) else {
        return record_on(span, note, file_of(object), name_of(object));
    };
    let asked = Asked::of(span.thread(), library, attribute);
    let object = asked.object();
    let dataset = described(object, || asked.attribute());
    let info = TransferInfo {
        elements: dataset.elements,
        element: asked.element_of(
            object,
            asked.functions.id(memory_type),
            Functions::H5Aget_type,
        ),
        selection: asked.word(SELECTIONS, ALL),
        dataset,
        is_collective: false,
        done: 0,
    };
    (note.file, note.length) = (file_of(object), info.bytes());
    span.record_detailed(note, &[info.details(name_of(object))]);
}

/// `H5Dwrite_chunk`: a chunk as it is in the file.
#[inline(always)]
pub fn h5_chunk_write(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    dataset: hid_t,
    size: usize,
) -> c_int {
    let (ret, span) = calls::span(op, real);
    if let Some(span) = span {
        transferred_chunk(span, at, ret, dataset, |_| size as u64);
    }
    ret
}

/// `H5Dread_chunk`. HDF5 is asked how large it was.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn h5_chunk_read(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    dataset: hid_t,
    offset: *const u64,
) -> c_int {
    let (ret, span) = calls::span(op, real);
    if let Some(span) = span {
        transferred_chunk(span, at, ret, dataset, |asked| asked.chunk(offset));
    }
    ret
}

#[inline(never)]
fn transferred_chunk(
    span: Span,
    at: *const c_void,
    ret: c_int,
    dataset: hid_t,
    size: impl FnOnce(&Asked) -> u64,
) {
    let (mut note, object) = (ret.note(), known(at, dataset));
    let Some(library) = library(at).filter(|_| succeeded(&note)) else {
        return record_on(span, note, file_of(object), name_of(object));
    };
    let asked = Asked::of(span.thread(), library, dataset);
    let object = asked.object();
    let dataset = described(object, || asked.dataset());
    (note.file, note.length) = (file_of(object), size(&asked));
    span.record_detailed(note, &[dataset.details(name_of(object))]);
}

impl Asked {
    /// Bytes of a chunk in the file; `offset` was passed to a call that succeeded.
    fn chunk(&self, offset: *const u64) -> u64 {
        let mut size = 0;
        calls::quietly(self.thread, || {
            self.functions
                .ask(|functions| functions.H5Dget_chunk_storage_size(self.id, offset, &mut size))
        });
        size
    }
}
