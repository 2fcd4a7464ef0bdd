//! What every call of HDF5 is recorded by.

use crate::functions::{self, Functions};
use crate::objects::{self, Object};
use crate::types::hid_t;
use core::ffi::c_void;
use iota_runtime::library::{FileId, Note, Span};

pub(crate) fn succeeded(note: &Note) -> bool {
    note.ret != -1
}

/// The object that a call is about, as far as it is known without a question.
pub(crate) fn known(real: *const c_void, id: hid_t) -> Option<&'static Object> {
    let (library, functions) = functions::of(real)?;
    objects::find(library, functions.id(id))
}

/// A call that says only which object it is about.
pub(crate) fn record_on(span: Span, mut note: Note, file: FileId, name: u32) {
    note.file = file;
    if name == 0 {
        return span.record(note);
    }
    let details = iota_trace::Details::new(iota_calls::Form::OBJECT.0, &[name.into()]);
    span.record_detailed(note, &[details]);
}

/// The library of a call that succeeded, and its functions.
pub(crate) fn library(real: *const c_void) -> Option<(u32, &'static Functions)> {
    let (library, functions) = functions::of(real)?;
    functions.know_width();
    Some((library, functions))
}

/// The same if the call has ended: of an object that is still being opened nothing can be asked without waiting.
pub(crate) fn library_after(
    real: *const c_void,
    note: &Note,
    events: hid_t,
) -> Option<(u32, &'static Functions)> {
    let (library, functions) = library(real).filter(|_| succeeded(note))?;
    (!functions.has_pending(events)).then_some((library, functions))
}
