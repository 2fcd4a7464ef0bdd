//! Calls of MPI_Comm_spawn that this process was the root of: MPICH's launcher does not tell children who started them.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use iota_trace::part::{SPAWNS, Spawn};

/// From when to when, and how many ranks; 0 ranks: not written yet.
struct SpawnEntry([AtomicU64; 2], AtomicU32);

#[unsafe(link_section = ".bss.iota_start")]
static PLACES: [SpawnEntry; SPAWNS] =
    [const { SpawnEntry([const { AtomicU64::new(0) }; 2], AtomicU32::new(0)) }; SPAWNS];
static TAKEN: AtomicU32 = AtomicU32::new(0);

/// Notes one; what finds no place is not known to the trace. A call that reached the same function of MPI by another of
/// its names is noted twice, the inner one first: then the outer one is left out.
pub fn note(spawn: Spawn) {
    let inner = noted().last();
    if inner.is_some_and(|inner| inner.since >= spawn.since && inner.ranks == spawn.ranks) {
        return;
    }
    let Some(SpawnEntry(times, ranks)) = PLACES.get(TAKEN.fetch_add(1, AcqRel) as usize) else {
        TAKEN.fetch_sub(1, AcqRel);
        return;
    };
    for (to, time) in times.iter().zip([spawn.since, spawn.until]) {
        to.store(time, Relaxed);
    }
    ranks.store(spawn.ranks, Release);
}

fn noted() -> impl Iterator<Item = Spawn> {
    let known = PLACES
        .iter()
        .map(|SpawnEntry([since, until], ranks)| Spawn {
            ranks: ranks.load(Acquire),
            since: since.load(Relaxed),
            until: until.load(Relaxed),
        });
    known.filter(|spawn| spawn.ranks != 0)
}

/// All of them; asked again, none.
pub fn take() -> [Spawn; SPAWNS] {
    let mut spawns = [Spawn::default(); SPAWNS];
    spawns
        .iter_mut()
        .zip(noted())
        .for_each(|(to, spawn)| *to = spawn);
    forget();
    spawns
}

/// A forked child is not who made them.
pub fn forget() {
    PLACES
        .iter()
        .for_each(|SpawnEntry(_, ranks)| ranks.store(0, Relaxed));
    TAKEN.store(0, Release);
}
