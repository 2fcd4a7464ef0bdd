//! What c-shim/mpi, the entries of MPI's rows and `mpi/` ask of the dynamic linker.

use super::ways::EntryTargets;
use core::ffi::{CStr, c_char, c_int, c_void};
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
unsafe extern "C" fn iota_shared_mpi_find(name: *const c_char) -> *mut c_void {
    // SAFETY: a name of mpi/, which ends with NUL.
    mpi::find(unsafe { CStr::from_ptr(name) })
}

#[unsafe(no_mangle)]
extern "C" fn iota_shared_mpi_libraries() -> c_int {
    mpi::libraries(c"PMPI_Init") as c_int
}

/// The function that an entry stands for, for this call; null when there is none.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_mpi_known(
    known: &EntryTargets,
    name: *const c_char,
    caller: *const c_void,
    is_meant: c_int,
) -> *mut c_void {
    let find = if is_meant != 0 { mpi::meant } else { mpi::next };
    // SAFETY: a name that gen-wraps has rendered, which ends with NUL.
    known.or(caller, || find(unsafe { CStr::from_ptr(name) }, caller))
}
