//! Descriptors made, shared and given back.

use super::on::{on, only_path_of};
use crate::life::current;
use crate::record::{Note, Return, Second, traced, traced_seldom};
use crate::tables::{descriptors, layouts, lookup, rings};
use crate::thread::Thread;
use core::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};
use iota_calls::Op;

/// For opens, `length` holds the flags and above them the mode, which is passed only where a file may be made.
pub(super) fn flags_and_mode(flags: c_int, mode: c_uint) -> u64 {
    let creates = flags & libc::O_CREAT != 0 || flags & libc::O_TMPFILE == libc::O_TMPFILE;
    u64::from(flags as u32) | u64::from(if creates { mode } else { 0 }) << 32
}

/// `open`, `creat`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn open(
    op: Op,
    real: impl FnOnce() -> c_int,
    path: *const c_char,
    flags: c_int,
    mode: c_uint,
) -> c_int {
    // SAFETY: `real` takes `path` as `openat` describes it.
    unsafe { openat(op, real, libc::AT_FDCWD, path, flags, mode) }
}

/// `openat`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn openat(
    op: Op,
    real: impl FnOnce() -> c_int,
    directory: c_int,
    path: *const c_char,
    flags: c_int,
    mode: c_uint,
) -> c_int {
    traced(op, real, |thread, fd, note| {
        note.length = flags_and_mode(flags, mode);
        // SAFETY: the kernel reads the path before it succeeds.
        note.file = unsafe { only_path_of(thread, note, directory, path) };
        if fd >= 0 {
            note.file = descriptors::opened(thread, fd, note.file, flags);
        }
    })
}

/// `openat2`: flags and mode stand behind a pointer.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn openat2(
    op: Op,
    real: impl FnOnce() -> c_int,
    directory: c_int,
    path: *const c_char,
    how: *const libc::open_how,
) -> c_int {
    traced_seldom(op, real, |thread, fd, note| {
        // SAFETY: the kernel reads the path before it succeeds.
        note.file = unsafe { only_path_of(thread, note, directory, path) };
        if fd >= 0 {
            // SAFETY: the kernel read it, from wherever it lies.
            let how = unsafe { how.read_unaligned() };
            let (flags, mode) = (how.flags as c_int, how.mode as c_uint);
            note.length = flags_and_mode(flags, mode);
            note.file = descriptors::opened(thread, fd, note.file, flags);
        }
    })
}

/// `mkstemp` and its kin: the template holds the name after success.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn created(op: Op, real: impl FnOnce() -> c_int, template: *const c_char) -> c_int {
    traced_seldom(op, real, |thread, fd, note| {
        if fd >= 0 {
            // SAFETY: the call succeeded and left a name there.
            note.file = unsafe { lookup::named(thread, template) };
            note.file = descriptors::opened(thread, fd, note.file, libc::O_RDWR);
        }
    })
}

/// A descriptor without a path of the program's: `memfd_create` and the like. The kernel's name for it is recorded.
#[inline(always)]
pub fn new_fd(op: Op, real: impl FnOnce() -> c_int) -> c_int {
    traced_seldom(op, real, |thread, fd, note| {
        if fd >= 0 {
            descriptors::unknown(fd);
            note.file = descriptors::file_of(thread, fd);
        }
    })
}

/// `pipe`, `socketpair`: two descriptors at once.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn new_pair(op: Op, real: impl FnOnce() -> c_int, pair: *mut c_int) -> c_int {
    traced_seldom(op, real, |thread, ret, note| {
        if ret == 0 {
            // SAFETY: the call succeeded and filled both, wherever they lie.
            let [a, b] = unsafe { pair.cast::<[c_int; 2]>().read_unaligned() };
            descriptors::unknown(a);
            descriptors::unknown(b);
            on(thread, note, a);
            note.more = Some(Second {
                fd: b,
                file: descriptors::file_of(thread, b),
                offset: -1,
            });
        }
    })
}

/// `close`. The number is given up before the real call: after it, another thread may have it already.
#[inline(always)]
pub fn close(op: Op, real: impl FnOnce() -> c_int, fd: c_int) -> c_int {
    // A child of vfork has descriptors of its own.
    let thread = current();
    let taken = thread.and_then(|_| descriptors::closing(fd));
    if let (Some(thread), Some((file, _))) = (thread, &taken) {
        layouts::closing(thread, fd, *file);
    }
    traced(op, real, |_, _, note| {
        note.fd = fd;
        if let Some((file, taken)) = taken {
            note.file = file;
            taken.closed();
        }
    })
}

/// `close_range`, `closefrom`: the last descriptor stands in `length`.
#[inline(always)]
pub fn close_range<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    first: c_uint,
    last: c_uint,
    flags: c_int,
) -> R {
    traced_seldom(op, real, |_, _, note| {
        note.fd = first as c_int;
        note.length = u64::from(last);
        // With CLOSE_RANGE_CLOEXEC nothing is closed yet.
        if note.ret == 0 && flags as c_uint & libc::CLOSE_RANGE_CLOEXEC == 0 {
            descriptors::range(first, last).for_each(descriptors::unknown);
        }
    })
}

/// `fsync`, `fstat`, `flock`: about a descriptor, without a transfer.
#[inline(always)]
pub fn on_fd<R: Return>(op: Op, real: impl FnOnce() -> R, fd: c_int) -> R {
    traced_seldom(op, real, |thread, _, note| {
        on(thread, note, fd);
    })
}

/// `fallocate`, `ftruncate`: about a range of a descriptor's file.
#[inline(always)]
pub fn range<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    fd: c_int,
    offset: i64,
    length: i64,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        on(thread, note, fd);
        note.offset = offset;
        note.length = length as u64;
    })
}

/// `posix_fallocate`, `posix_fadvise`: they return an error number.
#[inline(always)]
pub fn range_answered(
    op: Op,
    real: impl FnOnce() -> c_int,
    fd: c_int,
    offset: i64,
    length: i64,
) -> c_int {
    traced_seldom(op, real, |thread, ret, note| {
        on(thread, note, fd);
        note.offset = offset;
        note.length = length as u64;
        note.answers(ret);
    })
}

/// `posix_madvise`, likewise.
#[inline(always)]
pub fn memory_answered(
    op: Op,
    real: impl FnOnce() -> c_int,
    _address: *const c_void,
    length: usize,
) -> c_int {
    traced_seldom(op, real, |_, ret, note| {
        note.length = length as u64;
        note.answers(ret);
    })
}

/// `dup`
#[inline(always)]
pub fn dup(op: Op, real: impl FnOnce() -> c_int, fd: c_int) -> c_int {
    traced_seldom(op, real, |thread, new, note| {
        on(thread, note, fd);
        duplicated(thread, note, fd, new);
    })
}

/// `dup2`, `dup3`
#[inline(always)]
pub fn dup2(op: Op, real: impl FnOnce() -> c_int, old: c_int, _new: c_int) -> c_int {
    dup(op, real, old)
}

fn duplicated(thread: &Thread, note: &mut Note, old: c_int, new: c_int) {
    if new >= 0 {
        descriptors::duplicated(thread, old, new);
        note.more = Some(Second {
            fd: new,
            file: note.file,
            offset: -1,
        });
    }
}

/// `fcntl`: the command stands in `length`.
#[inline(always)]
pub fn fcntl(
    op: Op,
    real: impl FnOnce() -> c_int,
    fd: c_int,
    command: c_int,
    argument: c_long,
) -> c_int {
    traced_seldom(op, real, |thread, ret, note| {
        note.length = command as u64;
        let description = on(thread, note, fd);
        match command {
            libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => duplicated(thread, note, fd, ret),
            libc::F_SETFL if ret == 0 => {
                if let Some(description) = description {
                    description.set_status(argument as c_int);
                }
            }
            _ => {}
        }
    })
}

/// `ioctl`: the request stands in `length`.
#[inline(always)]
pub fn ioctl(
    op: Op,
    real: impl FnOnce() -> c_int,
    fd: c_int,
    request: c_ulong,
    _argument: c_long,
) -> c_int {
    traced_seldom(op, real, |thread, _, note| {
        note.length = request;
        on(thread, note, fd);
    })
}

/// `mmap`: the descriptor's, with offset and length; what is not a file's is not recorded.
#[inline(always)]
pub fn map(
    op: Op,
    real: impl FnOnce() -> *mut c_void,
    length: usize,
    flags: c_int,
    fd: c_int,
    offset: i64,
) -> *mut c_void {
    if flags & libc::MAP_ANONYMOUS != 0 {
        return real();
    }
    traced_seldom(op, real, |thread, at, note| {
        on(thread, note, fd);
        note.length = length as u64;
        note.offset = offset;
        if note.ret == 0 {
            rings::mapped(fd, offset, at.addr());
        }
    })
}

/// `munmap`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn munmap(
    op: Op,
    real: impl FnOnce() -> c_int,
    address: *const c_void,
    length: usize,
) -> c_int {
    if current().is_some() {
        rings::unmapping(address.addr(), length);
    }
    // SAFETY: `real` takes `address` and `length` as `unmap` describes them.
    unsafe { unmap(op, real, address, length) }
}

/// `msync`, `madvise`: about memory, whose address is no position in a file.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn unmap<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    _address: *const core::ffi::c_void,
    length: usize,
) -> R {
    traced_seldom(op, real, |_, _, note| {
        note.length = length as u64;
    })
}

/// The text of a mode such as "r+", as the flags of `open`: no more of it than the C library looks at.
///
/// # Safety
/// `mode` is what a stream was opened with.
pub unsafe fn stream_flags(mode: *const c_char) -> c_int {
    const LETTERS: usize = 7;
    // SAFETY: the call succeeded, so it read a string; nothing behind its NUL is looked at.
    let letters = (0..LETTERS).map(|i| unsafe { *mode.add(i) } as u8);
    let mut letters = letters.take_while(|letter| !matches!(letter, 0 | b','));
    let first = letters.next();
    let access = match (first, letters.any(|letter| letter == b'+')) {
        (_, true) => libc::O_RDWR,
        (Some(b'r'), false) => libc::O_RDONLY,
        _ => libc::O_WRONLY,
    };
    access
        | match first {
            Some(b'w') => libc::O_CREAT | libc::O_TRUNC,
            Some(b'a') => libc::O_CREAT | libc::O_APPEND,
            _ => 0,
        }
}
