//! Calls about paths.

use super::descriptors::on_fd;
use super::on::{begun_path_of, only_path_of, path_of};
use crate::life::current;
use crate::record::{Return, Second, traced_seldom};
use crate::tables::{FileId, below, directory, lookup};
use core::ffi::{c_char, c_int, c_void};
use iota_calls::Op;
use libc::timespec;

/// `unlink`, `stat`, `mkdir`, `truncate`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn path<R: Return>(op: Op, real: impl FnOnce() -> R, path: *const c_char) -> R {
    // SAFETY: `real` takes `path` as `path_at` describes it.
    unsafe { path_at(op, real, libc::AT_FDCWD, path) }
}

/// `unlinkat`, `fstatat`: a directory's descriptor before the path.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn path_at<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    directory: c_int,
    path: *const c_char,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        // SAFETY: such calls read the path before they succeed, or find that there is no such file.
        note.file = unsafe { only_path_of(thread, note, directory, path) };
    })
}

/// `pathconf`, `symlink`, `ftw`: some answer before they look at the path, others call the program, which may have taken it
/// away when they are done.
#[inline(always)]
pub fn path_unread<R: Return>(op: Op, real: impl FnOnce() -> R, path: *const c_char) -> R {
    path_unread_at(op, real, libc::AT_FDCWD, path)
}

/// `symlinkat`: a directory's descriptor before the path.
#[inline(always)]
pub fn path_unread_at<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    directory: c_int,
    path: *const c_char,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        note.file = lookup::tried_at(thread, directory, path);
    })
}

/// `utimensat`: where both times are to stay, the kernel does not look at the path.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn path_timed<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    directory: c_int,
    path: *const c_char,
    times: *const c_void,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        let times = times.cast::<[timespec; 2]>();
        // SAFETY: a call that succeeded has read the times, wherever they lie.
        let read = (note.ret == 0 && !times.is_null()).then(|| unsafe { times.read_unaligned() });
        let stays = read.is_some_and(|times| times.iter().all(is_omitted));
        note.file = if stays {
            lookup::tried_at(thread, directory, path)
        } else {
            // SAFETY: it has read the path as well.
            unsafe { path_of(thread, note, directory, path) }
        };
    })
}

fn is_omitted(time: &timespec) -> bool {
    time.tv_nsec == libc::UTIME_OMIT
}

/// `link`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn path2<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    old: *const c_char,
    new: *const c_char,
) -> R {
    // SAFETY: `real` takes both paths as `path2_at` describes them.
    unsafe { path2_at(op, real, libc::AT_FDCWD, old, libc::AT_FDCWD, new) }
}

/// `linkat`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn path2_at<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    old_directory: c_int,
    old: *const c_char,
    new_directory: c_int,
    new: *const c_char,
) -> R {
    traced_seldom(op, real, |thread, _, note| {
        // SAFETY: such calls read both paths before they succeed.
        note.file = unsafe { path_of(thread, note, old_directory, old) };
        // SAFETY: likewise.
        let second = unsafe { path_of(thread, note, new_directory, new) };
        // An event is left out only when both of its files are.
        if note.file.is_filtered() && !second.is_filtered() {
            note.file = FileId::NONE;
        }
        note.more = Some(Second {
            fd: -1,
            file: second,
            offset: -1,
        });
    })
}

/// `rename`: it may be the working directory, or one above it.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn rename<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    old: *const c_char,
    new: *const c_char,
) -> R {
    // SAFETY: `real` takes both paths as `rename_at` describes them.
    unsafe { rename_at(op, real, libc::AT_FDCWD, old, libc::AT_FDCWD, new) }
}

/// `renameat`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn rename_at<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    old_directory: c_int,
    old: *const c_char,
    new_directory: c_int,
    new: *const c_char,
) -> R {
    // SAFETY: `real` takes both paths as `path2_at` describes them.
    let ret = unsafe { path2_at(op, real, old_directory, old, new_directory, new) };
    // True for all processes, whoever did it; the working directory may be another's.
    if ret.number() == 0 {
        below::renamed();
    }
    after(ret, directory::renamed);
    ret
}

/// `realpath`, `mkdtemp`: the answer is a pointer, NULL the failure.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn path_ret_ptr<R: Return>(op: Op, real: impl FnOnce() -> R, name: *const c_char) -> R {
    traced_seldom(op, real, |thread, _, note| {
        // SAFETY: such a call reads the name to its end before it succeeds, and begins to before it looks for anything.
        note.file = unsafe { begun_path_of(thread, note, name) };
    })
}

/// A request to rename something is done.
pub fn renamed() {
    below::renamed();
    directory::renamed();
}

/// `chdir`: relative paths mean something else from now on.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn chdir<R: Return>(op: Op, real: impl FnOnce() -> R, name: *const c_char) -> R {
    // SAFETY: `real` takes `name` as `path` describes it.
    let ret = unsafe { path(op, real, name) };
    after(ret, directory::moved);
    ret
}

/// A child of `vfork` or `clone` that runs in our memory has a working directory of its own.
fn after<R: Return>(ret: R, change: impl FnOnce()) {
    if ret.number() == 0 && current().is_some() {
        change();
    }
}

/// `fchdir`
#[inline(always)]
pub fn fchdir<R: Return>(op: Op, real: impl FnOnce() -> R, fd: c_int) -> R {
    let ret = on_fd(op, real, fd);
    after(ret, directory::moved);
    ret
}

/// `sync`: neither descriptor nor path.
#[inline(always)]
pub fn global<R: Return>(op: Op, real: impl FnOnce() -> R) -> R {
    traced_seldom(op, real, |_, _, _| {})
}
