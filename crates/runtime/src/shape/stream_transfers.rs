//! Transfers of libc's streams.

use super::gap::{self, Gap, position_of};
use super::on::on;
use super::streams::fd_of;
use crate::record::{Note, Return, traced, traced_seldom};
use crate::tables::Description;
use crate::tables::description::{APPEND, SHARED};
use crate::thread::Thread;
use core::ffi::{CStr, c_char, c_int};
use iota_calls::Op;
use libc::FILE;

/// A buffered transfer of `moved` bytes out of `length`.
#[inline(always)]
fn moved(
    thread: &Thread,
    note: &mut Note,
    stream: *mut FILE,
    length: u64,
    moved: u64,
    is_write: bool,
) {
    note.length = length;
    let fd = fd_of(stream);
    let Some(description) = on(thread, note, fd) else {
        return;
    };
    if description.has(SHARED) || is_write && description.has(APPEND) {
        note.offset = asked(stream, fd, moved as i64, description);
        return;
    }
    note.offset = description.stream_moved(thread, fd, moved as i64);
}

/// The same for calls other than those that a program makes by the million: it stands once in the program.
#[inline(never)]
fn moved_seldom(
    thread: &Thread,
    note: &mut Note,
    stream: *mut FILE,
    length: u64,
    transferred: u64,
    is_write: bool,
) {
    moved(thread, note, stream, length, transferred, is_write);
}

/// The position is libc's to say: the end of the file under O_APPEND, anything on a descriptor shared with others.
#[cold]
fn asked(stream: *mut FILE, fd: c_int, moved: i64, description: &Description) -> i64 {
    let (before, mut after) = (description.position(), position_of(stream));
    let has_jumped = before == 0 || after.wrapping_sub(moved) != before;
    if description.has(APPEND) && has_jumped {
        after = gap::position(stream, fd);
    }
    description.set_position(after.max(0));
    if after < 0 {
        -1
    } else {
        after.wrapping_sub(moved)
    }
}

fn is_input(note: &Note) -> u64 {
    u64::from(note.ret >= 0)
}

/// Items, whose size stands in `whence`; 0 there of larger ones says that all came, as a reader takes it.
#[inline(always)]
fn items(
    op: Op,
    real: impl FnOnce() -> usize,
    stream: *mut FILE,
    [size, count]: [usize; 2],
    is_write: bool,
) -> usize {
    traced(op, real, |thread, items, note| {
        note.whence = match u16::try_from(size) {
            Ok(size) => size,
            Err(_) if items == count => 0,
            Err(_) => u16::MAX,
        };
        let [wanted, done] = [count, items].map(|items| size.wrapping_mul(items) as u64);
        moved(thread, note, stream, wanted, done, is_write);
    })
}

/// `fread`: returns items.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_read(
    op: Op,
    real: impl FnOnce() -> usize,
    stream: *mut FILE,
    size: usize,
    count: usize,
) -> usize {
    items(op, real, stream, [size, count], false)
}

/// `fwrite`: returns items.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_write(
    op: Op,
    real: impl FnOnce() -> usize,
    stream: *mut FILE,
    size: usize,
    count: usize,
) -> usize {
    items(op, real, stream, [size, count], true)
}

/// `fgetc`: one byte.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_getc(op: Op, real: impl FnOnce() -> c_int, stream: *mut FILE) -> c_int {
    traced(op, real, |thread, _, note| {
        moved(thread, note, stream, 1, is_input(note), false)
    })
}

/// `fputc`: one byte.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_putc(op: Op, real: impl FnOnce() -> c_int, stream: *mut FILE) -> c_int {
    traced(op, real, |thread, _, note| {
        moved(thread, note, stream, 1, is_input(note), true)
    })
}

/// `ungetc`: the position goes back by one.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_ungetc(op: Op, real: impl FnOnce() -> c_int, stream: *mut FILE) -> c_int {
    traced_seldom(op, real, |thread, _, note| {
        let back = is_input(note) as i64;
        let fd = fd_of(stream);
        if let Some(description) = on(thread, note, fd) {
            note.offset = description.stream_moved(thread, fd, back.wrapping_neg());
        }
    })
}

/// `fgets`: what was read is the string up to its NUL.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_gets(
    op: Op,
    real: impl FnOnce() -> *mut c_char,
    stream: *mut FILE,
    size: c_int,
) -> *mut c_char {
    traced_seldom(op, real, |thread, string, note| {
        let read = if string.is_null() {
            0
        } else {
            // SAFETY: the call succeeded and ended the string.
            unsafe { CStr::from_ptr(string) }.count_bytes() as u64
        };
        moved_seldom(thread, note, stream, size.max(0) as u64, read, false);
        note.ret = if string.is_null() { -1 } else { read as i64 };
    })
}

/// `getline`: returns what was read.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_getline(op: Op, real: impl FnOnce() -> isize, stream: *mut FILE) -> isize {
    traced_seldom(op, real, |thread, _, note| {
        let read = note.ret.max(0) as u64;
        moved_seldom(thread, note, stream, read, read, false);
    })
}

/// `fputs`: the string, and for `puts` the newline, which the row adds by `newline`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_puts(
    op: Op,
    real: impl FnOnce() -> c_int,
    stream: *mut FILE,
    string: *const c_char,
) -> c_int {
    puts(op, real, stream, string, 0)
}

/// `puts`: the string and a newline.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_puts_line(
    op: Op,
    real: impl FnOnce() -> c_int,
    stream: *mut FILE,
    string: *const c_char,
) -> c_int {
    puts(op, real, stream, string, 1)
}

#[inline(always)]
fn puts(
    op: Op,
    real: impl FnOnce() -> c_int,
    stream: *mut FILE,
    string: *const c_char,
    more: u64,
) -> c_int {
    traced_seldom(op, real, |thread, ret, note| {
        let length = if ret < 0 {
            0
        } else {
            // SAFETY: the call succeeded and read the string.
            unsafe { CStr::from_ptr(string) }.count_bytes() as u64 + more
        };
        moved_seldom(thread, note, stream, length, length, true);
    })
}

/// `fprintf`: returns what was printed.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_printed(op: Op, real: impl FnOnce() -> c_int, stream: *mut FILE) -> c_int {
    traced_seldom(op, real, |thread, _, note| {
        let printed = note.ret.max(0) as u64;
        moved_seldom(thread, note, stream, printed, printed, true);
    })
}

/// `fscanf`, `fgetwc`: how far the stream went, only libc knows.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn stream_scanned<R: Return>(op: Op, real: impl FnOnce() -> R, stream: *mut FILE) -> R {
    let gap = Gap::of(fd_of(stream));
    traced_seldom(op, real, |thread, _, note| {
        scanned(thread, note, stream, gap)
    })
}

#[inline(never)]
fn scanned(thread: &Thread, note: &mut Note, stream: *mut FILE, gap: Option<Gap>) {
    let fd = fd_of(stream);
    if let Some(description) = on(thread, note, fd) {
        let before = description.position();
        let after = match gap {
            Some(_) => gap::position(stream, fd),
            None => position_of(stream),
        };
        let skipped = gap.map_or(0, |gap| gap.skipped(before, stream, fd));
        if before >= 0 {
            note.offset = before.wrapping_add(skipped);
            note.length = after.wrapping_sub(note.offset).max(0) as u64;
        } else {
            note.offset = before;
        }
        description.set_position(after.max(0));
    }
}
