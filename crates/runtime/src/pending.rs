//! Transfers under way: begun by one call, they end when the program learns of it by another.
//!
//! A table of fixed size in memory that a forked child finds empty, as it has none of its parent's transfers. A key is
//! the address of what the program describes the transfer with; 0 is none. Where there is no place left, the transfer is
//! recorded as the call that begins it.

use crate::bytes::Once;
use crate::sys;
use core::sync::atomic::{AtomicU16, AtomicU64, AtomicUsize, Ordering::*};
use iota_calls::Op;

const ROOM: usize = 4096;
/// How many places a key may take.
const NEAR: usize = 64;
/// The key of a place that is being filled.
const TAKEN: usize = 1;

#[repr(C)]
struct Place {
    key: AtomicUsize,
    start: AtomicU64,
    op: AtomicU16,
}

static PLACES: Once<*const Place> = Once::new(core::ptr::null());

/// A transfer that was begun.
#[derive(Clone, Copy)]
pub struct Begun {
    /// What began it.
    pub op: Op,
    /// When.
    pub start: u64,
}

/// Maps the table.
///
/// # Safety
/// Only while the tracer starts.
pub unsafe fn start() -> bool {
    if PLACES.get().is_null() {
        let Ok(places) = sys::map_private(ROOM.wrapping_mul(size_of::<Place>()), true) else {
            return false;
        };
        // SAFETY: the caller's.
        unsafe { *PLACES.start() = places.cast() };
    }
    true
}

fn near(key: usize) -> impl Iterator<Item = &'static Place> {
    let first = (key >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    (0..NEAR).map(move |i| {
        // SAFETY: inside the table, which is mapped before the first call is recorded and never unmapped.
        unsafe { &*PLACES.get().add(first.wrapping_add(i) & (ROOM - 1)) }
    })
}

/// A transfer begins; false where there is no place for it.
pub fn begin(key: usize, begun: Begun) -> bool {
    end(key);
    let free = near(key).find(|place| {
        place
            .key
            .compare_exchange(0, TAKEN, Acquire, Relaxed)
            .is_ok()
    });
    let Some(place) = free else { return false };
    place.start.store(begun.start, Relaxed);
    place.op.store(begun.op.0, Relaxed);
    place.key.store(key, Release);
    true
}

/// It has ended.
pub fn end(key: usize) -> Option<Begun> {
    let place = near(key).find(|place| place.key.load(Acquire) == key)?;
    let begun = Begun {
        op: Op(place.op.load(Relaxed)),
        start: place.start.load(Relaxed),
    };
    place.key.compare_exchange(key, 0, AcqRel, Relaxed).ok()?;
    Some(begun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_ends_once() {
        // SAFETY: no other test of this process looks here.
        assert!(unsafe { start() });
        let begun = |start| Begun { op: Op(3), start };
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
        assert!(begin(0x4000, begun(1)) && begin(0x4000, begun(2)));
        assert_eq!(
            end(0x4000).map(|one| one.start),
            Some(2),
            "begun again, it was never asked for"
        );
        assert!(end(0x4000).is_none());
    }
}
