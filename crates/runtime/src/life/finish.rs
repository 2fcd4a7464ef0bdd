//! The end of a part: all threads' records are sealed, and what there is is written.

use super::sealed::{Reason, Sealed};
use crate::arena::{self, header, spool};
use crate::state::{job, log, phase, settings};
use crate::{sys, thread};
use core::sync::atomic::{AtomicU64, Ordering::*};

/// Calls of the part that had been recorded when MPI had shut itself down.
static SHUTDOWN: AtomicU64 = AtomicU64::new(u64::MAX);

/// The tracer starts.
pub fn start() {
    SHUTDOWN.store(u64::MAX, Relaxed);
}

/// Seals all threads' records; the part is complete and can be read. None when this process is not traced, or has
/// nothing to write.
pub fn seal(reason: Reason) -> Option<Sealed> {
    // A child of vfork runs in our memory and must leave it alone.
    if !phase::is_active() || sys::process_id() != job::pid() {
        return None;
    }
    thread::seal_all(reason != Reason::Finalize);
    Sealed::new(arena::lock()?, reason)
}

/// MPI has shut itself down, after the job's trace was gathered. What it called to do so would make a part of each
/// rank, appended to one file by all of them: it is written only together with calls that follow.
pub fn shut_down() {
    if phase::is_active() && arena::lock().is_some_and(|arena| arena.job_file().is_some()) {
        thread::seal_all(false);
        SHUTDOWN.store(header().captured.load(Relaxed), Relaxed);
    }
}

fn is_shutdown_alone(sealed: &Sealed) -> bool {
    sealed.events() == SHUTDOWN.load(Relaxed) && header().lost.load(Relaxed) == 0
}

/// The process ends: writes what there is, to the job's file where one stands. What comes later makes another part.
pub fn finish(reason: Reason) {
    let errno = sys::errno();
    if phase::is_active() {
        write(reason);
    }
    sys::set_errno(errno);
}

fn write(reason: Reason) {
    if let Some(sealed) = seal(reason) {
        if is_shutdown_alone(&sealed) {
            let calls = log::number(sealed.events() as i64);
            log::line(&[
                calls.bytes(),
                b" calls that MPI_Finalize made after the gathering are not in the trace",
            ]);
            sealed.release()
        } else if settings::get().text || !sealed.has_job_file() {
            sealed.leave()
        } else {
            sealed.append_to_job()
        }
    }
    let is_own = phase::is_active() && sys::process_id() == job::pid();
    if is_own && arena::lock().is_some_and(|arena| !arena.keeps_calls) {
        spool::remove();
    }
}
