//! How much memory the readers take: every allocation is counted, and a command that would need more than the limit ends
//! with a message that names it. So no trace, however it was made, takes the machine down.

use crate::names;
use anyhow::Context;
use iota_output::temp_guard;
use iota_quantity as units;
use iota_trace::read::place;
use std::alloc::{GlobalAlloc, Layout, System};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, Ordering::Relaxed};
use std::thread::available_parallelism;

/// What says how much it may be
const SETTING: &str = "IOTA_MEMORY";
/// Without it
const USUAL: u64 = 512 << 20;
/// or so much for each core, because each works with memory of its own
const EACH_CORE: u64 = 128 << 20;
/// An eighth of it is for what is not counted: the program, stacks, and what the allocator keeps of freed memory.
const RESERVE: u64 = 8;
/// Pieces of so many bytes go back to the system as soon as they are freed. The allocator would keep ever larger ones, half
/// as much again as is in use where there are many ranks.
const LARGE: libc::c_int = 1 << 20;
/// Counts of bytes, among which threads are spread, so that few share one
const COUNTS: usize = 64;
/// A count that passes a multiple of so many bytes has all of them added up.
const STEP: isize = 1 << 17;

static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);
static COUNTED: [Count; COUNTS] = [const { Count(AtomicIsize::new(0)) }; COUNTS];
static REFUSED: AtomicBool = AtomicBool::new(false);

/// A count on a cache line of its own
#[repr(align(128))]
struct Count(AtomicIsize);

/// The system's allocator, counted
struct Counted;

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// From here on memory is limited.
pub fn limit() -> anyhow::Result<()> {
    let limit = match std::env::var(SETTING) {
        Ok(set) => units::bytes_given(&set).map_err(|cause| anyhow::anyhow!("{set:?}: {cause}")),
        Err(_) => Ok(USUAL.max(EACH_CORE * cores())),
    };
    let limit = limit.context(SETTING)?;
    iota_trace::read::limit_memory(limit);
    LIMIT.store(limit, Relaxed);
    give_back(LARGE);
    Ok(())
}

#[cfg(target_env = "gnu")]
fn give_back(large: libc::c_int) {
    // SAFETY: it sets a number of the allocator's, which checks it.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, large) };
}

#[cfg(not(target_env = "gnu"))]
fn give_back(_: libc::c_int) {}

fn cores() -> u64 {
    available_parallelism().map_or(1, NonZero::get) as u64
}

/// Counts what is taken, or given back.
fn count(bytes: isize) {
    let count = &COUNTED[place_of_thread()].0;
    let before = count.fetch_add(bytes, Relaxed);
    if bytes > 0 && before / STEP != (before + bytes) / STEP {
        check();
    }
}

/// Stacks of different threads are far apart.
fn place_of_thread() -> usize {
    let here = 0u8;
    let page = std::ptr::from_ref(&here).addr() >> 16;
    page.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58
}

#[cold]
fn check() {
    let taken: isize = COUNTED.iter().map(|count| count.0.load(Relaxed)).sum();
    let limit = LIMIT.load(Relaxed);
    if taken.max(0) as u64 > limit - limit / RESERVE {
        refuse(limit);
    }
}

/// Ends the command: whoever needs the memory cannot go on without it. What is not whole goes away.
#[cold]
fn refuse(limit: u64) -> ! {
    if REFUSED.swap(true, Relaxed) {
        loop {
            // SAFETY: waits until the thread that says it has ended the process.
            unsafe { libc::pause() };
        }
    }
    LIMIT.store(u64::MAX, Relaxed);
    temp_guard::remove_all();
    let text = format!("iota: {}\n", message(limit));
    // SAFETY: a buffer and its length; then the process ends without running anything else.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        libc::_exit(crate::failure::FAILED.into())
    }
}

fn message(limit: u64) -> String {
    let place = place::last().map_or(String::new(), |(file, offset)| {
        format!("{}: byte {offset}: ", names::path(&file))
    });
    format!(
        "{place}more than {} of memory would be needed, which is the limit; select fewer calls, or set {SETTING} to more",
        units::bytes(limit)
    )
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: passed on as it came: a layout or a piece of this allocator is one of the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: passed on as it came: a layout or a piece of this allocator is one of the system's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: passed on as it came: a layout or a piece of this allocator is one of the system's.
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old piece may stay until its bytes are copied.
        count(size as isize - layout.size() as isize);
        // SAFETY: passed on as it came: a layout or a piece of this allocator is one of the system's.
        unsafe { System.realloc(start, layout, size) }
    }
}
