//! The functions that the program meant to call, in the shared flavour: the next definition after ours.

pub mod cpython;
pub mod kernel;
mod linker;
pub mod loaded;
pub mod mpi;
pub mod objects;
pub mod scope;
mod versions;
pub mod wrapped;

use crate::sys;
use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use linker::MARKER;

/// The address of `name` behind this library, of the given version where the default is not meant. Null, and errno
/// ENOSYS, when there is none.
#[cold]
pub fn resolve(name: &CStr, version: Option<&CStr>) -> *mut c_void {
    let errno = sys::errno();
    let mut found = look_up(libc::RTLD_NEXT, name, version);
    if found.is_null() {
        // Linked behind the C library, we have nothing behind us.
        // SAFETY: the name ends with NUL; a library that is loaded stays.
        let library =
            unsafe { linker::dlopen(c"libc.so.6".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        // No handle would mean all libraries, and find ours.
        if !library.is_null() {
            found = look_up(library, name, version);
        }
        forget_error();
    }
    sys::set_errno(if found.is_null() { libc::ENOSYS } else { errno });
    found
}

/// The first definition of a name in the program and its libraries; null: there is none.
pub fn first(name: &CStr) -> *mut c_void {
    let errno = sys::errno();
    let found = look_up(libc::RTLD_DEFAULT, name, None);
    if found.is_null() {
        forget_error();
    }
    sys::set_errno(errno);
    found
}

/// The address of a function of a library that the program has brought along: behind this one, or in any library that is
/// loaded, because a plugin's libraries stand in no order with us. Null, and errno ENOSYS, when there is none.
#[cold]
pub fn resolve_optional(name: &CStr, version: &CStr) -> *mut c_void {
    let errno = sys::errno();
    let mut found = look_up(libc::RTLD_NEXT, name, Some(version));
    if found.is_null() {
        for_each_found(name, Some(version), |theirs| {
            found = theirs;
            true
        });
    }
    forget_error();
    sys::set_errno(if found.is_null() { libc::ENOSYS } else { errno });
    found
}

/// Calls `each` with what every loaded library finds under a name, in itself or among its libraries, unless that is ours,
/// until it returns true.
fn for_each_found(name: &CStr, version: Option<&CStr>, mut each: impl FnMut(*mut c_void) -> bool) {
    let mut nth = 0;
    while let Some(library) = objects::name(nth) {
        let found = find_in_library(library, name, version);
        if !found.is_null() && each(found) {
            return;
        }
        nth = nth.wrapping_add(1);
    }
}

/// What a library that is loaded finds in itself or among its libraries, unless that is ours.
fn find_in_library(library: &CStr, name: &CStr, version: Option<&CStr>) -> *mut c_void {
    // SAFETY: the name ends with NUL; a library whose function is called stays.
    let handle = unsafe { linker::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return handle;
    }
    let found = look_up(handle, name, version);
    // SAFETY: just opened.
    unsafe { linker::dlclose(handle) };
    if is_ours(found) {
        return core::ptr::null_mut();
    }
    found
}

/// What was looked for in vain is nobody's error but ours.
fn forget_error() {
    // SAFETY: gives the thread's last error back.
    unsafe { linker::dlerror() };
}

/// Where the library of an address begins.
fn library_of(address: *const c_void) -> usize {
    match objects::around(address.addr()).start {
        0 => asked(address).map_or(0, |info| info.dli_fbase.addr()),
        start => start,
    }
}

/// What the dynamic linker says of an address. It looks at all symbols of the object.
fn asked(address: *const c_void) -> Option<libc::Dl_info> {
    let mut info = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: it fills `info`, for which zero is valid too.
    unsafe { (linker::dladdr(address, info.as_mut_ptr()) != 0).then(|| info.assume_init()) }
}

pub fn is_ours(address: *const c_void) -> bool {
    let mut end = OWN_END.load(Acquire);
    if end == 0 {
        let own = objects::around((&raw const MARKER).addr());
        OWN_START.store(own.start, Relaxed);
        OWN_END.store(own.end, Release);
        end = own.end;
    }
    // Somebody else's `dl_iterate_phdr` may not tell.
    if end == 0 {
        return library_of(address) == library_of((&raw const MARKER).cast());
    }
    (OWN_START.load(Relaxed)..end).contains(&address.addr())
}

/// From its first address to its last, once somebody has asked.
static OWN_START: AtomicUsize = AtomicUsize::new(0);
static OWN_END: AtomicUsize = AtomicUsize::new(0);

/// Where a wrapped call of `name` goes: to our own function while `meant` is null. The first definition of all is what
/// the program means, if it is neither ours nor the C library's: its own function, or a library's that was preloaded
/// before us. What that one calls in turn is seen under the public name.
#[cold]
pub fn prefer(name: &CStr, meant: &AtomicPtr<c_void>) {
    let errno = sys::errno();
    let first = look_up(libc::RTLD_DEFAULT, name, None);
    let is_another = !first.is_null() && !is_ours(first);
    // A plugin's own tracer is not among the first: there the first definition is the C library's.
    if is_another && first != resolve(name, None) {
        meant.store(first, Relaxed);
    }
    sys::set_errno(errno);
}

fn look_up(library: *mut c_void, name: &CStr, version: Option<&CStr>) -> *mut c_void {
    // What is loaded then came with the program: nothing has been loaded since.
    if !linker::is_there() {
        return match library {
            libc::RTLD_NEXT => scope::find_loaded(name, version, true),
            libc::RTLD_DEFAULT => scope::find_loaded(name, version, false),
            _ => core::ptr::null_mut(),
        };
    }
    // SAFETY: the names end with NUL.
    unsafe {
        match (version, by_version()) {
            (Some(version), Some(by_version)) => {
                by_version(library, name.as_ptr(), version.as_ptr())
            }
            (Some(_), None) => core::ptr::null_mut(),
            (None, _) => linker::dlsym(library, name.as_ptr()),
        }
    }
}

type ByVersion = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void;

/// What [`by_version`] found; itself: nothing.
static BY_VERSION: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());

/// `dlvsym`, which musl does not have: named plainly, musl's programs that inherit LD_PRELOAD would not start. Looked for
/// once.
fn by_version() -> Option<ByVersion> {
    let none = BY_VERSION.as_ptr().cast();
    if BY_VERSION.load(Relaxed).is_null() {
        // SAFETY: the name ends with NUL.
        let found = unsafe { linker::dlsym(libc::RTLD_DEFAULT, c"dlvsym".as_ptr()) };
        BY_VERSION.store(if found.is_null() { none } else { found }, Relaxed);
    }
    let found = BY_VERSION.load(Relaxed);
    // SAFETY: the function of this type.
    (found != none).then(|| unsafe { core::mem::transmute(found) })
}

/// Where a call that never returns could not be found: ends the process as `_exit(127)`.
pub fn leave() -> ! {
    sys::exit(127)
}
