//! Which library a function is in. A process may have several of one kind: a parallel HDF5, and the one of a Python module.

use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicUsize, Ordering::*};

unsafe extern "C" {
    /// In the shared object src/shared, in the archive c-shim/above/archive.c.
    fn iota_library_find(real: usize, name: *const c_char) -> *mut c_void;
    fn iota_library_of(real: usize) -> usize;
}

/// Another function of the library in which `real` is; null when there is none.
pub fn find_beside(real: *const c_void, name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with NUL.
    unsafe { iota_library_find(real.addr(), name.as_ptr()) }
}

/// Places for functions, a power of two.
const PLACES: usize = 512;
/// How many places a function may take.
const NEAR: usize = 16;

/// The libraries of one kind, at most `MOST`, and which of them their functions are in.
pub struct Owners<const MOST: usize> {
    libraries: [AtomicUsize; MOST],
    functions: [Owner; PLACES],
}

struct Owner {
    function: AtomicUsize,
    /// One more than the library's index.
    library: AtomicUsize,
}

impl<const MOST: usize> Owners<MOST> {
    /// None yet.
    #[allow(clippy::new_without_default, reason = "for statics")]
    pub const fn new() -> Owners<MOST> {
        Owners {
            libraries: [const { AtomicUsize::new(0) }; MOST],
            functions: [const {
                Owner {
                    function: AtomicUsize::new(0),
                    library: AtomicUsize::new(0),
                }
            }; PLACES],
        }
    }

    /// Which library a function is in; None where there are too many. A function never moves.
    #[inline(always)]
    pub fn index(&self, function: *const c_void) -> Option<usize> {
        let place = self.functions.get(first_place(function.addr()))?;
        if place.function.load(Acquire) == function.addr() {
            return place.library.load(Relaxed).checked_sub(1);
        }
        self.find(function)
    }

    #[inline(never)]
    fn find(&self, function: *const c_void) -> Option<usize> {
        let (address, first) = (function.addr(), first_place(function.addr()));
        let mut near =
            (0..NEAR).filter_map(|i| self.functions.get(first.wrapping_add(i) & (PLACES - 1)));
        let known = near
            .clone()
            .find(|place| place.function.load(Acquire) == address);
        if let Some(place) = known {
            return place.library.load(Relaxed).checked_sub(1);
        }
        // SAFETY: of any address.
        let index = self.library(unsafe { iota_library_of(address) })?;
        let free = near.find(|place| place.library.load(Relaxed) == 0);
        if let Some(place) = free {
            let next = index.wrapping_add(1);
            let taken = place.library.compare_exchange(0, next, AcqRel, Relaxed);
            if taken.is_ok() {
                place.function.store(address, Release);
            }
        }
        Some(index)
    }

    fn library(&self, start: usize) -> Option<usize> {
        let start = start.max(1);
        self.libraries.iter().position(|library| {
            let old = library.compare_exchange(0, start, AcqRel, Acquire);
            old.map_or_else(|old| old == start, |_| true)
        })
    }
}

fn first_place(address: usize) -> usize {
    address.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48 & (PLACES - 1)
}
