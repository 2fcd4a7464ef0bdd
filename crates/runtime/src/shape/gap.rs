//! Positions of streams as libc tells them, and where that is wrong: a stream may append through a descriptor that
//! somebody else opened, as after `>>`.

use crate::sys;
use crate::tables::description::APPEND;
use crate::tables::descriptors;
use core::ffi::c_int;
use libc::FILE;

unsafe extern "C" {
    /// The real `ftello64`, by whichever way this flavour reaches it.
    fn iota_real_ftello64(stream: *mut FILE) -> i64;
    fn __fpending(stream: *mut FILE) -> usize;
}

pub(super) fn position_of(stream: *mut FILE) -> i64 {
    let errno = sys::errno();
    // SAFETY: a stream that the program just used.
    let position = unsafe { iota_real_ftello64(stream) };
    sys::set_errno(errno);
    position
}

/// How much a stream holds that it has not written yet.
fn held(stream: *mut FILE) -> i64 {
    // SAFETY: a stream that the program just used.
    unsafe { __fpending(stream) as i64 }
}

/// The position of a stream that appends. libc counts what the stream holds from the kernel's position, but it goes to
/// the end of the file. Of streams that `fopen` opened to append, libc knows it.
pub(super) fn position(stream: *mut FILE, fd: c_int) -> i64 {
    let (said, held) = (position_of(stream), held(stream));
    if said < 0 || held == 0 {
        return said;
    }
    match Gap::at(fd) {
        Some(gap) if said.wrapping_sub(held) == gap.position => said.wrapping_add(gap.length()),
        _ => said,
    }
}

/// What is between the kernel's position and the end of a file that is appended to. A write skips it, and what it skips
/// was not written: a file that is opened to append is at position 0 before.
#[derive(Clone, Copy)]
pub(super) struct Gap {
    position: i64,
    end: i64,
}

impl Gap {
    /// That before a call on the stream of a descriptor, if there is one.
    #[inline(never)]
    pub(super) fn of(fd: c_int) -> Option<Gap> {
        descriptors::known(fd).filter(|description| description.has(APPEND))?;
        Gap::at(fd)
    }

    fn at(fd: c_int) -> Option<Gap> {
        let (position, end) = (sys::position(fd).ok()?, sys::size(fd).ok()?);
        (position < end).then_some(Gap { position, end })
    }

    fn length(self) -> i64 {
        self.end.wrapping_sub(self.position)
    }

    /// How much of it a call has skipped that began at this position of the stream: all, if the stream writes, and did
    /// not hold anything before.
    pub(super) fn skipped(self, before: i64, stream: *mut FILE, fd: c_int) -> i64 {
        let has_written = || sys::position(fd).is_ok_and(|after| after > self.end);
        if before == self.position && (held(stream) > 0 || has_written()) {
            self.length()
        } else {
            0
        }
    }
}
