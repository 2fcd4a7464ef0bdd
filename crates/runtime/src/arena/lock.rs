//! A lock that owns what it guards. Who waits sleeps: thousands of threads may. Signals wait meanwhile, and a handler that
//! wants what its own thread holds is refused, since waiting would never end.

use crate::state::tls;
use crate::sys::atomics::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use crate::sys::{self, SignalsBlocked, Starting};
use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

/// For how long at most somebody sleeps before it looks again.
const SLEEP_NS: u64 = 1_000_000_000;

/// A value and the right to it.
#[repr(C)]
pub struct Lock<T> {
    /// The address of the owner's own word ([`tls::address`]); 0 when free.
    owner: AtomicUsize,
    /// How many wait, and how often one of them was woken.
    waiting: AtomicU32,
    turn: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: the one `Guard` there is hands the value out.
unsafe impl<T: Send> Sync for Lock<T> {}

/// The right to the value, given back when it goes out of scope.
pub struct Guard<'l, T> {
    lock: &'l Lock<T>,
    _undisturbed: SignalsBlocked,
}

impl<T> Lock<T> {
    /// Of this value; the words are all 0.
    pub const fn of(owner: AtomicUsize, waiting: AtomicU32, turn: AtomicU32, value: T) -> Lock<T> {
        Lock {
            owner,
            waiting,
            turn,
            value: UnsafeCell::new(value),
        }
    }

    /// Frees it: whoever held it in the parent of a forked child is not there.
    pub fn free(&self, _: &mut Starting) {
        self.owner.store(0, SeqCst);
        self.waiting.store(0, SeqCst);
    }

    /// Waits for the right to the value; none for its owner.
    pub fn lock(&self) -> Option<Guard<'_, T>> {
        let (me, signal_guard) = (tls::address(), SignalsBlocked::begin());
        let mut is_waiting = false;
        loop {
            let turn = self.turn.load(SeqCst);
            match self.owner.compare_exchange(0, me, SeqCst, SeqCst) {
                Ok(_) => break,
                Err(owner) if owner == me => return None,
                // Its owner wakes one of those that wait.
                Err(_) if is_waiting => sys::wait_while(&self.turn, turn, SLEEP_NS),
                Err(_) => {
                    self.waiting.fetch_add(1, SeqCst);
                    is_waiting = true;
                }
            }
        }
        self.waiting.fetch_sub(u32::from(is_waiting), SeqCst);
        Some(Guard {
            lock: self,
            _undisturbed: signal_guard,
        })
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.lock.owner.swap(0, SeqCst);
        if self.lock.waiting.load(SeqCst) != 0 {
            self.lock.turn.fetch_add(1, SeqCst);
            sys::wake_one(&self.lock.turn);
        }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: there is no other guard.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: there is no other guard.
        unsafe { &mut *self.lock.value.get() }
    }
}
