//! What many shapes note of a call.

use crate::record::Note;
use crate::sys;
use crate::tables::{Description, FileId, descriptors, lookup};
use crate::thread::Thread;
use core::ffi::{c_char, c_int};

/// Notes a descriptor and its file.
#[inline(always)]
pub fn on(thread: &Thread, note: &mut Note, fd: c_int) -> Option<&'static Description> {
    note.fd = fd;
    let description = descriptors::of(thread, fd)?;
    note.file = description.file();
    Some(description)
}

/// The file of a path: one that a call failed with may be any address, also where the other of two was not found.
///
/// # Safety
/// `path` was passed to a call that has just returned what `note` says, and reads it to its end before it succeeds.
pub unsafe fn path_of(
    thread: &Thread,
    note: &Note,
    directory: c_int,
    path: *const c_char,
) -> FileId {
    if note.ret < 0 {
        return refused(thread, note, directory, path);
    }
    // SAFETY: the call succeeded, so it read the path to its end.
    unsafe { lookup::named_at(thread, directory, path) }
}

/// The file of the only path of a call: one that was not found has been read as well.
///
/// # Safety
/// As [`path_of`], and the call reads the path also before it finds that there is no such file.
pub unsafe fn only_path_of(
    thread: &Thread,
    note: &Note,
    directory: c_int,
    path: *const c_char,
) -> FileId {
    if note.ret < 0 && note.errno == libc::ENOENT {
        // SAFETY: the call looked for the path, so it read it to its end.
        return unsafe { lookup::named_at(thread, directory, path) };
    }
    // SAFETY: as this function's, of which it asks less.
    unsafe { path_of(thread, note, directory, path) }
}

/// The file of the path of a call that reads its first byte before it finds that there is no such file (`realpath`).
///
/// # Safety
/// As [`path_of`], and the call reads the first byte of the path also before it fails with ENOENT.
pub unsafe fn begun_path_of(thread: &Thread, note: &Note, path: *const c_char) -> FileId {
    let directory = libc::AT_FDCWD;
    let has_begun = note.ret < 0 && note.errno == libc::ENOENT && !path.is_null();
    // SAFETY: the first byte was read.
    if has_begun && unsafe { sys::ends_in_its_page(path) } {
        // SAFETY: it ends in the page whose first bytes were read.
        return unsafe { lookup::named_at(thread, directory, path) };
    }
    // SAFETY: as this function's, of which it asks less.
    unsafe { path_of(thread, note, directory, path) }
}

/// The file of a path that a call failed with.
#[cold]
#[inline(never)]
fn refused(thread: &Thread, note: &Note, directory: c_int, path: *const c_char) -> FileId {
    // A descriptor without a path names its file only where the call takes none.
    if path.is_null() && note.errno == libc::EFAULT {
        return FileId::NONE;
    }
    lookup::tried_at(thread, directory, path)
}
