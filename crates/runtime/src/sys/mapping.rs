//! Memory from the kernel.

use super::call::{Errno, Result, call};
use core::ffi::c_void;
use core::sync::atomic::AtomicU32;

/// Private zeroed memory, reserved but not yet used. With `wiped`, a forked child finds zeros there.
pub fn map_private(length: usize, wiped: bool) -> Result<*mut c_void> {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE) as usize;
    // SAFETY: the kernel chooses the address.
    let at = unsafe {
        call(
            libc::SYS_mmap,
            [0, length, protection, flags, usize::MAX, 0],
        )
    }?;
    if wiped {
        // SAFETY: the pages just mapped.
        unsafe {
            call(
                libc::SYS_madvise,
                [at, length, libc::MADV_WIPEONFORK as usize, 0, 0, 0],
            )
        }?;
    }
    Ok(at as *mut c_void)
}

/// Takes a mapping away.
///
/// # Safety
/// Nothing may use `[at, at + length)` any more.
pub unsafe fn unmap(at: *mut c_void, length: usize) {
    // SAFETY: nothing uses the mapping any more.
    let _ = unsafe { call(libc::SYS_munmap, [at as usize, length, 0, 0, 0, 0]) };
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
