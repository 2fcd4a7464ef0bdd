//! Ranks, communicators and sessions: what MPI is asked, and what it is had do.

use super::library::*;
use crate::abi::{Constant::*, Word};
use crate::group::{GatherError, GroupRank, Result};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// In every MPI.
pub const SUCCESS: c_int = 0;

pub(super) fn worked(code: c_int) -> Result<()> {
    if code == SUCCESS {
        Ok(())
    } else {
        Err(GatherError::MESSAGE)
    }
}

/// True once what was started is done; then the request is gone.
///
/// # Safety
/// `request` was started, and was not seen to be done.
pub(super) unsafe fn is_done(request: &mut Word) -> Result<bool> {
    let mut done = 0;
    // SAFETY: a request of MPI's own that has not been freed.
    worked(unsafe { PMPI_Test(request, &mut done, constant(StatusIgnore)) })?;
    Ok(done != 0)
}

/// This rank in MPI_COMM_WORLD. Local.
pub fn place() -> Option<GroupRank> {
    place_in(constant(CommWorld)).ok()
}

/// This rank in a communicator. Local.
pub(super) fn place_in(comm: Word) -> Result<GroupRank> {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: MPI works, and the communicator is there.
    unsafe {
        worked(PMPI_Comm_rank(comm, &mut rank))?;
        worked(PMPI_Comm_size(comm, &mut size))?;
    }
    Ok(GroupRank {
        rank: rank as u32,
        size: size as u32,
    })
}

/// How many ranks a call of MPI_Comm_spawn has started, if this rank was its root. Local.
///
/// # Safety
/// MPI has written a communicator at `children`.
pub unsafe fn spawned(comm: Word, root: c_int, children: *const c_void) -> Option<u32> {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: the program's communicators, which MPI has just taken and made.
    unsafe {
        worked(PMPI_Comm_rank(comm, &mut rank)).ok()?;
        worked(PMPI_Comm_remote_size(read_handle(children), &mut size)).ok()?;
    }
    (rank == root).then_some(size as u32)
}

/// The communicator of all ranks, where a session has made one; 0: it is MPI_COMM_WORLD.
static ALL_RANKS: AtomicUsize = AtomicUsize::new(0);

/// The communicator of all ranks.
pub(super) fn all_ranks() -> Word {
    match ALL_RANKS.load(Relaxed) {
        0 => constant(CommWorld),
        comm => comm,
    }
}

/// Has `work` done with the group of all ranks of a session.
///
/// # Safety
/// MPI has written a session there.
pub(super) unsafe fn with_group<T>(
    session: *const c_void,
    work: impl FnOnce(Word) -> Result<T>,
) -> Result<T> {
    let (all, mut group) = (c"mpi://WORLD".as_ptr(), 0);
    // SAFETY: the session is open; the first call writes `group`.
    unsafe {
        let session = read_handle(session);
        worked(PMPI_Group_from_session_pset(session, all, &mut group))?;
        let done = work(group);
        PMPI_Group_free(&mut group);
        done
    }
}

/// This process in the world of a session. Local.
///
/// # Safety
/// MPI has written a session there.
pub unsafe fn place_in_session(session: *const c_void) -> Option<GroupRank> {
    let (mut rank, mut size) = (0, 0);
    let place = |group| {
        // SAFETY: the group is valid; both are local.
        unsafe {
            worked(PMPI_Group_rank(group, &mut rank))?;
            worked(PMPI_Group_size(group, &mut size))
        }
    };
    // SAFETY: the caller's session.
    unsafe { with_group(session, place) }.ok()?;
    Some(GroupRank {
        rank: rank as u32,
        size: size as u32,
    })
}

/// The session that the program has open; 0: none, [`SEVERAL`]: it had more than one at a time.
static SESSION: AtomicUsize = AtomicUsize::new(0);

/// No handle of a session.
const SEVERAL: usize = 1;

/// A session has begun: this process in its world.
///
/// # Safety
/// MPI has written a session there.
pub unsafe fn enter_session(session: *const c_void) -> Option<GroupRank> {
    // SAFETY: as this function's.
    let handle = unsafe { read_handle(session) };
    if SESSION
        .compare_exchange(0, handle, Relaxed, Relaxed)
        .is_err()
    {
        SESSION.store(SEVERAL, Relaxed);
    }
    // SAFETY: likewise.
    unsafe { place_in_session(session) }
}

/// A session is about to end.
///
/// # Safety
/// Null, or MPI has written a session there.
pub unsafe fn leave_session(session: *const c_void) {
    if session.is_null() {
        return;
    }
    // SAFETY: as this function's.
    let handle = unsafe { read_handle(session) };
    let _ = SESSION.compare_exchange(handle, 0, Relaxed, Relaxed);
}

/// Has `work` done with the group of all ranks: of MPI_COMM_WORLD, or of the one session that there is. If there were
/// several, a group may be of another one than the communicator that it is to be compared with.
pub fn with_world<T>(work: impl FnOnce(Word) -> Result<T>) -> Option<T> {
    if crate::stage::has_world() {
        let mut group = 0;
        // SAFETY: MPI_COMM_WORLD is there; the first call writes `group`.
        return unsafe {
            worked(PMPI_Comm_group(constant(CommWorld), &mut group)).ok()?;
            let done = work(group);
            PMPI_Group_free(&mut group);
            done.ok()
        };
    }
    let session = SESSION.load(Relaxed);
    // SAFETY: the program's session; a handle is a word, or as many of its first bytes as it has.
    (session > SEVERAL).then(|| unsafe { with_group((&raw const session).cast(), work) }.ok())?
}

/// A communicator of all ranks, made in a session; while it lives, it stands for MPI_COMM_WORLD.
pub struct OfSession(Word);

impl OfSession {
    /// Makes it. Collective: only if all ranks do.
    ///
    /// # Safety
    /// MPI has written a session there.
    pub unsafe fn new(session: *const c_void) -> Result<OfSession> {
        let mut comm = 0;
        // SAFETY: the caller's session; the call writes `comm`.
        unsafe {
            with_group(session, |group| {
                let (info, returns) = (constant(InfoNull), constant(ErrorsReturn));
                let tag = c"iota: gathering".as_ptr();
                worked(PMPI_Comm_create_from_group(
                    group, tag, info, returns, &mut comm,
                ))
            })
        }?;
        ALL_RANKS.store(comm, Relaxed);
        Ok(OfSession(comm))
    }
}

impl Drop for OfSession {
    fn drop(&mut self) {
        ALL_RANKS.store(0, Relaxed);
        // SAFETY: ours. What may be under way on it MPI finishes.
        unsafe { PMPI_Comm_free(&mut self.0) };
    }
}

unsafe extern "C" fn no_copy(
    _: Word,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    copied: *mut c_int,
) -> c_int {
    // SAFETY: MPI's own variable.
    unsafe { *copied = 0 };
    SUCCESS
}

/// Has MPI_Finalize call `work`, by an attribute of MPI_COMM_SELF: the standard has its delete functions called
/// before anything else is taken down, the first one set as the last. Local.
pub fn at_finalize(work: Deleting) -> bool {
    let mut key = 0;
    // SAFETY: MPI works; the functions live as long as the program. The key goes when its attribute goes.
    unsafe {
        let set = worked(PMPI_Comm_create_keyval(
            no_copy,
            work,
            &mut key,
            core::ptr::null_mut(),
        ))
        .and_then(|()| {
            worked(PMPI_Comm_set_attr(
                constant(CommSelf),
                key,
                core::ptr::null_mut(),
            ))
        });
        PMPI_Comm_free_keyval(&mut key);
        set.is_ok()
    }
}

/// While it lives, trouble on MPI_COMM_WORLD is returned and does not end the program.
pub struct ErrorsReturned(Word);

impl ErrorsReturned {
    /// Takes the program's error handler off.
    pub fn new() -> Option<ErrorsReturned> {
        let mut before = 0;
        // SAFETY: MPI works; the first call writes `before`.
        unsafe {
            worked(PMPI_Comm_get_errhandler(constant(CommWorld), &mut before)).ok()?;
            worked(PMPI_Comm_set_errhandler(
                constant(CommWorld),
                constant(ErrorsReturn),
            ))
            .ok()?;
            Some(ErrorsReturned(before))
        }
    }
}

impl Drop for ErrorsReturned {
    fn drop(&mut self) {
        // SAFETY: the handler that was there; our reference to it ends.
        unsafe {
            PMPI_Comm_set_errhandler(constant(CommWorld), self.0);
            PMPI_Errhandler_free(&mut self.0);
        }
    }
}
