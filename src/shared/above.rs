//! What the entries of libraries above MPI-IO, and the crates with their shapes, ask of the dynamic linker.

use core::ffi::{CStr, c_char, c_void};
use core::ops::Range;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use iota_runtime::real::loaded;

/// What was found for an entry, by the code that calls it. All zero at first.
#[repr(C)]
struct Callers([Caller; CALLERS]);

/// As gen-wraps has it.
const CALLERS: usize = 8;

#[repr(C)]
struct Caller {
    start: AtomicUsize,
    end: AtomicUsize,
    /// Stored last.
    real: AtomicPtr<c_void>,
}

impl Callers {
    #[inline(always)]
    fn of(&self, caller: usize) -> *mut c_void {
        for one in &self.0 {
            let real = one.real.load(Acquire);
            if real.is_null() {
                break;
            }
            if (one.start.load(Relaxed)..one.end.load(Relaxed)).contains(&caller) {
                return real;
            }
        }
        core::ptr::null_mut()
    }

    fn remember(&self, code: Range<usize>, real: *mut c_void) {
        let is_free = |one: &&Caller| {
            let free = one.start.compare_exchange(0, code.start, AcqRel, Relaxed);
            free.is_ok()
        };
        if let Some(one) = self.0.iter().find(is_free) {
            one.end.store(code.end, Relaxed);
            one.real.store(real, Release);
        }
    }
}

/// The function that an entry stands for, for this call; null when there is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_known(
    callers: &Callers,
    name: *const c_char,
    caller: *const c_void,
) -> *mut c_void {
    let known = callers.of(caller.addr());
    if !known.is_null() {
        return known;
    }
    // SAFETY: a name that gen-wraps has rendered, which ends with NUL.
    let name = unsafe { CStr::from_ptr(name) };
    let (real, code) = loaded::of_caller(name, caller);
    if !real.is_null() {
        callers.remember(code, real);
    }
    real
}

/// Another function of the library in which `real` is; null when there is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_shared_library_find(
    real: *const c_void,
    name: *const c_char,
) -> *mut c_void {
    // SAFETY: a name that ends with NUL.
    loaded::find_beside(real, unsafe { CStr::from_ptr(name) })
}

/// Tells the library in which `real` is from others.
#[unsafe(no_mangle)]
extern "C" fn iota_shared_library_of(real: *const c_void) -> usize {
    loaded::library(real)
}
