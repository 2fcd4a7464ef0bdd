//! The directory that a path was last taken from by a descriptor, as the kernel calls it: programs that walk a tree ask for
//! many files of one directory, and a link in /proc costs more than most of their calls.

use crate::sys::{self, SeqLock, SignalsBlocked};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

/// A word that says of which directory, and words that suffice for most paths.
const WORDS: usize = 129;
const KEY: usize = size_of::<u64>();

#[unsafe(link_section = ".bss.iota_start")]
static LAST: SeqLock<WORDS> = SeqLock::of(
    AtomicU32::new(0),
    AtomicU32::new(0),
    [const { AtomicU64::new(0) }; WORDS],
);

/// What is remembered from an earlier count means nothing.
static RENAMES: AtomicU32 = AtomicU32::new(0);
/// The open file description whose path is remembered, or about to be.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The tracer starts: descriptions have other numbers than in a parent, and whoever was changing this may be a thread that this process
/// does not have.
pub fn start() {
    LAST.settle();
    renamed();
}

/// Something was renamed, which may be that directory or one above it.
pub fn renamed() {
    RENAMES.fetch_add(1, SeqCst);
}

/// A description of this number is another file from now on.
#[inline(always)]
pub fn opened(number: u32) {
    if NUMBER.load(Relaxed) == number {
        renamed();
    }
}

/// A directory that is open, as long as nothing is renamed.
#[derive(Clone, Copy)]
pub struct Key(u64);

impl Key {
    /// That of a description's number; none of 0.
    pub fn of(number: u32) -> Option<Key> {
        let renames = u64::from(RENAMES.load(SeqCst));
        (number != 0).then(|| Key(renames << 32 | u64::from(number)))
    }

    /// The kernel is about to be asked for its path. What becomes of the description from now on is noticed; what came before
    /// is what the kernel tells.
    pub fn ask(self) {
        NUMBER.store(self.0 as u32, SeqCst);
    }

    /// Its path into `to`, if it was the last; its length.
    pub fn read(self, to: &mut [u8]) -> Option<usize> {
        let mut both = [0; WORDS * 8];
        let length = LAST.read(&mut both)?;
        let (key, path) = both.get(..length)?.split_first_chunk::<KEY>()?;
        if u64::from_le_bytes(*key) != self.0 {
            return None;
        }
        to.get_mut(..path.len())?.copy_from_slice(path);
        Some(path.len())
    }

    /// It is the last, and has this path.
    pub fn remember(self, path: &[u8]) {
        if path.is_empty() || path.len() > (WORDS - 1) * 8 {
            return;
        }
        // A handler that came in between and did not return would leave the change unfinished for good.
        let _undisturbed = SignalsBlocked::begin();
        LAST.changed(|[key, words @ ..]| {
            *key = self.0;
            sys::fill(words, path).wrapping_add(KEY)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_directory_is_known_until_something_is_renamed() {
        let mut room = [0; 64];
        let mut read = |number| {
            let length = Key::of(number).unwrap().read(&mut room)?;
            Some(room[..length].to_vec())
        };
        let remember = |number, path: &[u8]| {
            let key = Key::of(number).unwrap();
            key.ask();
            key.remember(path);
        };
        assert_eq!(read(7), None);
        remember(7, b"/scratch/a directory");
        assert_eq!(read(7).as_deref(), Some(&b"/scratch/a directory"[..]));
        assert_eq!(read(8), None);
        opened(8);
        assert!(read(7).is_some());
        opened(7);
        assert_eq!(read(7), None);
        let before = Key::of(8).unwrap();
        before.ask();
        renamed();
        before.remember(b"/old");
        assert_eq!((read(7), read(8)), (None, None));
        for length in 1..18 {
            let path = &b"/a/path/of/17/byt"[..length];
            remember(7, path);
            assert_eq!(read(7).as_deref(), Some(path));
        }
        renamed();
        remember(7, &[b'x'; 2000]);
        assert_eq!(read(7), None);
        assert!(Key::of(0).is_none());
    }
}
