//! Whose call it is, where that is not plain: others have this thread's state as well, or a library makes the call.

use super::{Thread, own};
use crate::sys;
use core::sync::atomic::Ordering::*;

impl Thread {
    /// Its calls are recorded, without a question unless others have this state as well.
    pub(super) fn is_ready(&self) {
        self.ready.store(u32::from(!self.shared.get()), Release);
    }

    /// The state, if it is the calling thread's and not its parent's.
    pub(super) fn if_own(&self) -> Option<&Thread> {
        Some(self).filter(|thread| thread.owner.load(Relaxed) == sys::thread_id())
    }
}

/// A child or thread is about to be made. With our memory and no state of its own it has ours: from now on every call
/// asks whose it is.
pub fn will_share(flags: u64) {
    let same_state = flags & libc::CLONE_VM as u64 != 0 && flags & libc::CLONE_SETTLS as u64 == 0;
    if let Some(thread) = Thread::current().filter(|_| same_state) {
        thread.shared.set(true);
        thread.is_ready();
    }
}

/// Makes a call of a library that may ask the kernel by `syscall`: there it is not another call.
pub fn in_library<R>(real: impl FnOnce() -> R) -> R {
    if let Some(thread) = own() {
        thread.library.set(thread.current.get());
    }
    real()
}

/// True below such a call.
pub fn is_in_library() -> bool {
    own().is_some_and(|thread| {
        let current = thread.current.get();
        current != 0 && current == thread.library.get()
    })
}
