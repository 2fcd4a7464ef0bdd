//! Something that is to happen once, when the program has come so far: at a path that it opens it is asked whether it has.

use crate::sys;
use core::sync::atomic::{AtomicUsize, Ordering::*};

/// What is called; 0: nothing is awaited.
static CALLED: AtomicUsize = AtomicUsize::new(0);

/// Returns true when there is nothing more to wait for.
pub type Attempt = fn() -> bool;

/// Has it called at each path, until it returns true.
pub fn until(attempt: Attempt) {
    CALLED.store(attempt as usize, Release);
}

/// The program opened a path.
#[inline(always)]
pub fn look() {
    if CALLED.load(Relaxed) != 0 {
        attempt();
    }
}

#[cold]
#[inline(never)]
fn attempt() {
    // Nobody else tries meanwhile, nor what the attempt itself opens.
    let held = CALLED.swap(0, AcqRel);
    if held == 0 {
        return;
    }
    // SAFETY: only what `until` was given is ever held.
    let attempt = unsafe { core::mem::transmute::<usize, Attempt>(held) };
    if !sys::quietly(attempt) {
        CALLED.store(held, Release);
    }
}
