//! What the C library calls: a constructor, and word of a fork.

use super::current::current;
use super::start;
use crate::state::{early, phase};
use crate::sys;
use crate::tables::descriptors;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The constructor: from here on every call is recorded, those of the first thread also where memory ends later.
#[unsafe(no_mangle)]
extern "C" fn iota_start() {
    let errno = sys::errno();
    early::look();
    if start::ensure() {
        current();
    }
    WATCHES.store(iota_watch_quick_exit(), Relaxed);
    sys::set_errno(errno);
}

unsafe extern "C" {
    /// Has `iota_finish` called last by `quick_exit`; false where that cannot be (c-shim/start.c).
    safe fn iota_watch_quick_exit() -> bool;
}

/// `quick_exit` finishes the part when the program's handlers have run.
static WATCHES: AtomicBool = AtomicBool::new(false);

/// Whether `quick_exit` finishes the part by itself.
pub fn ends_with_handlers() -> bool {
    WATCHES.load(Relaxed)
}

/// The parent forked: it shares its descriptions with the child.
#[unsafe(no_mangle)]
extern "C" fn iota_forked() {
    if phase::is_active() {
        descriptors::share_all();
    }
}
