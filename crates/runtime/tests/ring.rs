//! A thread that stores records in its ring while another one seals them, in every order in which their steps can come,
//! and with every value that the memory's rules let them see. The other thread is the one that ends the process, or adopts
//! the state. Where a rule that the ring relies on is left out, the model must fail.

#[path = "../src/sys/claim.rs"]
mod claim;
#[allow(dead_code, reason = "what is asked of it besides")]
#[path = "../../trace/src/places.rs"]
mod places;

/// What one thread and its signal handlers change.
mod unlocked_atomic {
    use super::atomics::{AtomicU64, Ordering::Relaxed};

    pub fn fetch_add(number: &AtomicU64, more: u64) -> u64 {
        number.fetch_add(more, Relaxed)
    }
}

/// The model checker's in place of the processor's. One rule can be left out.
mod atomics {
    pub use loom::sync::atomic::Ordering;
    use std::cell::Cell;

    thread_local! {
        /// Of all threads of a model: they take turns in one.
        pub static LEFT_OUT: Cell<Option<Ordering>> = const { Cell::new(None) };
    }

    fn left(order: Ordering) -> Ordering {
        if LEFT_OUT.get() == Some(order) {
            Ordering::Relaxed
        } else {
            order
        }
    }

    macro_rules! atomics {
        ($($name:ident of $number:ty),*) => { $(
            pub struct $name(loom::sync::atomic::$name);

            #[allow(dead_code, reason = "each is used as the code under test needs it")]
            impl $name {
                pub fn new(value: $number) -> $name {
                    $name(loom::sync::atomic::$name::new(value))
                }

                pub fn load(&self, order: Ordering) -> $number {
                    self.0.load(left(order))
                }

                pub fn store(&self, value: $number, order: Ordering) {
                    self.0.store(value, left(order));
                }

                pub fn fetch_add(&self, more: $number, order: Ordering) -> $number {
                    self.0.fetch_add(more, left(order))
                }

                pub fn compare_exchange(
                    &self,
                    from: $number,
                    to: $number,
                    order: Ordering,
                    or: Ordering,
                ) -> Result<$number, $number> {
                    self.0.compare_exchange(from, to, left(order), left(or))
                }
            }
        )* };
    }
    atomics!(AtomicU32 of u32, AtomicU64 of u64);
}

use atomics::{AtomicU32, AtomicU64, LEFT_OUT, Ordering, Ordering::*};
use claim::Claim;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use places::{CommitWord, Places};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Two places, so that a few calls fill the ring more than once.
type Two = Places<2, 0>;

/// What a filled place says besides its turn.
const FILLED: u64 = 1;

/// What is done wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Nothing,
    /// A place is marked before it is filled.
    MarkedEarly,
    /// Any record counts, also one of a turn before.
    AnyTurn,
    /// Places are freed before their records are in a block.
    FreedEarly,
    /// A place that its thread may still fill is read.
    ReadUnfilled,
    /// Two seal at once.
    Unclaimed,
    /// A growing ring takes what is sealed from what its thread knew.
    SealedAnew,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unfilled {
    Awaited,
    Abandoned,
}

/// A ring whose records are numbers. The checker tells of bytes that two threads use with nothing between them.
struct Ring {
    fault: Fault,
    places: Two,
    marks: [CommitWord; 2],
    records: [UnsafeCell<u32>; 2],
    seal_lock: Claim,
    blocks: UnsafeCell<Vec<u32>>,
}

impl Ring {
    /// With memory for so many of its places; 3 are all, and the one behind them.
    fn new(fault: Fault, ready: u32) -> Ring {
        let words = [0; 3].map(AtomicU64::new);
        let ring = Ring {
            fault,
            places: Two::of(words, AtomicU32::new(0)),
            marks: [0; 2].map(|word| CommitWord::of(AtomicU64::new(word))),
            records: [0; 2].map(UnsafeCell::new),
            seal_lock: Claim::of(AtomicU32::new(0)),
            blocks: UnsafeCell::new(Vec::new()),
        };
        ring.places.add_ready(ready);
        ring
    }

    /// Stores a record, as the thread does that owns the ring; false where there is no room.
    fn store(&self, record: u32) -> bool {
        let Some(at) = self.places.reserve(1) else {
            return false;
        };
        let mark = || self.mark(at).set(Two::marked(FILLED, at));
        if self.fault == Fault::MarkedEarly {
            mark();
        }
        // SAFETY: the checker looks that nobody else is at it.
        self.records[at as usize % 2].with_mut(|place| unsafe { *place = record });
        if self.fault != Fault::MarkedEarly {
            mark();
        }
        true
    }

    fn mark(&self, at: u64) -> &CommitWord {
        &self.marks[at as usize % 2]
    }

    fn holds_record(&self, at: u64) -> bool {
        let mark = self.mark(at).get();
        let is_of_turn = Two::is_of_turn(mark, at) || self.fault == Fault::AnyTurn;
        mark & FILLED != 0 && is_of_turn
    }

    /// Seals what is there, as `thread/seal.rs` does; not while another one is at it.
    fn seal(&self, unfilled: Unfilled) {
        if !self.seal_lock.take() && self.fault != Fault::Unclaimed {
            return;
        }
        let first = self.places.sealed.load(Relaxed);
        let stored = self.places.stored.load(Acquire);
        if self.fault == Fault::FreedEarly {
            self.places.set_sealed(stored);
        }
        let is_awaited = unfilled == Unfilled::Awaited;
        let end = (first..stored).find(|at| is_awaited && !self.holds_record(*at));
        let end = end.unwrap_or(stored);
        (first..end)
            .filter(|at| self.holds_record(*at) || self.fault == Fault::ReadUnfilled)
            .for_each(|at| self.append(at));
        self.places.set_sealed(end);
        self.seal_lock.give();
    }

    fn append(&self, at: u64) {
        // SAFETY: the checker looks that nobody else is at either.
        let record = self.records[at as usize % 2].with(|place| unsafe { *place });
        // SAFETY: as above.
        self.blocks
            .with_mut(|blocks| unsafe { (*blocks).push(record) });
    }

    /// Stores a record; in a full ring more of it is taken, or what is there is sealed. False: it is lost.
    fn record(&self, record: u32) -> bool {
        if self.store(record) {
            return true;
        }
        if self.places.ready.load(Relaxed) < 3 {
            self.grow();
        } else {
            self.seal(Unfilled::Awaited);
        }
        self.store(record)
    }

    fn grow(&self) {
        let sealed = self.places.sealed.load(Acquire);
        self.places.add_ready(3 - self.places.ready.load(Relaxed));
        if self.fault == Fault::SealedAnew {
            self.places.set_sealed(sealed);
        }
    }

    /// Records 1 to `most`, and returns which of them were not lost.
    fn record_all(&self, most: u32) -> Vec<u32> {
        (1..=most).filter(|record| self.record(*record)).collect()
    }

    fn sealed(&self) -> Vec<u32> {
        // SAFETY: the checker looks that nobody else is at it.
        self.blocks.with(|blocks| unsafe { (*blocks).clone() })
    }
}

/// At most so many times a thread is interrupted by another one: more are explored in hours alone.
fn model(check: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(check);
}

/// A thread records while another one seals, once or more often.
fn recorded_and_sealed(fault: Fault, ready: u32) {
    model(move || {
        let ring = Arc::new(Ring::new(fault, ready));
        let owner = ring.clone();
        let owner = thread::spawn(move || owner.record_all(3));
        ring.seal(Unfilled::Awaited);
        ring.seal(Unfilled::Awaited);
        let stored = owner.join().expect("it does not panic");
        ring.seal(Unfilled::Abandoned);
        assert_eq!(ring.sealed(), stored, "each is sealed once, in order");
    });
}

/// The process ends while a thread still stores: what it stored before is sealed, and nothing twice.
fn ended(fault: Fault) {
    model(move || {
        let ring = Arc::new(Ring::new(fault, 3));
        let (owner, first) = (ring.clone(), Arc::new(AtomicU32::new(0)));
        let returned = first.clone();
        let owner = thread::spawn(move || {
            owner.record(1);
            returned.store(1, SeqCst);
            owner.record(2);
        });
        let has_returned = first.load(SeqCst) != 0;
        ring.seal(Unfilled::Awaited);
        ring.seal(Unfilled::Abandoned);
        let held = !ring.seal_lock.is_taken() && ring.seal_lock.take();
        if held {
            let sealed = ring.sealed();
            assert!(!has_returned || sealed.first() == Some(&1), "{sealed:?}");
            ring.seal_lock.give();
        }
        owner.join().expect("it does not panic");
        let sealed = ring.sealed();
        assert!(sealed.is_sorted_by(|a, b| a < b), "{sealed:?}");
    });
}

fn all(fault: Fault) {
    recorded_and_sealed(fault, 3);
    recorded_and_sealed(fault, 1);
    ended(fault);
}

fn fails(check: impl Fn()) -> bool {
    catch_unwind(AssertUnwindSafe(check)).is_err()
}

#[test]
fn each_record_is_sealed_once_and_whole() {
    recorded_and_sealed(Fault::Nothing, 3);
}

#[test]
fn a_ring_grows_while_it_is_sealed() {
    recorded_and_sealed(Fault::Nothing, 1);
}

#[test]
fn the_process_ends_while_a_thread_stores() {
    ended(Fault::Nothing);
}

#[test]
fn what_is_done_wrong_is_found() {
    use Fault::*;
    for fault in [
        MarkedEarly,
        AnyTurn,
        FreedEarly,
        ReadUnfilled,
        Unclaimed,
        SealedAnew,
    ] {
        assert!(fails(|| all(fault)), "{fault:?}");
    }
}

#[test]
fn without_its_orders_the_ring_fails() {
    for order in [Release, Acquire] {
        let without = || {
            LEFT_OUT.set(Some(order));
            all(Fault::Nothing);
        };
        assert!(fails(without), "{order:?}");
        LEFT_OUT.set(None::<Ordering>);
    }
}
