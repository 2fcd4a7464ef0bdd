//! From a thread's records to a block in the arena.

use crate::books::Ops;
use crate::thread::Work;
use crate::{job, spool};
use core::sync::atomic::{AtomicU16, Ordering::*};
use iota_trace::block::Ids;
use iota_trace::encode;
use iota_trace::spool::{RING_MASK, RING_RECORDS, Slot};
use iota_trace::{OP_MORE, Record, flags};

/// Seals all whole records of a slot. The caller holds the thread's seal lock.
pub fn seal(slot: &Slot, calls: u64, work: &mut Work) {
    spool::anchor();
    while seal_block(slot, calls, work) {}
}

fn seal_block(slot: &Slot, calls: u64, work: &mut Work) -> bool {
    let sealed = slot.sealed.load(Relaxed);
    let waiting = slot.stored.load(Acquire).wrapping_sub(sealed) as usize;
    let first = sealed as usize & RING_MASK;
    let run = waiting
        .min(encode::MAX_RECORDS - 1)
        .min(RING_RECORDS.wrapping_sub(first));
    let found = whole(slot, first, run);
    if found.places == 0 {
        return false;
    }
    // SAFETY: these records are published, and nobody stores there before `sealed` moves on.
    let records =
        unsafe { core::slice::from_raw_parts(slot.record(first).cast_const(), found.records) };
    let ids = Ids {
        rank: job::rank().unwrap_or(0),
        pid: job::pid(),
        thread: slot.thread.load(Relaxed),
    };
    let block = encode::events(
        records,
        &job::step(),
        calls,
        ids,
        &mut work.scratch,
        &mut work.block,
    );
    let kept = match block.and_then(|length| work.block.get(..length)) {
        Some(block) => spool::append(block, &found.ops, found.events),
        None => {
            spool::count_lost(found.events);
            true
        }
    };
    if kept {
        empty(slot, first, found.places);
        slot.sealed
            .store(sealed.wrapping_add(found.places as u64), Release);
    }
    kept
}

/// A run of published records.
struct Run {
    /// Places of the ring that it takes.
    places: usize,
    /// Records in it: one more where the last event is a pair whose second record stands behind the ring.
    records: usize,
    events: u64,
    ops: Ops,
}

/// The records from `first` on that are published, at most `most`; an event of two records stays whole.
fn whole(slot: &Slot, first: usize, most: usize) -> Run {
    let mut run = Run {
        places: 0,
        records: 0,
        events: 0,
        ops: Ops::NONE,
    };
    for i in 0..most {
        let at = first.wrapping_add(i);
        let place = slot.record(at);
        // SAFETY: inside the ring.
        let op = unsafe { AtomicU16::from_ptr(&raw mut (*place).op).load(Acquire) };
        if op == 0 {
            break;
        }
        // SAFETY: published.
        let begins_pair = op != OP_MORE && unsafe { (*place).flags } & flags::MORE != 0;
        let at_end = at == RING_MASK;
        if begins_pair && !at_end && i.wrapping_add(1) == most {
            break;
        }
        if op != OP_MORE {
            run.ops.add(op);
            run.events = run.events.wrapping_add(1);
        }
        run.places = i.wrapping_add(1);
        run.records = run.places.wrapping_add(usize::from(begins_pair && at_end));
    }
    run
}

/// Marks the places as not filled.
fn empty(slot: &Slot, first: usize, length: usize) {
    for i in 0..length {
        let place: *mut Record = slot.record(first.wrapping_add(i));
        // SAFETY: inside the ring, and ours until `sealed` moves on.
        unsafe { AtomicU16::from_ptr(&raw mut (*place).op).store(0, Relaxed) };
    }
}
