//! Communicators of our own, and messages on them.
//!
//! Long waits sleep instead of spinning: where there are more ranks than processors, a rank that spins takes the processor
//! from those that it waits for.

use super::library::*;
use super::ranks::{all_ranks, is_done, place_in, worked};
use crate::abi::{Constant::*, Word};
use crate::group::{GatherError, Group, GroupRank, Groups, Result};
use crate::memory::Memory;
use crate::part;
use core::ffi::c_int;

/// The one tag of our messages.
pub(super) const TAG: c_int = 7;

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
    while !unsafe { is_done(&mut request) }? {
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
    /// Has one made of a group, which goes; trouble on it is returned from now on.
    fn create(mut group: Word, make: impl FnOnce(Word, *mut Word) -> c_int) -> Result<Comm> {
        let mut comm = 0;
        let made = make(group, &mut comm);
        // SAFETY: ours; the communicator is there if it was made.
        unsafe {
            PMPI_Group_free(&mut group);
            worked(made)?;
            worked(PMPI_Comm_set_errhandler(comm, constant(ErrorsReturn)))?;
        }
        let place = place_in(comm)?;
        Ok(Comm { comm, place })
    }

    /// Everybody's bytes, for everybody.
    fn tell_all(&mut self, mine: &[u8], all: &mut [u8]) -> Result<()> {
        let (from, to) = (mine.as_ptr().cast(), all.as_mut_ptr().cast());
        let (count, comm) = (mine.len() as c_int, self.comm);
        // SAFETY: `all` has room for everybody's.
        unsafe {
            patiently(|request| {
                PMPI_Iallgather(from, count, byte(), to, count, byte(), comm, request)
            })
        }
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
///
/// `MPI_Comm_split_type` and `MPI_Comm_split` would do, but wait for all ranks several times, and awake: with more ranks
/// than processors that takes ten times as long. So ranks tell each other where they are, and each makes the groups by itself.
pub fn groups() -> Result<Groups<Comm>> {
    let comm = all_ranks();
    let mut all = Comm {
        comm,
        place: place_in(comm)?,
    };
    let size = all.place.size as usize;
    let room = (
        Memory::new(size.saturating_mul(size_of::<u64>())),
        Memory::new(size),
        Memory::new(size.saturating_mul(size_of::<c_int>())),
    );
    let lacks = matches!(room, (None, _, _) | (_, None, _) | (_, _, None));
    // Without room on all nobody goes on.
    let lacking = all.greatest(lacks.into())?;
    let (0, (Some(mut nodes), Some(mut leads), Some(mut ranks))) = (lacking, room) else {
        return Err(GatherError::MESSAGE);
    };
    let mine = part::node();
    all.tell_all(&mine.to_ne_bytes(), nodes.bytes())?;
    let is_here = |node: &[u8; 8]| u64::from_ne_bytes(*node) == mine;
    let here = numbers(nodes.bytes().as_chunks().0, is_here, ranks.integers());
    let node = group(comm, here);
    let leads_here = here.first() == Some(&(all.place.rank as c_int));
    let word = if node.is_err() {
        FAILED
    } else {
        leads_here.into()
    };
    all.tell_all(&[word], leads.bytes())?;
    if leads.bytes().contains(&FAILED) {
        return Err(GatherError::MESSAGE);
    }
    let node = Comm::create(node?, |group, new| {
        // SAFETY: all ranks are here; the call writes `new`.
        unsafe { PMPI_Comm_create(comm, group, new) }
    });
    let leaders = leads_here.then(|| {
        let leaders = numbers(leads.bytes(), |leads| *leads != 0, ranks.integers());
        Comm::create(group(comm, leaders)?, |group, new| {
            // SAFETY: all leaders are here, and no other rank is asked.
            unsafe { PMPI_Comm_create_group(comm, group, TAG, new) }
        })
    });
    Ok(Groups {
        node: node?,
        leaders: leaders.transpose()?,
    })
}

/// What a rank says that can make no group of its node's
const FAILED: u8 = 2;

/// The numbers of those that are meant
fn numbers<'n, T>(of: &[T], is_meant: impl Fn(&T) -> bool, to: &'n mut [c_int]) -> &'n [c_int] {
    let meant = (0..).zip(of).filter(|(_, one)| is_meant(one));
    let count = to
        .iter_mut()
        .zip(meant)
        .fold(0usize, |count, (to, (number, _))| {
            *to = number;
            count.wrapping_add(1)
        });
    to.get(..count).unwrap_or_default()
}

/// Some ranks of a communicator. Local.
fn group(comm: Word, ranks: &[c_int]) -> Result<Word> {
    let (mut all, mut some) = (0, 0);
    // SAFETY: MPI works; the calls write their last argument.
    unsafe {
        worked(PMPI_Comm_group(comm, &mut all))?;
        let made = PMPI_Group_incl(all, ranks.len() as c_int, ranks.as_ptr(), &mut some);
        PMPI_Group_free(&mut all);
        worked(made)?;
    }
    Ok(some)
}

/// Gives the communicators back.
pub fn free(groups: Groups<Comm>) {
    groups.node.free();
    if let Some(leaders) = groups.leaders {
        leaders.free();
    }
}
