//! How much of a stack is there: what is read of it for a caller, or as a call's arguments, is never beyond it.

use crate::state::tls;
use crate::sys;
use crate::thread::Thread;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// No page is smaller.
const PAGE: usize = 4096;
/// Pages of a stack that are looked at for one call.
const MOST_PAGES: usize = 2048;

/// Whether so many bytes of the thread's own stack are there. False of any other stack.
pub fn holds(thread: &Thread, address: usize, length: usize) -> bool {
    let is_known = || thread.stack_holds(address, length);
    sys::is_in_one_page(address, length) || is_known() || learn(thread, address) && is_known()
}

/// How many of the `wanted` bytes at an address of a stack can be read.
#[inline(always)]
pub fn readable(thread: &Thread, address: usize, wanted: usize) -> usize {
    if sys::is_in_one_page(address, wanted) || thread.stack_holds(address, wanted) {
        return wanted;
    }
    beyond_page(thread, address, wanted)
}

#[cold]
#[inline(never)]
fn beyond_page(thread: &Thread, address: usize, wanted: usize) -> usize {
    if learn(thread, address) && thread.stack_holds(address, wanted) {
        return wanted;
    }
    // A stack that the program made itself, of which nothing is known a moment later.
    let in_page = PAGE.wrapping_sub(address % PAGE);
    let rest = wanted.wrapping_sub(in_page);
    if sys::is_readable(address.wrapping_add(in_page), rest) {
        return wanted;
    }
    in_page & !7
}

/// Whether the thread's own stack is what the address lies in: all pages are there, up to what stands above each stack.
fn learn(thread: &Thread, address: usize) -> bool {
    let Some(top) = top(address) else {
        return false;
    };
    let low = address & !(PAGE - 1);
    let known = thread.stack();
    let end = if known.1 == top { known.0 } else { top };
    if end < low || end.wrapping_sub(low) / PAGE > MOST_PAGES {
        return false;
    }
    let is_whole = sys::is_readable(low, end.wrapping_sub(low));
    if is_whole {
        thread.set_stack((low, top));
    }
    is_whole
}

/// A thread's variables stand above its stack; above that of the first one the name of the program does.
fn top(address: usize) -> Option<usize> {
    let top = if sys::thread_id() == sys::process_id() {
        PROGRAM_NAME.load(Relaxed)
    } else {
        tls::address()
    };
    (top > address).then_some(top)
}

/// Whether a thread is known to be the program's first one.
pub fn is_of_first(thread: &Thread) -> bool {
    let top = thread.stack().1;
    top != 0 && top == PROGRAM_NAME.load(Relaxed)
}

/// Where the kernel put the program's name.
static PROGRAM_NAME: AtomicUsize = AtomicUsize::new(0);

/// Asks for what is to be known before the first call.
pub fn start() {
    PROGRAM_NAME.store(sys::auxiliary(libc::AT_EXECFN), Relaxed);
}
