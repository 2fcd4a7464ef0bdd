//! A thread's own state: its slot of the spool, its call numbers, its working memory.
//!
//! The state lies in memory that `fork` hands to the child as zeros, so that a child, however it was made, finds its
//! thread "not ready" and starts afresh. Nothing here is shared on the path of a call; other threads look only when
//! they seal everything at the end, under the slot's seal lock.

mod aliases;
mod refused;
mod sharing;
mod silence;
mod spare;
mod vfork;

pub use sharing::{in_library, is_in_library, will_share};
pub use silence::{resume, silence};
pub use spare::{keep_spare, take_spare};

use crate::sealing::Unfilled;
use crate::undisturbed::Undisturbed;
use crate::{clock, early, job, sealing, spool, start, sys};
use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::*, compiler_fence};
use iota_trace::spool::Slot;
use iota_trace::{Record, alone};

/// Working memory for sealing and for paths, too large for a host's stack.
#[repr(C)]
pub struct Work {
    pub told: sealing::Told,
    pub scratch: iota_trace::encode::Scratch,
    pub block: [u8; iota_trace::encode::MAX_BLOCK],
}

/// Room for an absolute path, and more for what is put together.
pub const PATH_ROOM: usize = 2 * libc::PATH_MAX as usize + 2;

/// What a thread owns.
#[repr(C)]
pub struct Thread {
    /// 1 while records may be stored; 0 again in a forked child.
    ready: AtomicU32,
    /// The kernel's id of the thread.
    owner: AtomicU32,
    next: *mut Thread,
    slot: *mut Slot,
    number: Cell<u32>,
    calls: AtomicU64,
    current: Cell<u32>,
    current_frame: Cell<usize>,
    storing_frame: Cell<usize>,
    vfork: Cell<vfork::Waiting>,
    /// Others run with this state, and are told from its thread by their number.
    shared: Cell<bool>,
    /// The last call that went to a library which makes system calls by `syscall`.
    library: Cell<u32>,
    /// See [`take_spare`].
    spare: AtomicU32,
    /// How many records the slot has when the next ones are to be told.
    due: Cell<u64>,
    /// Taken by whoever seals this thread's records: itself, or the thread that finishes the part.
    seal_lock: AtomicU32,
    aliases: aliases::Aliases,
    /// How often the first room for paths was taken: see [`Thread::take_room`].
    rooms: AtomicU32,
    pub paths: [UnsafeCell<[u8; PATH_ROOM]>; 2],
    work: UnsafeCell<Work>,
}

unsafe extern "C" {
    /// The thread's pointer to its state, in initial-exec TLS (c-shim/tls.c).
    fn iota_tls() -> *mut *mut core::ffi::c_void;
}

/// The thread's pointer to its state: read where it lies, without a call.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn state() -> *const Thread {
    if !early::is_over() {
        return core::ptr::null();
    }
    let state: *const Thread;
    // SAFETY: initial-exec TLS exists in every thread from its first instruction.
    unsafe {
        core::arch::asm!(
            "mov {state}, qword ptr [rip + iota_thread_state@GOTTPOFF]",
            "mov {state}, qword ptr fs:[{state}]",
            state = out(reg) state,
            options(readonly, nostack, preserves_flags)
        );
    }
    state
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn state() -> *const Thread {
    if !early::is_over() {
        return core::ptr::null();
    }
    // SAFETY: initial-exec TLS exists in every thread from its first instruction.
    unsafe { (*iota_tls()).cast() }
}

static THREADS: AtomicPtr<Thread> = AtomicPtr::new(core::ptr::null_mut());
static NUMBERS: AtomicU32 = AtomicU32::new(0);
/// The state that is asked for next.
static ASKED: AtomicPtr<Thread> = AtomicPtr::new(core::ptr::null_mut());
/// How many are asked for at a time.
const ASKS: usize = 32;

/// The enclosing call, put back when a call ends.
#[derive(Clone, Copy)]
pub struct Enclosing {
    id: u32,
    frame: usize,
}

/// The numbers of a call.
#[derive(Clone, Copy)]
pub struct Numbers {
    pub id: u32,
    pub parent: u32,
    before: Enclosing,
}

impl Thread {
    /// The calling thread's state, if its calls are recorded.
    #[inline(always)]
    pub fn current() -> Option<&'static Thread> {
        // SAFETY: only `adopt` writes the pointer, and a state once mapped stays mapped.
        match unsafe { state().as_ref() } {
            Some(thread) if thread.ready.load(Relaxed) != 0 => Some(thread),
            _ => Thread::first_call(),
        }
    }

    #[cold]
    #[inline(never)]
    fn first_call() -> Option<&'static Thread> {
        if !early::look() {
            return None;
        }
        if silence::holds() || own().is_some_and(|thread| thread.vfork.get().back != 0) {
            return None;
        }
        if let Some(shared) = own().filter(|thread| thread.shared.get()) {
            return shared.if_own();
        }
        let errno = sys::errno();
        let thread = start::ensure().then(Thread::wanted).flatten();
        sys::set_errno(errno);
        thread
    }

    /// A state for the calling thread. Where there is no memory for one, its calls are lost, and few of them ask again.
    fn wanted() -> Option<&'static Thread> {
        // Another process in our memory is none of ours.
        if sys::process_id() != job::pid() {
            return None;
        }
        let thread = refused::asks().then(Thread::adopt).flatten();
        match thread {
            Some(_) => refused::no_more(),
            None => spool::count_lost(1),
        }
        thread
    }

    /// Takes a state that an ended thread left, or maps a new one.
    fn adopt() -> Option<&'static Thread> {
        let _undisturbed = Undisturbed::begin();
        let me = sys::thread_id();
        let thread = Thread::reuse(me).or_else(|| Thread::map(me))?;
        thread.number.set(NUMBERS.fetch_add(1, Relaxed));
        thread.calls.store(0, Relaxed);
        thread.current.set(0);
        thread.storing_frame.set(0);
        thread.vfork.take();
        thread.library.take();
        thread.shared.take();
        thread.due.set(
            thread
                .slot()
                .sealed
                .load(Relaxed)
                .wrapping_add(sealing::SLICE),
        );
        // SAFETY: the slot is this thread's from now on.
        unsafe { (*thread.slot).thread.store(thread.number.get(), Relaxed) };
        // SAFETY: as in `current`.
        unsafe { *iota_tls() = core::ptr::from_ref(thread).cast_mut().cast() };
        thread.is_ready();
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
        let is_empty = slot.stored.load(Relaxed) == slot.sealed.load(Relaxed);
        is_empty && (slot.has_room() || spool::grow(slot))
    }

    fn map(me: u32) -> Option<&'static Thread> {
        let thread = sys::map_private(size_of::<Thread>(), true)
            .ok()?
            .cast::<Thread>();
        let Some(slot) = spool::new_slot() else {
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

    /// Numbers a call that begins, and makes it the enclosing one of all that it causes.
    #[inline(always)]
    pub fn begin(&self, frame: usize) -> Numbers {
        let before = Enclosing {
            id: self.current.get(),
            frame: self.current_frame.get(),
        };
        let calls = alone::fetch_add(&self.calls, 1).wrapping_add(1);
        self.current.set(calls as u32);
        self.current_frame.set(frame);
        // A frame below ours cannot enclose us: its call was left by longjmp.
        let parent = if before.id != 0 && before.frame > frame {
            before.id
        } else {
            0
        };
        Numbers {
            id: calls as u32,
            parent,
            before: Enclosing {
                id: parent,
                ..before
            },
        }
    }

    /// The call ended; its caller encloses what comes next.
    #[inline(always)]
    pub fn end(&self, numbers: Numbers) {
        self.current.set(numbers.before.id);
        self.current_frame.set(numbers.before.frame);
    }

    /// Stores one record, and tells the encoder of them when there is a slice.
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

    /// A signal handler may come in between with records of its own. While it does, the place of the store that it
    /// interrupted may be unfilled; where no store is interrupted, no place will be filled any more.
    #[inline(always)]
    fn storing(&self, places: u64, frame: usize, put: impl FnOnce(&Slot, u64)) {
        let interrupted = self.storing_frame.get();
        if interrupted != 0 && is_interrupted(interrupted, frame) {
            self.put(places, Unfilled::Awaited, put);
            return;
        }
        self.storing_frame.set(frame);
        self.put(places, Unfilled::Abandoned, put);
        self.storing_frame.set(0);
    }

    #[inline(always)]
    fn put(&self, places: u64, unfilled: Unfilled, put: impl FnOnce(&Slot, u64)) {
        match self.slot().reserve(places) {
            Some(at) => put(self.slot(), at),
            None => match self.with_room(places, unfilled) {
                Some((thread, at)) => put(thread.slot(), at),
                None => spool::count_lost(1),
            },
        }
        if self.slot().stored.load(Relaxed) >= self.due.get() {
            self.slice_full(unfilled);
        }
    }

    /// The ring is full as far as it goes: more of it, or its records sealed, or another ring. The thread goes on with
    /// another where the place of an interrupted store holds this one up.
    #[cold]
    #[inline(never)]
    fn with_room(&self, places: u64, unfilled: Unfilled) -> Option<(&Thread, u64)> {
        let errno = sys::errno();
        let undisturbed = Undisturbed::begin();
        let mut found = None;
        while found.is_none() && spool::grow(self.slot()) {
            found = self.slot().reserve(places);
        }
        if found.is_none() {
            self.sealing(|slot, calls, work| sealing::seal(slot, calls, work, unfilled));
            found = self.slot().reserve(places);
        }
        let found = found.map(|at| (self, at)).or_else(|| {
            let other = Thread::adopt()?;
            Some((other, other.slot().reserve(places)?))
        });
        drop(undisturbed);
        sys::set_errno(errno);
        found
    }

    #[cold]
    #[inline(never)]
    fn slice_full(&self, unfilled: Unfilled) {
        let errno = sys::errno();
        self.sealing(|slot, calls, work| sealing::advance(slot, calls, work, unfilled));
        let stored = self.slot().stored.load(Relaxed);
        self.due.set(stored.wrapping_add(sealing::SLICE));
        sys::set_errno(errno);
    }

    /// Seals what is stored, unless another thread is doing so for us.
    fn seal(&self, unfilled: Unfilled) {
        self.sealing(|slot, calls, work| sealing::seal(slot, calls, work, unfilled));
    }

    fn sealing<R>(&self, job: impl FnOnce(&Slot, u64, &mut Work) -> R) -> Option<R> {
        let _undisturbed = Undisturbed::begin();
        self.seal_lock
            .compare_exchange(0, 1, Acquire, Relaxed)
            .ok()?;
        // SAFETY: the seal lock gives the working memory to us alone.
        let work = unsafe { &mut *self.work.get() };
        let done = job(self.slot(), self.calls.load(Relaxed), work);
        self.seal_lock.store(0, Release);
        Some(done)
    }

    /// True while an unfinished store keeps others from being sealed, and its thread is there to finish it.
    fn is_held_up(&self) -> bool {
        self.slot().is_held_up()
    }

    /// Tells this thread from all others of the process, also from those that have ended; not 0.
    #[inline(always)]
    pub fn mark(&self) -> u32 {
        self.number.get().wrapping_add(1)
    }

    /// Takes the first room for paths. A signal handler may take it, too: then it is spoiled for who had this turn.
    pub fn take_room(&self) -> u32 {
        let turn = self.rooms.load(Relaxed).wrapping_add(1);
        self.rooms.store(turn, Relaxed);
        compiler_fence(SeqCst);
        turn
    }

    /// Whether nobody else took it since.
    pub fn has_room(&self, turn: u32) -> bool {
        compiler_fence(SeqCst);
        self.rooms.load(Relaxed) == turn
    }

    /// The thread's slot.
    #[inline(always)]
    pub fn slot(&self) -> &Slot {
        // SAFETY: mapped for as long as the process lives.
        unsafe { &*self.slot }
    }

    /// True while the thread seals: this thread or another one.
    fn is_sealing(&self) -> bool {
        self.seal_lock.load(Relaxed) != 0
    }
}

/// Whether the store at the frame `interrupted` goes on after one at `frame`: a handler's frame lies below it, or on a
/// stack of its own. From a frame above, a store was left by longjmp.
#[cold]
#[inline(never)]
fn is_interrupted(interrupted: usize, frame: usize) -> bool {
    interrupted > frame || sys::is_on_signal_stack()
}

/// All threads that ever stored a record and whose state is not a stranger's (a parent's, before fork).
pub fn all() -> impl Iterator<Item = &'static Thread> {
    let mut next = THREADS.load(Acquire);
    core::iter::from_fn(move || {
        // SAFETY: states are never unmapped while they are in the list.
        let thread = unsafe { next.as_ref() }?;
        next = thread.next;
        Some(thread)
    })
}

/// The mark of the calling thread; 0, which is nobody's, before it is traced.
pub fn mark() -> u32 {
    own().map_or(0, Thread::mark)
}

/// True while the process has had one thread that was traced.
#[inline(always)]
pub fn is_only() -> bool {
    NUMBERS.load(Relaxed) == 1
}

/// What is this thread's alone: the address of its word in TLS.
pub fn word() -> usize {
    // SAFETY: as in `current`.
    unsafe { iota_tls() as usize }
}

/// True for the slot of the calling thread.
pub fn is_own(slot: &Slot) -> bool {
    own().is_some_and(|thread| core::ptr::eq(thread.slot, slot))
}

fn own() -> Option<&'static Thread> {
    // SAFETY: as in `current`.
    unsafe { state().as_ref() }
}

/// How long a store that has begun is waited for, where the process goes on without it.
const PATIENCE_MS: u64 = 10;

/// Seals what all threads have stored. One that is sealing or storing just now is waited for, unless it is this thread,
/// below a signal handler. Where the process `ends`, no place is filled later.
pub fn seal_all(ends: bool) {
    let (deadline, patience) = (
        clock::deadline_after(1000),
        clock::deadline_after(PATIENCE_MS),
    );
    for thread in all() {
        let is_other = !is_own(thread.slot());
        while is_other && thread.is_sealing() && clock::monotonic_ns() < deadline {
            sys::yield_now();
        }
        thread.seal(Unfilled::Awaited);
        while is_other && thread.is_held_up() && clock::monotonic_ns() < patience {
            sys::yield_now();
            thread.seal(Unfilled::Awaited);
        }
        if ends && thread.is_held_up() {
            thread.seal(Unfilled::Abandoned);
        }
    }
}

/// In a forked child: the parent's threads are not ours.
pub fn forget_all() {
    THREADS.store(core::ptr::null_mut(), Release);
    ASKED.store(core::ptr::null_mut(), Relaxed);
    NUMBERS.store(0, Relaxed);
}
