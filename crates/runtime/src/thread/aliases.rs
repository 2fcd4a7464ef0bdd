//! Relative paths that a thread has used: from what the host passed to the absolute path, both by their hashes.

use super::Thread;
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

impl Thread {
    fn alias(&self, given: u64) -> &Alias {
        &self.aliases.0[given as usize & (ALIASES - 1)]
    }

    /// The absolute path of what was passed.
    pub fn absolute(&self, given: u64) -> Option<u64> {
        let alias = self.alias(given);
        let absolute = alias.absolute.load(Relaxed);
        Some(absolute).filter(|absolute| alias.both.load(Relaxed) ^ absolute == given)
    }

    /// It is this.
    pub fn is_absolute(&self, given: u64, absolute: u64) {
        let alias = self.alias(given);
        alias.absolute.store(absolute, Relaxed);
        alias.both.store(absolute ^ given, Relaxed);
    }
}
