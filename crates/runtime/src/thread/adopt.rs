//! A state for a thread: that of one that has ended, or a new one.

use super::recorded;
use super::refused;
use super::sealing::{self, Unfilled};
use super::state::{NUMBERS, THREADS, Thread, all};
use crate::arena;
use crate::state::{job, tls};
use crate::sys::{self, SignalsBlocked};
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};

/// The state that is asked for next.
static ASKED: AtomicPtr<Thread> = AtomicPtr::new(core::ptr::null_mut());
/// How many are asked for at a time.
const ASKS: usize = 32;

impl Thread {
    /// A state for the calling thread. Where there is no memory for one, its calls are lost, and few of them ask again.
    pub fn wanted() -> Option<&'static Thread> {
        // Another process in our memory is none of ours.
        if sys::process_id() != job::pid() {
            return None;
        }
        let thread = refused::asks().then(Thread::adopt).flatten();
        match thread {
            Some(_) => refused::no_more(),
            None => arena::count_lost(1),
        }
        thread
    }

    /// Takes a state that an ended thread left, or maps a new one.
    pub(super) fn adopt() -> Option<&'static Thread> {
        let _undisturbed = SignalsBlocked::begin();
        let me = sys::thread_id();
        let thread = Thread::reuse(me).or_else(|| Thread::map(me))?;
        thread.number.set(NUMBERS.fetch_add(1, Relaxed));
        thread.calls.store(0, Relaxed);
        thread.recorded.end();
        thread.current.set(0);
        thread.storing_frame.set(0);
        thread.naming.begin(thread.slot());
        thread.asking_frame.set(0);
        thread.regions.forget();
        thread.vfork.take();
        thread.library.take();
        thread.shared.take();
        thread.due.set(
            thread
                .slot()
                .places
                .sealed
                .load(Relaxed)
                .wrapping_add(sealing::SLICE),
        );
        // SAFETY: the slot is this thread's from now on.
        unsafe { (*thread.slot).set_thread(thread.number.get()) };
        tls::set(core::ptr::from_ref(thread).cast_mut().cast());
        thread.set_ready();
        Some(thread)
    }

    /// The state of a thread that has ended, with all that it stored sealed. Nothing tells the end of a thread: what
    /// could (a key's destructor, `__cxa_thread_atexit_impl`) allocates, or makes a static program believe that it has
    /// all of the thread library. The kernel is asked instead, when a state is wanted.
    ///
    /// A few states are asked for at a time, so that the cost does not grow with the number of threads: while few have ended
    /// there are some more states than threads.
    fn reuse(me: u32) -> Option<&'static Thread> {
        let mut next = ASKED.load(Relaxed);
        for _ in 0..ASKS {
            // SAFETY: states are never unmapped while they are in the list.
            let thread = unsafe { next.as_ref() }.or_else(|| all().next())?;
            if thread.is_left_to(me) {
                return Some(thread);
            }
            next = thread.next;
            ASKED.store(next, Relaxed);
        }
        None
    }

    /// Takes it for the calling thread, if nobody uses it.
    fn is_left_to(&self, me: u32) -> bool {
        let owner = self.owner.load(Relaxed);
        let unfilled = match owner == me {
            // A store of this very thread may be interrupted, and go on.
            true => Unfilled::Awaited,
            false if sys::thread_lives(owner) => return false,
            false => Unfilled::Abandoned,
        };
        let taken = self.owner.compare_exchange(owner, me, Acquire, Relaxed);
        taken.is_ok() && self.is_free_after_sealing(unfilled)
    }

    fn is_free_after_sealing(&self, unfilled: Unfilled) -> bool {
        self.seal(unfilled);
        let slot = self.slot();
        let is_empty = slot.places.stored.load(Relaxed) == slot.places.sealed.load(Relaxed);
        is_empty && (slot.places.has_room() || arena::grow(slot))
    }

    fn map(me: u32) -> Option<&'static Thread> {
        let thread = sys::map_private(size_of::<Thread>(), true)
            .ok()?
            .cast::<Thread>();
        let Some(slot) = arena::new_slot() else {
            // SAFETY: just mapped, and nobody knows it.
            unsafe { sys::unmap(thread.cast(), size_of::<Thread>()) };
            return None;
        };
        // SAFETY: fresh zeroed memory, of which zero is a valid state; nobody else knows it yet.
        unsafe {
            (*thread).slot = slot;
            (*thread).owner = AtomicU32::new(me);
            let mut head = THREADS.load(Acquire);
            loop {
                (*thread).next = head;
                match THREADS.compare_exchange_weak(head, thread, AcqRel, Acquire) {
                    Ok(_) => return thread.as_ref(),
                    Err(now) => head = now,
                }
            }
        }
    }
}

/// In a forked child: the parent's threads are not ours.
pub fn forget_all() {
    THREADS.store(core::ptr::null_mut(), Release);
    ASKED.store(core::ptr::null_mut(), Relaxed);
    NUMBERS.store(0, Relaxed);
    recorded::forget();
}
