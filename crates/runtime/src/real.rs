//! The functions that the host meant to call, in the shared flavour: the next definition after ours.

use crate::sys;
use core::ffi::{CStr, c_void};

/// The address of `name` behind this library, of the given version where the default is not meant. Null, and errno
/// ENOSYS, when there is none.
#[cold]
pub fn resolve(name: &CStr, version: Option<&CStr>) -> *mut c_void {
    let errno = sys::errno();
    // SAFETY: the names end with NUL.
    let found = unsafe {
        match version {
            Some(version) => libc::dlvsym(libc::RTLD_NEXT, name.as_ptr(), version.as_ptr()),
            None => libc::dlsym(libc::RTLD_NEXT, name.as_ptr()),
        }
    };
    sys::set_errno(if found.is_null() { libc::ENOSYS } else { errno });
    found
}

/// Where a call that never returns could not be found: ends the process as `_exit(127)`.
pub fn leave() -> ! {
    sys::exit(127)
}
