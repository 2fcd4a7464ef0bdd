//! Whether the tracer runs in this process.

use crate::sys;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU32, Ordering::*};

/// How far it is. In a forked child the number of the thread that starts it stands above [`STARTING`].
pub const NOT_STARTED: u32 = 0;
pub const STARTING: u32 = 1;
pub const ACTIVE: u32 = 2;
pub const OFF: u32 = 3;
/// The bits of all of them.
pub const PHASES: u32 = 3;

/// The phase lies in memory that a forked child finds zeroed, which is "not started".
static PHASE: AtomicPtr<AtomicU32> = AtomicPtr::new(ptr::null_mut());
/// Before that memory is mapped.
static FIRST: AtomicU32 = AtomicU32::new(NOT_STARTED);

/// The word that holds it.
#[inline(always)]
pub fn word() -> &'static AtomicU32 {
    // SAFETY: null, or mapped for as long as the process lives.
    unsafe { PHASE.load(Acquire).as_ref() }.unwrap_or(&FIRST)
}

/// True before the tracer was started in this process or in one that forked it.
pub fn is_first() -> bool {
    PHASE.load(Acquire).is_null()
}

/// Maps the word, while the tracer starts: a thread that comes meanwhile finds that it does.
pub fn start() -> bool {
    let Ok(word) = sys::map_table::<AtomicU32>() else {
        return false;
    };
    word.store(STARTING, Relaxed);
    PHASE.store(ptr::from_ref(word).cast_mut(), Release);
    true
}

/// True while calls are recorded.
pub fn is_active() -> bool {
    word().load(Acquire) == ACTIVE
}

/// Flags of all calls that are made now.
static NOW: AtomicU16 = AtomicU16::new(0);

/// From now on calls have these flags.
pub fn set_flags(flags: u16) {
    NOW.store(flags, Relaxed);
}

/// What is said of all calls that are made now.
#[inline(always)]
pub fn flags() -> u16 {
    NOW.load(Relaxed)
}
