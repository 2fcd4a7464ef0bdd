//! What gathering has to do with: the part of a rank, the output, and what closes a segment.

use crate::clocks::Offset;
use crate::group::Result;
use crate::plan::Node;

/// What this rank has to give.
pub trait Part {
    /// This rank's clock minus CLOCK_MONOTONIC, in nanoseconds.
    fn base(&self) -> i64;
    /// Notes this rank's clock minus rank 0's; before the length is asked for.
    fn set_clock(&mut self, offset: Offset);
    /// Bytes; 0: this rank has no part.
    fn length(&mut self) -> u64;
    /// Calls in it.
    fn events(&self) -> u64;
    /// Copies bytes of the part that begin at `offset`.
    fn read_at(&mut self, offset: u64, to: &mut [u8]) -> bool;
}

/// Names the output in a message; all zeros: there is none.
pub type Name = [u8; 4096];

/// The file that becomes the trace.
pub trait Output {
    /// Creates it under a name that was free, and says which; in so many stripes where files have stripes.
    fn create(&mut self, name: &mut Name, stripes: u32) -> Result<()>;
    /// Opens the file that another rank created; any other file of that name is trouble.
    fn open(&mut self, name: &Name) -> Result<()>;
    /// Writes all bytes at `offset`.
    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()>;
    /// Closes it; trouble that was kept back is reported now.
    fn close(&mut self) -> Result<()>;
    /// Takes it away again.
    fn remove(&mut self);
}

/// What closes a node's segment.
pub trait Ending {
    /// Bytes that it takes for so many units.
    fn length(&self, units: usize) -> u64;
    /// Writes it for a segment of these units, the first of which begins the segment.
    fn write(&self, node: Node<'_>, to: &mut [u8]) -> Option<usize>;
}
