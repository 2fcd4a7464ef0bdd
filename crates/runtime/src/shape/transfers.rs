//! Reads and writes on descriptors.

use super::on::on;
use crate::record::{Note, Return, Second, traced, traced_seldom};
use crate::sys;
use crate::tables::description::APPEND;
use crate::tables::{Description, descriptors};
use crate::thread::Thread;
use core::ffi::c_int;
use iota_calls::Op;
use iota_trace::flags;
use libc::{iovec, off64_t};

#[inline(always)]
fn at_position(thread: &Thread, note: &mut Note, fd: c_int, length: u64, is_write: bool) {
    note.length = length;
    if let Some(description) = on(thread, note, fd) {
        note.offset = began(thread, description, note.ret, fd, is_write);
    }
}

#[inline(always)]
pub(super) fn at_offset(
    thread: &Thread,
    note: &mut Note,
    fd: c_int,
    length: u64,
    offset: i64,
    is_write: bool,
) {
    at_offset_as(thread, note, fd, length, offset, is_write, 0);
}

/// As [`at_offset`], with the flags of `pwritev2`: they, too, say where the bytes go.
#[inline(always)]
pub(super) fn at_offset_as(
    thread: &Thread,
    note: &mut Note,
    fd: c_int,
    length: u64,
    offset: i64,
    is_write: bool,
    transfer_flags: c_int,
) {
    note.length = length;
    let description = on(thread, note, fd);
    let goes_to_end = is_write && transfer_flags & libc::RWF_APPEND != 0;
    let goes_there = transfer_flags & RWF_NOAPPEND != 0;
    note.offset = offset;
    // preadv2 and pwritev2 take -1 for "at the position".
    if offset == -1 {
        note.offset = description.map_or(-1, |d| match goes_to_end && note.ret >= 0 {
            true => d.jumped(fd, note.ret),
            false => began_seldom(thread, d, note.ret, fd, is_write),
        });
    } else if goes_to_end || is_write && !goes_there && description.is_some_and(|d| d.has(APPEND)) {
        let (offset, marks) = appended(note.ret, fd, offset);
        note.offset = offset;
        note.flags |= marks;
    }
}

/// Of the kernel's interface: the offset counts also under O_APPEND.
const RWF_NOAPPEND: c_int = 0x20;

/// Linux appends whatever the offset says. Where the bytes went, the file's size tells unless others append too.
#[cold]
#[inline(never)]
fn appended(ret: i64, fd: c_int, offset: i64) -> (i64, u16) {
    match sys::size(fd) {
        Ok(size) if ret > 0 => (size.wrapping_sub(ret), flags::OFFSET_INFERRED),
        _ => (offset, 0),
    }
}

/// As [`began`], for those that do so seldom.
#[cold]
#[inline(never)]
fn began_seldom(
    thread: &Thread,
    description: &Description,
    ret: i64,
    fd: c_int,
    is_write: bool,
) -> i64 {
    began(thread, description, ret, fd, is_write)
}

/// Where a transfer at the position began.
#[inline(always)]
fn began(thread: &Thread, description: &Description, ret: i64, fd: c_int, is_write: bool) -> i64 {
    if ret < 0 {
        description.position()
    } else {
        description.moved(thread, fd, ret, is_write)
    }
}

/// The bytes of a vector of buffers.
///
/// # Safety
/// `iov` is what a call took `count` elements from.
pub(super) unsafe fn total(iov: *const iovec, count: c_int) -> u64 {
    // SAFETY: the call succeeded, so it read `count` entries there, aligned or not.
    let each = (0..count.max(0) as usize).map(|i| unsafe { iov.add(i).read_unaligned() });
    each.fold(0, |sum, part| sum.wrapping_add(part.iov_len as u64))
}

/// A failed call may have been given any pointer.
fn length_of(ret: i64, iov: *const iovec, count: c_int) -> u64 {
    if ret < 0 {
        return 0;
    }
    // SAFETY: the kernel read the vector, or the call would have failed.
    unsafe { total(iov, count) }
}

/// `read`
#[inline(always)]
pub fn read<R: Return>(op: Op, real: impl FnOnce() -> R, fd: c_int, count: usize) -> R {
    traced(op, real, |thread, _, note| {
        at_position(thread, note, fd, count as u64, false)
    })
}

/// `write`
#[inline(always)]
pub fn write<R: Return>(op: Op, real: impl FnOnce() -> R, fd: c_int, count: usize) -> R {
    traced(op, real, |thread, _, note| {
        at_position(thread, note, fd, count as u64, true)
    })
}

/// `readv`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn readv<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    fd: c_int,
    iov: *const iovec,
    count: c_int,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        let length = length_of(note.ret, iov, count);
        at_position(thread, note, fd, length, false);
    })
}

/// `writev`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn writev<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    fd: c_int,
    iov: *const iovec,
    count: c_int,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        let length = length_of(note.ret, iov, count);
        at_position(thread, note, fd, length, true);
    })
}

/// `pread`
#[inline(always)]
pub fn read_at<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    fd: c_int,
    count: usize,
    offset: off64_t,
) -> R {
    traced(op, real, |thread, _, note| {
        at_offset(thread, note, fd, count as u64, offset, false)
    })
}

/// `pwrite`
#[inline(always)]
pub fn write_at<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    fd: c_int,
    count: usize,
    offset: off64_t,
) -> R {
    traced(op, real, |thread, _, note| {
        at_offset(thread, note, fd, count as u64, offset, true)
    })
}

/// `preadv`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn readv_at<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    fd: c_int,
    iov: *const iovec,
    count: c_int,
    offset: off64_t,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        let length = length_of(note.ret, iov, count);
        at_offset(thread, note, fd, length, offset, false);
    })
}

/// `pwritev`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn writev_at<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    fd: c_int,
    iov: *const iovec,
    count: c_int,
    offset: off64_t,
) -> R {
    // SAFETY: the caller's.
    unsafe { writev_as(op, real, fd, iov, count, offset, 0) }
}

/// `pwritev2`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn writev_as<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    fd: c_int,
    iov: *const iovec,
    count: c_int,
    offset: off64_t,
    transfer_flags: c_int,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        let length = length_of(note.ret, iov, count);
        at_offset_as(thread, note, fd, length, offset, true, transfer_flags);
    })
}

/// `sendfile`, `copy_file_range`, `splice`, `tee`: the first descriptor of the call is the event's own, the other its
/// second; each offset is the one passed, before the call, or else the descriptor's position.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub unsafe fn copy<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    fd_in: c_int,
    off_in: *mut off64_t,
    fd_out: c_int,
    off_out: *mut off64_t,
    count: usize,
    first_is_out: bool,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        let is_read = count != 0;
        let from = end_of_copy(thread, note.ret, fd_in, (off_in, is_read), false);
        let to = end_of_copy(thread, note.ret, fd_out, (off_out, is_read), true);
        let (first, second) = if first_is_out { (to, from) } else { (from, to) };
        (note.fd, note.file, note.offset) = (first.fd, first.file, first.offset);
        note.length = count as u64;
        note.more = Some(second);
    })
}

/// An end of a copy. The kernel looks at its offset, unless there is nothing to copy.
fn end_of_copy(
    thread: &Thread,
    ret: i64,
    fd: c_int,
    (offset, is_read): (*mut off64_t, bool),
    is_write: bool,
) -> Second {
    let Some(description) = descriptors::of(thread, fd) else {
        return Second {
            fd,
            file: crate::tables::FileId::NONE,
            offset: -1,
        };
    };
    let moved = ret.max(0);
    let began = if ret < 0 {
        description.position()
    } else if offset.is_null() {
        description.moved(thread, fd, moved, is_write)
    } else if is_read {
        // SAFETY: the call succeeded and moved the offset on by what it copied.
        unsafe { offset.read_unaligned() }.wrapping_sub(moved)
    } else {
        -1
    };
    Second {
        fd,
        file: description.file(),
        offset: began,
    }
}

/// `dprintf`: the length is what was printed.
#[inline(always)]
pub fn fd_printed<R: Return>(op: Op, real: impl FnOnce() -> R, fd: c_int) -> R {
    traced_seldom(op, real, |thread, _, note| {
        let printed = note.ret.max(0) as u64;
        at_position(thread, note, fd, printed, true);
    })
}

/// `lseek`: the offset is the position before, the length what was asked for.
#[inline(always)]
pub fn seek<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    fd: c_int,
    offset: off64_t,
    whence: c_int,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        note.length = offset as u64;
        note.whence = whence as u16;
        if let Some(description) = on(thread, note, fd) {
            note.offset = description.position();
            if note.ret >= 0 {
                description.set_position(note.ret);
            }
        }
    })
}
