//! Objects whose slots were looked through. One that was loaded again has slots of its own: those that have stubs differ
//! from those that the dynamic linker has filled anew in what the first of them contains.

use crate::real::objects::Loaded;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const ROOM: usize = 1024;

struct Entry {
    /// Of the object; 0: none.
    key: AtomicUsize,
    /// Its first slot that leads to a stub; 0: it has none.
    slot: AtomicUsize,
}

static SEEN: [Entry; ROOM] = [const {
    Entry {
        key: AtomicUsize::new(0),
        slot: AtomicUsize::new(0),
    }
}; ROOM];

/// Tells one object from others, and not from itself when it was loaded again at the same place.
pub fn key(loaded: &Loaded) -> usize {
    let mixed = |sum: usize, byte: &u8| (sum ^ usize::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let name = loaded
        .name()
        .to_bytes()
        .iter()
        .fold(loaded.object.base, mixed);
    name.wrapping_add(loaded.object.symbols) | 1
}

/// Whether an object that is loaded now was looked through since it was.
pub fn knows(key: usize, is_stub: impl Fn(usize) -> bool) -> bool {
    let Some(entry) = entry(key).filter(|entry| entry.key.load(Relaxed) == key) else {
        return false;
    };
    match entry.slot.load(Relaxed) {
        0 => true,
        // SAFETY: a slot of an object that is loaded.
        slot => is_stub(unsafe { AtomicUsize::from_ptr(slot as *mut usize) }.load(Relaxed)),
    }
}

/// It was looked through. Where there is no room it will be once more.
pub fn remember(key: usize, slot: usize) {
    if let Some(entry) = entry(key) {
        entry.key.store(key, Relaxed);
        entry.slot.store(slot, Relaxed);
    }
}

/// Its entry, or a free one.
fn entry(key: usize) -> Option<&'static Entry> {
    let places = (0..ROOM).map(|step| (key >> 12).wrapping_add(step) % ROOM);
    let mut entries = places.filter_map(|place| SEEN.get(place));
    entries.find(|entry| matches!(entry.key.load(Relaxed), 0) || entry.key.load(Relaxed) == key)
}
