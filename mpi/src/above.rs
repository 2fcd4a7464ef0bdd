//! What libraries above MPI-IO say with MPI's handles: for the crates with their shapes.

use crate::pmpi::io as mpi;
use core::sync::atomic::{AtomicPtr, Ordering::*};

pub use crate::abi::Word;
pub use crate::io::{By, FileGroup};
pub use crate::memory::WordBuffer;

/// Bytes of a datatype that a call has just taken; 0: of MPI_DATATYPE_NULL, or not known.
pub fn size_of_type(datatype: Word) -> u64 {
    if mpi::is_null_type(datatype) {
        return 0;
    }
    mpi::size(datatype).max(0) as u64
}

/// The datatype with this number in an array.
///
/// # Safety
/// So many and one more stand there.
pub unsafe fn type_at(datatypes: *const Word, number: usize) -> Word {
    // SAFETY: as this function's.
    unsafe { mpi::read_handle(mpi::handle_at(datatypes.cast(), number)) }
}

/// What is done at the end of MPI; null: nothing.
static AT_END: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Something is to be done at the end of MPI, while calls are still recorded.
pub fn at_end(work: fn()) {
    AT_END.store(work as *mut (), Release);
}

/// MPI ends.
pub(crate) fn end() {
    let work = AT_END.load(Acquire);
    if !work.is_null() {
        // SAFETY: a function of this type (`at_end`).
        unsafe { core::mem::transmute::<*mut (), fn()>(work)() }
    }
}
