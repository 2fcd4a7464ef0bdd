//! Relative paths that a thread has used: from what the program passed to the absolute path, both by their hashes.

use core::sync::atomic::{AtomicU64, Ordering::*};

const ALIASES: usize = 256;

/// Each takes the place of the one before it there. Zeroed is empty.
#[repr(C)]
pub struct Aliases([Alias; ALIASES]);

/// Two hashes; a signal handler that writes between the two leaves what matches neither path.
#[repr(C)]
struct Alias {
    both: AtomicU64,
    absolute: AtomicU64,
}

impl Aliases {
    fn place(&self, given: u64) -> &Alias {
        &self.0[given as usize & (ALIASES - 1)]
    }

    /// The absolute path of what was passed.
    pub fn get(&self, given: u64) -> Option<u64> {
        let place = self.place(given);
        let absolute = place.absolute.load(Relaxed);
        Some(absolute).filter(|absolute| place.both.load(Relaxed) ^ absolute == given)
    }

    /// It is this.
    pub fn set(&self, given: u64, absolute: u64) {
        let place = self.place(given);
        place.absolute.store(absolute, Relaxed);
        place.both.store(absolute ^ given, Relaxed);
    }
}
