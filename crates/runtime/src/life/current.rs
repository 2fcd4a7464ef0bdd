//! Whose state a call is recorded in. The first call of a process starts the tracer.

use super::start;
use crate::state::early;
use crate::sys;
use crate::thread::{self, Thread};

/// The calling thread's state, if its calls are recorded.
#[inline(always)]
pub fn current() -> Option<&'static Thread> {
    Thread::ready().or_else(first_call)
}

#[cold]
#[inline(never)]
fn first_call() -> Option<&'static Thread> {
    if !early::look() {
        return None;
    }
    let (marker, own) = (0u8, thread::own());
    let frame = (&raw const marker).addr();
    let is_not_its = |thread: &Thread| thread.vfork().op != 0 || thread.asks(frame);
    if thread::is_silent() || own.is_some_and(is_not_its) {
        return None;
    }
    if let Some(ready) = Thread::ready() {
        return Some(ready);
    }
    if let Some(shared) = own.filter(|thread| thread.is_shared()) {
        return shared.if_own();
    }
    let errno = sys::errno();
    let thread = start::ensure().then(Thread::wanted).flatten();
    sys::set_errno(errno);
    thread
}
