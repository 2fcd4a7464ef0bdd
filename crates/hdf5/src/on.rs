//! Calls on an object, or on one that a name says, that move none of its elements.

use crate::ask::{Asked, file_of, name_of};
use crate::objects::Object;
use crate::{Outcome, UNNAMED, hid_t, known, library, record_on, succeeded};
use core::ffi::{CStr, c_char, c_void};
use iota_calls::Op;
use iota_runtime::library::{self as calls, Note, Span};

/// The object itself, and none below it. For rows
pub const HERE: *const c_char = core::ptr::null();

/// A call on an open file or object.
#[inline(always)]
#[allow(private_bounds, reason = "what functions of HDF5 return")]
pub fn h5_on<R: Outcome>(op: Op, at: *const c_void, real: impl FnOnce() -> R, object: hid_t) -> R {
    let (ret, span) = calls::span(op, real);
    if let Some(span) = span {
        on(span, at, ret.note(), object);
    }
    ret
}

#[inline(never)]
fn on(span: Span, at: *const c_void, note: Note, id: hid_t) {
    let object = known_after(&span, at, &note, id);
    record_on(span, note, file_of(object), name_of(object));
}

/// What is known of an id after a call; of one that HDF5 has made for a callback at least the file.
fn known_after(span: &Span, at: *const c_void, note: &Note, id: hid_t) -> Option<&'static Object> {
    known(at, id).or_else(|| {
        let library = library(at).filter(|_| succeeded(note))?;
        Asked::of(span.thread(), library, id).learn(None, UNNAMED)
    })
}

/// A call on what has this name below `loc`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
#[allow(private_bounds, reason = "what functions of HDF5 return")]
pub unsafe fn h5_at<R: Outcome>(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> R,
    loc: hid_t,
    name: *const c_char,
) -> R {
    let (ret, span) = calls::span(op, real);
    if let Some(span) = span {
        // SAFETY: the name of the call that returned this.
        unsafe { below(span, at, ret.note(), loc, (name, HERE)) };
    }
    ret
}

/// A call on an attribute of what has the name `object` below `loc`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
#[allow(private_bounds, reason = "what functions of HDF5 return")]
pub unsafe fn h5_attribute_at<R: Outcome>(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> R,
    loc: hid_t,
    object: *const c_char,
    name: *const c_char,
) -> R {
    let (ret, span) = calls::span(op, real);
    if let Some(span) = span {
        // SAFETY: the names of the call that returned this.
        unsafe { below(span, at, ret.note(), loc, (object, name)) };
    }
    ret
}

/// # Safety
/// The names are null, or were passed to a call that returned this.
#[inline(never)]
unsafe fn below(
    span: Span,
    at: *const c_void,
    note: Note,
    loc: hid_t,
    (name, attribute): (*const c_char, *const c_char),
) {
    let object = known_after(&span, at, &note, loc);
    let is_named = name_of(object) != 0 && succeeded(&note);
    let path = match library(at).filter(|_| is_named) {
        Some(library) => {
            let asked = Asked::of(span.thread(), library, loc);
            // SAFETY: HDF5 has read the names.
            unsafe { asked.below(bytes(name), bytes(attribute)) }
        }
        None => name_of(object),
    };
    record_on(span, note, file_of(object), path);
}

/// # Safety
/// Null, or ends with NUL.
unsafe fn bytes<'a>(text: *const c_char) -> &'a [u8] {
    if text.is_null() {
        return b"";
    }
    // SAFETY: as this function's.
    unsafe { CStr::from_ptr(text) }.to_bytes()
}

/// A call on a file that it names by its path.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn h5_path(
    op: Op,
    _: *const c_void,
    real: impl FnOnce() -> core::ffi::c_int,
    path: *const c_char,
) -> core::ffi::c_int {
    let (ret, span) = calls::span(op, real);
    if let Some(span) = span {
        let mut note = ret.note();
        // SAFETY: HDF5 has read the path if it did not fail.
        note.file = unsafe { calls::file(span.thread(), path, succeeded(&note)) };
        span.record(note);
    }
    ret
}
