//! A descriptor, as most interfaces have one.

use super::Open;
use crate::sys;
use std::io;

/// open(2).
pub fn open(open: &Open) -> io::Result<i32> {
    let path = sys::c_path(open.path)?;
    // SAFETY: a C string and numbers.
    let fd = unsafe { libc::open(path.as_ptr(), open.flags, Open::MODE) };
    sys::ok(fd.into()).map(|fd| fd as i32)
}

/// fsync(2) or fdatasync(2).
pub fn sync(fd: i32, data_only: bool) -> io::Result<()> {
    // SAFETY: takes a number only.
    let result = unsafe {
        if data_only {
            libc::fdatasync(fd)
        } else {
            libc::fsync(fd)
        }
    };
    sys::ok(result.into()).map(drop)
}

/// close(2).
pub fn close(fd: i32) -> io::Result<()> {
    // SAFETY: takes a number only; the descriptor is the handle's own.
    sys::ok(unsafe { libc::close(fd) }.into()).map(drop)
}
