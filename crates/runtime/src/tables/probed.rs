//! Functions that the user named: their names by number, and which function each stub stands before.
//!
//! Entries are made while nobody else makes any (`real::objects::unlocked_atomic`), and stay. Which names the part has is forgotten in a forked child.

use super::paths;
use crate::sys::{self, Zeroed};
use crate::thread::Thread;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU32, AtomicUsize, Ordering::*};
use iota_calls::{MOST_PROBES, Op};
use iota_trace::fnv::Fnv;

/// Room for all names.
const TEXTS: usize = 1 << 20;

/// A function under a name, as a place in a program or library referred to it.
pub struct Stub {
    real: AtomicUsize,
    name: AtomicU16,
}

/// A name: its bytes, and how many.
struct Name {
    at: AtomicPtr<u8>,
    length: AtomicU32,
}

/// In which part each name is; 0: in none.
struct DefinedIn([AtomicU32; MOST_PROBES]);

// SAFETY: atomics, of which zero is a value.
unsafe impl Zeroed for DefinedIn {}

static STUBS: [Stub; MOST_PROBES] = [const {
    Stub {
        real: AtomicUsize::new(0),
        name: AtomicU16::new(0),
    }
}; MOST_PROBES];
static NAMES: [Name; MOST_PROBES] = [const {
    Name {
        at: AtomicPtr::new(ptr::null_mut()),
        length: AtomicU32::new(0),
    }
}; MOST_PROBES];
static STUB_COUNT: AtomicUsize = AtomicUsize::new(0);
static NAME_COUNT: AtomicUsize = AtomicUsize::new(0);
static TEXT: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static TEXT_USED: AtomicUsize = AtomicUsize::new(0);
static DEFINED: AtomicPtr<DefinedIn> = AtomicPtr::new(ptr::null_mut());
static BY_NAME: Index = Index::new();
static BY_FUNCTION: Index = Index::new();

/// Maps what is needed for the first one; false where there is no memory.
pub fn start() -> bool {
    if !DEFINED.load(Acquire).is_null() {
        return true;
    }
    let (Ok(text), Ok(defined)) = (
        sys::map_private(TEXTS, false),
        sys::map_table::<DefinedIn>(),
    ) else {
        return false;
    };
    TEXT.store(text.cast(), Relaxed);
    DEFINED.store(ptr::from_ref(defined).cast_mut(), Release);
    true
}

/// The number of the stub for a function under a name; None: there is no room for more.
pub fn enter(name: &[u8], real: usize) -> Option<u16> {
    let number = name_number(name)?;
    let hash = hash(name) ^ (real >> 4);
    let is_it = |nth: usize| {
        STUBS.get(nth).is_some_and(|stub| {
            stub.real.load(Relaxed) == real && stub.name.load(Relaxed) == number
        })
    };
    BY_FUNCTION.enter(hash, is_it, || {
        let nth = STUB_COUNT.load(Relaxed);
        let stub = STUBS.get(nth)?;
        stub.name.store(number, Relaxed);
        stub.real.store(real, Release);
        STUB_COUNT.store(nth.wrapping_add(1), Release);
        Some(nth as u16)
    })
}

/// The number of a name that has one.
pub fn known(name: &[u8]) -> Option<u16> {
    let is_it = |nth: usize| bytes(nth as u16) == Some(name);
    BY_NAME.enter(hash(name), is_it, || None)
}

/// The number of a name; None: there is no room for more.
pub fn name_number(name: &[u8]) -> Option<u16> {
    let is_it = |nth: usize| bytes(nth as u16) == Some(name);
    BY_NAME.enter(hash(name), is_it, || {
        let nth = NAME_COUNT.load(Relaxed);
        let entry = NAMES.get(nth)?;
        let used = TEXT_USED.load(Relaxed);
        let text = TEXT.load(Acquire);
        let end = used.wrapping_add(name.len());
        if text.is_null() || end > TEXTS {
            return None;
        }
        let at = text.wrapping_add(used);
        // SAFETY: inside the room for names, behind all that are there.
        unsafe { ptr::copy_nonoverlapping(name.as_ptr(), at, name.len()) };
        TEXT_USED.store(end, Relaxed);
        entry.length.store(name.len() as u32, Relaxed);
        entry.at.store(at, Release);
        NAME_COUNT.store(nth.wrapping_add(1), Release);
        Some(nth as u16)
    })
}

/// How many functions there are.
pub fn count() -> usize {
    STUB_COUNT.load(Acquire)
}

/// The function that a stub stands before, and the number of its name.
#[inline(always)]
pub fn target(stub: u32) -> (usize, u16) {
    STUBS.get(stub as usize).map_or((0, 0), |stub| {
        (stub.real.load(Acquire), stub.name.load(Relaxed))
    })
}

/// The name of a function that the user named.
pub fn name(op: Op) -> Option<&'static [u8]> {
    bytes(op.probe()?)
}

fn bytes(nth: u16) -> Option<&'static [u8]> {
    let entry = NAMES.get(usize::from(nth))?;
    let at = entry.at.load(Acquire);
    if at.is_null() {
        return None;
    }
    // SAFETY: so many bytes were copied there, and stay.
    Some(unsafe { core::slice::from_raw_parts(at, entry.length.load(Relaxed) as usize) })
}

/// Has the part know the name; false when there is no room for it. errno stays.
#[inline(always)]
pub fn define(thread: &Thread, nth: u16) -> bool {
    // SAFETY: null, or mapped for as long as the process lives.
    let defined = unsafe { DEFINED.load(Acquire).as_ref() };
    let Some(mark) = defined.and_then(|all| all.0.get(usize::from(nth))) else {
        return false;
    };
    mark.load(Acquire) == stamp() || define_first(thread, nth, mark)
}

#[cold]
#[inline(never)]
fn define_first(thread: &Thread, nth: u16, mark: &AtomicU32) -> bool {
    let (errno, now) = (sys::errno(), stamp());
    let name = bytes(nth).unwrap_or_default();
    let works = thread.own_slot().define_function(Op::of_probe(nth).0, name);
    if works {
        mark.store(now, Release);
    }
    sys::set_errno(errno);
    works
}

/// Of this part; not 0.
fn stamp() -> u32 {
    paths::part().wrapping_add(1)
}

fn hash(name: &[u8]) -> usize {
    let sum = Fnv::of(name) as usize;
    sum ^ sum >> 29
}

/// Numbers by a hash; twice as many places as numbers.
struct Index([AtomicU16; 2 * MOST_PROBES]);

impl Index {
    const fn new() -> Index {
        Index([const { AtomicU16::new(0) }; 2 * MOST_PROBES])
    }

    /// The number that `is_it`, or the one that `make` makes.
    fn enter(
        &self,
        hash: usize,
        is_it: impl Fn(usize) -> bool,
        make: impl FnOnce() -> Option<u16>,
    ) -> Option<u16> {
        for step in 0..self.0.len() {
            let place = hash.wrapping_add(step) % (2 * MOST_PROBES);
            let place = self.0.get(place)?;
            let Some(found) = place.load(Relaxed).checked_sub(1) else {
                let made = make()?;
                place.store(made.wrapping_add(1), Release);
                return Some(made);
            };
            if is_it(usize::from(found)) {
                return Some(found);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_keep_their_numbers_until_there_is_no_room() {
        assert!(start());
        let many = if cfg!(miri) { 20 } else { MOST_PROBES };
        let name = |n: usize| format!("function_{n}");
        for n in 0..many {
            assert_eq!(enter(name(n).as_bytes(), 16 * n + 16), Some(n as u16));
        }
        for n in 0..many {
            assert_eq!(enter(name(n).as_bytes(), 16 * n + 16), Some(n as u16));
            assert_eq!(target(n as u32), (16 * n + 16, n as u16));
            assert_eq!(
                super::name(Op::of_probe(n as u16)),
                Some(name(n).as_bytes())
            );
        }
        if many == MOST_PROBES {
            assert_eq!(enter(b"function_7", 99), None);
            assert_eq!(enter(b"another", 99), None);
        }
    }
}
