//! Values that wait under a key until somebody asks for them: a table of fixed size that threads fill and empty without a lock.
//!
//! A key is any number but 0 and 1. Values may share a key: they have an order, that in which they came.

use crate::sys::Zeroed;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU16, AtomicU64, AtomicUsize, Ordering::*};

/// Miri looks at all places whenever one is borrowed.
const ROOM: usize = if cfg!(miri) { 1 << 9 } else { 1 << 16 };
/// How many places a key may take.
const NEAR: usize = 256;
/// The key of a place that is being filled or emptied.
const TAKEN: usize = 1;

/// The keys, close together because many may be looked at, and what they stand for.
#[repr(C)]
pub struct Keyed<V> {
    /// How many values have keys that begin to look here: most often it is none, and there is nothing to look for.
    counts: [AtomicU16; ROOM],
    keys: [AtomicUsize; ROOM],
    order: [AtomicU64; ROOM],
    values: [UnsafeCell<MaybeUninit<V>>; ROOM],
    next: AtomicU64,
}

// SAFETY: atomics, of which zero is a value: no key; a value is read only where there is a key.
unsafe impl<V: Copy> Zeroed for Keyed<V> {}
// SAFETY: a value is written and read by whoever holds its key at TAKEN, one thread at a time.
unsafe impl<V: Copy + Send> Sync for Keyed<V> {}

/// Where a key stands if that place is free.
fn first(key: usize) -> usize {
    (key >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40 & (ROOM - 1)
}

/// Where a key may stand.
fn near(key: usize) -> impl Iterator<Item = usize> {
    let first = first(key);
    (0..NEAR).map(move |i| first.wrapping_add(i) & (ROOM - 1))
}

impl<V: Copy> Keyed<V> {
    /// Keeps a value; false where there is no place for it.
    pub fn put(&self, key: usize, value: V) -> bool {
        let take = |at: &usize| {
            let free = self.keys.get(*at);
            free.is_some_and(|free| free.compare_exchange(0, TAKEN, Acquire, Relaxed).is_ok())
        };
        let Some(at) = near(key).find(take) else {
            return false;
        };
        let (Some(place), Some(order), Some(own), Some(count)) = (
            self.values.get(at),
            self.order.get(at),
            self.keys.get(at),
            self.counts.get(first(key)),
        ) else {
            return false;
        };
        // SAFETY: the place is ours while its key is TAKEN.
        unsafe { (*place.get()).write(value) };
        order.store(self.next.fetch_add(1, Relaxed), Relaxed);
        count.fetch_add(1, Relaxed);
        own.store(key, Release);
        true
    }

    /// Whether there is a value under this key.
    pub fn has(&self, key: usize) -> bool {
        let mut places = near(key).filter_map(|at| self.keys.get(at));
        self.may_have(key) && places.any(|own| own.load(Acquire) == key)
    }

    /// False if there is none. A key that this thread knows of was counted before.
    #[inline(always)]
    fn may_have(&self, key: usize) -> bool {
        let count = self.counts.get(first(key));
        count.is_some_and(|count| count.load(Relaxed) != 0)
    }

    /// Takes the first value of this key.
    pub fn take(&self, key: usize) -> Option<V> {
        self.take_one(key, |found, other| found < other)
    }

    /// Takes the last value of this key.
    pub fn take_last(&self, key: usize) -> Option<V> {
        self.take_one(key, |found, other| found > other)
    }

    fn take_one(&self, key: usize, better: impl Fn(u64, u64) -> bool) -> Option<V> {
        if !self.may_have(key) {
            return None;
        }
        let mut best: Option<(u64, usize)> = None;
        for at in near(key) {
            let (own, order) = (self.keys.get(at)?, self.order.get(at)?.load(Relaxed));
            let is_better = best.is_none_or(|(found, _)| better(order, found));
            if own.load(Acquire) == key && is_better {
                best = Some((order, at));
            }
        }
        let (_, at) = best?;
        self.take_at(at, key)
    }

    fn take_at(&self, at: usize, key: usize) -> Option<V> {
        let own = self.keys.get(at)?;
        own.compare_exchange(key, TAKEN, AcqRel, Relaxed).ok()?;
        // SAFETY: the place is ours while its key is TAKEN, and was filled before it had its key.
        let value = unsafe { (*self.values.get(at)?.get()).assume_init() };
        own.store(0, Release);
        self.counts.get(first(key))?.fetch_sub(1, Relaxed);
        Some(value)
    }

    /// The keys that are there, while others may come and go.
    pub fn keys(&self) -> impl Iterator<Item = usize> {
        let keys = self.keys.iter().map(|key| key.load(Acquire));
        keys.filter(|key| *key > TAKEN)
    }

    /// Takes all that are there.
    pub fn take_all(&self) -> impl Iterator<Item = V> {
        (0..ROOM).filter_map(|at| {
            let key = self.keys.get(at)?.load(Acquire);
            (key > TAKEN).then(|| self.take_at(at, key)).flatten()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::map_table;

    const MANY: usize = if cfg!(miri) { 20 } else { 1000 };

    #[test]
    fn what_is_put_is_taken_once_and_in_turn() {
        let table: &Keyed<u64> = map_table().unwrap();
        for key in (0x1000usize..).step_by(168).take(MANY) {
            assert!(table.put(key, key as u64));
        }
        for key in (0x1000usize..).step_by(168).take(MANY) {
            assert!(table.has(key));
            assert_eq!(table.take(key), Some(key as u64));
            assert!(table.take(key).is_none() && !table.has(key));
        }
        for value in 1..=NEAR as u64 {
            assert!(table.put(0x4000, value), "as many as have room");
        }
        assert!(!table.put(0x4000, 0), "and no more");
        assert_eq!(table.take(0x4000), Some(1));
        assert_eq!(table.take(0x4000), Some(2));
        assert_eq!(table.take_last(0x4000), Some(NEAR as u64));
        assert_eq!(table.take_all().count(), NEAR - 3);
        assert!(table.put(0x4000, 9), "the places are free again");
    }
}
