//! MPI as the guest uses it: `PMPI_*` alone, on communicators of our own, or on MPI_COMM_WORLD without waiting.

mod comm;
mod world;

pub use comm::{Comm, free, groups};
pub use world::World;

use crate::group::{GroupRank, Result, Trouble};
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use mpi_sys::*;

fn worked(code: c_int) -> Result<()> {
    if code == MPI_SUCCESS as c_int {
        Ok(())
    } else {
        Err(Trouble::MESSAGE)
    }
}

/// True once what was started is done; then the request is gone.
///
/// # Safety
/// `request` was started, and was not seen to be done.
unsafe fn is_done(request: &mut MaybeUninit<MPI_Request>) -> Result<bool> {
    let mut done = 0;
    // SAFETY: a request of MPI's own that has not been freed.
    worked(unsafe { PMPI_Test(request.as_mut_ptr(), &mut done, RSMPI_STATUS_IGNORE) })?;
    Ok(done != 0)
}

/// This rank in MPI_COMM_WORLD. Local.
pub fn place() -> Option<GroupRank> {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: MPI works.
    unsafe {
        worked(PMPI_Comm_rank(RSMPI_COMM_WORLD, &mut rank)).ok()?;
        worked(PMPI_Comm_size(RSMPI_COMM_WORLD, &mut size)).ok()?;
    }
    Some(GroupRank {
        rank: rank as u32,
        size: size as u32,
    })
}

unsafe extern "C" fn no_copy(
    _: MPI_Comm,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    copied: *mut c_int,
) -> c_int {
    // SAFETY: MPI's own variable.
    unsafe { *copied = 0 };
    MPI_SUCCESS as c_int
}

/// Has MPI_Finalize call `work`, by an attribute of MPI_COMM_SELF: the standard has its delete functions called
/// before anything else is taken down, the first one set as the last. Local.
pub fn at_finalize(
    work: unsafe extern "C" fn(MPI_Comm, c_int, *mut c_void, *mut c_void) -> c_int,
) -> bool {
    let mut key = 0;
    // SAFETY: MPI works; the functions live as long as the program. The key goes when its attribute goes.
    unsafe {
        let set = worked(PMPI_Comm_create_keyval(
            Some(no_copy),
            Some(work),
            &mut key,
            core::ptr::null_mut(),
        ))
        .and_then(|()| {
            worked(PMPI_Comm_set_attr(
                RSMPI_COMM_SELF,
                key,
                core::ptr::null_mut(),
            ))
        });
        PMPI_Comm_free_keyval(&mut key);
        set.is_ok()
    }
}

/// While it lives, trouble on MPI_COMM_WORLD is returned and does not end the program.
pub struct Lenient(MPI_Errhandler);

impl Lenient {
    /// Takes the program's error handler off.
    pub fn new() -> Option<Lenient> {
        let mut before = MaybeUninit::uninit();
        // SAFETY: MPI works; the first call writes `before`.
        unsafe {
            worked(PMPI_Comm_get_errhandler(
                RSMPI_COMM_WORLD,
                before.as_mut_ptr(),
            ))
            .ok()?;
            worked(PMPI_Comm_set_errhandler(
                RSMPI_COMM_WORLD,
                RSMPI_ERRORS_RETURN,
            ))
            .ok()?;
            Some(Lenient(before.assume_init()))
        }
    }
}

impl Drop for Lenient {
    fn drop(&mut self) {
        // SAFETY: the handler that was there; our reference to it ends.
        unsafe {
            PMPI_Comm_set_errhandler(RSMPI_COMM_WORLD, self.0);
            PMPI_Errhandler_free(&mut self.0);
        }
    }
}
