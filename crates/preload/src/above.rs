//! What the entries of libraries above MPI-IO, and the crates with their shapes, ask of the dynamic linker.

use crate::ways::Known;
use core::ffi::{CStr, c_char, c_int, c_void};
use iota_runtime::real::loaded;

/// The function that an entry stands for, for this call; null when there is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_known(
    known: &Known,
    name: *const c_char,
    caller: *const c_void,
    is_meant: c_int,
) -> *mut c_void {
    let find = if is_meant != 0 {
        loaded::meant
    } else {
        loaded::next
    };
    // SAFETY: a name that gen-wraps has rendered, which ends with NUL.
    known.or(caller, || find(unsafe { CStr::from_ptr(name) }, caller))
}

/// Another function of the library in which `real` is; null when there is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_library_find(real: *const c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: a name that ends with NUL.
    loaded::find_beside(real, unsafe { CStr::from_ptr(name) })
}

/// Tells the library in which `real` is from others.
#[unsafe(no_mangle)]
extern "C" fn iota_library_of(real: *const c_void) -> usize {
    loaded::library(real)
}
