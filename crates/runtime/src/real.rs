//! The functions that the host meant to call, in the shared flavour: the next definition after ours.

use crate::sys;
use core::ffi::{CStr, c_void};

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
