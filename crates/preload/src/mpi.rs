//! What c-shim/mpi, the entries of MPI's rows and `mpi/` ask of the dynamic linker.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::*};
use iota_runtime::real::mpi;

#[unsafe(no_mangle)]
unsafe extern "C" fn iota_mpi_next(name: *const c_char, caller: *const c_void) -> *mut c_void {
    // SAFETY: a name of c-shim/mpi, which ends with NUL.
    mpi::next(unsafe { CStr::from_ptr(name) }, caller).function
}

#[unsafe(no_mangle)]
unsafe extern "C" fn iota_mpi_meant(name: *const c_char, caller: *const c_void) -> *mut c_void {
    // SAFETY: likewise.
    mpi::meant(unsafe { CStr::from_ptr(name) }, caller).function
}

#[unsafe(no_mangle)]
unsafe extern "C" fn iota_mpi_find(name: *const c_char) -> *mut c_void {
    // SAFETY: a name of mpi/, which ends with NUL.
    mpi::find(unsafe { CStr::from_ptr(name) })
}

#[unsafe(no_mangle)]
extern "C" fn iota_mpi_libraries() -> c_int {
    mpi::libraries(c"PMPI_Init") as c_int
}

/// What was found for an entry. If an MPI was loaded for one module alone, that holds for calls from there.
#[repr(C)]
struct Known([Way; 4]);

#[repr(C)]
struct Way {
    /// Set once; [`ANYWHERE`] for all callers.
    caller: AtomicPtr<c_void>,
    real: AtomicPtr<c_void>,
}

/// No caller's address.
const ANYWHERE: *mut c_void = ptr::without_provenance_mut(1);

impl Known {
    fn of(&self, caller: *const c_void) -> Option<*mut c_void> {
        let is_way = |way: &&Way| {
            let from = way.caller.load(Acquire);
            from == ANYWHERE || from.cast_const() == caller
        };
        let real = self.0.iter().find(is_way)?.real.load(Acquire);
        (!real.is_null()).then_some(real)
    }

    fn remember(&self, caller: *mut c_void, real: *mut c_void) {
        let is_free = |way: &&Way| {
            let free = way
                .caller
                .compare_exchange(ptr::null_mut(), caller, AcqRel, Relaxed);
            free.is_ok()
        };
        if let Some(way) = self.0.iter().find(is_free) {
            way.real.store(real, Release);
        }
    }
}

/// The function that an entry stands for, for this call; null when there is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_mpi_known(
    known: &Known,
    name: *const c_char,
    caller: *const c_void,
    is_meant: c_int,
) -> *mut c_void {
    if let Some(real) = known.of(caller) {
        return real;
    }
    // SAFETY: a name that gen-wraps has rendered, which ends with NUL.
    let name = unsafe { CStr::from_ptr(name) };
    let found = if is_meant != 0 {
        mpi::meant(name, caller)
    } else {
        mpi::next(name, caller)
    };
    if !found.function.is_null() {
        let from = if found.is_for_all {
            ANYWHERE
        } else {
            caller.cast_mut()
        };
        known.remember(from, found.function);
    }
    found.function
}
