//! Stacks that were seen before: where each lies, its return addresses, and the text that describes it.
//!
//! An entry is written once, by whoever holds the right to capture, and read by all without a lock.

use super::frames::{FRAMES, ReturnAddress};
use crate::sys::{self, Zeroed};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use iota_calls::Op;

/// Lists of entries, a power of two.
const LISTS: usize = 1 << 13;
/// Words of all entries: some 15,000 stacks of usual depth.
const WORDS: usize = 1 << 19;
/// Entries of a list that are looked at.
const MOST: usize = 256;
/// Return addresses that the kernel is asked for at once.
const AT_ONCE: usize = 16;
/// Words before the return addresses: the next entry and how many addresses follow, the frame, the function, the text and
/// its part, the functions of Python.
const HEAD: usize = 5;

/// All of them. A forked child finds none.
pub struct KnownStacks {
    /// One more than the place of the first entry.
    lists: [AtomicU32; LISTS],
    used: AtomicUsize,
    words: [AtomicU64; WORDS],
}

// SAFETY: atomics, of which zero is a value: no entry.
unsafe impl Zeroed for KnownStacks {}

/// Who asks: a hook's variable, and its function.
#[derive(Clone, Copy)]
pub struct Caller {
    pub frame: usize,
    pub op: Op,
    /// The part in which texts have their numbers.
    pub part: u32,
    /// What tells the functions of Python that the thread is in from others; 0: there is none.
    pub python: u64,
}

impl Caller {
    fn list(self) -> usize {
        let key = (self.frame >> 3) as u64 ^ u64::from(self.op.0) << 32 ^ self.python;
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize & (LISTS - 1)
    }
}

impl KnownStacks {
    fn word(&self, at: usize) -> u64 {
        self.words.get(at).map_or(0, |word| word.load(Relaxed))
    }

    /// The text of the stack on which a caller is; `is_there` says whether so many bytes at an address are known to be there.
    pub fn find(&self, caller: Caller, is_there: impl Fn(usize, usize) -> bool) -> Option<u32> {
        let mut next = self.lists.get(caller.list())?.load(Acquire);
        for _ in 0..MOST {
            let at = next.checked_sub(1)? as usize;
            let head = self.word(at);
            if self.is_of(at, caller) && self.lies_there(at, (head >> 32) as usize, &is_there) {
                return Some((self.word(at.wrapping_add(3)) >> 32) as u32);
            }
            next = head as u32;
        }
        None
    }

    fn is_of(&self, at: usize, caller: Caller) -> bool {
        self.word(at.wrapping_add(1)) == caller.frame as u64
            && self.word(at.wrapping_add(2)) == u64::from(caller.op.0)
            && self.word(at.wrapping_add(3)) as u32 == caller.part
            && self.word(at.wrapping_add(4)) == caller.python
    }

    fn lies_there(&self, at: usize, count: usize, is_there: impl Fn(usize, usize) -> bool) -> bool {
        const WORD: usize = size_of::<usize>();
        let first = at.wrapping_add(HEAD);
        let Some(pairs) = self.words.get(first..first.wrapping_add(2 * count)) else {
            return false;
        };
        let (pairs, _) = pairs.as_chunks::<2>();
        let frame = self.word(at.wrapping_add(1)) as usize;
        let end = pairs
            .last()
            .map_or(frame, |[at, _]| at.load(Relaxed) as usize);
        let span = end.wrapping_sub(frame).wrapping_add(WORD);
        // A handler may have a stack of its own, far from that of the function that it interrupts.
        if !is_there(frame, span) {
            return pairs.chunks(AT_ONCE).all(are_as_before);
        }
        pairs.iter().all(|[at, value]| {
            let at = at.load(Relaxed) as *const usize;
            // SAFETY: between the frame and the last of them, which was just asked for, and aligned as it was when it was
            // first read.
            let now = unsafe { at.read_volatile() };
            now as u64 == value.load(Relaxed)
        })
    }

    /// Whether there is no room for more.
    pub fn is_full(&self) -> bool {
        let most = HEAD + 2 * FRAMES;
        self.used.load(Relaxed).wrapping_add(most) > WORDS
    }

    /// Remembers a stack. Its addresses come in the order in which they lie.
    pub fn add(&self, caller: Caller, text: u32, returns: &[ReturnAddress]) {
        let at = self.used.load(Relaxed);
        let size = HEAD.wrapping_add(2 * returns.len());
        let (Some(words), Some(list)) = (
            self.words.get(at..at.wrapping_add(size)),
            self.lists.get(caller.list()),
        ) else {
            return;
        };
        let next = u64::from(list.load(Relaxed));
        let head = [
            next | (returns.len() as u64) << 32,
            caller.frame as u64,
            caller.op.0.into(),
            u64::from(text) << 32 | u64::from(caller.part),
            caller.python,
        ];
        let pairs = returns
            .iter()
            .flat_map(|of| [of.at as u64, of.value as u64]);
        for (place, value) in words.iter().zip(head.into_iter().chain(pairs)) {
            place.store(value, Relaxed);
        }
        self.used.store(at.wrapping_add(size), Relaxed);
        list.store((at as u32).wrapping_add(1), Release);
    }
}

/// Whether the kernel finds return addresses where they were. Not on the stack of what goes on from there.
#[inline(never)]
fn are_as_before(pairs: &[[AtomicU64; 2]]) -> bool {
    let mut places = [0usize; AT_ONCE];
    for (place, [at, _]) in places.iter_mut().zip(pairs) {
        *place = at.load(Relaxed) as usize;
    }
    let mut room = [MaybeUninit::<u64>::uninit(); AT_ONCE];
    let now = sys::gather_in(places.get(..pairs.len()).unwrap_or_default(), &mut room);
    let before = pairs.iter().map(|[_, value]| value.load(Relaxed));
    now.len() == pairs.len() && before.eq(now.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::map_table;

    #[test]
    #[cfg_attr(miri, ignore = "a large table is mapped")]
    fn a_stack_is_known_by_all_its_return_addresses() {
        let known: &KnownStacks = map_table().expect("memory");
        let mut stack = [7usize, 11, 13, 17];
        let at = |n: usize| stack.as_ptr().wrapping_add(n) as usize;
        let caller = |part| Caller {
            frame: at(0),
            op: Op(3),
            part,
            python: 0,
        };
        let (mine, later) = (caller(1), caller(2));
        let pair = |n: usize| ReturnAddress {
            at: at(n),
            value: stack[n],
        };
        assert_eq!(known.find(mine, |_, _| true), None);
        known.add(mine, 5, &[pair(1), pair(3)]);
        assert_eq!(
            known.find(mine, |from, bytes| (from, bytes) == (at(0), 32)),
            Some(5)
        );
        assert_eq!(known.find(mine, |_, _| false), Some(5), "by the kernel");
        assert_eq!(
            known.find(later, |_, _| true),
            None,
            "texts of another part"
        );
        let other = Caller { op: Op(4), ..mine };
        assert_eq!(known.find(other, |_, _| true), None);
        let other = Caller { python: 1, ..mine };
        assert_eq!(known.find(other, |_, _| true), None);
        let third = &raw mut stack[3];
        // SAFETY: the array is there.
        unsafe { third.write(19) };
        assert_eq!(known.find(mine, |_, _| true), None, "another caller");
        let changed = ReturnAddress {
            at: third as usize,
            value: 19,
        };
        known.add(mine, 6, &[changed]);
        assert_eq!(known.find(mine, |_, _| true), Some(6));
    }
}
