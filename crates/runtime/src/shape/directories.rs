//! Directory streams.

use super::descriptors::close;
use super::on::{on, only_path_of};
use crate::record::{Return, traced_seldom};
use crate::sys;
use crate::tables::descriptors;
use core::ffi::{c_char, c_int};
use iota_calls::Op;
use libc::DIR;

unsafe extern "C" {
    /// c-shim/libc.c
    fn iota_directory_descriptor(stream: *mut DIR) -> c_int;
}

/// The descriptor below a directory stream; errno is left as it was.
fn fd_of(stream: *mut DIR) -> c_int {
    if stream.is_null() {
        return -1;
    }
    let errno = sys::errno();
    // SAFETY: a stream that the program has open.
    let fd = unsafe { iota_directory_descriptor(stream) };
    sys::set_errno(errno);
    fd
}

/// `opendir`: returns, in the trace, the descriptor.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn opendir(op: Op, real: impl FnOnce() -> *mut DIR, path: *const c_char) -> *mut DIR {
    traced_seldom(op, real, |thread, stream, note| {
        // SAFETY: the C library reads the path before it succeeds.
        note.file = unsafe { only_path_of(thread, note, libc::AT_FDCWD, path) };
        if !stream.is_null() {
            let fd = fd_of(stream);
            note.ret = i64::from(fd);
            note.file = descriptors::opened(thread, fd, note.file, 0);
        }
    })
}

/// `fdopendir`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn fdopendir(op: Op, real: impl FnOnce() -> *mut DIR, fd: c_int) -> *mut DIR {
    traced_seldom(op, real, |thread, stream, note| {
        on(thread, note, fd);
        if !stream.is_null() {
            note.ret = i64::from(fd);
        }
    })
}

/// `readdir`, `seekdir`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn on_dir<R: Return>(op: Op, real: impl FnOnce() -> R, stream: *mut DIR) -> R {
    traced_seldom(op, real, |thread, _, note| {
        on(thread, note, fd_of(stream));
    })
}

/// `closedir`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn closedir(op: Op, real: impl FnOnce() -> c_int, stream: *mut DIR) -> c_int {
    close(op, real, fd_of(stream))
}
