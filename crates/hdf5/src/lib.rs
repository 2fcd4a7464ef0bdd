//! The shapes of HDF5: what the hooks of its functions do besides the real call.
//!
//! The hooks are rendered from the rows of `crates/calls/src/hdf5.rs`. No `hdf5.h` is read: one row is for every version,
//! serial or parallel. What the tracer itself asks of HDF5 it asks after a call that succeeded, of the library that made
//! it, and never what other ranks would have to be asked as well.
#![no_std]
#![allow(
    missing_docs,
    reason = "internal to the workspace; what is not obvious is documented"
)]

mod ask;
mod functions;
mod objects;
mod on;
mod opens;
mod others;
mod transfers;

pub use on::*;
pub use opens::*;
pub use others::*;
pub use transfers::h5_transfer;

use core::ffi::{c_int, c_void};
use functions::Functions;
use iota_runtime::library::{FileId, Note, Span};
use objects::Object;

/// An id; an `int` before 1.10.
#[allow(non_camel_case_types)]
type hid_t = i64;

/// `H5P_DEFAULT`
const DEFAULT: hid_t = 0;

/// How an object is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By a name, so that HDF5 knows its path.
    Named,
    /// An attribute: by the path of its object, and its name.
    Attribute,
    /// By its address or the like. HDF5 would search the file for a path.
    Unnamed,
}
/// For rows.
pub const NAMED: Naming = Naming::Named;
/// For rows.
pub const UNNAMED: Naming = Naming::Unnamed;

/// `H5ES_NONE`: a call that has ended when it returns. For rows
pub const NOW: hid_t = 0;

/// What a call returned: a number that is negative if it failed. Of an id only that is recorded, as they differ from run to
/// run.
trait Outcome: Copy {
    fn note(self) -> Note;
}

impl Outcome for c_int {
    fn note(self) -> Note {
        outcome(self < 0, self.into())
    }
}

impl Outcome for isize {
    fn note(self) -> Note {
        outcome(self < 0, self as i64)
    }
}

impl Outcome for hid_t {
    fn note(self) -> Note {
        // Before 1.10 the upper half says nothing. No later id has an upper half of 0.
        let is_narrow = self >> 32 == 0;
        outcome(self < 0 || is_narrow && (self as i32) < 0, 0)
    }
}

/// HDF5 has errors of its own, and `errno` may be of any earlier call.
fn outcome(failed: bool, ret: i64) -> Note {
    let mut note = Note::of(if failed { -1 } else { ret });
    note.errno = 0;
    note
}

fn succeeded(note: &Note) -> bool {
    note.ret != -1
}

/// The object that a call is about, as far as it is known without a question.
fn known(real: *const c_void, id: hid_t) -> Option<&'static Object> {
    let (library, functions) = functions::of(real)?;
    objects::find(library, functions.id(id))
}

/// A call that says only which object it is about.
fn record_on(span: Span, mut note: Note, file: FileId, name: u32) {
    note.file = file;
    if name == 0 {
        return span.record(note);
    }
    let details = iota_trace::Details::new(iota_calls::Form::OBJECT.0, &[name.into()]);
    span.record_detailed(note, &[details]);
}

/// The library of a call that succeeded, and its functions.
fn library(real: *const c_void) -> Option<(u32, &'static Functions)> {
    let (library, functions) = functions::of(real)?;
    functions.know_width();
    Some((library, functions))
}

/// The same if the call has ended: of an object that is still being opened nothing can be asked without waiting.
fn library_after(
    real: *const c_void,
    note: &Note,
    events: hid_t,
) -> Option<(u32, &'static Functions)> {
    let (library, functions) = library(real).filter(|_| succeeded(note))?;
    (!functions.has_pending(events)).then_some((library, functions))
}
