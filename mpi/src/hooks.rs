//! What c-shim/mpi tells us, and when: MPI started, MPI ends, MPI is aborted. Each does its work once.

use crate::abi::Word;
use crate::agree::{self, GiveUpCheck, Waiting};
use crate::group::{Alone, Group, GroupRank};
use crate::pmpi::{self, ErrorsReturned, OfSession, UnsupportedMpi};
use crate::rendezvous::SharedDir;
use crate::shared_dir::Links;
use crate::stage::{BEFORE, ENDED, STAGE, STARTED};
use crate::together::{Buffers, SHORT, gather, gather_if_all_are_here};
use crate::{arrivals, io, part, rendezvous};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::*};

/// MPI_Init begins: what is called in it is MPI's own.
#[unsafe(no_mangle)]
extern "C" fn iota_mpi_starting() {
    part::set_startup(true);
}

/// MPI_Init is over, whatever came of it.
#[unsafe(no_mangle)]
extern "C" fn iota_mpi_start_is_over() {
    part::set_startup(false);
}

/// MPI can be used.
#[unsafe(no_mangle)]
extern "C" fn iota_mpi_started() {
    if STAGE
        .compare_exchange(BEFORE, STARTED, AcqRel, Relaxed)
        .is_err()
    {
        return;
    }
    part::quietly(|| {
        if !is_met() {
            return;
        }
        if let Some(place) = pmpi::place() {
            part::attach(place.rank, place.size);
        }
        io::start();
        if !pmpi::at_finalize(self_is_freed) {
            part::tell(b"MPI_COMM_SELF accepts no attribute, so calls inside MPI_Finalize are in a part of their own", None);
            return;
        }
        ARMED.store(1, Release);
    });
}

/// Learns which MPI this is. With one that is not known nothing is done: its processes are traced like any others.
fn is_met() -> bool {
    let stranger = match pmpi::meet() {
        Ok(()) => return true,
        Err(stranger) => stranger,
    };
    STAGE.store(ENDED, Release);
    let why: &[u8] = match stranger {
        UnsupportedMpi::Several => b"several MPI libraries are loaded: parts are not gathered",
        UnsupportedMpi::Unknown => b"an MPI that iota does not know: parts are not gathered",
    };
    part::tell(why, None);
    false
}

/// 1 when MPI itself calls us in MPI_Finalize.
static ARMED: AtomicU32 = AtomicU32::new(0);

/// Runs first in MPI_Finalize, after the attribute callbacks that were registered later.
unsafe extern "C" fn self_is_freed(_: Word, _: c_int, _: *mut c_void, _: *mut c_void) -> c_int {
    end();
    part::set_startup(true);
    pmpi::SUCCESS
}

/// MPI_Finalize is about to begin.
#[unsafe(no_mangle)]
extern "C" fn iota_mpi_finalizing() {
    if ARMED.load(Acquire) == 0 {
        end();
        part::set_startup(true);
    }
}

/// MPI_Finalize or MPI_Session_finalize returned.
#[unsafe(no_mangle)]
extern "C" fn iota_mpi_finalized() {
    part::set_startup(false);
    if GATHERING.swap(0, AcqRel) != 0 {
        part::quietly(part::shut_down);
    }
}

/// 1 while MPI shuts itself down after a gathering.
static GATHERING: AtomicU32 = AtomicU32::new(0);

/// MPI_Abort is about to begin: nothing collective any more.
#[unsafe(no_mangle)]
extern "C" fn iota_mpi_aborting() {
    STAGE.store(ENDED, Release);
    part::quietly(part::abort);
}

/// Nanoseconds since 1970.
#[unsafe(no_mangle)]
extern "C" fn iota_mpi_now() -> u64 {
    part::date()
}

/// MPI_Comm_spawn or MPI_Comm_spawn_multiple has started ranks.
///
/// # Safety
/// MPI has written a communicator at `children`.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_mpi_spawned(
    since: u64,
    root: c_int,
    comm: Word,
    children: *const c_void,
) {
    // Sessions can have a communicator as well.
    if STAGE.load(Acquire) == ENDED {
        return;
    }
    part::quietly(|| {
        // SAFETY: the call succeeded, and wrote the communicator there (c-shim/mpi/init.c).
        if let Some(ranks) = unsafe { pmpi::spawned(comm, root, children) } {
            part::spawned(since, ranks);
        }
    });
}

/// Sessions that are open.
static SESSIONS: AtomicU32 = AtomicU32::new(0);

/// A session has begun.
///
/// # Safety
/// MPI has written a session there.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_mpi_session_started(session: *const c_void) {
    SESSIONS.fetch_add(1, AcqRel);
    if STAGE.load(Acquire) != BEFORE {
        return;
    }
    part::quietly(|| {
        if !is_met() {
            return;
        }
        // SAFETY: MPI_Session_init succeeded, and wrote the session there (c-shim/mpi/init.c).
        if let Some(place) = unsafe { pmpi::enter_session(session) } {
            part::attach(place.rank, place.size);
        }
        io::start();
    });
}

/// MPI_Session_finalize is about to begin. If it is the last session, and there is no MPI_Finalize to come, parts are
/// gathered now.
///
/// # Safety
/// MPI has written a session there.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_mpi_session_finalizing(session: *const c_void) {
    // SAFETY: the program's session, which is still open.
    unsafe { pmpi::leave_session(session) };
    let open = SESSIONS.fetch_update(AcqRel, Relaxed, |open| open.checked_sub(1));
    if open == Ok(1) {
        // SAFETY: the program's session, which is still open.
        end_from(BEFORE, || unsafe { gather_session(session) });
    }
}

fn end() {
    end_from(STARTED, gather_world);
}

/// Gathers, unless that was done or cannot be any more.
fn end_from(stage: u32, gather: impl FnOnce() -> Option<()>) {
    if STAGE
        .compare_exchange(stage, ENDED, AcqRel, Relaxed)
        .is_err()
    {
        return;
    }
    GATHERING.store(1, Release);
    part::quietly(|| {
        io::abandon();
        crate::above::end();
        part::silence();
        gather();
        part::resume();
    });
}

fn gather_world() -> Option<()> {
    let patience = part::patience()?;
    let _errors = ErrorsReturned::new()?;
    gather_if_all_are_here(pmpi::place()?, patience)
}

/// To make a communicator in a session would hang if a rank did not. So the ranks first learn that all have come, from
/// what they have in common on their node, or in the output's directory.
///
/// # Safety
/// MPI has written a session there.
unsafe fn gather_session(session: *const c_void) -> Option<()> {
    let patience = part::patience()?;
    // SAFETY: the caller's session, which is open.
    let me = unsafe { pmpi::place_in_session(session) }?;
    if me.size == 1 {
        return gather_alone(me);
    }
    let began = part::now();
    if !come_together(me, patience) {
        part::tell(APART, None);
        part::waited_in_vain(part::now().wrapping_sub(began), part::untraced(me.size));
        return None;
    }
    // SAFETY: likewise; all ranks do the same now.
    let made = unsafe { OfSession::new(session) };
    have_met(me);
    if made.is_err() {
        part::tell(SHORT, None);
    }
    let _all_ranks = made.ok()?;
    gather_if_all_are_here(me, patience)
}

/// MPI is not needed; and a single rank of MPICH 4.0 does not survive its communicator.
fn gather_alone(me: GroupRank) -> Option<()> {
    let mut groups = Alone::groups();
    let mut room = Buffers::new(groups.node.place())?;
    gather(me, &mut groups, &mut room);
    Some(())
}

/// True on all ranks if all have come.
fn come_together(me: GroupRank, patience: u64) -> bool {
    if part::has_other_nodes(me.size) {
        meet_others(me, patience)
    } else {
        meet_on_node(me.size, patience)
    }
}

fn meet_others(me: GroupRank, patience: u64) -> bool {
    let cannot_complete = |_: &mut Slowly| part::untraced(me.size) != 0;
    let clock = &mut Slowly(u64::from(me.size).saturating_mul(PAUSE_FOR_A_RANK));
    let Some(mut links) = Links::new(me) else {
        part::tell(MANY, None);
        return false;
    };
    rendezvous::all_come(&mut links, me, clock, patience, cannot_complete)
}

/// Once they have a communicator, all ranks know that all have come.
fn have_met(me: GroupRank) {
    if me.rank == 0 && part::has_other_nodes(me.size) {
        Links::new(me).iter_mut().for_each(SharedDir::clear);
    }
}

fn meet_on_node(ranks: u32, patience: u64) -> bool {
    let cannot_complete = |_: &mut Clock| !part::may_all_be_here(ranks);
    let mut check = GiveUpCheck::new(&Clock);
    // Rank 0 may still be starting.
    let word = agree::wait(&mut Clock, patience, |clock| {
        let found = part::assembly(ranks).map(Some);
        found.or_else(|| check.is_lost(clock, cannot_complete).then_some(None))
    });
    word.flatten()
        .is_some_and(|word| arrivals::all_come(word, ranks, &mut Clock, patience, cannot_complete))
}

/// The more ranks look at a directory, the longer each pauses.
const PAUSE_FOR_A_RANK: u64 = 30_000;

/// Time as it is, for who looks at a directory: the least pause.
struct Slowly(u64);

impl Waiting for Slowly {
    fn pause(&mut self, nanoseconds: u64) {
        part::pause(nanoseconds.max(1_000_000).max(self.0));
    }

    fn now(&self) -> u64 {
        part::now()
    }
}

/// Time as it is; who waits looks now and then.
struct Clock;

impl Waiting for Clock {
    fn pause(&mut self, nanoseconds: u64) {
        part::pause(nanoseconds.max(1_000_000));
    }

    fn now(&self) -> u64 {
        part::now()
    }
}

const APART: &[u8] =
    b"not all ranks came to MPI_Session_finalize in time, and traced: parts stay beside the output";
const MANY: &[u8] = b"so many ranks on several nodes cannot agree without MPI_COMM_WORLD";
