//! MPI as the guest uses it: `PMPI_*` alone, on communicators of our own, or on MPI_COMM_WORLD without waiting.

mod comm;
pub mod io;
mod library;
mod ranks;
mod types;
mod world;

pub use comm::{free, groups};
pub use library::{UnsupportedMpi, meet};
pub use world::World;

pub use ranks::*;

use crate::abi::Constant::*;
use library::*;

/// Lets MPI do what is left to do for others: a step that is over here may not be on its way to them.
pub fn look_after_others() {
    let (comm, mut found) = (all_ranks(), 0);
    // SAFETY: MPI works; asks only, and nothing is received.
    let _ = unsafe { PMPI_Iprobe(0, comm::TAG, comm, &mut found, constant(StatusIgnore)) };
}
