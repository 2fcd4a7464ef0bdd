//! Statuses: how many bytes a transfer moved. Where the program takes none, MPI gets one of ours.

use crate::abi::{Constant::*, Family, Word};
use crate::pmpi::io as mpi;
use iota_calls::{Kind, Op};

#[inline(always)]
fn is_write(op: Op) -> bool {
    op.info().is_some_and(|info| info.kind == Kind::Write)
}

/// Bytes that a status tells of; None if there is none.
#[inline(always)]
pub fn moved(status: Word) -> Option<i64> {
    if status == mpi::constant(StatusIgnore) {
        return None;
    }
    mpi::moved(status)
}

/// Room for the status of a call.
pub struct Status([u64; Family::STATUS_ROOM / 8]);

impl Status {
    pub const NEW: Status = Status([0; Family::STATUS_ROOM / 8]);

    /// The status that MPI is to write: the program's, or this one. What ROMIO writes without an error it writes wholly, and
    /// no status has to tell.
    #[inline(always)]
    pub fn of_transfer<T>(&mut self, op: Op, given: *mut T) -> *mut T {
        if given.addr() == mpi::constant(StatusIgnore) && mpi::is_romio() && is_write(op) {
            return given;
        }
        self.instead_of(given)
    }

    /// The same for a call that may be of any transfer.
    #[inline(always)]
    pub fn instead_of<T>(&mut self, given: *mut T) -> *mut T {
        if given.addr() == mpi::constant(StatusIgnore) {
            self.0.as_mut_ptr().cast()
        } else {
            given
        }
    }
}
