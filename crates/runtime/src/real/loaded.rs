//! Functions of a library that this process may have several of, or none: an MPI, HDF5. It may have been loaded late, and for
//! one module alone (`RTLD_LOCAL`: Python's mpi4py and h5py): then it is among the libraries of the module that called us,
//! and not behind us.

use super::objects::{self, for_each_loaded};
use super::{
    asked, find_in_library, for_each_found, forget_error, is_ours, library_of, linker, look_up,
};
use crate::sys;
use core::ffi::{CStr, c_char, c_void};
use core::ops::Range;
use core::ptr;

/// The function that a call of this name from a library above MPI-IO would have reached without us, and the code from which
/// that is so: a process may have several of these libraries, which differ in the versions of their symbols.
pub fn of_caller(name: &CStr, caller: *const c_void) -> (*mut c_void, Range<usize>) {
    sys::quietly(|| found_for(name, caller))
}

fn found_for(name: &CStr, caller: *const c_void) -> (*mut c_void, Range<usize>) {
    let (mut code, mut version) = (caller.addr()..caller.addr().wrapping_add(1), None);
    for_each_loaded(|loaded| {
        let Some(segment) = loaded.segment(caller.addr(), libc::PF_X) else {
            return false;
        };
        (code, version) = (segment, loaded.object.wanted_version(name));
        true
    });
    let mut function = version.map_or(ptr::null_mut(), |version| versioned(name, version));
    if function.is_null() {
        function = next(name, caller).function;
    }
    pin(function);
    (function, code)
}

/// The function of this version, in whatever library has it.
fn versioned(name: &CStr, version: &CStr) -> *mut c_void {
    let mut function = look_up(libc::RTLD_NEXT, name, Some(version));
    if function.is_null() {
        for_each_found(name, Some(version), |theirs| {
            function = theirs;
            true
        });
    }
    forget_error();
    function
}

/// Keeps the library of a function, whose address is remembered.
fn pin(function: *const c_void) {
    let how = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
    if let Some(library) = file_of(function) {
        // SAFETY: the name ends with NUL; the library is loaded already.
        unsafe { linker::dlopen(library.as_ptr(), how) };
    }
    forget_error();
}

/// What was found.
#[derive(Clone, Copy)]
pub struct LoadedFunction {
    /// Null when there is none.
    pub function: *mut c_void,
    /// It is the same for calls from anywhere.
    pub is_for_all: bool,
}

/// The function that a call of this name from `caller` would have reached without us.
pub fn next(name: &CStr, caller: *const c_void) -> LoadedFunction {
    let errno = sys::errno();
    let mut function = look_up(libc::RTLD_NEXT, name, None);
    let is_for_all = !function.is_null();
    if !is_for_all {
        function = beside(caller, name);
    }
    if function.is_null() {
        for_each_found(name, None, |theirs| {
            function = theirs;
            true
        });
    }
    forget_error();
    sys::set_errno(errno);
    LoadedFunction {
        function,
        is_for_all,
    }
}

/// The function that a call from `caller` means which the linker wrapped: the program's own, if it has one.
pub fn meant(name: &CStr, caller: *const c_void) -> LoadedFunction {
    let errno = sys::errno();
    let first = look_up(libc::RTLD_DEFAULT, name, None);
    forget_error();
    sys::set_errno(errno);
    if first.is_null() || is_ours(first) {
        return next(name, caller);
    }
    LoadedFunction {
        function: first,
        is_for_all: true,
    }
}

/// A function of the library in which another one is, or of that library's libraries.
pub fn find_beside(function: *const c_void, name: &CStr) -> *mut c_void {
    let errno = sys::errno();
    let mut found = beside(function, name);
    if found.is_null() {
        found = find_in_program(function, name);
    }
    forget_error();
    sys::set_errno(errno);
    found
}

/// The same of a library that was linked into the program, whose functions only the program itself can name
/// (c-shim/above/members).
fn find_in_program(function: *const c_void, name: &CStr) -> *mut c_void {
    type Finder = unsafe extern "C" fn(*const c_char) -> *mut c_void;
    let finders = [c"iota_hdf5_find", c"iota_netcdf_find", c"iota_pnetcdf_find"];
    let finders = finders.map(|finder| look_up(libc::RTLD_DEFAULT, finder, None));
    let is_of_it =
        |finder: &*mut c_void| !finder.is_null() && library_of(*finder) == library_of(function);
    let mut found = finders.into_iter().filter(is_of_it).map(|finder| {
        // SAFETY: a function of this type, which reads a name that ends with NUL.
        unsafe { core::mem::transmute::<*mut c_void, Finder>(finder)(name.as_ptr()) }
    });
    let found = found.find(|found| !found.is_null());
    found.unwrap_or(ptr::null_mut())
}

/// Tells the library of a function from all others: where it begins.
pub fn library(function: *const c_void) -> usize {
    library_of(function)
}

/// What the library of an address finds in itself or among its libraries.
pub(super) fn beside(address: *const c_void, name: &CStr) -> *mut c_void {
    let library = file_of(address);
    library.map_or(ptr::null_mut(), |library| {
        find_in_library(library, name, None)
    })
}

/// The name by which the object of an address can be opened again.
fn file_of(address: *const c_void) -> Option<&'static CStr> {
    objects::name_of(address.addr()).or_else(|| name_of_program(address))
}

/// The same of the program, which the dynamic linker alone knows.
fn name_of_program(address: *const c_void) -> Option<&'static CStr> {
    let name = asked(address)?.dli_fname;
    // SAFETY: the name of an object, which ends with NUL and stays as long as the object.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })
}
