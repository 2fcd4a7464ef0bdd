//! The file that a call is about, from what the program passed to it: a path, a directory's descriptor and a path, or nothing.

use super::descriptors;
use super::file::FileId;
use super::paths::{Base, named_absolute, named_from, named_here};
use crate::state::awaited;
use crate::sys;
use crate::thread::Thread;
use core::ffi::{CStr, c_char, c_int};

/// The file of a path that the program passed, taken from the working directory.
///
/// # Safety
/// `path` is what a call just took without complaint, or NULL.
pub unsafe fn named(thread: &Thread, path: *const c_char) -> FileId {
    // SAFETY: `path` is NULL or was read by a call that succeeded: what `named_at` asks for.
    unsafe { named_at(thread, libc::AT_FDCWD, path) }
}

/// The file of a path that the program passed with a directory's descriptor.
///
/// # Safety
/// As [`named`].
pub unsafe fn named_at(thread: &Thread, directory: c_int, path: *const c_char) -> FileId {
    awaited::look();
    if path.is_null() {
        return descriptors::file_of(thread, directory);
    }
    // SAFETY: not NULL, so a call that succeeded read it up to its NUL.
    let given = unsafe { CStr::from_ptr(path) }.to_bytes();
    match (given.first(), directory) {
        (Some(b'/'), _) => named_absolute(thread, given),
        (Some(_), libc::AT_FDCWD) => named_here(thread, given),
        (None, fd) if fd != libc::AT_FDCWD => descriptors::file_of(thread, fd),
        (_, fd) => {
            let number = descriptors::number_of(fd);
            named_from(thread, Base { fd, number }, given).0
        }
    }
}

/// The same for a path that a call may have refused, or not looked at: that of one which can be read to its end and is
/// no longer than paths are; else none.
pub fn tried_at(thread: &Thread, directory: c_int, path: *const c_char) -> FileId {
    let most = libc::PATH_MAX as usize;
    if !path.is_null() && sys::string_length(path.addr(), most).is_none() {
        return FileId::NONE;
    }
    // SAFETY: null, or found to end with NUL just now.
    unsafe { named_at(thread, directory, path) }
}
