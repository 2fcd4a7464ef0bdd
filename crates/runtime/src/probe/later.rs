//! Libraries that are loaded later. Before a program asks the dynamic linker for something, slots of new objects are given
//! their stubs: what a module does begins with the function that its host asked `dlsym` for.
//!
//! The dynamic linker looks at who calls it. So these entries only jump on, with the caller's return address in place, but
//! where a program asks for a probed function of a library by its handle: that answer depends on no caller.

use super::linker::real;
use super::slots;
use crate::state::phase;
use crate::sys;
use core::ffi::{CStr, c_char, c_void};

/// One of them is called with these arguments. Returns where the call goes.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_probe_asked(
    handle: *mut c_void,
    name: *const c_char,
    _version: *const c_char,
    number: u32,
) -> usize {
    let errno = sys::errno();
    if phase::is_active() {
        slots::look_again();
    }
    sys::set_errno(errno);
    let of_library = handle != libc::RTLD_DEFAULT && handle != libc::RTLD_NEXT;
    // SAFETY: the program's name of a function, which the function itself would read.
    let is_probed =
        || !name.is_null() && slots::is_wanted(unsafe { CStr::from_ptr(name) }.to_bytes());
    match number {
        0 if of_library && is_probed() => symbol as *const () as usize,
        1 if of_library && is_probed() => versioned_symbol as *const () as usize,
        number => real(number as usize),
    }
}

/// `dlsym` for a probed function.
unsafe extern "C" fn symbol(handle: *mut c_void, name: *const c_char) -> usize {
    type Function = unsafe extern "C" fn(*mut c_void, *const c_char) -> usize;
    // SAFETY: the program's call goes on.
    unsafe {
        let real: Function = core::mem::transmute(real(0));
        slots::stub_of(CStr::from_ptr(name), real(handle, name))
    }
}

/// `dlvsym` for one.
unsafe extern "C" fn versioned_symbol(
    handle: *mut c_void,
    name: *const c_char,
    version: *const c_char,
) -> usize {
    type Function = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> usize;
    // SAFETY: the program's call goes on.
    unsafe {
        let real: Function = core::mem::transmute(real(1));
        slots::stub_of(CStr::from_ptr(name), real(handle, name, version))
    }
}
