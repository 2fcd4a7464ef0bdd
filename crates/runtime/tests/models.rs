//! What several threads change without a lock, in every order in which their steps can come (as far as loom explores it).

#[path = "../src/sys/free_list.rs"]
mod free_list;
#[path = "../src/sys/keyed.rs"]
mod keyed;
#[path = "../src/arena/lock.rs"]
mod lock;
#[path = "../src/sys/seq_lock.rs"]
mod seq_lock;

/// The model checker's in place of the processor's.
mod atomics {
    pub use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
}

/// What the lock wants of the system.
mod sys {
    pub(crate) use super::atomics;
    use atomics::{AtomicU32, Ordering::SeqCst};
    use loom::sync::{Condvar, Mutex};

    pub struct Starting;

    /// Signals do not come in between here.
    pub struct SignalsBlocked;

    impl SignalsBlocked {
        pub fn begin() -> SignalsBlocked {
            SignalsBlocked
        }
    }

    loom::lazy_static! {
        /// Those that sleep in the kernel.
        static ref SLEEPERS: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());
    }

    /// For ever, where the kernel would look again after a while: whoever is not woken is found.
    pub fn wait_while(word: &AtomicU32, value: u32, _: u64) {
        let guard = SLEEPERS.0.lock().expect("nobody panics");
        if word.load(SeqCst) == value {
            drop(SLEEPERS.1.wait(guard));
        }
    }

    pub fn wake_one(_: &AtomicU32) {
        drop(SLEEPERS.0.lock());
        SLEEPERS.1.notify_one();
    }
}

/// Who a thread is, as the lock asks.
mod state {
    pub mod tls {
        use std::cell::Cell;

        loom::thread_local! {
            static NUMBER: Cell<usize> = Cell::new(0);
        }

        pub fn set(number: usize) {
            NUMBER.with(|own| own.set(number));
        }

        pub fn address() -> usize {
            NUMBER.with(Cell::get)
        }
    }
}

use atomics::{AtomicU32, AtomicU64, AtomicUsize};
use free_list::FreeList;
use keyed::CheckedSlot;
use lock::Lock;
use loom::sync::Arc;
use loom::thread;
use seq_lock::SeqLock;

/// At most so many times a thread is interrupted by another one: more are explored in hours alone.
fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(check);
}

struct Numbers {
    free: FreeList,
    next: [AtomicU32; 3],
    /// 1 while somebody has the number.
    taken: [AtomicU32; 3],
}

impl Numbers {
    fn next(&self, number: u32) -> Option<&AtomicU32> {
        self.next.get((number as usize).checked_sub(1)?)
    }

    fn give(&self, number: u32) {
        let next = self.next(number).expect("a number");
        self.free.give(number, next);
    }

    fn take_and_give(&self) {
        let Some(number) = self.free.take(|number| self.next(number)) else {
            return;
        };
        let taken = &self.taken[number as usize - 1];
        assert_eq!(taken.swap(1, atomics::Ordering::Relaxed), 0, "taken twice");
        taken.store(0, atomics::Ordering::Relaxed);
        self.give(number);
    }
}

#[test]
fn a_number_is_never_taken_twice_and_none_is_lost() {
    model(|| {
        let numbers = Arc::new(Numbers {
            free: FreeList::of(AtomicU64::new(0)),
            next: [0; 3].map(AtomicU32::new),
            taken: [0; 3].map(AtomicU32::new),
        });
        (1..=3).for_each(|number| numbers.give(number));
        let other = numbers.clone();
        let thread = thread::spawn(move || {
            other.take_and_give();
            other.take_and_give();
        });
        numbers.take_and_give();
        thread.join().expect("it does not panic");
        let mut left = [0; 3].map(|_| numbers.free.take(|number| numbers.next(number)));
        left.sort();
        assert_eq!(left, [Some(1), Some(2), Some(3)]);
        numbers.free.clear();
        assert_eq!(numbers.free.take(|number| numbers.next(number)), None);
    });
}

/// Bytes as two words have them, of which neither is from another change.
fn is_whole(bytes: &[u8; 16], length: usize) -> bool {
    length == 16 && bytes.iter().all(|byte| *byte == bytes[0]) && bytes[0] != 0
}

#[test]
fn bytes_are_read_whole_or_not_at_all() {
    model(|| {
        let words = [0; 2].map(AtomicU64::new);
        let seq_lock = SeqLock::of(AtomicU32::new(0), AtomicU32::new(0), words);
        let (seq_lock, value) = (Arc::new(seq_lock), Arc::new(AtomicU32::new(1)));
        let look = |value: &AtomicU32, words: &mut [u64; 2]| {
            let byte = value.load(atomics::Ordering::SeqCst) as u8;
            seq_lock::fill(words, &[byte; 16])
        };
        seq_lock.settle();
        seq_lock.changed(|words| look(&value, words));
        let changers = (2..4).map(|byte| {
            let (seq_lock, value) = (seq_lock.clone(), value.clone());
            thread::spawn(move || {
                value.store(byte, atomics::Ordering::SeqCst);
                seq_lock.changed(|words| look(&value, words));
            })
        });
        let changers: Vec<_> = changers.collect();
        let mut bytes = [0; 16];
        if let Some(length) = seq_lock.read(&mut bytes) {
            assert!(is_whole(&bytes, length), "{bytes:?}");
        }
        for changer in changers {
            changer.join().expect("it does not panic");
        }
        assert!(seq_lock.changes().is_multiple_of(2), "all changes ended");
        let last = [u64::from_le_bytes([value.load(atomics::Ordering::SeqCst) as u8; 8]); 2];
        assert!(!seq_lock.differ(&last, 16), "the last change is there");
    });
}

#[test]
fn a_value_is_never_read_with_the_key_of_another() {
    model(|| {
        let keyed = Arc::new(CheckedSlot::of([0; 2].map(AtomicU64::new)));
        let storers = [(0x51, 1), (0x92, 2)].map(|(key, value)| {
            let keyed = keyed.clone();
            thread::spawn(move || {
                keyed.set(key, value);
                keyed.forget(key ^ 1);
            })
        });
        let read = || (keyed.get(0x51), keyed.get(0x92));
        let (first, second) = read();
        assert!(matches!(first, None | Some(1)), "{first:?}");
        assert!(matches!(second, None | Some(2)), "{second:?}");
        for storer in storers {
            storer.join().expect("it does not panic");
        }
        let last = read();
        assert!(
            matches!(last, (Some(1), None) | (None, Some(2)) | (None, None)),
            "{last:?}"
        );
        keyed.set(0x51, 3);
        assert_eq!(read(), (Some(3), None));
        keyed.forget(0x92);
        assert_eq!(keyed.get(0x51), Some(3), "that of another key");
        keyed.forget(0x51);
        assert_eq!(read(), (None, None));
    });
}

#[test]
fn one_thread_at_a_time_has_what_is_locked_and_nobody_waits_for_ever() {
    model(|| {
        let words = (AtomicUsize::new(0), AtomicU32::new(0), AtomicU32::new(0));
        let lock = Arc::new(Lock::of(words.0, words.1, words.2, [0u8; 2]));
        lock.free(&mut sys::Starting);
        let add = |lock: &Lock<[u8; 2]>, number| {
            state::tls::set(number);
            let mut both = lock.lock().expect("not ours");
            assert!(lock.lock().is_none(), "its owner is refused");
            assert_eq!(both[0], both[1], "somebody else is at it");
            both[0] += 1;
            loom::thread::yield_now();
            both[1] += 1;
        };
        let others = (1..3).map(|number| {
            let lock = lock.clone();
            thread::spawn(move || add(&lock, number))
        });
        let others: Vec<_> = others.collect();
        add(&lock, 3);
        for other in others {
            other.join().expect("it does not panic");
        }
        assert_eq!(*lock.lock().expect("free"), [3, 3]);
    });
}
