//! Streams that append through a descriptor that somebody else opened, as after `>>`.

use crate::sys;
use crate::tables::description::APPEND;
use crate::tables::descriptors;
use core::ffi::c_int;

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
        let (position, end) = (sys::position(fd).ok()?, sys::size(fd).ok()?);
        (position < end).then_some(Gap { position, end })
    }

    /// How much of it the call has skipped: all, if the stream wrote.
    pub(super) fn skipped(self, fd: c_int) -> i64 {
        match sys::position(fd) {
            Ok(after) if after > self.end => self.end.wrapping_sub(self.position),
            _ => 0,
        }
    }
}
