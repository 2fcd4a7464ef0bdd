//! `vfork`: the child runs in its parent's memory, on its stack and with its thread's state, until it calls exec or ends.

use super::{Thread, own};
use crate::pending::Begun;
use crate::{clock, record};
use core::ffi::c_int;
use core::sync::atomic::Ordering::*;
use iota_calls::Op;

/// A `vfork` under way: while it has somewhere to go back to, the calling thread is the child's.
#[derive(Clone, Copy, Default)]
pub(super) struct Waiting {
    pub(super) back: usize,
    start: u64,
    op: u16,
}

impl Thread {
    /// `vfork` is about to be called, and returns to `back`.
    pub fn vfork_begins(&self, op: Op, back: usize) {
        self.vfork.set(Waiting {
            back,
            start: clock::now(),
            op: op.0,
        });
        self.ready.store(0, Relaxed);
    }

    /// `vfork` returned: where to. The child leaves all as it is, for its parent to find.
    pub fn vforked(ret: c_int) -> usize {
        let Some(thread) = own() else { return 0 };
        let waiting = thread.vfork.get();
        if ret != 0 {
            thread.vfork.take();
            thread.is_ready();
            let begun = Begun::new(Op(waiting.op), waiting.start);
            record::store_begun(thread, begun, i64::from(ret), |_| ());
        }
        waiting.back
    }
}
