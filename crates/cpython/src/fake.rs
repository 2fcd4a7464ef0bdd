//! Memory in which tests put objects.

use crate::layout::BYTES;
use iota_unwind::Memory;

/// Where it begins.
const BASE: usize = 1 << 20;

#[derive(Default)]
pub struct Fake {
    bytes: Vec<u8>,
}

impl Memory for Fake {
    fn read(&self, at: usize, to: &mut [u8]) -> bool {
        let from = at.checked_sub(BASE);
        let from = from.and_then(|from| self.bytes.get(from..from.checked_add(to.len())?));
        from.map(|from| to.copy_from_slice(from)).is_some()
    }
}

impl Fake {
    /// Zeros in which an object may be.
    pub fn object(&mut self, size: usize) -> usize {
        let at = BASE + self.bytes.len().next_multiple_of(8);
        self.bytes.resize(at - BASE + size, 0);
        at
    }

    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at - BASE..][..bytes.len()].copy_from_slice(bytes);
    }

    pub fn put_word(&mut self, at: usize, word: usize) {
        self.put(at, &word.to_ne_bytes());
    }

    /// A `bytes` object.
    pub fn bytes(&mut self, bytes: &[u8]) -> usize {
        let at = self.object(BYTES.1 + bytes.len());
        self.put_word(at + BYTES.0, bytes.len());
        self.put(at + BYTES.1, bytes);
        at
    }
}
