//! Gathers once all ranks are here: in memory that they share, or over communicators of MPI.

use crate::disk::Disk;
use crate::ending::Index;
use crate::gather::{Ending, Gathering};
use crate::group::{GatherError, Group, GroupRank, Groups};
use crate::memory::{Memory, Value};
use crate::packing::{self, Packing};
use crate::pmpi::{self, World};
use crate::shared::{self, Shared};
use crate::{agree, part, plan};

/// Without an agreement nothing is done: the part is written at the process' end, beside the output.
pub fn gather_if_all_are_here(me: GroupRank, patience: u64) -> Option<()> {
    let (began, mut world) = (part::now(), World::new(me.size));
    if !agree::all_are_here(&mut world, patience) {
        part::tell(
            if world.untraced() == 0 {
                LATE
            } else {
                UNTRACED
            },
            None,
        );
        part::waited_in_vain(part::now().wrapping_sub(began), world.untraced());
        return None;
    }
    match gather_on_node(me, &mut world, patience) {
        Some(false) => {}
        Some(true) => return Some(()),
        None => {
            part::tell(LATE, None);
            return None;
        }
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

/// Without communicators, if all ranks share memory. False on all ranks if they do not; none if a rank does not answer.
fn gather_on_node(me: GroupRank, world: &mut World, patience: u64) -> Option<bool> {
    let patience = patience.saturating_mul(agree::VOTE_TAKES);
    let own = (me.rank == 0).then(|| Shared::new(me.size)).flatten();
    let says = match &own {
        Some(own) => own.key(),
        None if me.rank == 0 || !Shared::may_be(me.size) => 0,
        None => shared::ANY,
    };
    let key = world.least_of(says, patience)?;
    if key == 0 {
        return Some(false);
    }
    let shared = own.or_else(|| Shared::find(key, me.size));
    let both = shared.zip(Buffers::new(me));
    if world.least_of(u64::from(both.is_some()), patience)? == 0 {
        return Some(false);
    }
    let (shared, mut room) = both?;
    gather(me, &mut shared.groups(me.rank), &mut room);
    Some(true)
}

const LATE: &[u8] = b"not all ranks came to MPI_Finalize in time: parts stay beside the output";
const UNTRACED: &[u8] = b"not all ranks of this node are traced: parts stay beside the output";
/// Why parts are not gathered.
pub const SHORT: &[u8] =
    b"no communicator or no memory to gather with: parts stay beside the output";
const BROKEN: &[u8] = b"cannot gather: parts stay beside the output";

// SAFETY: it says that zeros are a value.
unsafe impl iota_runtime::sys::Zeroed for packing::Room {}

/// What gathering takes.
pub struct Buffers {
    piece: Memory,
    table: Memory,
    room: Value<packing::Room>,
}

impl Buffers {
    /// For a rank at this place.
    pub fn new(place: GroupRank) -> Option<Buffers> {
        let lengths = plan::MemoryNeed::of(place, |units| Index.length(units));
        Some(Buffers {
            piece: Memory::new(lengths.piece)?,
            table: Memory::new(lengths.table)?,
            room: Value::new()?,
        })
    }
}

/// Gathers, and tells what came of it.
pub fn gather<G: Group>(me: GroupRank, groups: &mut Groups<G>, room: &mut Buffers) {
    let (mut own, mut output, mut name) = (part::seal(), Disk::default(), [0; 4096]);
    let done = Gathering {
        rank: me.rank,
        pid: part::pid(),
        groups,
        part: Packing::new(&mut own, room.room.get()),
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
        Err(GatherError(errno)) => {
            part::tell(BROKEN, Some(errno));
            own.leave();
        }
    }
}
