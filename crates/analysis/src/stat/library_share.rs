//! Bytes that a program moves itself. Where it calls a library, they are those of these calls; the calls below them may be
//! made by another rank.

use serde::{Deserialize, Serialize};

/// Calls of libraries above descriptors and streams, and what is below them, of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LibraryShare {
    /// Calls of libraries that no other one encloses.
    pub calls: u64,
    /// Bytes that these moved,
    pub(super) above: u64,
    /// and bytes that the calls below them moved.
    pub(super) below: u64,
}

impl LibraryShare {
    pub(super) fn merge(&mut self, more: &LibraryShare) {
        self.calls += more.calls;
        self.above = self.above.saturating_add(more.above);
        self.below = self.below.saturating_add(more.below);
    }
}
