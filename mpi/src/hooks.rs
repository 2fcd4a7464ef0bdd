//! What c-shim/mpi tells us, and when: MPI started, MPI ends, MPI is aborted. Each does its work once.

use crate::abi::Word;
use crate::agree;
use crate::disk::Disk;
use crate::ending::Index;
use crate::gather::{Ending, Gathering};
use crate::group::{Group, GroupRank, Groups, Trouble};
use crate::memory::Memory;
use crate::pmpi::{self, Comm, Lenient, Stranger, World};
use crate::{io, part, plan};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering::*};

const BEFORE: u32 = 0;
const STARTED: u32 = 1;
const ENDED: u32 = 2;

static STAGE: AtomicU32 = AtomicU32::new(BEFORE);

/// Whether there is MPI_COMM_WORLD, as far as is known here.
pub fn has_world() -> bool {
    STAGE.load(Acquire) == STARTED
}

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

/// Learns which MPI this is. With one that cannot be told nothing is done: its processes are traced like any others.
fn is_met() -> bool {
    let stranger = match pmpi::meet() {
        Ok(()) => return true,
        Err(stranger) => stranger,
    };
    STAGE.store(ENDED, Release);
    let why: &[u8] = match stranger {
        Stranger::Several => b"several MPI libraries are loaded: parts are not gathered",
        Stranger::Unknown => b"an MPI that iota does not know: parts are not gathered",
    };
    part::tell(why, None);
    false
}

/// 1 when MPI itself calls us in MPI_Finalize.
static ARMED: AtomicU32 = AtomicU32::new(0);

/// The first thing in MPI_Finalize, after the like of all others who asked for it.
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

/// MPI_Finalize returned.
#[unsafe(no_mangle)]
extern "C" fn iota_mpi_finalized() {
    part::set_startup(false);
    part::quietly(part::shut_down);
}

/// MPI_Abort is about to begin: nothing collective any more.
#[unsafe(no_mangle)]
extern "C" fn iota_mpi_aborting() {
    STAGE.store(ENDED, Release);
    part::quietly(part::abort);
}

/// A session has begun: a rank, but no world to gather over.
///
/// # Safety
/// MPI has written a session there.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_mpi_session_started(session: *const c_void) {
    part::quietly(|| {
        if pmpi::meet().is_err() {
            return;
        }
        // SAFETY: MPI_Session_init succeeded, and wrote the session there (c-shim/mpi/init.c).
        if let Some(place) = unsafe { pmpi::place_in_session(session) } {
            part::attach(place.rank, place.size);
        }
        io::start();
    });
}

fn end() {
    if STAGE
        .compare_exchange(STARTED, ENDED, AcqRel, Relaxed)
        .is_err()
    {
        return;
    }
    part::quietly(|| {
        io::abandon();
        part::silence();
        gather_if_all_are_here();
        part::resume();
    });
}

/// Without an agreement nothing is done: the part is written at the process' end, beside the output.
fn gather_if_all_are_here() -> Option<()> {
    let patience = part::patience()?;
    let _lenient = Lenient::new()?;
    let me = pmpi::place()?;
    let mut world = World::new();
    if !agree::all_are_here(&mut world, patience) {
        part::tell(LATE, None);
        return None;
    }
    let groups = pmpi::groups().ok();
    let node = groups.as_ref().map(|groups| groups.node.place());
    let room = node.and_then(Buffers::new);
    if !agree::decide(&mut world, room.is_some(), patience) {
        part::tell(SHORT, None);
        return None;
    }
    let mut groups = groups?;
    gather(me, &mut groups, &mut room?);
    pmpi::free(groups);
    Some(())
}

const LATE: &[u8] = b"not all ranks came to MPI_Finalize in time: parts stay beside the output";
const SHORT: &[u8] = b"no communicator or no memory to gather with: parts stay beside the output";
const BROKEN: &[u8] = b"cannot gather: parts stay beside the output";

/// What gathering takes.
struct Buffers {
    piece: Memory,
    table: Memory,
}

impl Buffers {
    fn new(place: GroupRank) -> Option<Buffers> {
        let lengths = plan::Memory::of(place, |parts| Index.length(parts));
        Some(Buffers {
            piece: Memory::new(lengths.piece)?,
            table: Memory::new(lengths.table)?,
        })
    }
}

fn gather(me: GroupRank, groups: &mut Groups<Comm>, room: &mut Buffers) {
    let (mut own, mut output, mut name) = (part::seal(), Disk::default(), [0; 4096]);
    let done = Gathering {
        rank: me.rank,
        pid: part::pid(),
        groups,
        part: &mut own,
        output: &mut output,
        ending: Index,
        now: part::now,
        name: &mut name,
        piece: room.piece.bytes(),
        table: room.table.bytes(),
    }
    .run();
    match done {
        Ok(()) => own.gathered(&name),
        Err(Trouble(errno)) => {
            part::tell(BROKEN, Some(errno));
            own.leave();
        }
    }
}
