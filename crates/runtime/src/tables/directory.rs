//! The working directory, remembered until somebody changes it.

use crate::sys::{self, SeqLock, SignalsBlocked};
use core::sync::atomic::{AtomicU32, AtomicU64};

/// Words that suffice for most; a longer path is asked for whenever it is needed.
const WORDS: usize = 128;

#[unsafe(link_section = ".bss.iota_start")]
static DIRECTORY: SeqLock<WORDS> = SeqLock::of(
    AtomicU32::new(0),
    AtomicU32::new(0),
    [const { AtomicU64::new(0) }; WORDS],
);

/// The tracer starts: whoever was changing it may be a thread that this process does not have.
pub fn start() {
    DIRECTORY.settle();
    moved();
}

/// The working directory changed.
#[inline(never)]
pub fn moved() {
    // A handler that came in between and did not return would leave the change unfinished for good.
    let _undisturbed = SignalsBlocked::begin();
    DIRECTORY.changed(look);
}

/// The kernel's word; its length, 0 where it does not fit.
fn look(words: &mut [u64; WORDS]) -> usize {
    // SAFETY: words are bytes of any value, and both architectures have the first byte of a word first.
    let bytes = unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), WORDS * 8) };
    ask(bytes)
}

/// The same into `to`.
fn ask(to: &mut [u8]) -> usize {
    sys::working_directory(to).map_or(0, <[u8]>::len)
}

/// Something was renamed, which may be the working directory or one above it.
pub fn renamed() {
    let mut words = [0; WORDS];
    let length = look(&mut words);
    if DIRECTORY.differ(&words, length) {
        moved();
    }
}

/// How often it changed; odd while it does.
pub fn changes() -> u32 {
    DIRECTORY.changes()
}

/// The working directory into `to`; its length.
pub fn read(to: &mut [u8]) -> usize {
    let known = (0..100).find_map(|_| DIRECTORY.read(to));
    known.unwrap_or_else(|| ask(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_at_the_same_time_come_to_an_end() {
        let moving = || (0..if cfg!(miri) { 20 } else { 2000 }).for_each(|_| moved());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(moving);
            }
        });
        assert!(changes().is_multiple_of(2));
        let here = std::env::current_dir().unwrap().into_os_string();
        let mut room = [0; 4096];
        let length = read(&mut room);
        assert_eq!(room[..length], *here.into_encoded_bytes());
    }
}
