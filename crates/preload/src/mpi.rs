//! What c-shim/mpi and `mpi/` ask of the dynamic linker.

use core::ffi::{CStr, c_char, c_int, c_void};
use iota_runtime::real::mpi;

#[unsafe(no_mangle)]
unsafe extern "C" fn iota_mpi_next(name: *const c_char, caller: *const c_void) -> *mut c_void {
    // SAFETY: a name of c-shim/mpi, which ends with NUL.
    mpi::next(unsafe { CStr::from_ptr(name) }, caller)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn iota_mpi_meant(name: *const c_char, caller: *const c_void) -> *mut c_void {
    // SAFETY: likewise.
    mpi::meant(unsafe { CStr::from_ptr(name) }, caller)
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
