//! Types and constants of HDF5, and what results say.

use core::ffi::c_int;
use iota_runtime::library::Note;

/// An id; an `int` before 1.10.
#[allow(non_camel_case_types)]
pub(crate) type hid_t = i64;

/// `H5P_DEFAULT`
pub(crate) const DEFAULT: hid_t = 0;

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
pub(crate) trait Outcome: Copy {
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
pub(crate) fn outcome(failed: bool, ret: i64) -> Note {
    let mut note = Note::of(if failed { -1 } else { ret });
    note.errno = 0;
    note
}
