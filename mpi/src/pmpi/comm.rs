//! Communicators of our own, and messages on them.
//!
//! Whoever may wait long does so asleep: a rank that spins until others have done their part takes the processor from
//! them where there are more ranks than processors.

use super::library::*;
use super::{all_ranks, worked};
use crate::abi::{Constant::*, Word};
use crate::group::{Group, GroupRank, Groups, Result};
use crate::part;
use core::ffi::c_int;

/// The one tag of our messages.
const TAG: c_int = 7;

/// So often is looked without a pause before the first one.
const LOOKS: u32 = 200;
/// Pauses in nanoseconds.
const FIRST_PAUSE: u64 = 1_000;
const LONGEST_PAUSE: u64 = 100_000;

/// Starts something and waits until it is done.
///
/// # Safety
/// `start` starts a request on memory that stays until this returns.
unsafe fn patiently(start: impl FnOnce(*mut Word) -> c_int) -> Result<()> {
    let mut request = 0;
    worked(start(&mut request))?;
    let (mut looks, mut pause) = (0u32, FIRST_PAUSE);
    // SAFETY: started above.
    while !unsafe { super::is_done(&mut request) }? {
        looks = looks.saturating_add(1);
        if looks > LOOKS {
            part::pause(pause);
            pause = pause.wrapping_mul(2).min(LONGEST_PAUSE);
        }
    }
    Ok(())
}

/// A communicator of our own.
pub struct Comm {
    comm: Word,
    place: GroupRank,
}

impl Comm {
    /// Takes a new communicator over; trouble on it is returned from now on.
    fn of(comm: Word) -> Result<Comm> {
        let (mut rank, mut size) = (0, 0);
        // SAFETY: `comm` is valid; all three are local.
        unsafe {
            worked(PMPI_Comm_set_errhandler(comm, constant(ErrorsReturn)))?;
            worked(PMPI_Comm_rank(comm, &mut rank))?;
            worked(PMPI_Comm_size(comm, &mut size))?;
        }
        Ok(Comm {
            comm,
            place: GroupRank {
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
    fn place(&self) -> GroupRank {
        self.place
    }

    fn send(&mut self, to: u32, bytes: &[u8]) -> Result<()> {
        let (at, count) = (bytes.as_ptr().cast(), bytes.len() as c_int);
        // SAFETY: `bytes` is readable until the call returns.
        worked(unsafe { PMPI_Send(at, count, byte(), to as c_int, TAG, self.comm) })
    }

    fn receive(&mut self, from: u32, bytes: &mut [u8]) -> Result<()> {
        let (at, count) = (bytes.as_mut_ptr().cast(), bytes.len() as c_int);
        let (from, comm) = (from as c_int, self.comm);
        // SAFETY: `bytes` is ours for writing; the sender sends as many.
        worked(unsafe { PMPI_Recv(at, count, byte(), from, TAG, comm, constant(StatusIgnore)) })
    }

    fn receive_late(&mut self, from: u32, bytes: &mut [u8]) -> Result<()> {
        let (at, count) = (bytes.as_mut_ptr().cast(), bytes.len() as c_int);
        let (from, comm) = (from as c_int, self.comm);
        // SAFETY: as in `receive`.
        unsafe { patiently(|request| PMPI_Irecv(at, count, byte(), from, TAG, comm, request)) }
    }

    fn broadcast(&mut self, bytes: &mut [u8]) -> Result<()> {
        let (at, count) = (bytes.as_mut_ptr().cast(), bytes.len() as c_int);
        // SAFETY: `bytes` is ours, as long on every rank.
        unsafe { patiently(|request| PMPI_Ibcast(at, count, byte(), 0, self.comm, request)) }
    }

    fn gather(&mut self, mine: &[u8], all: &mut [u8]) -> Result<()> {
        let (from, to) = (mine.as_ptr().cast(), all.as_mut_ptr().cast());
        let (count, comm) = (mine.len() as c_int, self.comm);
        // SAFETY: on rank 0 `all` has room for everybody's; elsewhere MPI does not look at it.
        unsafe {
            patiently(|request| {
                PMPI_Igather(from, count, byte(), to, count, byte(), 0, comm, request)
            })
        }
    }

    fn sum_before(&mut self, value: u64) -> Result<u64> {
        let mut sum = 0u64;
        let (from, to, comm) = ((&raw const value).cast(), (&raw mut sum).cast(), self.comm);
        // SAFETY: one number each.
        unsafe {
            patiently(|request| PMPI_Iexscan(from, to, 1, number(), constant(Sum), comm, request))
        }?;
        // On rank 0 the standard leaves it undefined.
        Ok(if self.place.rank == 0 { 0 } else { sum })
    }

    fn greatest(&mut self, value: u64) -> Result<u64> {
        let mut most = 0u64;
        let (from, to, comm) = ((&raw const value).cast(), (&raw mut most).cast(), self.comm);
        // SAFETY: one number each.
        unsafe {
            patiently(|request| {
                PMPI_Iallreduce(from, to, 1, number(), constant(Max), comm, request)
            })
        }?;
        Ok(most)
    }
}

fn byte() -> Word {
    constant(Uint8)
}

fn number() -> Word {
    constant(Uint64)
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
    let mut comm = 0;
    // SAFETY: MPI works and all ranks are here; the call writes `comm`.
    unsafe {
        let kind = constant(CommTypeShared) as c_int;
        worked(PMPI_Comm_split_type(
            all_ranks(),
            kind,
            0,
            constant(InfoNull),
            &mut comm,
        ))?;
        Comm::of(comm)
    }
}

fn leaders(leads: bool) -> Result<Option<Comm>> {
    let mut comm = 0;
    // SAFETY: as in `node`; who leads nothing gets no communicator.
    unsafe {
        let color = if leads {
            0
        } else {
            constant(Undefined) as c_int
        };
        worked(PMPI_Comm_split(all_ranks(), color, 0, &mut comm))?;
        if leads {
            Comm::of(comm).map(Some)
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
