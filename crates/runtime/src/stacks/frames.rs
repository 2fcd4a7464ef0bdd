//! What a stack consists of.

/// Frames of a stack at most: the innermost.
pub const FRAMES: usize = 64;

/// Where a return address stands, and what it is.
#[derive(Clone, Copy)]
pub struct ReturnAddress {
    pub at: usize,
    pub value: usize,
}
