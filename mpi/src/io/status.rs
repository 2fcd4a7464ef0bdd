//! Statuses: how many bytes a transfer moved. Where the program takes none, MPI gets one of ours.

use crate::abi::{Constant::*, Family, Word};
use crate::pmpi::io as mpi;

/// Room for the status of a call.
pub struct Status([u64; Family::STATUS_ROOM / 8]);

impl Status {
    pub const NEW: Status = Status([0; Family::STATUS_ROOM / 8]);

    /// The status that MPI is to write: the program's, or this one.
    #[inline(always)]
    pub fn instead_of<T>(&mut self, given: *mut T) -> *mut T {
        if given.addr() == mpi::constant(StatusIgnore) {
            self.0.as_mut_ptr().cast()
        } else {
            given
        }
    }
}

/// Bytes that a transfer moved, as its status says.
pub fn moved(status: Word) -> Option<i64> {
    mpi::elements(status, mpi::constant(Byte)).filter(|count| *count >= 0)
}
