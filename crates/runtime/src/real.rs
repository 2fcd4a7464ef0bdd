//! The functions that the host meant to call, in the shared flavour: the next definition after ours.

use crate::sys;
use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// The address of `name` behind this library, of the given version where the default is not meant. Null, and errno
/// ENOSYS, when there is none.
#[cold]
pub fn resolve(name: &CStr, version: Option<&CStr>) -> *mut c_void {
    let errno = sys::errno();
    let mut found = look_up(libc::RTLD_NEXT, name, version);
    if found.is_null() {
        // Linked behind the C library, we have nothing behind us.
        // SAFETY: the name ends with NUL; a library that is loaded stays.
        let library =
            unsafe { libc::dlopen(c"libc.so.6".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        found = look_up(library, name, version);
    }
    sys::set_errno(if found.is_null() { libc::ENOSYS } else { errno });
    found
}

/// Where a wrapped call of `name` goes: `meant` holds our own function. The first definition of all is what the program
/// means, if it is neither ours nor the C library's: its own function, or a library's that was preloaded before us.
/// What that one calls in turn is seen under the public name.
#[cold]
pub fn prefer(name: &CStr, meant: &AtomicPtr<c_void>) {
    let errno = sys::errno();
    let first = look_up(libc::RTLD_DEFAULT, name, None);
    let is_another = !first.is_null() && first != meant.load(Relaxed);
    // A plugin's own tracer is not among the first: there the first definition is the C library's.
    if is_another && first != resolve(name, None) {
        meant.store(first, Relaxed);
    }
    sys::set_errno(errno);
}

fn look_up(library: *mut c_void, name: &CStr, version: Option<&CStr>) -> *mut c_void {
    // SAFETY: the names end with NUL.
    unsafe {
        match version {
            Some(version) => libc::dlvsym(library, name.as_ptr(), version.as_ptr()),
            None => libc::dlsym(library, name.as_ptr()),
        }
    }
}

/// Where a call that never returns could not be found: ends the process as `_exit(127)`.
pub fn leave() -> ! {
    sys::exit(127)
}
