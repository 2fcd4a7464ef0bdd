//! What a rank of an MPI job wants of the tracer: the interface for `mpi/`.

pub use super::finish::{finish, seal, shut_down};
pub use super::sealed::{Reason, Sealed};
pub use crate::state::environment::number;

use super::{describe, start};
use crate::arena::{self, node_ranks};
use crate::state::{clock, environment, job, phase, settings, spawns};
use crate::thread;
use core::sync::atomic::AtomicU32;
use iota_trace::flags;
use iota_trace::part::Spawn;

/// MPI has started: this is our rank, of so many.
pub fn attach(rank: u32, size: u32) {
    job::set_rank(rank, size);
    if start::ensure() {
        describe::process();
        node_ranks::introduce(rank, size);
    }
}

/// How many ranks of this node are not traced, of a world of `size`, as far as anybody knows: they have no spool.
pub fn untraced(size: u32) -> u32 {
    let others = environment::local_size().zip(fellows_of(size));
    others.map_or(0, |(all, others)| {
        all.saturating_sub(1).saturating_sub(others)
    })
}

/// How many other ranks of a world of `size` seem to be traced on this node.
pub fn fellows_of(size: u32) -> Option<u32> {
    phase::is_active()
        .then(|| node_ranks::count(size))
        .flatten()
}

/// A word that all ranks of a launch on this node have in common, if they are all traced: 0 at first.
pub fn assembly(size: u32) -> Option<&'static AtomicU32> {
    phase::is_active()
        .then(|| node_ranks::assembly(size))
        .flatten()
}

/// Whether ranks of a world of `size` are on other nodes. All of them get the same answer.
pub fn has_other_nodes(size: u32) -> bool {
    environment::local_size().is_some_and(|here| here < size)
}

/// What the ranks of this launch have in common.
pub fn launch() -> u32 {
    environment::launch()
}

/// When this process began, in nanoseconds since 1970.
pub fn began() -> u64 {
    job::facts().start.realtime
}

/// Ranks were waited for, and did not come; so many ranks of this node are known not to be traced.
pub fn waited_in_vain(nanoseconds: u64, untraced: u32) {
    job::set_waited([nanoseconds, u64::from(untraced)]);
}

/// This process was the root of an MPI_Comm_spawn that started so many ranks, from `since` to `until`, ns since 1970.
pub fn spawned(since: u64, until: u64, ranks: u32) {
    spawns::note(Spawn {
        since,
        until,
        ranks,
    });
}

/// For how many milliseconds ranks wait for each other at the end; none when this rank's part does not go into one file with
/// the others'.
pub fn patience_ms() -> Option<u64> {
    let settings = settings::get();
    let gathers = settings.gather && !settings.flush && !settings.text;
    gathers.then_some(settings.deadline_ms)
}

/// MPI starts or ends, or has done so: meanwhile calls are its own.
pub fn set_startup(begins: bool) {
    phase::set_flags(if begins { flags::MPI_STARTUP } else { 0 });
}

/// Whether calls of MPI-IO are recorded.
pub fn records_mpiio() -> bool {
    settings::get().mpiio
}

/// This process' clock minus CLOCK_MONOTONIC, in ns.
pub fn clock_base() -> i64 {
    let start = if phase::is_active() {
        job::facts().start
    } else {
        clock::anchor()
    };
    start.realtime.wrapping_sub(start.monotonic) as i64
}

/// What this thread calls from now on is the tracer's doing and is not recorded.
pub fn silence() {
    if phase::is_active() {
        thread::silence();
        if let Some(mut arena) = arena::lock() {
            arena.kernel_count.silence();
        }
    }
}

/// What this thread calls is the program's again.
pub fn resume() {
    if thread::is_silent()
        && let Some(mut arena) = arena::lock()
    {
        arena.kernel_count.resume();
    }
    thread::resume();
}
