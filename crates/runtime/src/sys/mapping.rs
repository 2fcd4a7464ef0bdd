//! Memory from the kernel.

use super::call::{Errno, Result, call};
use core::ffi::{c_int, c_void};
use core::ops::Range;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Private zeroed memory, reserved but not yet used. With `wiped`, a forked child finds zeros there.
pub fn map_private(length: usize, wiped: bool) -> Result<*mut c_void> {
    if !wiped {
        return reserve(length);
    }
    if let Some(at) = take_wiped(length) {
        return Ok(at);
    }
    let at = reserve(length)?;
    advise(at, length, libc::MADV_WIPEONFORK).map(|()| at)
}

fn reserve(length: usize) -> Result<*mut c_void> {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as usize;
    let arguments = [0, length, protection, flags, usize::MAX, 0];
    // SAFETY: the kernel chooses the address.
    unsafe { call(libc::SYS_mmap, arguments) }.map(|at| at as *mut c_void)
}

/// Pages that are executed and cannot be written to, at an address where nothing is.
pub fn map_code(at: usize, length: usize) -> Result<()> {
    let protection = (libc::PROT_READ | libc::PROT_EXEC) as usize;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    let arguments = [at, length, protection, flags as usize, usize::MAX, 0];
    // SAFETY: the kernel replaces nothing.
    let found = unsafe { call(libc::SYS_mmap, arguments) }?;
    if found == at {
        return Ok(());
    }
    // SAFETY: just mapped, elsewhere: by a kernel before Linux 4.17.
    unsafe { unmap(found as *mut c_void, length) };
    Err(Errno(libc::EEXIST))
}

fn advise(at: *mut c_void, length: usize, how: c_int) -> Result<()> {
    // SAFETY: pages of ours; none of what is asked for takes away what is in them.
    unsafe {
        call(
            libc::SYS_madvise,
            [at as usize, length, how as usize, 0, 0, 0],
        )
    }
    .map(|_| ())
}

/// What a process' tables take together, and the state of its first thread.
const TABLES: usize = 43 << 20;
/// No page is larger.
const PAGE: usize = if cfg!(target_arch = "x86_64") {
    4 << 10
} else {
    64 << 10
};
static NEXT: AtomicUsize = AtomicUsize::new(0);
static LEFT: AtomicUsize = AtomicUsize::new(0);

/// A piece of one mapping for all tables: every mapping more costs a process at its start, in each fork and at its end. The
/// first piece is asked for while the tracer starts, by one thread. None when there is no room in it.
fn take_wiped(length: usize) -> Option<*mut c_void> {
    // Tried once.
    if NEXT.compare_exchange(0, 1, Relaxed, Relaxed).is_ok() {
        let all = reserve(TABLES).ok()?;
        // Few pages of a table are used: where the kernel gives large ones unasked it would clear megabytes.
        let _ = advise(all, TABLES, libc::MADV_NOHUGEPAGE);
        if advise(all, TABLES, libc::MADV_WIPEONFORK).is_err() {
            // SAFETY: just mapped.
            unsafe { unmap(all, TABLES) };
            return None;
        }
        NEXT.store(all as usize, Relaxed);
        LEFT.store(TABLES, Relaxed);
    }
    let whole = length.checked_next_multiple_of(PAGE)?;
    let mut left = LEFT.load(Relaxed);
    while let Some(rest) = left.checked_sub(whole) {
        match LEFT.compare_exchange_weak(left, rest, Relaxed, Relaxed) {
            Ok(_) => {
                let end = NEXT.load(Relaxed).wrapping_add(TABLES);
                return Some(end.wrapping_sub(left) as *mut c_void);
            }
            Err(now) => left = now,
        }
    }
    None
}

/// Maps `length` bytes more of the file of which a shared mapping ends at `end`. The file need not be in reach.
///
/// # Safety
/// A mapping of at least [`PAGE`] bytes ends there, which nobody takes away.
pub unsafe fn map_behind(end: *mut c_void, length: usize) -> Result<*mut c_void> {
    let last = (end as usize).wrapping_sub(1) & !(PAGE - 1);
    let before = (end as usize).wrapping_sub(last);
    let length = before.wrapping_add(length);
    // Of a mapping of which no byte is to move, the kernel makes a second one.
    let arguments = [last, 0, length, libc::MREMAP_MAYMOVE as usize, 0, 0];
    // SAFETY: the kernel chooses the address, and the mapping that is there stays.
    let at = unsafe { call(libc::SYS_mremap, arguments) }?;
    Ok(at.wrapping_add(before) as *mut c_void)
}

/// Takes a mapping away.
///
/// # Safety
/// Nothing may use `[at, at + length)` any more.
pub unsafe fn unmap(at: *mut c_void, length: usize) {
    // SAFETY: nothing uses the mapping any more.
    let _ = unsafe { call(libc::SYS_munmap, [at as usize, length, 0, 0, 0, 0]) };
}

/// Lets whole pages be written to, or only read.
///
/// # Safety
/// Pages of data that nobody writes to who may not.
pub unsafe fn protect(pages: Range<usize>, is_writable: bool) -> Result<()> {
    let write = if is_writable { libc::PROT_WRITE } else { 0 };
    let rights = (libc::PROT_READ | write) as usize;
    let length = pages.end.wrapping_sub(pages.start);
    // SAFETY: whoever writes to these pages may, before and after; the kernel keeps what is in them.
    unsafe { call(libc::SYS_mprotect, [pages.start, length, rights, 0, 0, 0]) }.map(drop)
}

/// Has the kernel give memory to pages now: where there is none, it answers here, not with a signal at a store. `None`: a
/// kernel before Linux 5.14 cannot.
pub fn populate(at: *mut c_void, length: usize) -> Option<Result<()>> {
    /// `MADV_POPULATE_WRITE`
    const POPULATE_WRITE: usize = 23;
    let arguments = [at as usize, length, POPULATE_WRITE, 0, 0, 0];
    // SAFETY: contents stay as they are.
    match unsafe { call(libc::SYS_madvise, arguments) } {
        Err(Errno(libc::EINVAL | libc::ENOSYS)) => None,
        answer => Some(answer.map(drop)),
    }
}

/// A type of which zeroed memory is a value.
///
/// # Safety
/// It is: atomics, cells and arrays of plain numbers, and what is made of them.
pub unsafe trait Zeroed {}

// SAFETY: an atomic.
unsafe impl Zeroed for AtomicU32 {}

/// A table that stays for as long as the process lives, zeroed; a forked child finds it so again.
pub fn map_table<T: Zeroed + Sync>() -> Result<&'static T> {
    let at = map_private(size_of::<T>(), true)?;
    // SAFETY: mapped, never unmapped, page-aligned, and zeros are a value.
    Ok(unsafe { &*at.cast::<T>() })
}
