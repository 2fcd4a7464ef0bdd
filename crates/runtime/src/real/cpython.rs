//! Whether the program is a Python.

use super::first;
use core::ffi::{CStr, c_char};
use core::mem::transmute;

/// The version of the program's Python, as it says it; None: it has none.
pub fn version() -> Option<&'static CStr> {
    let ask = first(c"Py_GetVersion");
    if ask.is_null() {
        return None;
    }
    // SAFETY: a function of this type in all versions, at any time.
    unsafe {
        let ask = transmute::<*mut core::ffi::c_void, unsafe extern "C" fn() -> *const c_char>(ask);
        Some(CStr::from_ptr(ask()))
    }
}
