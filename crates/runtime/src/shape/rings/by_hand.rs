//! A ring that the program makes, maps and fills itself.

use super::request::{Completion, Request, begin, key_of, record};
use super::setup::{
    SETUP_CQE32, SETUP_MIXED, SETUP_NO_MMAP, SETUP_NO_SQARRAY, SETUP_SQE128, SETUP_SQPOLL,
};
use crate::arena;
use crate::life::current;
use crate::state::clock;
use crate::tables::pending;
use crate::tables::rings::{self, Ring, Submitting};
use crate::thread::Thread;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering::*};

// Of the kernel's interface: `IORING_FEAT_`, `IORING_ENTER_`.
const SINGLE_MAPPING: u32 = 1;
const REGISTERED_RING: u32 = 1 << 4;

/// A ring by hand, whose memory the program has mapped.
pub(super) struct ByHand {
    ring: &'static Ring,
    thread: &'static Thread,
    requests: usize,
    completions: usize,
    entries: usize,
    /// Requests that the call is to submit, from which on.
    from: u32,
    count: u32,
    _submitting: Submitting,
}

/// A word in a mapping.
///
/// # Safety
/// The kernel said that it lies there.
unsafe fn word<'m>(base: usize, offset: u32) -> &'m AtomicU32 {
    // SAFETY: the kernel keeps a word of the ring at this offset of its mapping, which is still there.
    unsafe { &*(base.wrapping_add(offset as usize) as *const AtomicU32) }
}

impl ByHand {
    /// # Safety
    /// The ring's mappings are still there.
    pub(super) unsafe fn before(fd: c_int, submit: u32, flags: u32) -> Option<ByHand> {
        let (thread, ring) = (current()?, rings::by_hand(fd)?);
        let params = ring.params();
        let unknown = SETUP_SQPOLL | SETUP_NO_MMAP | SETUP_MIXED;
        if flags & REGISTERED_RING != 0 || params.flags & unknown != 0 {
            return None;
        }
        let [requests, completions, entries] =
            [0, 1, 2].map(|i| ring.bases.get(i).map_or(0, |base| base.load(Acquire)));
        let completions = if params.features & SINGLE_MAPPING != 0 {
            requests
        } else {
            completions
        };
        if requests == 0 || completions == 0 || entries == 0 {
            return None;
        }
        // SAFETY: the caller's.
        unsafe { ring.count_unseen_at(requests) };
        let from = ring.recorded.load(Relaxed);
        // SAFETY: the kernel's own offset.
        let tail = unsafe { word(requests, params.sq.tail) }.load(Acquire);
        let count = tail.wrapping_sub(from).min(submit).min(params.sq_entries);
        let by_hand = ByHand {
            ring,
            thread,
            requests,
            completions,
            entries,
            from,
            count,
            _submitting: ring.submitting(count),
        };
        by_hand.learn();
        let start = clock::now();
        for request in by_hand.submitted(0) {
            begin(thread, ring, request, start);
        }
        Some(by_hand)
    }

    /// The requests that are to be submitted, but for the first ones.
    fn submitted(&self, first: u32) -> impl Iterator<Item = &Request> {
        let params = self.ring.params();
        let shift = u32::from(params.flags & SETUP_SQE128 != 0);
        let mask = params.sq_entries.wrapping_sub(1);
        (first..self.count).map(move |i| {
            let place = self.from.wrapping_add(i) & mask;
            let at = if params.flags & SETUP_NO_SQARRAY != 0 {
                place
            } else {
                let offset = params.sq.array.wrapping_add(place.wrapping_mul(4));
                // SAFETY: the kernel's own offset.
                unsafe { word(self.requests, offset) }.load(Relaxed) & mask
            };
            let entries = self.entries as *const Request;
            // SAFETY: inside the ring.
            unsafe { &*entries.add((at << shift) as usize) }
        })
    }

    fn learn(&self) {
        let params = self.ring.params();
        let shift = u32::from(params.flags & SETUP_CQE32 != 0);
        let mask = params.cq_entries.wrapping_sub(1);
        // SAFETY: the kernel's own offset.
        let tail = unsafe { word(self.completions, params.cq.tail) };
        let first = self.completions.wrapping_add(params.cq.entries_at as usize);
        let behind = self.ring.record(tail, params.cq_entries, |n| {
            let at = ((n & mask) << shift) as usize;
            // SAFETY: inside the ring.
            record(self.thread, self.ring, unsafe {
                &*(first as *const Completion).add(at)
            });
        });
        if behind != 0 {
            arena::count_lost(behind.into());
        }
    }

    /// So many were submitted.
    pub(super) fn after(self, submitted: u32) {
        let submitted = submitted.min(self.count);
        for request in self.submitted(submitted) {
            pending::withdraw(key_of(self.ring, request.user_data));
        }
        self.ring
            .recorded
            .store(self.from.wrapping_add(submitted), Relaxed);
        self.learn();
    }
}
