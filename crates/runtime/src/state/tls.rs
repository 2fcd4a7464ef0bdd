//! The word that every thread has for the address of its state, in initial-exec TLS (c-shim/tls.c): it is there from a
//! thread's first instruction, and is read without a call.

use super::early;
use core::ffi::c_void;

unsafe extern "C" {
    fn iota_tls() -> *mut *mut c_void;
    fn iota_behind_vfork() -> *mut usize;
}

/// What the calling thread's word holds: null until it was set.
#[inline(always)]
pub fn get() -> *mut c_void {
    if early::is_over() {
        read()
    } else {
        core::ptr::null_mut()
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn read() -> *mut c_void {
    let state;
    // SAFETY: reads a word that every thread has.
    unsafe {
        core::arch::asm!(
            "mov {state}, qword ptr [rip + iota_thread_state@GOTTPOFF]",
            "mov {state}, qword ptr fs:[{state}]",
            state = out(reg) state,
            options(readonly, nostack, preserves_flags)
        );
    }
    state
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn read() -> *mut c_void {
    // SAFETY: reads a word that every thread has.
    unsafe { *iota_tls() }
}

/// Sets it.
pub fn set(state: *mut c_void) {
    // SAFETY: the calling thread's own word.
    unsafe { *iota_tls() = state };
}

/// Where the calling thread's program goes on behind the `vfork` under way: outside of its state, which is gone in the child if
/// `vfork` is a fork, as emulators make it.
pub fn behind_vfork() -> usize {
    // SAFETY: the calling thread's own word.
    unsafe { *iota_behind_vfork() }
}

/// Sets that.
pub fn set_behind_vfork(back: usize) {
    // SAFETY: as above.
    unsafe { *iota_behind_vfork() = back };
}

/// Where it lies: a number that no other thread of the process has.
pub fn address() -> usize {
    // SAFETY: gives an address.
    unsafe { iota_tls() }.addr()
}
