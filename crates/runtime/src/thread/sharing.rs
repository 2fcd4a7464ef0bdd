//! Whose call it is, where that is not plain: others have this thread's state as well, or a library makes the call.

use super::state::{Thread, own};
use crate::sys;
use core::ffi::c_int;
use core::sync::atomic::Ordering::*;

impl Thread {
    /// True where others have this state as well: each call asks whose it is.
    pub fn is_shared(&self) -> bool {
        self.shared.get()
    }

    /// The state, if it is the calling thread's and not its parent's.
    pub fn if_own(&self) -> Option<&Thread> {
        Some(self).filter(|thread| thread.owner.load(Relaxed) == sys::thread_id())
    }

    /// A child or thread is about to be made that has our memory and no state of its own, and so has ours.
    pub fn share(&self) {
        self.shared.set(true);
        self.naming.share();
        self.set_ready();
    }
}

/// Makes a call of a library that may ask the kernel by `syscall`: there it is not another call.
pub fn in_library<R>(real: impl FnOnce() -> R) -> R {
    if let Some(thread) = own() {
        thread.library.set(thread.current.get());
    }
    real()
}

/// Whether the calling thread is within a recorded call of the C library, in a frame below it.
#[unsafe(no_mangle)]
extern "C" fn iota_is_within(frame: usize) -> c_int {
    let is_within = |thread: &Thread| {
        let around = thread.enclosing(frame) as u32;
        around != 0 && !thread.is_library_call(around)
    };
    own().is_some_and(is_within).into()
}

/// True below such a call.
pub fn is_in_library() -> bool {
    own().is_some_and(|thread| {
        let current = thread.current.get();
        current != 0 && current == thread.library.get()
    })
}
