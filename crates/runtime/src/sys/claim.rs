//! A right that one has at a time, and that nobody waits for.

use super::atomics::{AtomicU32, Ordering::*};

/// 0 while nobody has it.
#[repr(transparent)]
pub struct Claim(AtomicU32);

impl Claim {
    /// With this word; 0 is nobody's.
    #[cfg(test)]
    pub const fn of(word: AtomicU32) -> Claim {
        Claim(word)
    }

    /// Takes it, unless somebody has it.
    pub fn take(&self) -> bool {
        self.0.compare_exchange(0, 1, Acquire, Relaxed).is_ok()
    }

    /// Gives it back. What was done with it is seen by who takes it next.
    pub fn give(&self) {
        self.0.store(0, Release);
    }

    /// Whether somebody has it.
    pub fn is_taken(&self) -> bool {
        self.0.load(Relaxed) != 0
    }
}
