//! How far MPI is.

use core::sync::atomic::{AtomicU32, Ordering::Acquire};

pub const BEFORE: u32 = 0;

pub const STARTED: u32 = 1;

pub const ENDED: u32 = 2;

pub static STAGE: AtomicU32 = AtomicU32::new(BEFORE);

/// Whether there is MPI_COMM_WORLD, as far as is known here.
pub fn has_world() -> bool {
    STAGE.load(Acquire) == STARTED
}
