//! What was found for the entries of MPI.

use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::*};
use iota_runtime::real::loaded::LoadedFunction;

/// What was found for an entry. If an MPI was loaded for one module alone, that holds for calls from there.
#[repr(C)]
pub struct EntryTargets([EntryTarget; 4]);

#[repr(C)]
struct EntryTarget {
    /// Set once; [`ANYWHERE`] for all callers.
    caller: AtomicPtr<c_void>,
    real: AtomicPtr<c_void>,
}

/// No caller's address.
const ANYWHERE: *mut c_void = ptr::without_provenance_mut(1);

impl EntryTargets {
    /// What was found for this caller, or is found now; null when there is none.
    pub fn or(&self, caller: *const c_void, find: impl FnOnce() -> LoadedFunction) -> *mut c_void {
        if let Some(real) = self.of(caller) {
            return real;
        }
        let found = find();
        if !found.function.is_null() {
            let from = if found.is_for_all {
                ANYWHERE
            } else {
                caller.cast_mut()
            };
            self.remember(from, found.function);
        }
        found.function
    }

    fn of(&self, caller: *const c_void) -> Option<*mut c_void> {
        let is_way = |way: &&EntryTarget| {
            let from = way.caller.load(Acquire);
            from == ANYWHERE || from.cast_const() == caller
        };
        let real = self.0.iter().find(is_way)?.real.load(Acquire);
        (!real.is_null()).then_some(real)
    }

    fn remember(&self, caller: *mut c_void, real: *mut c_void) {
        let is_free = |way: &&EntryTarget| {
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
