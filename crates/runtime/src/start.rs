//! The tracer's life in a process: it starts with the first call or the constructor, whichever comes first, starts
//! afresh in a forked child, and writes the trace at the end.

use crate::bytes::Once;
use crate::thread::Thread;
use crate::undisturbed::Undisturbed;
use crate::{
    books, clock, early, fds, job, log, lustre, part, paths, pending, rings, settings, spool, sys,
    thread,
};
use core::sync::atomic::{AtomicU32, Ordering::*};

/// Why a part ends; the numbers stand in the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Reason {
    /// The process exits.
    Exit = iota_trace::part::reason::EXIT,
    /// MPI_Finalize.
    Finalize = iota_trace::part::reason::FINALIZE,
    /// MPI_Abort.
    Abort = iota_trace::part::reason::ABORT,
    /// The program is replaced by another.
    Exec = iota_trace::part::reason::EXEC,
}

const NOT_STARTED: u32 = 0;
/// In a forked child the number of the thread that starts stands above it.
const STARTING: u32 = 1;
const STATES: u32 = 3;
const ACTIVE: u32 = 2;
const OFF: u32 = 3;

/// The phase lies in memory that a forked child finds zeroed, which is "not started".
static PHASE: Once<*const AtomicU32> = Once::new(core::ptr::null());
/// Before that memory is mapped.
static FIRST: AtomicU32 = AtomicU32::new(NOT_STARTED);

unsafe extern "C" {
    /// Has `iota_forked` called in a parent (c-shim/tls.c).
    safe fn iota_watch_forks();
}

fn phase() -> &'static AtomicU32 {
    // SAFETY: null, or mapped for as long as the process lives.
    unsafe { PHASE.get().as_ref() }.unwrap_or(&FIRST)
}

/// True while calls are recorded.
pub fn is_active() -> bool {
    phase().load(Acquire) == ACTIVE
}

/// Starts the tracer if it has not been; true when calls are recorded.
pub fn ensure() -> bool {
    match phase().load(Acquire) {
        ACTIVE => true,
        NOT_STARTED if settings::are_readable() => begin(),
        other => wait_for(other),
    }
}

/// Another thread of a forked child starts the tracer: no call is to be missed. In the process itself nobody waits: there
/// the start allocates, for which it may need what the other thread holds.
fn wait_for(phase_then: u32) -> bool {
    let starter = phase_then >> 2;
    if phase_then & STATES != STARTING || starter == 0 || starter == sys::thread_id() {
        return is_active();
    }
    let deadline = clock::deadline_after(1000);
    while phase().load(Acquire) == phase_then && clock::monotonic_ns() < deadline {
        sys::yield_now();
    }
    is_active()
}

fn begin() -> bool {
    let starter = if PHASE.get().is_null() {
        0
    } else {
        sys::thread_id()
    };
    let undisturbed = Undisturbed::begin();
    if let Err(phase_now) =
        phase().compare_exchange(NOT_STARTED, starter << 2 | STARTING, AcqRel, Acquire)
    {
        drop(undisturbed);
        return wait_for(phase_now);
    }
    // SAFETY: one thread alone gets from NOT_STARTED to STARTING.
    let works = unsafe { begin_alone() };
    phase().store(if works { ACTIVE } else { OFF }, Release);
    works
}

/// # Safety
/// The phase is STARTING, by this thread.
unsafe fn begin_alone() -> bool {
    let is_main = PHASE.get().is_null();
    // SAFETY: the caller's.
    unsafe {
        if is_main {
            settings::read();
            let Ok(word) = sys::map_private(size_of::<AtomicU32>(), true) else {
                return false;
            };
            // A thread that comes meanwhile finds the phase of a tracer that starts.
            word.cast::<u32>().write(STARTING);
            *PHASE.start() = word.cast();
            clock::start();
            sys::register_barrier();
            iota_watch_forks();
        } else {
            thread::forget_all();
        }
        if !settings::get().enabled {
            return false;
        }
        job::start(is_main);
        if !(paths::start()
            && fds::start()
            && pending::start()
            && rings::start()
            && spool::start()
            && part::start()
            && lustre::start())
        {
            log::line(&[b"no memory: not traced"]);
            return false;
        }
    }
    if let Some(guard) = spool::lock() {
        books::open(&guard);
    }
    job::describe();
    true
}

/// The constructor: from here on every call is recorded, those of the first thread also where memory ends later.
#[unsafe(no_mangle)]
extern "C" fn iota_start() {
    let errno = sys::errno();
    early::look();
    if ensure() {
        Thread::current();
    }
    sys::set_errno(errno);
}

/// The destructor.
#[unsafe(no_mangle)]
extern "C" fn iota_finish() {
    finish(Reason::Exit);
}

/// The parent forked: it shares its descriptions with the child.
#[unsafe(no_mangle)]
extern "C" fn iota_forked() {
    if is_active() {
        fds::share_all();
    }
}

/// Writes what was recorded; what comes later makes another part.
pub fn finish(reason: Reason) {
    let errno = sys::errno();
    if is_active() {
        job::finish(reason);
    }
    sys::set_errno(errno);
}
