//! Numbers that were given back, the latest first, for whichever thread wants one. A thread may be interrupted anywhere by a
//! handler that takes or gives some, and may never go on.

use super::atomics::{AtomicU32, AtomicU64, Ordering::*};

/// The list's head: in the low half a number, 0 for none; above it a count by which a number that was taken and given back
/// meanwhile is distinguished from one that stayed.
pub struct FreeList(AtomicU64);

impl FreeList {
    /// With this head; 0 is an empty list.
    pub const fn of(head: AtomicU64) -> FreeList {
        FreeList(head)
    }

    /// Nothing is in it.
    pub fn clear(&self) {
        self.0.store(0, Relaxed);
    }

    /// Takes a number; `next` is where the one behind a number stands.
    pub fn take<'n>(&self, next: impl Fn(u32) -> Option<&'n AtomicU32>) -> Option<u32> {
        let mut head = self.0.load(Acquire);
        while let Some(behind) = next(head as u32) {
            let new = FreeList::after(head, behind.load(Relaxed));
            match self.0.compare_exchange_weak(head, new, AcqRel, Acquire) {
                Ok(_) => return Some(head as u32),
                Err(now) => head = now,
            }
        }
        None
    }

    /// Gives a number back, behind which `next` stands.
    pub fn give(&self, number: u32, next: &AtomicU32) {
        let mut head = self.0.load(Acquire);
        loop {
            next.store(head as u32, Relaxed);
            let new = FreeList::after(head, number);
            match self.0.compare_exchange_weak(head, new, AcqRel, Acquire) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    fn after(head: u64, number: u32) -> u64 {
        (head >> 32).wrapping_add(1) << 32 | u64::from(number)
    }
}
