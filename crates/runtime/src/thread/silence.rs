//! While the tracer uses somebody else's code (MPI), the calling thread's calls are its own doing.

use super::state::{Thread, own};
use crate::sys;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The kernel's id of the thread that does the tracer's own work with somebody else's code; 0: none does.
static SILENT: AtomicU32 = AtomicU32::new(0);

/// True for the calling thread while it does.
pub fn is_silent() -> bool {
    let silent = SILENT.load(Relaxed);
    silent != 0 && silent == sys::thread_id()
}

/// From now on what this thread calls is the tracer's doing and not the program's.
pub fn silence() {
    SILENT.store(sys::thread_id(), Relaxed);
    if let Some(thread) = own() {
        thread.ready.store(0, Relaxed);
    }
}

/// Asks a library something for the tracer: what that calls in this thread is not recorded. A handler may leave it with
/// `siglongjmp`: a call whose frame is above is the program's.
pub fn quietly<R>(thread: &Thread, ask: impl FnOnce() -> R) -> R {
    let marker = 0u8;
    thread.asking_frame.set((&raw const marker).addr());
    thread.ready.store(0, Relaxed);
    let answer = ask();
    thread.asking_frame.set(0);
    thread.set_ready();
    answer
}

/// What this thread calls is the program's again.
pub fn resume() {
    if is_silent() {
        SILENT.store(0, Relaxed);
        if let Some(thread) = own() {
            thread.set_ready();
        }
    }
}
