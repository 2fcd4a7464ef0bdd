//! A file's buffers: one for each transfer that a piece may have under way, aligned, broken into pieces.

use crate::plan::{Piece, Plan};
use std::alloc::{self, Layout};

/// Memory that pieces share out among themselves.
pub struct Buffer {
    start: *mut u8,
    layout: Layout,
    stride: usize,
}

// SAFETY: who takes a slot promises that nobody else does.
unsafe impl Send for Buffer {}
// SAFETY: who takes a slot promises that nobody else does.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Enough for a file of the plan; `None` where there is no memory.
    pub fn new(plan: &Plan) -> Option<Buffer> {
        let layout =
            Layout::from_size_align(usize::try_from(plan.buffer()).ok()?, plan.alignment).ok()?;
        // SAFETY: the layout is not empty, because a buffer is not.
        let start = unsafe { alloc::alloc_zeroed(layout) };
        let stride = layout.size() / plan.options.qd as usize;
        (!start.is_null()).then_some(Buffer {
            start,
            layout,
            stride,
        })
    }

    /// A piece of buffer number `slot`.
    ///
    /// # Safety
    /// Nobody else uses that piece of that slot as long as the slice lives; both are those of the plan.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn piece(&self, slot: usize, piece: Piece) -> &mut [u8] {
        let at = slot * self.stride + piece.start as usize;
        // SAFETY: within the memory, by the caller's promise, and nobody else's.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(at), piece.length as usize) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: as it was allocated.
        unsafe { alloc::dealloc(self.start, self.layout) };
    }
}
