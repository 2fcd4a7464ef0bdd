//! Probes of functions that were wrapped in a link (`gen-wraps --probe`): the object that was linked registers them before
//! the program's own code runs. Libraries may have such objects, too, and be loaded by several threads at once.

use super::{around, island, slots};
use crate::real::objects;
use crate::state::phase;
use crate::tables::probed;
use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicU32, Ordering::Release};

/// A function in such an object.
#[repr(C)]
pub struct Linked {
    name: *const c_char,
    real: usize,
    /// The number of its stub; while the uppermost bit is set, its calls go to the function.
    stub: AtomicU32,
}

/// Gives functions their numbers.
///
/// # Safety
/// As many as there are, whose names end with NUL and stay.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_probe_register(functions: *const Linked, count: usize) {
    if !phase::is_active() {
        return;
    }
    // SAFETY: as this function's.
    let functions = unsafe { core::slice::from_raw_parts(functions, count) };
    objects::exclusively(|| register(functions));
}

fn register(functions: &[Linked]) {
    if !probed::start() {
        return;
    }
    around::look();
    for function in functions {
        // SAFETY: it ends with NUL, as the object says of itself.
        let name = unsafe { CStr::from_ptr(function.name) };
        // One that its slot leads to a stub already, or its first instructions do, is recorded there.
        let is_new = !slots::is_stub(function.real) && !island::is_patched(function.real);
        let stub = is_new.then(|| probed::enter(name.to_bytes(), function.real));
        if let Some(stub) = stub.flatten() {
            function.stub.store(stub.into(), Release);
        }
    }
}
