//! The tracer starts with the first call or the constructor, whichever comes first, and afresh in a forked child.

use super::{describe, finish};
use crate::arena::node_ranks;
use crate::state::phase::{self, ACTIVE, NOT_STARTED, OFF, PHASES, STARTING};
use crate::state::{clock, environment, job, log, node, output, settings};
use crate::sys::{self, SignalsBlocked, Starting};
use crate::{arena, stacks, tables, thread};
use core::sync::atomic::Ordering::*;

unsafe extern "C" {
    /// Has `iota_forked` called in a parent (c-shim/tls.c).
    safe fn iota_watch_forks();
    /// Whether the processor has an instruction for checksums (c-shim/tls.c).
    #[cfg(target_arch = "x86_64")]
    safe fn iota_has_checksums() -> core::ffi::c_int;
}

/// Starts the tracer if it has not been; true when calls are recorded.
pub fn ensure() -> bool {
    match phase::word().load(Acquire) {
        ACTIVE => true,
        NOT_STARTED if environment::is_readable() => begin(),
        other => wait_for(other),
    }
}

/// Another thread of a forked child starts the tracer: no call is to be missed. In the process itself nobody waits: there
/// the start allocates, for which it may need what the other thread holds.
fn wait_for(phase_then: u32) -> bool {
    let starter = phase_then >> 2;
    if phase_then & PHASES != STARTING || starter == 0 || starter == sys::thread_id() {
        return phase::is_active();
    }
    let deadline = clock::deadline_after(1000);
    while phase::word().load(Acquire) == phase_then && clock::monotonic_ns() < deadline {
        sys::yield_now();
    }
    phase::is_active()
}

fn begin() -> bool {
    let starter = if phase::is_first() {
        0
    } else {
        sys::thread_id()
    };
    let signal_guard = SignalsBlocked::begin();
    let starts = starter << 2 | STARTING;
    let word = phase::word();
    if let Err(phase_now) = word.compare_exchange(NOT_STARTED, starts, AcqRel, Acquire) {
        drop(signal_guard);
        return wait_for(phase_now);
    }
    environment::begin();
    // SAFETY: one thread alone gets from NOT_STARTED to STARTING, and others look at nothing before ACTIVE.
    let works = begin_alone(&mut unsafe { Starting::new() });
    environment::end();
    phase::word().store(if works { ACTIVE } else { OFF }, Release);
    works
}

/// What of the processor is not on all of its kind.
fn use_instructions() {
    #[cfg(target_arch = "x86_64")]
    if iota_has_checksums() != 0 {
        // SAFETY: asked just now.
        unsafe { iota_trace::crc::instruction::set_there() };
    }
}

fn begin_alone(starting: &mut Starting) -> bool {
    let is_main = phase::is_first();
    if is_main {
        settings::start(starting);
        if !phase::start() {
            log::line(&[b"no memory that a forked child finds empty (MADV_WIPEONFORK of Linux 4.14): not traced"]);
            return false;
        }
        node::start(starting);
        clock::start();
        sys::register_barrier();
        use_instructions();
        iota_watch_forks();
    } else {
        thread::forget_all();
    }
    if !settings::get().enabled {
        return false;
    }
    job::start(starting, is_main);
    output::start(starting);
    job::measure_rate(starting);
    finish::start();
    if !(tables::start(starting) && stacks::start(starting) && arena::start(starting)) {
        log::line(&[b"no memory: not traced"]);
        return false;
    }
    describe::process();
    if let Some(rank) = job::rank().filter(|_| is_main) {
        node_ranks::introduce(rank, 0);
    }
    true
}
