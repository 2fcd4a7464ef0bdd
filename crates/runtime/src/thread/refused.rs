//! A thread for whose records there is no memory: to ask the kernel again at every call would cost more than the calls.

use core::ffi::c_uint;

/// From so many calls on, one in so many asks.
const SELDOM: c_uint = 1024;

unsafe extern "C" {
    /// How many calls of the thread found no state (c-shim/tls.c).
    fn iota_refused() -> *mut c_uint;
}

/// Whether this call asks for memory: the first, the second, the fourth, and so on.
pub fn asks() -> bool {
    // SAFETY: of this thread alone; a handler that counts in between changes only when it is asked.
    unsafe {
        let calls = iota_refused().read().wrapping_add(1);
        iota_refused().write(calls);
        calls.is_power_of_two() || calls.is_multiple_of(SELDOM)
    }
}

/// There was some.
pub fn no_more() {
    // SAFETY: a word of this thread alone.
    unsafe { iota_refused().write(0) };
}
