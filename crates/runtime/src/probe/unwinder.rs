//! The unwinder that asks what a call is to do that is left (c-shim/left.c).

use crate::real::{objects, scope};
use core::ffi::{CStr, c_char, c_int, c_void};

/// The function of this name in the object in which `code` is. Not in what that depends on: it may be another unwinder, to
/// which this one's frames mean nothing.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_probe_beside(code: *const c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: a name of c-shim/left.c, which ends with NUL.
    scope::find_beside(code.addr(), unsafe { CStr::from_ptr(name) })
}

/// Whether two addresses are in one object.
#[unsafe(no_mangle)]
extern "C" fn iota_probe_are_together(one: *const c_void, other: *const c_void) -> c_int {
    objects::are_together(one.addr(), other.addr()).into()
}
