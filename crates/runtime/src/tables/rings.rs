//! The rings of io_uring that this process has: where their memory lies, and how far they have been recorded.
//!
//! A ring is known by the address of its `struct io_uring` (liburing), or by its descriptor (io_uring by hand). The
//! program's own heads move inline, without a call: what has been recorded is counted here.

use crate::sys::{self, Once, Starting, Zeroed};
use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

/// Rings that there is room for; more are not followed.
const ROOM: usize = 1024;
/// The key of a place that is being filled.
const TAKEN: usize = 1;

/// Where in a mapping the words of a ring lie (`struct io_sqring_offsets`, `struct io_cqring_offsets`).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Offsets {
    pub head: u32,
    pub tail: u32,
    pub mask: u32,
    pub entries: u32,
    /// Requests: flags; completions: overflow.
    pub flags: u32,
    /// Requests: dropped; completions: their entries.
    pub entries_at: u32,
    /// Requests: their numbers.
    pub array: u32,
    pub reserved: u32,
    pub user: u64,
}

/// `struct io_uring_params`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Params {
    pub sq_entries: u32,
    pub cq_entries: u32,
    pub flags: u32,
    pub cpu: u32,
    pub idle: u32,
    pub features: u32,
    pub wq_fd: u32,
    pub reserved: [u32; 3],
    pub sq: Offsets,
    pub cq: Offsets,
}

/// A ring.
#[repr(C)]
pub struct Ring {
    key: AtomicUsize,
    /// Taken by who records completions.
    recording: AtomicU32,
    /// Completions recorded.
    seen: AtomicU32,
    /// Requests recorded, where the program fills the ring by hand.
    pub recorded: AtomicU32,
    /// Those that calls which are under way may submit.
    submitting: AtomicU32,
    params: UnsafeCell<Params>,
    /// The mappings of a ring by hand: requests' numbers, completions, requests.
    pub bases: [AtomicUsize; 3],
}

struct Rings {
    all: [Ring; ROOM],
    /// Requests that the kernel took, and that no call which was seen had submitted.
    unseen: AtomicU64,
}

// SAFETY: atomics, and values that are used by who has the key alone; zero is a value of each: no ring.
unsafe impl Zeroed for Rings {}
// SAFETY: a ring's parameters are written before its key is stored, and read after its key was found.
unsafe impl Sync for Rings {}

static RINGS: Once<Option<&'static Rings>> = Once::new(None);
/// How many rings by hand were made; mappings are looked at only then.
static BY_HAND: AtomicU32 = AtomicU32::new(0);

/// Maps the table. A forked child finds it empty.
pub fn start(starting: &mut Starting) -> bool {
    if RINGS.get().is_none() {
        RINGS.set(starting, sys::map_table().ok());
    }
    RINGS.get().is_some()
}

fn all() -> &'static [Ring] {
    RINGS.get().map_or(&[], |rings| &rings.all)
}

/// The key of a ring by hand: no address is odd.
fn key_of(fd: c_int) -> usize {
    (fd as u32 as usize) << 1 | 1 << 40 | 1
}

/// A ring that is known.
pub fn find(key: usize) -> Option<&'static Ring> {
    all().iter().find(|ring| ring.key.load(Acquire) == key)
}

/// A ring by hand that is known.
pub fn by_hand(fd: c_int) -> Option<&'static Ring> {
    find(key_of(fd))
}

/// Forgets a ring.
pub fn forget(key: usize) {
    if let Some(ring) = find(key) {
        ring.count_unseen();
        ring.key.store(0, Release);
    }
}

/// A ring that begins, or was not seen to begin, of which the program has had `seen` completions.
pub fn begin(key: usize, seen: u32) -> Option<&'static Ring> {
    place(key, seen, None)
}

fn place(key: usize, seen: u32, params: Option<Params>) -> Option<&'static Ring> {
    forget(key);
    let ring = all().iter().find(|ring| {
        ring.key
            .compare_exchange(0, TAKEN, Acquire, Relaxed)
            .is_ok()
    })?;
    for word in [&ring.recording, &ring.recorded, &ring.submitting] {
        word.store(0, Relaxed);
    }
    ring.seen.store(seen, Relaxed);
    ring.bases.iter().for_each(|base| base.store(0, Relaxed));
    if let Some(params) = params {
        // SAFETY: the place is ours while its key is TAKEN.
        unsafe { *ring.params.get() = params };
    }
    ring.key.store(key, Release);
    Some(ring)
}

/// `io_uring_setup` made one.
pub fn made(fd: c_int, params: Params) {
    BY_HAND.fetch_add(1, Relaxed);
    place(key_of(fd), 0, Some(params));
}

/// A mapping was made; what lies there, the offset says.
pub fn mapped(fd: c_int, offset: i64, at: usize) {
    if BY_HAND.load(Relaxed) == 0 {
        return;
    }
    let index = match offset {
        0 => 0,
        0x800_0000 => 1,
        0x1000_0000 => 2,
        _ => return,
    };
    if let Some(base) = by_hand(fd).and_then(|ring| ring.bases.get(index)) {
        base.store(at, Release);
    }
}

/// Memory is about to be given back: a ring that lies there is not followed any more.
pub fn unmapping(at: usize, length: usize) {
    if BY_HAND.load(Relaxed) == 0 {
        return;
    }
    for ring in all() {
        let lies_there = |base: &&AtomicUsize| base.load(Relaxed).wrapping_sub(at) < length;
        let mut gone = ring.bases.iter().filter(lies_there).peekable();
        if gone.peek().is_some() {
            ring.count_unseen();
        }
        gone.for_each(|base| base.store(0, Release));
    }
}

/// Requests that the kernel took since this was last asked, and that no call which was seen had submitted: the program
/// enters a ring by a system call of its own, or a thread of the kernel takes them.
pub fn take_unseen() -> u64 {
    if BY_HAND.load(Relaxed) == 0 {
        return 0;
    }
    all().iter().for_each(Ring::count_unseen);
    RINGS.get().map_or(0, |rings| rings.unseen.swap(0, Relaxed))
}

/// Requests that a call may submit, for as long as it may.
pub struct Submitting {
    ring: &'static Ring,
    count: u32,
}

impl Drop for Submitting {
    fn drop(&mut self) {
        self.ring.submitting.fetch_sub(self.count, Release);
    }
}

impl Ring {
    /// A call is about to submit so many requests.
    pub fn submitting(&'static self, count: u32) -> Submitting {
        self.submitting.fetch_add(count, Acquire);
        Submitting { ring: self, count }
    }

    /// Counts the requests of a ring by hand that the kernel took and no call submitted that was seen. While a call is under
    /// way that submits some, it is not known which are which.
    ///
    /// # Safety
    /// The ring is mapped at this address.
    pub unsafe fn count_unseen_at(&self, base: usize) {
        if self.submitting.load(Acquire) != 0 {
            return;
        }
        let word = |offset: u32| {
            let at = base.wrapping_add(offset as usize) as *const AtomicU32;
            // SAFETY: the kernel keeps the words of a ring at these offsets of its mapping, which is there.
            unsafe { &*at }.load(Acquire)
        };
        let of_requests = self.params().sq;
        let taken = word(of_requests.head).wrapping_sub(word(of_requests.entries_at));
        let unseen = taken.wrapping_sub(self.recorded.load(Relaxed));
        if unseen.cast_signed() > 0 {
            self.recorded.store(taken, Relaxed);
            if let Some(rings) = RINGS.get() {
                rings.unseen.fetch_add(unseen.into(), Relaxed);
            }
        }
    }

    /// The same, wherever it is mapped: the program may have given the memory back by a system call of its own.
    fn count_unseen(&self) {
        let base = self.bases[0].load(Acquire);
        if base == 0 {
            return;
        }
        let of_requests = self.params().sq;
        let offsets = [of_requests.head, of_requests.entries_at];
        if offsets
            .iter()
            .all(|offset| sys::is_writable(base.wrapping_add(*offset as usize)))
        {
            // SAFETY: its words are there.
            unsafe { self.count_unseen_at(base) };
        }
    }

    /// What distinguishes its requests from those of other rings.
    pub fn key(&self) -> usize {
        self.key.load(Relaxed)
    }

    /// Of a ring by hand.
    pub fn params(&self) -> &Params {
        // SAFETY: written before the key was.
        unsafe { &*self.params.get() }
    }

    /// Records the completions up to `tail` that were not recorded yet, of `entries` places; how many had been overwritten.
    /// Another thread that is at it does it for us.
    pub fn record(&self, tail: &AtomicU32, entries: u32, mut record: impl FnMut(u32)) -> u32 {
        if self
            .recording
            .compare_exchange(0, 1, Acquire, Relaxed)
            .is_err()
        {
            return 0;
        }
        let (mut seen, end) = (self.seen.load(Relaxed), tail.load(Acquire));
        let behind = end.wrapping_sub(seen).saturating_sub(entries);
        seen = seen.wrapping_add(behind);
        while seen != end {
            record(seen);
            seen = seen.wrapping_add(1);
            self.seen.store(seen, Relaxed);
        }
        self.recording.store(0, Release);
        behind
    }
}
