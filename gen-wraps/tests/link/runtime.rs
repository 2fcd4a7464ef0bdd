//! A runtime that counts the calls of each operation; its shapes are rendered behind this text.
#![no_std]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use iota_calls::Op;

#[unsafe(no_mangle)]
pub static iota_seen: [AtomicU32; 1024] = [const { AtomicU32::new(0) }; 1024];

/// How often a function was looked for
#[unsafe(no_mangle)]
pub static iota_resolved: AtomicU32 = AtomicU32::new(0);

fn seen(op: Op) {
    if let Some(count) = iota_seen.get(usize::from(op.0)) {
        count.fetch_add(1, Relaxed);
    }
}

/// vfork is not counted: its stub goes straight to the real one
#[repr(C)]
pub struct VforkTarget {
    back: usize,
    next: usize,
}

pub fn vfork(_: Op, back: usize, next: usize) -> VforkTarget {
    VforkTarget { back, next }
}

#[unsafe(no_mangle)]
extern "C" fn iota_is_within(_: usize) -> i32 {
    0
}

#[unsafe(no_mangle)]
extern "C" fn iota_vforked(_: i32) -> VforkTarget {
    VforkTarget { back: 0, next: 0 }
}

/// No program of these tests calls MPI
#[unsafe(no_mangle)]
extern "C" fn iota_mpi_known(
    _: *mut core::ffi::c_void,
    _: *const core::ffi::c_char,
    _: *const core::ffi::c_void,
    _: i32,
) -> *mut core::ffi::c_void {
    core::ptr::null_mut()
}

/// Nor one of a library above it
#[unsafe(no_mangle)]
extern "C" fn iota_known(
    _: *mut core::ffi::c_void,
    _: *const core::ffi::c_char,
    _: *const core::ffi::c_void,
    _: i32,
) -> *mut core::ffi::c_void {
    core::ptr::null_mut()
}

pub mod early {
    /// The link tests look at what is in place
    pub fn is_placed() -> bool {
        true
    }
}

pub mod sys {
    unsafe extern "C" {
        safe fn __errno_location() -> *mut i32;
    }

    pub fn errno() -> i32 {
        // SAFETY: the C library's own, valid in every thread
        unsafe { *__errno_location() }
    }

    pub fn set_errno(value: i32) {
        // SAFETY: likewise
        unsafe { *__errno_location() = value }
    }
}

pub mod real {
    use core::ffi::{CStr, c_char, c_void};
    use core::sync::atomic::AtomicPtr;

    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
        fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
    }

    const NEXT: *mut c_void = -1isize as *mut c_void;

    pub fn resolve(name: &CStr, version: Option<&CStr>) -> *mut c_void {
        super::iota_resolved.fetch_add(1, super::Relaxed);
        // SAFETY: terminated strings, and a handle that stands for the objects behind this one
        unsafe {
            let found = dlsym(NEXT, name.as_ptr());
            match version {
                Some(version) if found.is_null() => dlvsym(NEXT, name.as_ptr(), version.as_ptr()),
                _ => found,
            }
        }
    }

    pub fn resolve_optional(_: &CStr, _: &CStr) -> *mut c_void {
        core::ptr::null_mut()
    }

    /// The link tests' program has no functions of its own
    pub fn prefer(_: &CStr, _: &AtomicPtr<c_void>) {}

    pub mod wrapped {
        use super::{AtomicPtr, CStr, c_void};

        pub struct NameSet;

        impl NameSet {
            pub const MOST: usize = 1024;
        }

        pub fn are_called() -> bool {
            true
        }

        pub fn leave_to_others<'m>(
            _: &[u32],
            _: impl Fn(usize) -> (&'m CStr, &'m AtomicPtr<c_void>),
        ) {
        }
    }

    /// Every function is looked for at the start
    pub mod scope {
        use super::{CStr, c_void};

        pub fn remember() -> bool {
            false
        }

        pub fn find(_: &CStr, _: u32, _: Option<&CStr>) -> *mut c_void {
            core::ptr::null_mut()
        }

        pub fn may_be_before(_: u32) -> bool {
            true
        }
    }

    pub fn leave() -> ! {
        loop {}
    }
}
