//! A thread's own state: its slot of the spool, its call numbers, its working memory.
//!
//! The state lies in memory that `fork` hands to the child as zeros, so that a child, however it was made, finds its
//! thread "not ready" and starts afresh. Nothing here is shared on the path of a call; other threads look only when
//! they seal everything at the end, under the slot's seal lock.

use super::aliases::Aliases;
use super::recorded::Recorded;
use super::regions::Regions;
use super::work::Workspace;
use crate::arena::{Naming, OwnSlot, SlotOf};
use crate::state::tls;
use crate::sys::Claim;
use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering::*, compiler_fence};
use iota_calls::Op;
use iota_trace::part::Traffic;
use iota_trace::spool::Slot;
use iota_trace::unlocked_atomic;

/// Room for an absolute path, and more for what is put together.
pub const PATH_ROOM: usize = 2 * libc::PATH_MAX as usize + 2;

/// What a thread owns. What a short program uses lies together.
#[repr(C)]
pub struct Thread {
    /// 1 while records may be stored; 0 again in a forked child.
    pub(super) ready: AtomicU32,
    /// The kernel's id of the thread.
    pub(super) owner: AtomicU32,
    pub(super) next: *mut Thread,
    pub(super) slot: *mut Slot,
    pub(super) number: Cell<u32>,
    pub(super) calls: AtomicU64,
    pub(super) current: Cell<u32>,
    current_frame: Cell<usize>,
    /// The call of a library above descriptors and streams that is under way.
    library_call: Cell<LibraryCall>,
    pub(super) storing_frame: Cell<usize>,
    /// Whether it puts a name into its slot.
    pub(super) naming: Naming,
    /// The regions that it is in.
    pub regions: Regions<Region>,
    /// What is known to be there of the thread's stack: from where to where.
    stack: Cell<(usize, usize)>,
    pub(super) vfork: Cell<Vfork>,
    /// The frame in which it asks a library for the tracer; 0: it does not.
    pub(super) asking_frame: Cell<usize>,
    /// Others run with this state, and are distinguished from its thread by their number.
    pub(super) shared: Cell<bool>,
    /// The last call that went to a library which makes system calls by `syscall`.
    pub(super) library: Cell<u32>,
    /// See [`super::take_spare`].
    pub(super) spare: AtomicU32,
    /// How many records the slot has when the next ones are to be encoded.
    pub(super) due: Cell<u64>,
    /// Taken by whoever seals this thread's records: itself, or the thread that finishes the part.
    pub(super) seal_lock: Claim,
    /// How often the first room for paths was taken: see [`Thread::take_room`].
    rooms: AtomicU32,
    /// What its sealed records say that it read and wrote.
    pub(super) recorded: Recorded,
    pub(super) work: UnsafeCell<Workspace>,
    /// Relative paths that it has used.
    pub aliases: Aliases,
    pub paths: [UnsafeCell<[u8; PATH_ROOM]>; 2],
}

/// A `vfork` under way: while it has an operation, the calling thread is the child's.
#[derive(Clone, Copy, Default)]
pub struct Vfork {
    pub start: u64,
    pub op: u16,
}

pub(super) static THREADS: AtomicPtr<Thread> = AtomicPtr::new(core::ptr::null_mut());
pub(super) static NUMBERS: AtomicU32 = AtomicU32::new(0);

/// The enclosing call, put back when a call ends.
#[derive(Clone, Copy)]
pub struct Enclosing {
    id: u32,
    frame: usize,
}

/// A call of a library above descriptors and streams; 0: none.
#[derive(Clone, Copy, Default)]
pub struct LibraryCall {
    pub id: u32,
    pub op: u16,
}

/// A region that has begun: it encloses all that its thread does until its end.
#[derive(Clone, Copy)]
pub struct Region {
    pub numbers: Numbers,
    pub start: u64,
    /// The call of a library around it.
    pub outer: LibraryCall,
    /// The number of its name.
    pub name: u16,
}

/// The numbers of a call.
#[derive(Clone, Copy)]
pub struct Numbers {
    pub id: u32,
    pub parent: u32,
    before: Enclosing,
}

impl Thread {
    /// The calling thread's state, if its calls are recorded without a question.
    #[inline(always)]
    pub fn ready() -> Option<&'static Thread> {
        // SAFETY: the word holds null, or a state, which stays mapped.
        let thread = unsafe { tls::get().cast::<Thread>().as_ref() }?;
        (thread.ready.load(Relaxed) != 0).then_some(thread)
    }

    /// Its calls are recorded, without a question unless others have this state as well.
    pub(super) fn set_ready(&self) {
        self.ready.store(u32::from(!self.shared.get()), Release);
    }

    /// Numbers a call that begins, and makes it the enclosing one of all that it causes.
    #[inline(always)]
    pub fn begin(&self, frame: usize) -> Numbers {
        let before = Enclosing {
            id: self.current.get(),
            frame: self.current_frame.get(),
        };
        let calls = unlocked_atomic::fetch_add(&self.calls, 1).wrapping_add(1);
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

    /// The call that began last encloses what comes next, wherever on the stack that is.
    pub fn enclose_all(&self) {
        self.current_frame.set(usize::MAX);
    }

    /// Makes a call of a library the enclosing one, by a number that it has already. Returns what encloses it.
    pub fn enter(&self, call: LibraryCall, frame: usize) -> (Enclosing, LibraryCall) {
        let before = self.again(0, 0).before;
        self.current.set(call.id);
        self.current_frame.set(frame);
        (before, self.enter_library(call))
    }

    /// The numbers of a call that began before, and ends now.
    pub fn again(&self, id: u32, parent: u32) -> Numbers {
        let before = Enclosing {
            id: self.current.get(),
            frame: self.current_frame.get(),
        };
        Numbers { id, parent, before }
    }

    /// A call of a library begins, which encloses others already.
    pub fn enter_library(&self, call: LibraryCall) -> LibraryCall {
        self.library_call.replace(call)
    }

    /// It is over.
    pub fn leave_library(&self, outer: LibraryCall) {
        self.library_call.set(outer);
    }

    /// The call that was entered is over.
    pub fn leave(&self, (before, library): (Enclosing, LibraryCall)) {
        self.current.set(before.id);
        self.current_frame.set(before.frame);
        self.library_call.set(library);
    }

    /// The library's call that makes a call at `frame` for itself.
    pub fn library_around(&self, frame: usize) -> Option<Op> {
        let around = self.library_call.get();
        let is_within = around.id != 0 && self.enclosing(frame) as u32 == around.id;
        is_within.then_some(Op(around.op))
    }

    /// Whether the call of this number is one of a library.
    #[inline(always)]
    pub fn is_library_call(&self, id: u32) -> bool {
        id != 0 && self.library_call.get().id == id
    }

    /// What the call of this number is known as, if it is one of a library.
    #[inline(always)]
    pub fn library_op(&self, id: u32) -> Option<u16> {
        self.is_library_call(id).then(|| self.library_call.get().op)
    }

    /// Whether its calls are recorded without a question.
    #[inline(always)]
    pub fn is_ready(&self) -> bool {
        self.ready.load(Relaxed) != 0
    }

    /// What is known to be there of its stack.
    pub fn stack(&self) -> (usize, usize) {
        self.stack.get()
    }

    /// That is there of its stack, as long as the thread is.
    pub fn set_stack(&self, known: (usize, usize)) {
        self.stack.set(known);
    }

    /// Whether so many bytes at `address` are known to be there.
    #[inline(always)]
    pub fn stack_holds(&self, address: usize, length: usize) -> bool {
        let (low, high) = self.stack.get();
        address >= low && address.wrapping_add(length) <= high
    }

    /// The full number of one of its calls that was made not long ago.
    pub fn full(&self, id: u32) -> u64 {
        let calls = self.calls.load(Relaxed);
        calls.wrapping_sub(u64::from((calls as u32).wrapping_sub(id)))
    }

    /// The call that would enclose one made at `frame`: its full number; 0: none.
    pub fn enclosing(&self, frame: usize) -> u64 {
        let current = self.current.get();
        if current == 0 || self.current_frame.get() <= frame {
            return 0;
        }
        self.full(current)
    }

    /// Its number in the process, as the trace has it.
    pub fn number(&self) -> u32 {
        self.number.get()
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

    /// The same, for names of its own.
    pub fn own_slot(&self) -> OwnSlot<'_> {
        OwnSlot {
            slot: self.slot(),
            naming: &self.naming,
        }
    }

    /// `vfork` is about to be called: from now on the thread's calls are its child's.
    pub fn begin_vfork(&self, op: Op, start: u64) {
        self.vfork.set(Vfork { start, op: op.0 });
        self.ready.store(0, Relaxed);
    }

    /// The `vfork` under way.
    pub fn vfork(&self) -> Vfork {
        self.vfork.get()
    }

    /// Whether a call at `frame` is the tracer's, which asks a library. If that was left, the thread's calls are its own again.
    pub fn asks(&self, frame: usize) -> bool {
        let asking = self.asking_frame.get();
        if asking != 0 && frame > asking {
            self.asking_frame.set(0);
            self.set_ready();
        }
        asking != 0 && frame <= asking
    }

    /// The thread's calls are its own again.
    pub fn end_vfork(&self) {
        self.vfork.take();
        self.set_ready();
    }
}

/// All threads that ever stored a record and whose state is not a stranger's (a parent's, before fork).
pub fn all() -> impl Iterator<Item = &'static Thread> + Clone {
    let mut next = THREADS.load(Acquire);
    core::iter::from_fn(move || {
        // SAFETY: states are never unmapped while they are in the list.
        let thread = unsafe { next.as_ref() }?;
        next = thread.next;
        Some(thread)
    })
}

/// Their slots.
pub fn slots() -> impl Iterator<Item = SlotOf<'static>> {
    let own = own().map_or(core::ptr::null_mut(), |thread| thread.slot);
    all().map(move |thread| SlotOf {
        slot: thread.slot(),
        is_own: core::ptr::eq(thread.slot, own),
    })
}

/// What they recorded that read or wrote, by the kernel's number of the thread.
pub fn recorded() -> impl Iterator<Item = (u32, Traffic)> + Clone {
    all().map(|thread| (thread.owner.load(Relaxed), thread.recorded.now()))
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

/// The calling thread's state, whether or not its calls are recorded now.
pub fn own() -> Option<&'static Thread> {
    // SAFETY: as in `Thread::ready`.
    unsafe { tls::get().cast::<Thread>().as_ref() }
}
