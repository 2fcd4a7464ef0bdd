//! Transfers under way: begun by one call, they end when the program learns of it by another.
//!
//! A table of fixed size in memory that a forked child finds empty, as it has none of its parent's transfers. A key is
//! the address of what the program describes the transfer with, or what stands for it; 0 is none. Transfers may share a
//! key: the one that began first ends first. One that finds no place is counted as lost, or recorded as the call that
//! begins it.

use super::file::File;
use super::paths;
use crate::sys::{self, Once, Starting, Zeroed};
use crate::thread::Thread;
use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use iota_calls::Op;

const ROOM: usize = 1 << 16;
/// How many places a key may take.
const NEAR: usize = 256;
/// The key of a place that is being filled or emptied.
const TAKEN: usize = 1;

/// What a transfer is about, as its call said it.
#[derive(Clone, Copy)]
pub struct About {
    pub fd: c_int,
    pub file: File,
    pub offset: i64,
    pub length: u64,
    /// The second path of a call that has two.
    pub second: File,
}

impl About {
    /// Nothing.
    pub const NONE: About = About {
        fd: -1,
        file: File::NONE,
        offset: -1,
        length: 0,
        second: File::NONE,
    };
}

/// Where a transfer was begun.
#[derive(Clone, Copy)]
pub struct Cause {
    /// The thread's number.
    pub thread: u32,
    /// The call that enclosed what began it; 0: none.
    pub call: u64,
}

impl Cause {
    #[inline(never)]
    fn here(thread: &Thread) -> Cause {
        let marker = 0u8;
        Cause {
            thread: thread.number(),
            call: thread.enclosing((&raw const marker) as usize),
        }
    }
}

/// A transfer that was begun.
#[derive(Clone, Copy)]
pub struct Begun {
    /// What began it.
    pub op: Op,
    /// When.
    pub start: u64,
    pub about: About,
    /// Where, if it is known.
    pub cause: Option<Cause>,
    /// The part whose names the files are of.
    part: u32,
}

impl Begun {
    /// One that says what it is about when it ends.
    pub fn new(op: Op, start: u64) -> Begun {
        Begun {
            op,
            start,
            about: About::NONE,
            cause: None,
            part: paths::part(),
        }
    }

    /// One that says it now, begun by this thread.
    pub fn of(thread: &Thread, op: Op, start: u64, about: About) -> Begun {
        Begun {
            about,
            cause: Some(Cause::here(thread)),
            ..Begun::new(op, start)
        }
    }

    /// True while its files have the names that the part holds.
    pub fn has_names(&self) -> bool {
        self.part == paths::part()
    }
}

/// The keys, close together because many may be looked at, and what they stand for.
#[repr(C)]
struct Table {
    keys: [AtomicUsize; ROOM],
    order: [AtomicU64; ROOM],
    begun: [UnsafeCell<Begun>; ROOM],
    next: AtomicU64,
}

// SAFETY: atomics, and values that are used by who has the key alone; zero is a value of each: no transfer.
unsafe impl Zeroed for Table {}
// SAFETY: a transfer is written and read by whoever holds its key at TAKEN, one thread at a time.
unsafe impl Sync for Table {}

static TABLE: Once<Option<&'static Table>> = Once::new(None);

/// Maps the table.
pub fn start(starting: &mut Starting) -> bool {
    if TABLE.get().is_none() {
        TABLE.set(starting, sys::map_table().ok());
    }
    TABLE.get().is_some()
}

/// Where a key may stand.
fn near(key: usize) -> impl Iterator<Item = usize> {
    let first = (key >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    (0..NEAR).map(move |i| first.wrapping_add(i) & (ROOM - 1))
}

/// A transfer begins; false where there is no place for it.
pub fn begin(key: usize, begun: Begun) -> bool {
    let Some(table) = *TABLE.get() else {
        return false;
    };
    let take = |at: &usize| {
        let free = table.keys.get(*at);
        free.is_some_and(|free| free.compare_exchange(0, TAKEN, Acquire, Relaxed).is_ok())
    };
    let Some(at) = near(key).find(take) else {
        return false;
    };
    let (Some(place), Some(order), Some(own)) =
        (table.begun.get(at), table.order.get(at), table.keys.get(at))
    else {
        return false;
    };
    // SAFETY: the place is ours while its key is TAKEN.
    unsafe { *place.get() = begun };
    order.store(table.next.fetch_add(1, Relaxed), Relaxed);
    own.store(key, Release);
    true
}

/// It has ended, the first of this key that began.
pub fn end(key: usize) -> Option<Begun> {
    take(key, |found, other| found < other)
}

/// It never began, the last of this key.
pub fn withdraw(key: usize) -> Option<Begun> {
    take(key, |found, other| found > other)
}

fn take(key: usize, better: impl Fn(u64, u64) -> bool) -> Option<Begun> {
    let table = (*TABLE.get())?;
    let mut best: Option<(u64, usize)> = None;
    for at in near(key) {
        let (own, order) = (table.keys.get(at)?, table.order.get(at)?.load(Relaxed));
        let is_better = best.is_none_or(|(found, _)| better(order, found));
        if own.load(Acquire) == key && is_better {
            best = Some((order, at));
        }
    }
    let (_, at) = best?;
    let own = table.keys.get(at)?;
    own.compare_exchange(key, TAKEN, AcqRel, Relaxed).ok()?;
    // SAFETY: the place is ours while its key is TAKEN.
    let begun = unsafe { *table.begun.get(at)?.get() };
    own.store(0, Release);
    Some(begun)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(start: u64) -> Begun {
        Begun::new(Op(3), start)
    }

    #[test]
    fn what_begins_ends_once_and_in_turn() {
        // SAFETY: no other test of this process looks here.
        assert!(start(&mut unsafe { Starting::new() }));
        for key in (0x1000usize..).step_by(168).take(1000) {
            assert!(begin(key, begun(key as u64)));
        }
        for key in (0x1000usize..).step_by(168).take(1000) {
            assert_eq!(
                end(key).map(|one| (one.op, one.start)),
                Some((Op(3), key as u64))
            );
            assert!(end(key).is_none());
        }
        for start in 1..=NEAR as u64 {
            assert!(begin(0x4000, begun(start)), "as many as have room");
        }
        assert!(!begin(0x4000, begun(0)), "and no more");
        assert_eq!(end(0x4000).map(|one| one.start), Some(1));
        assert_eq!(end(0x4000).map(|one| one.start), Some(2));
        assert_eq!(withdraw(0x4000).map(|one| one.start), Some(NEAR as u64));
        while end(0x4000).is_some() {}
        assert!(begin(0x4000, begun(9)), "the places are free again");
    }
}
