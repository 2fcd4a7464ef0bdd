//! The places of a thread's ring: taken by the thread, filled by it, and freed by who has sealed what is in them, which
//! may be another thread (`crates/runtime/tests/ring.rs` has a model of both).
//!
//! # What a handler may meet in a ring
//!
//! A signal handler may store records between any two instructions of a store that it interrupts, and it may never come
//! back to it (`siglongjmp`). So places are taken by one instruction, and a place says by itself whether it holds a record
//! of this turn of the ring. Nothing is emptied, nothing given back:
//!
//! | interrupted | what the handler finds | what the interrupted store finds |
//! |---|---|---|
//! | before it takes its places | all as it was | later places, or none where the handler took the last |
//! | between taking and filling | a place that holds nothing yet: sealing stops there | its own places |
//! | for good (`siglongjmp`) | | sealing passes over the place: its call never returned to the program |

use crate::atomics::{AtomicU32, AtomicU64, Ordering::*};
use crate::unlocked_atomic;

/// Which of `COUNT` places, a power of two, are taken and free. The last `MARGIN` that are free are never taken but by
/// handlers that come between the question for room and the taking.
#[repr(C)]
pub struct Places<const COUNT: u64, const MARGIN: u64> {
    /// Places ever taken.
    pub stored: AtomicU64,
    /// Records that stand in sealed blocks.
    pub sealed: AtomicU64,
    /// Up to where places may be taken.
    limit: AtomicU64,
    /// Places for which there is memory; there is one behind the last.
    pub ready: AtomicU32,
}

/// Where a place's last eight bytes have its turn.
const TURN: u32 = 38;

impl<const COUNT: u64, const MARGIN: u64> Places<COUNT, MARGIN> {
    /// Of these words, which are all 0.
    #[cfg(test)]
    #[allow(dead_code, reason = "for the model")]
    pub fn of([stored, sealed, limit]: [AtomicU64; 3], ready: AtomicU32) -> Self {
        Places {
            stored,
            sealed,
            limit,
            ready,
        }
    }

    /// There is memory for so many places more.
    pub fn add_ready(&self, more: u32) {
        self.ready
            .store(self.ready.load(Relaxed).wrapping_add(more), Relaxed);
        // Another thread may be sealing: only it says how far it is.
        self.set_limit(self.sealed.load(Acquire));
    }

    /// All records before this one stand in blocks: their places are free.
    pub fn set_sealed(&self, sealed: u64) {
        self.sealed.store(sealed, Release);
        self.set_limit(sealed);
    }

    /// How far places may be taken: those below the limit have been read. If two threads set it at once, the older value only
    /// lowers the limit until the next seal.
    fn set_limit(&self, sealed: u64) {
        let ready = u64::from(self.ready.load(Relaxed));
        let end = if ready > COUNT {
            sealed.wrapping_add(COUNT)
        } else {
            ready
        };
        self.limit.store(end.wrapping_sub(MARGIN), Release);
    }

    /// Whether the next call finds room.
    pub fn has_room(&self) -> bool {
        self.stored.load(Relaxed).wrapping_add(2) <= self.limit.load(Relaxed)
    }

    /// Takes the next `n` places; none where there is no room.
    #[inline(always)]
    pub fn reserve(&self, n: u64) -> Option<u64> {
        let limit = self.limit.load(Acquire);
        if self.stored.load(Relaxed).wrapping_add(n) > limit {
            return None;
        }
        let first = unlocked_atomic::fetch_add(&self.stored, n);
        // Handlers came in between, each of which found room: more of them than the margin lets in leave places that
        // nobody fills.
        (first.wrapping_add(n) <= limit.wrapping_add(MARGIN)).then_some(first)
    }

    /// How many places from this one on lie before the ring's end.
    pub fn to_end(at: u64) -> usize {
        COUNT.wrapping_sub(at & COUNT.wrapping_sub(1)) as usize
    }

    /// How often the ring had been filled before this place was taken, as far as two bits tell: a place that holds another
    /// turn's record was not filled since. What is there of four turns ago was overwritten three times.
    #[inline(always)]
    fn turn(at: u64) -> u64 {
        (at / COUNT) & 3
    }

    /// The last eight bytes of place `at`, in which the turn is 0, with its turn.
    #[inline(always)]
    pub fn marked(last: u64, at: u64) -> u64 {
        last | Self::turn(at) << TURN
    }

    /// Whether the last eight bytes of place `at` are of its turn.
    #[inline(always)]
    pub fn is_of_turn(last: u64, at: u64) -> bool {
        last >> TURN & 3 == Self::turn(at)
    }
}

/// The last eight bytes of a place, which are written last, at once. They say whether it holds a record.
#[repr(transparent)]
pub(crate) struct CommitWord(AtomicU64);

impl CommitWord {
    /// Of this word.
    #[cfg(test)]
    #[allow(dead_code, reason = "for the model")]
    pub fn of(word: AtomicU64) -> CommitWord {
        CommitWord(word)
    }

    /// With the rest of the place before it.
    #[inline(always)]
    pub fn set(&self, value: u64) {
        self.0.store(value, Release);
    }

    /// What it says, before the rest of the place is read.
    #[inline(always)]
    pub fn get(&self) -> u64 {
        self.0.load(Acquire)
    }
}
