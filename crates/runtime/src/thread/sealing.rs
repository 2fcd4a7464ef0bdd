//! From a thread's records to a block in the arena: encoded a slice at a time, so that no call waits for a whole block, and kept in the ring until the block stands in the arena.

use super::recorded::traffic;
use super::state;
use super::work::{Progress, Workspace};
use crate::arena::{self, Ops, spool};
use crate::state::job;
use core::sync::atomic::Ordering::*;
use iota_trace::encode;
use iota_trace::spool::{Ring, Slot};
use iota_trace::{OP_DETAILS, OP_MORE, Record, flags};

/// Records that are encoded at once.
pub const SLICE: u64 = 128;
/// Records that end a block; the last event may have two.
const BLOCK: usize = encode::MAX_RECORDS - 2;

/// What to make of a place that was taken and holds no record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unfilled {
    /// The store that took it was interrupted, and goes on: the records behind it wait.
    Awaited,
    /// It was left for good: the records behind it are encoded.
    Abandoned,
}

impl Unfilled {
    /// For a store that interrupted the one of this frame; 0: none.
    pub fn of(interrupted: usize) -> Unfilled {
        if interrupted == 0 {
            Unfilled::Abandoned
        } else {
            Unfilled::Awaited
        }
    }
}

/// Encodes what the slot has whole, and seals a block when it is full. Returns how many places were ever encoded. The
/// caller holds the thread's seal lock.
pub fn advance(slot: &Slot, calls: u64, work: &mut Workspace, unfilled: Unfilled) -> u64 {
    while encode(slot, calls, work, unfilled) {
        let is_full = work.progress.places >= BLOCK;
        if is_full && !goes_on(slot, work) && !close(slot, work) {
            break;
        }
    }
    slot.places
        .sealed
        .load(Relaxed)
        .wrapping_add(work.progress.places as u64)
}

/// Whether details of the last call follow, which do not go to another block.
fn goes_on(slot: &Slot, work: &Workspace) -> bool {
    let sealed = slot.places.sealed.load(Relaxed);
    let next = sealed.wrapping_add(work.progress.places as u64);
    slot.form(next).is_some()
}

/// Seals all whole records of a slot. The caller holds the thread's seal lock.
pub fn seal(slot: &Slot, calls: u64, work: &mut Workspace, unfilled: Unfilled) {
    advance(slot, calls, work, unfilled);
    if work.progress.places > 0 {
        close(slot, work);
    }
}

/// Its frame is large, and is to be gone when a block is sealed.
#[inline(never)]
fn encode(slot: &Slot, calls: u64, work: &mut Workspace, unfilled: Unfilled) -> bool {
    let progress = &mut work.progress;
    let sealed = slot.places.sealed.load(Relaxed);
    let next = sealed.wrapping_add(progress.places as u64);
    let waiting = slot.places.stored.load(Acquire).wrapping_sub(next) as usize;
    let run = waiting
        .min(BLOCK.wrapping_add(1).saturating_sub(progress.places))
        .min(SLICE as usize)
        .min(Ring::to_end(next));
    let passed = match unfilled {
        Unfilled::Awaited => 0,
        Unfilled::Abandoned => pass_over(slot, next, run),
    };
    progress.places = progress.places.wrapping_add(passed);
    let first = next.wrapping_add(passed as u64);
    let found = whole(slot, first, run.wrapping_sub(passed), progress);
    // SAFETY: these places hold records, and nobody stores there before `sealed` moves on.
    let records = unsafe { core::slice::from_raw_parts(slot.place(first).cast_const(), found) };
    encode::add(records, &job::step(), calls, &mut work.scratch);
    progress.traffic = progress.traffic.plus(traffic(records));
    passed > 0 || found > 0
}

/// How many places from `first` on hold no record. They are not read: who took one may still come to fill it.
fn pass_over(slot: &Slot, first: u64, most: usize) -> usize {
    (0..most)
        .take_while(|n| slot.look(first.wrapping_add(*n as u64)).is_none())
        .count()
}

/// Seals the block under way. False: the arena cannot be had now, and all is to be encoded again.
fn close(slot: &Slot, work: &mut Workspace) -> bool {
    let ids = job::ids(slot.thread.load(Relaxed));
    let Progress { places, events, .. } = work.progress;
    spool::anchor();
    let block = encode::finish(ids, &mut work.scratch, &mut work.block);
    let kept = match block.and_then(|length| work.block.get(..length)) {
        // Nothing but places that nobody filled.
        Some([]) => true,
        Some(block) => arena::append(block, &work.progress.ops, events, state::slots()),
        None => {
            arena::count_lost(events);
            true
        }
    };
    work.progress.clear();
    if kept {
        let sealed = slot.places.sealed.load(Relaxed);
        slot.places.set_sealed(sealed.wrapping_add(places as u64));
    }
    kept
}

/// The last eight bytes of no call: its op is that of a second record.
const OF_NO_CALL: u64 = u64::MAX;

/// How many places from `first` on can be encoded, at most `most`; an event of two records stays whole, and its second
/// stands behind the ring where its first is the last of it.
fn whole(slot: &Slot, first: u64, most: usize, progress: &mut Progress) -> usize {
    let (mut places, mut uncounted, mut behind) = (0usize, 0usize, 0);
    // What the last two kinds of calls ended in: most programs make the same calls again and again.
    let mut known = [OF_NO_CALL; 2];
    while places < most {
        let at = first.wrapping_add(places as u64);
        let last = slot.last(at);
        if last == known[0] || last == known[1] {
            places = places.wrapping_add(1);
            continue;
        }
        let Some((op, marks)) = Record::whole(last, at) else {
            break;
        };
        if marks & flags::MORE != 0 {
            let at_end = Ring::to_end(at) == 1;
            if !at_end && places.wrapping_add(1) == most {
                break;
            }
            behind = usize::from(at_end);
        } else if !matches!(op, OP_MORE | OP_DETAILS) {
            known = [last, known[0]];
        }
        progress.ops.add(op);
        if op == OP_DETAILS {
            progress.ops.add_form(slot.form(at).unwrap_or(0));
        }
        uncounted = uncounted.wrapping_add(usize::from(matches!(op, OP_MORE | OP_DETAILS)));
        places = places.wrapping_add(1);
    }
    let details = details(slot, first, places, &mut progress.ops);
    (places, uncounted) = (
        places.wrapping_add(details),
        uncounted.wrapping_add(details),
    );
    progress.places = progress.places.wrapping_add(places);
    progress.events = progress
        .events
        .wrapping_add(places.wrapping_sub(uncounted) as u64);
    places.wrapping_add(behind)
}

/// How many places behind those from `first` on, before the ring's end, hold details: they stay with the call before them.
#[cold]
fn details(slot: &Slot, first: u64, places: usize, ops: &mut Ops) -> usize {
    let room = Ring::to_end(first).saturating_sub(places);
    let first = first.wrapping_add(places as u64);
    let mut count = 0usize;
    while count < room
        && let Some(form) = slot.form(first.wrapping_add(count as u64))
    {
        ops.add_form(form);
        count = count.wrapping_add(1);
    }
    count
}
