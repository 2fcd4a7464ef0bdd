//! A thread's working memory, too large for a program's stack: what the block under way holds, and the encoder.

use crate::arena::Ops;
use iota_trace::encode;
use iota_trace::part::Traffic;

/// Working memory for sealing.
#[repr(C)]
pub struct Workspace {
    pub progress: Progress,
    pub scratch: encode::Scratch,
    pub block: [u8; encode::MAX_BLOCK],
}

/// What the block under way holds.
#[repr(C)]
pub struct Progress {
    /// Places of the ring, from the first that is not sealed.
    pub places: usize,
    pub events: u64,
    pub ops: Ops,
    /// What was encoded since it was last asked, whatever becomes of the block.
    pub traffic: Traffic,
}

impl Progress {
    /// There is nothing any more.
    pub fn clear(&mut self) {
        (self.places, self.events) = (0, 0);
        self.ops.clear();
    }
}
