//! When a thread's records are sealed, and by whom.

use super::sealing::{self, Unfilled};
use super::state::{Thread, all, own};
use super::work::Workspace;
use crate::state::clock;
use crate::sys::{self, SignalsBlocked};
use core::sync::atomic::Ordering::*;
use iota_trace::spool::Slot;

impl Thread {
    /// Seals what is stored, unless another thread is doing so for us.
    pub(super) fn seal(&self, unfilled: Unfilled) {
        self.sealing(|slot, calls, work| sealing::seal(slot, calls, work, unfilled));
    }

    pub(super) fn sealing<R>(
        &self,
        job: impl FnOnce(&Slot, u64, &mut Workspace) -> R,
    ) -> Option<R> {
        let _undisturbed = SignalsBlocked::begin();
        if !self.seal_lock.take() {
            return None;
        }
        // SAFETY: the seal lock gives the working memory to us alone.
        let work = unsafe { &mut *self.work.get() };
        let done = job(self.slot(), self.calls.load(Relaxed), work);
        self.recorded
            .add(core::mem::take(&mut work.progress.traffic));
        self.seal_lock.give();
        Some(done)
    }

    /// True while the thread seals: this thread or another one.
    fn is_sealing(&self) -> bool {
        self.seal_lock.is_taken()
    }

    /// True while an unfinished store keeps others from being sealed, and its thread is there to finish it.
    fn is_held_up(&self) -> bool {
        self.slot().is_held_up()
    }
}

/// How long a store that has begun is waited for, where the process goes on without it.
const PATIENCE_MS: u64 = 10;

/// Seals what all threads have stored. One that is sealing or storing just now is waited for, unless it is this thread,
/// below a signal handler. Where the process `ends`, no place is filled later.
pub fn seal_all(ends: bool) {
    let (deadline, patience) = (
        clock::deadline_after(1000),
        clock::deadline_after(PATIENCE_MS),
    );
    for thread in all() {
        let is_other = !own().is_some_and(|own| core::ptr::eq(own, thread));
        while is_other && thread.is_sealing() && clock::monotonic_ns() < deadline {
            sys::yield_now();
        }
        thread.seal(Unfilled::Awaited);
        while is_other && thread.is_held_up() && clock::monotonic_ns() < patience {
            sys::yield_now();
            thread.seal(Unfilled::Awaited);
        }
        if ends && thread.is_held_up() {
            thread.seal(Unfilled::Abandoned);
        }
    }
}
