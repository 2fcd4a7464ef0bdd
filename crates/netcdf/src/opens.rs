//! Calls that open a file.

use crate::asks::Library;
use crate::files::{Opened, of_path, remember};
use crate::on::On;
use crate::record::outcome;
use crate::types::{Ranks, SUCCESS};
use core::ffi::{c_char, c_int};
use iota_calls::Form;
use iota_mpi::above::FileGroup;
use iota_runtime::library::Span;

/// # Safety
/// The arguments of a call that opens a file, which returned `code`.
#[inline(never)]
pub unsafe fn opened(
    library: Library,
    span: Span,
    code: c_int,
    path: *const c_char,
    ranks: Ranks,
    ncid: *mut c_int,
) {
    let mut note = outcome(code);
    // SAFETY: the library read the path if it opened the file.
    note.file = unsafe { of_path(span.thread(), path, code == SUCCESS) };
    if code != SUCCESS || ncid.is_null() {
        return span.record(note);
    }
    let (ranks, collective) = match ranks {
        Ranks::Alone => (0, 0),
        Ranks::On(comm) => {
            // SAFETY: the library has read the path, and has used the communicator.
            let group = unsafe { FileGroup::of(comm, path) };
            (group.ranks, group.first_collective())
        }
    };
    let opened = Opened {
        name: note.file,
        ranks,
        collective,
    };
    // SAFETY: the library has written a number there.
    let key = library.key(unsafe { ncid.read_unaligned() });
    let file = remember(key, &opened);
    if ranks == 0 {
        return span.record(note);
    }
    let on = On { file, collective };
    span.record_detailed(note, &[on.details(Form::VARIABLE, 0, &[])]);
}
