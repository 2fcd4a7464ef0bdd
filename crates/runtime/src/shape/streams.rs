//! Streams of libc. Offsets are the stream's own position, as `ftell` would say, not the kernel's.

use super::descriptors::{close, stream_flags};
use super::gap::{Gap, position_of};
use super::metadata::global;
use super::on::{on, only_path_of};
use crate::record::{Note, Return, traced_seldom};
use crate::sys;
use crate::tables::description::SHARED;
use crate::tables::descriptors;
use crate::thread::Thread;
use core::ffi::{c_char, c_int, c_long};
use iota_calls::Op;
use libc::{FILE, size_t};

unsafe extern "C" {
    /// c-shim/libc.c
    fn iota_stream_descriptor(stream: *mut FILE) -> c_int;
    safe static stdin: *mut FILE;
    safe static stdout: *mut FILE;
}

/// The stream that `getchar` and `scanf` read.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn standard_input() -> *mut FILE {
    stdin
}

/// The stream that `puts` and `printf` write.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn standard_output() -> *mut FILE {
    stdout
}

/// The descriptor below a stream, -1 where there is none (`fmemopen`); errno is left as it was.
#[inline(always)]
pub(super) fn fd_of(stream: *mut FILE) -> c_int {
    if stream.is_null() {
        return -1;
    }
    let errno = sys::errno();
    // SAFETY: a stream that the program just used.
    let fd = unsafe { iota_stream_descriptor(stream) };
    if fd < 0 {
        sys::set_errno(errno);
    }
    fd
}

/// `fopen`: returns, in the trace, the descriptor.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn fopen(
    op: Op,
    real: impl FnOnce() -> *mut FILE,
    path: *const c_char,
    mode: *const c_char,
) -> *mut FILE {
    traced_seldom(op, real, |thread, stream, note| {
        // SAFETY: the C library reads the path before it succeeds.
        note.file = unsafe { only_path_of(thread, note, libc::AT_FDCWD, path) };
        opened(thread, note, stream, mode);
    })
}

fn opened(thread: &Thread, note: &mut Note, stream: *mut FILE, mode: *const c_char) {
    if stream.is_null() {
        return;
    }
    // SAFETY: the call succeeded with this mode.
    let flags = unsafe { stream_flags(mode) };
    note.length = u64::from(flags as u32);
    let fd = fd_of(stream);
    note.ret = i64::from(fd);
    note.file = descriptors::opened(thread, fd, note.file, flags);
    if let Some(description) = descriptors::known(fd) {
        description.now_stream();
    }
}

/// `fdopen`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn fdopen(
    op: Op,
    real: impl FnOnce() -> *mut FILE,
    fd: c_int,
    _mode: *const c_char,
) -> *mut FILE {
    traced_seldom(op, real, |thread, stream, note| {
        let description = on(thread, note, fd);
        if let Some(description) = description.filter(|_| !stream.is_null()) {
            note.ret = i64::from(fd);
            description.now_stream();
            if let Ok(position) = sys::position(fd) {
                description.set_position(position);
            }
        }
    })
}

/// `freopen`: the stream's old descriptor is gone, whether or not the new file could be opened.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn freopen(
    op: Op,
    real: impl FnOnce() -> *mut FILE,
    path: *const c_char,
    mode: *const c_char,
    stream: *mut FILE,
) -> *mut FILE {
    let old = fd_of(stream);
    let taken = if path.is_null() {
        None
    } else {
        descriptors::closing(old)
    };
    traced_seldom(op, real, |thread, stream, note| {
        if let Some((_, taken)) = taken {
            taken.closed();
        }
        note.fd = old;
        if path.is_null() {
            note.file = descriptors::file_of(thread, old);
            note.ret = i64::from(fd_of(stream));
            return;
        }
        // SAFETY: the C library reads the path before it succeeds.
        note.file = unsafe { only_path_of(thread, note, libc::AT_FDCWD, path) };
        opened(thread, note, stream, mode);
    })
}

/// `tmpfile`, `popen`, `fmemopen`: a stream without a path of the program's.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn new_stream(op: Op, real: impl FnOnce() -> *mut FILE) -> *mut FILE {
    traced_seldom(op, real, |thread, stream, note| {
        if stream.is_null() {
            return;
        }
        let fd = fd_of(stream);
        note.ret = i64::from(fd);
        descriptors::unknown(fd);
        if let Some(description) = on(thread, note, fd) {
            description.now_stream();
        }
        note.fd = -1;
    })
}

/// `fclose`, `pclose`. What the stream still held is written inside; the descriptor's number is given up before.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn fclose(op: Op, real: impl FnOnce() -> c_int, stream: *mut FILE) -> c_int {
    close(op, real, fd_of(stream))
}

/// `fcloseall`
#[inline(always)]
pub fn close_all_streams(op: Op, real: impl FnOnce() -> c_int) -> c_int {
    global(op, real)
}

/// `fseek`: the offset is the position before, the length what was asked for.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_seek<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    stream: *mut FILE,
    offset: i64,
    whence: c_int,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        note.whence = whence as u16;
        note.length = offset as u64;
        repositioned(thread, note, stream, whence, offset);
    })
}

#[inline(always)]
fn repositioned(thread: &Thread, note: &mut Note, stream: *mut FILE, whence: c_int, offset: i64) {
    let fd = fd_of(stream);
    let Some(description) = on(thread, note, fd) else {
        return;
    };
    note.offset = description.position();
    if note.ret < 0 {
        return;
    }
    match whence {
        libc::SEEK_SET => description.set_position(offset),
        libc::SEEK_CUR if !description.has(SHARED) => {
            description.set_position(note.offset.wrapping_add(offset))
        }
        _ => description.set_position(position_of(stream).max(0)),
    }
}

/// `ftell`: what it says is also what we believe from now on.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_tell(op: Op, real: impl FnOnce() -> c_long, stream: *mut FILE) -> c_long {
    traced_seldom(op, real, |thread, position, note| {
        let fd = fd_of(stream);
        if let Some(description) = on(thread, note, fd) {
            note.offset = description.position();
            if position >= 0 {
                description.set_position(position);
            }
        }
    })
}

/// `fflush`, `setbuf`: about a stream, without a transfer; NULL is every stream.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_on<R: Return>(op: Op, real: impl FnOnce() -> R, stream: *mut FILE) -> R {
    let gap = Gap::of(fd_of(stream));
    traced_seldom(op, real, |thread, _, note| {
        on_stream(thread, note, stream, gap)
    })
}

/// It may have moved the position by what inlined calls had taken from the buffer.
fn on_stream(thread: &Thread, note: &mut Note, stream: *mut FILE, gap: Option<Gap>) {
    if stream.is_null() {
        return;
    }
    let fd = fd_of(stream);
    let description = on(thread, note, fd);
    if let (Some(description), Some(gap)) = (description, gap) {
        let before = description.position();
        description.set_position(before.wrapping_add(gap.skipped(before, stream, fd)));
    }
}

/// `setvbuf`: a stream without a buffer has one of no bytes.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_buffer(
    op: Op,
    real: impl FnOnce() -> c_int,
    stream: *mut FILE,
    mode: c_int,
    size: size_t,
) -> c_int {
    let gap = Gap::of(fd_of(stream));
    traced_seldom(op, real, |thread, _, note| {
        on_stream(thread, note, stream, gap);
        note.length = if mode == libc::_IONBF { 0 } else { size as u64 };
    })
}

/// `fsetpos`, `rewind`: the position is asked for afterwards.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_reposition<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    stream: *mut FILE,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        repositioned(thread, note, stream, libc::SEEK_END, 0)
    })
}
