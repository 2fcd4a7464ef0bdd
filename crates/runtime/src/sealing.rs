//! From a thread's records to a block in the arena: told to the encoder a slice at a time, so that no call waits for
//! a whole block, and kept in the ring until the block stands in the arena.

use crate::books::Ops;
use crate::thread::Work;
use crate::{job, spool};
use core::sync::atomic::Ordering::*;
use iota_trace::block::Ids;
use iota_trace::encode;
use iota_trace::spool::Slot;
use iota_trace::{OP_MORE, OP_NONE, flags};

/// Records that are told at once.
pub const SLICE: u64 = 128;
/// Records that end a block; the last event may have two.
const BLOCK: usize = encode::MAX_RECORDS - 2;

/// What the block under way holds.
#[repr(C)]
pub struct Told {
    /// Places of the ring, from the first that is not sealed.
    places: usize,
    events: u64,
    ops: Ops,
}

impl Told {
    const NONE: Told = Told {
        places: 0,
        events: 0,
        ops: Ops::NONE,
    };
}

/// What to make of a place that was taken and holds no record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unfilled {
    /// The store that took it was interrupted, and goes on: the records behind it wait.
    Awaited,
    /// It was left for good: the records behind it are told.
    Abandoned,
}

/// Tells what the slot has whole, and seals a block when it is full. Returns how many places were ever told. The
/// caller holds the thread's seal lock.
pub fn advance(slot: &Slot, calls: u64, work: &mut Work, unfilled: Unfilled) -> u64 {
    while tell(slot, calls, work, unfilled) {
        if work.told.places >= BLOCK && !close(slot, work) {
            break;
        }
    }
    slot.sealed
        .load(Relaxed)
        .wrapping_add(work.told.places as u64)
}

/// Seals all whole records of a slot. The caller holds the thread's seal lock.
pub fn seal(slot: &Slot, calls: u64, work: &mut Work, unfilled: Unfilled) {
    advance(slot, calls, work, unfilled);
    if work.told.places > 0 {
        close(slot, work);
    }
}

fn tell(slot: &Slot, calls: u64, work: &mut Work, unfilled: Unfilled) -> bool {
    let told = &mut work.told;
    let next = slot.sealed.load(Relaxed).wrapping_add(told.places as u64);
    let waiting = slot.stored.load(Acquire).wrapping_sub(next) as usize;
    let run = waiting
        .min(BLOCK.wrapping_add(1).wrapping_sub(told.places))
        .min(Slot::places_to_end(next));
    let found = whole(slot, next, run, told, unfilled);
    // SAFETY: these places hold records or nothing, and nobody stores there before `sealed` moves on.
    let records = unsafe { core::slice::from_raw_parts(slot.place(next).cast_const(), found) };
    let (step, room) = (job::step(), &mut work.block);
    found > 0 && encode::tell(records, &step, calls, &mut work.scratch, room).is_some()
}

/// Seals the block under way. False: the arena cannot be had now, and all is to be told again.
fn close(slot: &Slot, work: &mut Work) -> bool {
    let ids = Ids {
        rank: job::rank().unwrap_or(0),
        pid: job::pid(),
        thread: slot.thread.load(Relaxed),
    };
    let Told {
        places,
        events,
        ops,
    } = core::mem::replace(&mut work.told, Told::NONE);
    spool::anchor();
    let block = encode::finish(ids, &mut work.scratch, &mut work.block);
    let kept = match block.and_then(|length| work.block.get(..length)) {
        // Nothing but places that nobody filled.
        Some([]) => true,
        Some(block) => spool::append(block, &ops, events),
        None => {
            spool::count_lost(events);
            true
        }
    };
    if kept {
        let sealed = slot.sealed.load(Relaxed);
        slot.now_sealed(sealed.wrapping_add(places as u64));
    }
    kept
}

/// How many places from `first` on can be told, at most `most`; an event of two records stays whole, and its second
/// stands behind the ring where its first is the last of it.
fn whole(slot: &Slot, first: u64, most: usize, told: &mut Told, unfilled: Unfilled) -> usize {
    let (mut places, mut uncounted, mut behind, mut before) = (0usize, 0usize, 0, OP_NONE);
    while places < most {
        let at = first.wrapping_add(places as u64);
        let Some((op, marks)) = slot.look(at) else {
            if unfilled == Unfilled::Awaited {
                break;
            }
            // SAFETY: so the caller says.
            unsafe { slot.abandon(at) };
            (places, uncounted) = (places.wrapping_add(1), uncounted.wrapping_add(1));
            continue;
        };
        if marks & flags::MORE != 0 {
            let at_end = Slot::places_to_end(at) == 1;
            if !at_end && places.wrapping_add(1) == most {
                break;
            }
            behind = usize::from(at_end);
        }
        if op != before {
            told.ops.add(op);
            before = op;
        }
        uncounted = uncounted.wrapping_add(usize::from(op == OP_MORE));
        places = places.wrapping_add(1);
    }
    told.places = told.places.wrapping_add(places);
    told.events = told
        .events
        .wrapping_add(places.wrapping_sub(uncounted) as u64);
    places.wrapping_add(behind)
}
