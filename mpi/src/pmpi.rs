//! MPI as the guest uses it: `PMPI_*` alone, on communicators of our own, or on MPI_COMM_WORLD without waiting.

use crate::agree::Agreement;
use crate::group::{Group, Groups, Place, Result, Trouble};
use crate::part;
use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use mpi_sys::*;

/// The one tag of our messages.
const TAG: c_int = 7;

fn worked(code: c_int) -> Result<()> {
    if code == MPI_SUCCESS as c_int {
        Ok(())
    } else {
        Err(Trouble::MESSAGE)
    }
}

/// A communicator of our own.
pub struct Comm {
    comm: MPI_Comm,
    place: Place,
}

impl Comm {
    /// Takes a new communicator over; trouble on it is returned from now on.
    fn of(comm: MPI_Comm) -> Result<Comm> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: `comm` is valid; all three are local.
        unsafe {
            worked(PMPI_Comm_set_errhandler(comm, RSMPI_ERRORS_RETURN))?;
            worked(PMPI_Comm_rank(comm, &mut rank))?;
            worked(PMPI_Comm_size(comm, &mut size))?;
        }
        Ok(Comm {
            comm,
            place: Place {
                rank: rank as u32,
                size: size as u32,
            },
        })
    }

    fn free(mut self) {
        // SAFETY: ours, with nothing under way.
        unsafe { PMPI_Comm_free(&mut self.comm) };
    }
}

impl Group for Comm {
    fn place(&self) -> Place {
        self.place
    }

    fn send(&mut self, to: u32, bytes: &[u8]) -> Result<()> {
        let (at, count) = (bytes.as_ptr().cast(), bytes.len() as c_int);
        // SAFETY: `bytes` is readable until the call returns.
        worked(unsafe { PMPI_Send(at, count, RSMPI_UINT8_T, to as c_int, TAG, self.comm) })
    }

    fn receive(&mut self, from: u32, bytes: &mut [u8]) -> Result<()> {
        let (at, count) = (bytes.as_mut_ptr().cast(), bytes.len() as c_int);
        // SAFETY: `bytes` is ours for writing; the sender sends as many.
        worked(unsafe {
            PMPI_Recv(
                at,
                count,
                RSMPI_UINT8_T,
                from as c_int,
                TAG,
                self.comm,
                RSMPI_STATUS_IGNORE,
            )
        })
    }

    fn broadcast(&mut self, bytes: &mut [u8]) -> Result<()> {
        let (at, count) = (bytes.as_mut_ptr().cast(), bytes.len() as c_int);
        // SAFETY: `bytes` is ours, as long on every rank.
        worked(unsafe { PMPI_Bcast(at, count, RSMPI_UINT8_T, 0, self.comm) })
    }

    fn gather(&mut self, mine: &[u8], all: &mut [u8]) -> Result<()> {
        let (from, to, count) = (
            mine.as_ptr().cast(),
            all.as_mut_ptr().cast(),
            mine.len() as c_int,
        );
        // SAFETY: on rank 0 `all` has room for everybody's; elsewhere MPI does not look at it.
        worked(unsafe {
            PMPI_Gather(
                from,
                count,
                RSMPI_UINT8_T,
                to,
                count,
                RSMPI_UINT8_T,
                0,
                self.comm,
            )
        })
    }

    fn sum_before(&mut self, value: u64) -> Result<u64> {
        let mut sum = 0u64;
        let (from, to) = ((&raw const value).cast(), (&raw mut sum).cast());
        // SAFETY: one number each.
        worked(unsafe { PMPI_Exscan(from, to, 1, RSMPI_UINT64_T, RSMPI_SUM, self.comm) })?;
        // On rank 0 the standard leaves it undefined.
        Ok(if self.place.rank == 0 { 0 } else { sum })
    }

    fn greatest(&mut self, value: u64) -> Result<u64> {
        let mut greatest = 0u64;
        let (from, to) = ((&raw const value).cast(), (&raw mut greatest).cast());
        // SAFETY: one number each.
        worked(unsafe { PMPI_Allreduce(from, to, 1, RSMPI_UINT64_T, RSMPI_MAX, self.comm) })?;
        Ok(greatest)
    }
}

/// The communicators of a rank. Collective: only after all have agreed.
pub fn groups() -> Result<Groups<Comm>> {
    let node = node();
    // A rank without a node takes part all the same, for others wait for it.
    let leads = node.as_ref().is_ok_and(|node| node.place.rank == 0);
    let leaders = leaders(leads);
    Ok(Groups {
        node: node?,
        leaders: leaders?,
    })
}

fn node() -> Result<Comm> {
    let mut comm = MaybeUninit::uninit();
    // SAFETY: MPI works and all ranks are here; the call writes `comm`.
    unsafe {
        let kind = RSMPI_COMM_TYPE_SHARED;
        worked(PMPI_Comm_split_type(
            RSMPI_COMM_WORLD,
            kind,
            0,
            RSMPI_INFO_NULL,
            comm.as_mut_ptr(),
        ))?;
        Comm::of(comm.assume_init())
    }
}

fn leaders(leads: bool) -> Result<Option<Comm>> {
    let mut comm = MaybeUninit::uninit();
    // SAFETY: as in `node`; who leads nothing gets no communicator.
    unsafe {
        let color = if leads { 0 } else { RSMPI_UNDEFINED };
        worked(PMPI_Comm_split(
            RSMPI_COMM_WORLD,
            color,
            0,
            comm.as_mut_ptr(),
        ))?;
        if leads {
            Comm::of(comm.assume_init()).map(Some)
        } else {
            Ok(None)
        }
    }
}

/// Gives the communicators back.
pub fn free(groups: Groups<Comm>) {
    groups.node.free();
    if let Some(leaders) = groups.leaders {
        leaders.free();
    }
}

/// This rank in MPI_COMM_WORLD. Local.
pub fn place() -> Option<Place> {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: MPI works.
    unsafe {
        worked(PMPI_Comm_rank(RSMPI_COMM_WORLD, &mut rank)).ok()?;
        worked(PMPI_Comm_size(RSMPI_COMM_WORLD, &mut size)).ok()?;
    }
    Some(Place {
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

/// While it lives, trouble on MPI_COMM_WORLD is returned and does not end the host.
pub struct Lenient(MPI_Errhandler);

impl Lenient {
    /// Takes the host's error handler off.
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

/// A vote: what MPI reads and writes for as long as it is under way, which may be for ever.
struct Ballot {
    mine: UnsafeCell<u64>,
    outcome: UnsafeCell<u64>,
}

// SAFETY: only the one thread that ends MPI gets here (hooks.rs), each vote with a ballot of its own.
unsafe impl Sync for Ballot {}

static BALLOTS: [Ballot; 2] = [const {
    Ballot {
        mine: UnsafeCell::new(0),
        outcome: UnsafeCell::new(0),
    }
}; 2];

/// All ranks of MPI_COMM_WORLD, none of which is waited for without an end.
pub struct World {
    barrier: MaybeUninit<MPI_Request>,
    vote: MaybeUninit<MPI_Request>,
    ballots: core::slice::Iter<'static, Ballot>,
    ballot: Option<&'static Ballot>,
}

impl World {
    /// Once in a process' life.
    pub fn new() -> World {
        World {
            barrier: MaybeUninit::uninit(),
            vote: MaybeUninit::uninit(),
            ballots: BALLOTS.iter(),
            ballot: None,
        }
    }
}

/// # Safety
/// `request` was started, and was not seen to be done.
unsafe fn is_done(request: &mut MaybeUninit<MPI_Request>) -> bool {
    let mut done = 0;
    // SAFETY: the caller's.
    let tested = unsafe { PMPI_Test(request.as_mut_ptr(), &mut done, RSMPI_STATUS_IGNORE) };
    worked(tested).is_ok() && done != 0
}

impl Agreement for World {
    fn enter(&mut self) -> bool {
        // SAFETY: MPI works; the call writes the request.
        worked(unsafe { PMPI_Ibarrier(RSMPI_COMM_WORLD, self.barrier.as_mut_ptr()) }).is_ok()
    }

    fn all_entered(&mut self) -> bool {
        // SAFETY: asked only after `enter`, and not again after a yes.
        unsafe { is_done(&mut self.barrier) }
    }

    fn vote(&mut self, yes: bool) -> bool {
        self.ballot = self.ballots.next();
        let Some(ballot) = self.ballot else {
            return false;
        };
        let (mine, outcome) = (ballot.mine.get(), ballot.outcome.get());
        // SAFETY: the ballot is static, and used for this vote alone.
        worked(unsafe {
            *mine = u64::from(yes);
            let request = self.vote.as_mut_ptr();
            PMPI_Iallreduce(
                mine.cast(),
                outcome.cast(),
                1,
                RSMPI_UINT64_T,
                RSMPI_MIN,
                RSMPI_COMM_WORLD,
                request,
            )
        })
        .is_ok()
    }

    fn outcome(&mut self) -> Option<bool> {
        let ballot = self.ballot?;
        // SAFETY: asked only after `vote`, and not again after an answer; then the outcome is written.
        unsafe { is_done(&mut self.vote).then(|| *ballot.outcome.get() == 1) }
    }

    fn pause(&mut self, nanoseconds: u64) {
        part::pause(nanoseconds);
    }

    fn now(&self) -> u64 {
        part::now()
    }
}
