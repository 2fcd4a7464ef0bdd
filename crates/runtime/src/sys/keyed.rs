//! A key and its value in two words that are stored one after the other, without a lock: whoever reads them while others
//! store gets a value that was stored with that very key, or none.

use super::atomics::{AtomicU64, Ordering::*};

/// Nothing, while both words are 0.
pub struct CheckedSlot {
    value: AtomicU64,
    /// The key and the value together: it fits no other pair.
    check: AtomicU64,
}

impl CheckedSlot {
    /// Of its two words, which are 0.
    #[cfg(test)]
    pub fn of([value, check]: [AtomicU64; 2]) -> CheckedSlot {
        CheckedSlot { value, check }
    }

    /// Has this value for the key from now on; 0 is none.
    pub fn set(&self, key: u64, value: u32) {
        let value = u64::from(value);
        self.value.store(value, Release);
        self.check.store(key ^ value, Release);
    }

    /// The value, if it was stored for this key.
    pub fn get(&self, key: u64) -> Option<u32> {
        let check = self.check.load(Acquire);
        let value = self.value.load(Acquire);
        (value != 0 && check ^ value == key).then_some(value as u32)
    }

    /// Has no value for this key any more.
    pub fn forget(&self, key: u64) {
        if self.get(key).is_some() {
            self.value.store(0, Release);
        }
    }
}
