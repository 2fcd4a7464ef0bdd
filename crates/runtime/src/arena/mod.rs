//! The arena: sealed blocks and the names that they refer to, on their way into this process' part of the trace. Whoever
//! changes it holds its lock, which owns it.

mod blocks;
mod kernel_count;
pub mod lock;
mod names;
mod naming;
pub mod node_ranks;
mod slots;
pub mod spool;
mod task_file;

pub use blocks::{Blocks, ENTRIES};
pub use lock::Guard;
pub use names::{Named, Ops, SlotOf};
pub use naming::{Naming, OwnSlot};
pub use slots::grow;
pub use spool::{count_lost, header};

use crate::state::job;
use crate::state::output::Path;
use crate::sys::{self, Starting, Text};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*};
use iota_trace::clock::Offset;
use iota_trace::part::end_room;
use iota_trace::spool::Slot;
use kernel_count::KernelCount;
use lock::Lock;
use names::Names;
use slots::Slots;

/// Bytes of the end of a part: End block, last index block, footer.
pub const TAIL: usize = end_room(ENTRIES);

/// What is known of the part under way. Here and in its members what is small lies together, behind the room for names: a
/// short program is to use few pages of it.
#[repr(C)]
pub struct Arena {
    names: Names,
    slots: Slots,
    /// The spool holds what could not be written elsewhere.
    pub keeps_calls: bool,
    pub kernel_count: KernelCount,
    /// This process' clock against rank 0's.
    pub offset: Option<Offset>,
    /// Where the end of the part is composed, mapped beforehand: there may be no memory left when it comes.
    pub tail: Option<&'static mut [u8; TAIL]>,
    has_job_file: bool,
    pub blocks: Blocks,
    job_file: Path,
}

static ARENA: Lock<Arena> = Lock::of(
    AtomicUsize::new(0),
    AtomicU32::new(0),
    AtomicU32::new(0),
    Arena {
        names: Names::NONE,
        slots: Slots::NEW,
        keeps_calls: false,
        kernel_count: KernelCount::NONE,
        offset: None,
        tail: None,
        has_job_file: false,
        blocks: Blocks::NONE,
        job_file: Text::EMPTY,
    },
);

/// Waits for the right to change the arena. None for its owner: waiting would never end.
pub fn lock() -> Option<Guard<'static, Arena>> {
    ARENA.lock()
}

/// Makes the spool, and an arena in it.
pub fn start(starting: &mut Starting) -> bool {
    ARENA.free(starting);
    spool::start(starting) && lock().is_some_and(|mut arena| arena.start())
}

impl Arena {
    fn start(&mut self) -> bool {
        // Written to before it is read: the kernel makes a page that is read first twice.
        (self.keeps_calls, self.has_job_file) = (false, false);
        if self.tail.is_none() {
            // Among the tables, because a mapping more costs each process something.
            let room = sys::map_private(TAIL, true).ok();
            // SAFETY: so many bytes, just mapped, which nobody else knows and nobody unmaps.
            self.tail = room.map(|room| unsafe { &mut *room.cast() });
        }
        self.slots.start();
        self.blocks.start();
        self.kernel_count.start();
        self.begin_part(0);
        self.tail.is_some()
    }

    /// Begins an empty part: what was recorded so far is written elsewhere, and `lost` calls with it.
    pub fn begin_part(&mut self, lost: u64) {
        self.blocks.begin_part();
        self.names.begin_part();
        self.offset = None;
        let header = header();
        header.captured.store(0, Relaxed);
        header.filtered.store(0, Relaxed);
        header.ending.store(0, Relaxed);
        header.take_lost(lost);
    }

    /// Where the job's trace was written to, if it was. Before, the memory of the path is not looked at.
    pub fn job_file(&self) -> Option<&Path> {
        self.has_job_file.then_some(&self.job_file)
    }

    /// The job's trace is written.
    pub fn set_job_file(&mut self, path: &[u8]) {
        self.job_file.clear();
        self.job_file.push(path);
        self.has_job_file = !path.is_empty();
    }

    /// What the part is in is the task's own file, to which later parts are appended.
    pub fn has_own_file(&mut self) {
        self.job_file.clear();
        self.job_file.push(self.blocks.store.task.path());
        self.has_job_file = !self.job_file.is_empty();
    }

    /// Writes the names that wait in these slots.
    pub fn write_pending<'s>(&mut self, slots: impl Iterator<Item = SlotOf<'s>>) {
        self.names.write_pending(slots, &mut self.blocks);
    }

    fn append<'s>(
        &mut self,
        block: &[u8],
        ops: &Ops,
        records: u64,
        slots: impl Iterator<Item = SlotOf<'s>>,
    ) {
        header().ending.store(0, Relaxed);
        self.names.write_ops(ops, &mut self.blocks);
        self.write_pending(slots);
        if self.blocks.put(block) {
            header().captured.fetch_add(records, Relaxed);
        } else {
            count_lost(records);
        }
    }
}

/// Appends a block of events, after the names that it may refer to, which wait in `slots`. False: nothing was done, try again
/// later.
pub fn append<'s>(
    block: &[u8],
    ops: &Ops,
    records: u64,
    slots: impl Iterator<Item = SlotOf<'s>>,
) -> bool {
    let Some(mut arena) = lock() else {
        return false;
    };
    arena.append(block, ops, records, slots);
    true
}

/// A slot for one more thread, or none where memory ends.
pub fn new_slot() -> Option<*mut Slot> {
    let shared = lock().and_then(|mut arena| arena.slots.add());
    let (slot, offset) = shared.or_else(slots::private)?;
    // SAFETY: mapped with the bytes of a slot, of which zero is a valid state.
    unsafe { &*slot.cast::<Slot>() }.start(offset);
    Some(slot.cast())
}

/// True before anything was recorded.
pub fn is_empty() -> bool {
    spool::is_empty() && !job::is_first()
}
