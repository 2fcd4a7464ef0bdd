//! A ring of liburing, which the library and its inline functions keep in a structure of the program's.

use super::request::{Completion, Request, begin, key_of, record};
use super::setup::{SETUP_CQE32, SETUP_MIXED, SETUP_SQE128};
use crate::arena;
use crate::life::current;
use crate::state::clock;
use crate::tables::pending;
use crate::tables::rings::{self, Ring};
use crate::thread::Thread;
use core::sync::atomic::{AtomicU32, Ordering::*};

/// `struct io_uring` of liburing, as far as all its versions agree.
#[repr(C)]
pub struct Library {
    requests: Submission,
    completions: Completions,
    flags: u32,
    pub(super) fd: i32,
}

#[repr(C)]
struct Submission {
    head: *const AtomicU32,
    tail: *const AtomicU32,
    mask: *const u32,
    entries: *const u32,
    flags: *const u32,
    dropped: *const u32,
    array: *const u32,
    entries_at: *const Request,
    from: u32,
    to: u32,
    size: usize,
    mapping: usize,
    unused: [u32; 4],
}

#[repr(C)]
struct Completions {
    head: *const AtomicU32,
    tail: *const AtomicU32,
    mask: *const u32,
    entries: *const u32,
    flags: *const u32,
    overflow: *const u32,
    entries_at: *const Completion,
    size: usize,
    mapping: usize,
    unused: [u32; 4],
}

/// A ring of liburing, around a call.
pub(super) struct RingCall {
    ring: &'static Ring,
    library: *const Library,
    thread: &'static Thread,
    /// Requests that the call may submit.
    from: u32,
    to: u32,
}

impl RingCall {
    /// Before the call: records what has completed meanwhile, and notes what is there to be submitted.
    ///
    /// # Safety
    /// `ring` is null or a ring of liburing's, and no other thread submits to it.
    pub(super) unsafe fn before(ring: *const Library) -> Option<RingCall> {
        let thread = current()?;
        // SAFETY: NULL, or a ring that was initialised.
        let library = unsafe { ring.as_ref() }?;
        if library.flags & SETUP_MIXED != 0 {
            return None;
        }
        let known = rings::find(ring.addr()).or_else(|| {
            // SAFETY: a ring that was initialised before we looked.
            let seen = unsafe { library.completions.head.as_ref() }?.load(Relaxed);
            rings::begin(ring.addr(), seen)
        })?;
        let around = RingCall {
            ring: known,
            library: ring,
            thread,
            from: library.requests.from,
            to: library.requests.to,
        };
        around.learn();
        let start = clock::now();
        for request in around.requests() {
            begin(thread, known, request, start);
        }
        Some(around)
    }

    pub(super) fn library(&self) -> &Library {
        // SAFETY: as in `before`.
        unsafe { &*self.library }
    }

    fn requests(&self) -> impl Iterator<Item = &Request> {
        let library = self.library();
        let shift = u32::from(library.flags & SETUP_SQE128 != 0);
        // SAFETY: set by liburing when it made the ring.
        let mask = unsafe { *library.requests.mask };
        let count = self.to.wrapping_sub(self.from).min(mask.wrapping_add(1));
        (0..count).map(move |i| {
            let at = (self.from.wrapping_add(i) & mask) << shift;
            // SAFETY: inside the ring.
            unsafe { &*library.requests.entries_at.add(at as usize) }
        })
    }

    fn learn(&self) {
        let completions = &self.library().completions;
        let shift = u32::from(self.library().flags & SETUP_CQE32 != 0);
        // SAFETY: set by liburing when it made the ring.
        let (tail, mask) = unsafe { (&*completions.tail, *completions.mask) };
        let behind = self.ring.record(tail, mask.wrapping_add(1), |n| {
            let at = (n & mask) << shift;
            // SAFETY: inside the ring.
            let completion = unsafe { &*completions.entries_at.add(at as usize) };
            record(self.thread, self.ring, completion);
        });
        if behind != 0 {
            arena::count_lost(behind.into());
        }
    }

    /// After the call: what it did not submit has not begun.
    pub(super) fn after(self) {
        if self.library().requests.from == self.from {
            for request in self.requests() {
                pending::withdraw(key_of(self.ring, request.user_data));
            }
        }
        self.learn();
    }
}
