//! A call's record on its way into the thread's ring.

use super::sealing::{self, Unfilled};
use super::state::Thread;
use crate::arena;
use crate::sys::{self, SignalsBlocked};
use core::sync::atomic::Ordering::*;
use iota_trace::spool::Slot;
use iota_trace::{Details, Record};

impl Thread {
    /// Stores one record, and has them encoded when there is a slice.
    #[inline(always)]
    pub fn store(&self, record: Record, frame: usize) {
        self.storing(1, frame, |slot, at| {
            // SAFETY: the place is ours.
            unsafe { slot.put(at, record) }
        });
    }

    /// Stores an event of two records.
    #[inline(never)]
    pub fn store_pair(&self, record: Record, more: Record, frame: usize) {
        self.storing(2, frame, |slot, at| {
            // SAFETY: the places are ours.
            unsafe { slot.put_pair(at, record, more) }
        });
    }

    /// Stores an event with details, and perhaps of two records besides.
    #[inline(never)]
    pub fn store_detailed(
        &self,
        record: Record,
        more: Option<Record>,
        (details, stack): (&[Details], Option<&Details>),
        frame: usize,
    ) {
        if let (None, [], None) = (stack, details, more) {
            return self.store(record, frame);
        }
        // Most calls that have details have one record of them.
        if let ([details], None, None) | ([], Some(details), None) = (details, stack, more)
            && let Some(only) = details.only_record(record.id)
        {
            return self.storing(2, frame, |slot, at| {
                // SAFETY: the places are ours.
                unsafe { slot.put_detailed(at, record, None, [only].into_iter()) }
            });
        }
        let following = || {
            details
                .iter()
                .chain(stack)
                .flat_map(|details| details.records(record.id))
        };
        let places = following()
            .count()
            .wrapping_add(1 + usize::from(more.is_some()));
        self.storing(places as u64, frame, |slot, at| {
            // SAFETY: the places are ours.
            unsafe { slot.put_detailed(at, record, more, following()) }
        });
    }

    /// A signal handler may come in between with records of its own. While it does, the place of the store that it
    /// interrupted may be unfilled; where no store is interrupted, no place will be filled any more.
    #[inline(always)]
    fn storing(&self, places: u64, frame: usize, put: impl FnOnce(&Slot, u64)) {
        let interrupted = self.interrupted(frame);
        if interrupted == 0 {
            self.storing_frame.set(frame);
        }
        // The record is put in one place of the program: elsewhere the compiler would keep it ready for each of them.
        let (slot, at) = match self.slot().places.reserve(places) {
            Some(at) => (self.slot, at),
            None => self.with_room(places, interrupted),
        };
        // SAFETY: null, or a slot, which stays mapped.
        if let Some(slot) = unsafe { slot.as_ref() } {
            put(slot, at);
        }
        if self.slot().places.stored.load(Relaxed) >= self.due.get() {
            self.slice_full(interrupted);
        }
        self.storing_frame.set(interrupted);
    }

    /// The frame of the store that this one interrupted; 0: of none.
    #[inline(always)]
    fn interrupted(&self, frame: usize) -> usize {
        let storing = self.storing_frame.get();
        if storing != 0 && sys::interrupts(frame, storing) {
            storing
        } else {
            0
        }
    }

    /// Places where the ring has none; with a null slot there are none, and the call is lost.
    #[cold]
    #[inline(never)]
    fn with_room(&self, places: u64, interrupted: usize) -> (*mut Slot, u64) {
        match self.more_room(places, Unfilled::of(interrupted)) {
            Some((thread, at)) => (thread.slot, at),
            None => {
                arena::count_lost(1);
                (core::ptr::null_mut(), 0)
            }
        }
    }

    /// The ring is full as far as it goes: more of it, or its records sealed, or another ring. The thread goes on with
    /// another where the place of an interrupted store holds this one up.
    fn more_room(&self, places: u64, unfilled: Unfilled) -> Option<(&Thread, u64)> {
        let errno = sys::errno();
        let signal_guard = SignalsBlocked::begin();
        let mut found = None;
        while found.is_none() && arena::grow(self.slot()) {
            found = self.slot().places.reserve(places);
        }
        if found.is_none() {
            self.sealing(|slot, calls, work| sealing::seal(slot, calls, work, unfilled));
            found = self.slot().places.reserve(places);
        }
        let found = found.map(|at| (self, at)).or_else(|| {
            let other = Thread::adopt()?;
            Some((other, other.slot().places.reserve(places)?))
        });
        drop(signal_guard);
        sys::set_errno(errno);
        found
    }

    #[cold]
    #[inline(never)]
    fn slice_full(&self, interrupted: usize) {
        let (errno, unfilled) = (sys::errno(), Unfilled::of(interrupted));
        self.sealing(|slot, calls, work| sealing::advance(slot, calls, work, unfilled));
        let stored = self.slot().places.stored.load(Relaxed);
        self.due.set(stored.wrapping_add(sealing::SLICE));
        sys::set_errno(errno);
    }
}
