//! From a thread's records to a block in the arena: told to the encoder a slice at a time, so that no call waits for
//! a whole block, and kept in the ring until the block stands in the arena.

use crate::books::Ops;
use crate::thread::Work;
use crate::{job, spool};
use core::sync::atomic::{AtomicU16, Ordering::*};
use iota_trace::block::Ids;
use iota_trace::encode;
use iota_trace::spool::{RING_MASK, RING_RECORDS, Slot};
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

/// Tells what the slot has whole, and seals a block when it is full. Returns how many records were ever told. The
/// caller holds the thread's seal lock.
pub fn advance(slot: &Slot, calls: u64, work: &mut Work) -> u64 {
    while tell(slot, calls, work) {
        if work.told.places >= BLOCK && !close(slot, work) {
            break;
        }
    }
    slot.sealed
        .load(Relaxed)
        .wrapping_add(work.told.places as u64)
}

/// Seals all whole records of a slot. The caller holds the thread's seal lock.
pub fn seal(slot: &Slot, calls: u64, work: &mut Work) {
    advance(slot, calls, work);
    if work.told.places > 0 {
        close(slot, work);
    }
}

fn tell(slot: &Slot, calls: u64, work: &mut Work) -> bool {
    let told = &mut work.told;
    let next = slot.sealed.load(Relaxed).wrapping_add(told.places as u64);
    let waiting = slot.stored.load(Acquire).wrapping_sub(next) as usize;
    let first = next as usize & RING_MASK;
    let run = waiting
        .min(BLOCK.wrapping_add(1).wrapping_sub(told.places))
        .min(RING_RECORDS.wrapping_sub(first));
    let found = whole(slot, first, run, told);
    // SAFETY: these records are published, and nobody stores there before `sealed` moves on.
    let records = unsafe { core::slice::from_raw_parts(slot.record(first).cast_const(), found) };
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
        Some(block) => spool::append(block, &ops, events),
        None => {
            spool::count_lost(events);
            true
        }
    };
    if kept {
        let sealed = slot.sealed.load(Relaxed);
        slot.sealed
            .store(sealed.wrapping_add(places as u64), Release);
    }
    kept
}

/// How many records from `first` on are published, at most `most`; an event of two records stays whole, and its second
/// stands behind the ring where its first is the last of it.
fn whole(slot: &Slot, first: usize, most: usize, told: &mut Told) -> usize {
    let (mut places, mut seconds, mut behind, mut before) = (0, 0, 0, OP_NONE);
    while places < most {
        let place = slot.record(first).wrapping_add(places);
        // SAFETY: inside the ring, up to whose end there are `most` places at least.
        let op = unsafe { AtomicU16::from_ptr(&raw mut (*place).op).load(Acquire) };
        if op == OP_NONE {
            break;
        }
        // SAFETY: published.
        let has_second = unsafe { (*place).flags } & flags::MORE != 0;
        if has_second {
            let at_end = first.wrapping_add(places) == RING_MASK;
            if !at_end && places.wrapping_add(1) == most {
                break;
            }
            behind = usize::from(at_end);
        }
        if op != before {
            told.ops.add(op);
            seconds = usize::from(op == OP_MORE).wrapping_add(seconds);
            before = op;
        }
        places = places.wrapping_add(1);
    }
    told.places = told.places.wrapping_add(places);
    told.events = told
        .events
        .wrapping_add(places.wrapping_sub(seconds) as u64);
    places.wrapping_add(behind)
}
