//! Functions of the MPI that this process has, if it has one.

use super::loaded::{self, LoadedFunction, beside};
use super::{for_each_found, forget_error, is_ours, library_of, look_up};
use crate::sys;
use core::ffi::{CStr, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// The function that was found last, whose library has the others as well.
static LAST: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// The function that a call of this name from `caller` would have reached without us.
pub fn next(name: &CStr, caller: *const c_void) -> LoadedFunction {
    remembered(loaded::next(name, caller))
}

/// The function that a call from `caller` means which the linker wrapped: the program's own, if it has one.
pub fn meant(name: &CStr, caller: *const c_void) -> LoadedFunction {
    remembered(loaded::meant(name, caller))
}

fn remembered(found: LoadedFunction) -> LoadedFunction {
    LAST.store(found.function, Relaxed);
    found
}

/// A function or variable of the MPI whose function was found last. The first of all variables counts: a program may hold
/// the library's as copies of its own (`R_X86_64_COPY`).
pub fn find(name: &CStr) -> *mut c_void {
    let errno = sys::errno();
    let mut found = look_up(libc::RTLD_DEFAULT, name, None);
    if is_ours(found) {
        found = look_up(libc::RTLD_NEXT, name, None);
    }
    if found.is_null() {
        found = beside(LAST.load(Relaxed), name);
    }
    forget_error();
    sys::set_errno(errno);
    found
}

/// How many libraries define a function.
pub fn libraries(name: &CStr) -> usize {
    let errno = sys::errno();
    let (mut seen, mut count) = ([0usize; 4], 0usize);
    for_each_found(name, None, |found| {
        let library = library_of(found);
        if !seen.contains(&library) {
            if let Some(place) = seen.get_mut(count) {
                *place = library;
            }
            count = count.wrapping_add(1);
        }
        count == seen.len()
    });
    forget_error();
    sys::set_errno(errno);
    count
}
