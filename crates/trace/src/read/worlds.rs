//! Worlds of MPI that MPI_Comm_spawn has started: their ranks begin at 0 again. In a trace they are counted on, so that no
//! two ranks have the same number.

use super::part::Part;
use super::spawn_identity::SpawnIdentity;
use crate::clock::Nanos;
use crate::part::Spawn;
use std::collections::{BTreeMap, HashMap};

/// The clocks of nodes differ: by so many ns at most a process starts outside the call that started it.
const SKEW: u64 = 1_000_000_000;

/// A trace that somebody made up shall not keep its readers busy: of so many calls at most the processes are sought, and so
/// many generations up.
const MOST_CALLS: usize = 4096;
const MOST_GENERATIONS: usize = 1024;

/// A call of MPI_Comm_spawn, and the part of the process that made it.
struct SpawnCall {
    by: usize,
    spawn: Spawn,
}

/// What tells worlds apart: a number that the ranks have in common, or, where MPICH's launcher gave the same one to several
/// worlds, the call that started them. World 0 is that of the ranks that nobody spawned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct World(u32, Option<usize>);

/// What is known of a spawned process.
#[derive(Clone, Copy)]
struct Spawned {
    parent: u32,
    world: World,
    /// Its call, among all.
    call: Option<usize>,
}

/// Gives the ranks of each world their numbers, the worlds in the order of their starts.
pub(super) fn number(parts: &mut [Part]) {
    if parts.iter().all(|part| part.spawn_identity.world == 0) {
        return;
    }
    let calls = calls(parts);
    let spawned = parts.iter().filter(|part| part.spawn_identity.world != 0);
    let known: HashMap<_, _> = spawned
        .map(|part| {
            (
                (part.host(), part.pid()),
                spawned_by(&part.spawn_identity, &calls),
            )
        })
        .collect();
    let found: Vec<Option<Spawned>> = parts.iter().map(|part| origin(part, &known)).collect();
    let world = |found: &Option<Spawned>| found.map(|spawned| spawned.world).unwrap_or_default();
    let worlds: Vec<World> = found.iter().map(world).collect();
    let before = before(parts, &worlds);
    for (part, world) in parts.iter_mut().zip(worlds) {
        part.count_from(before[&world]);
    }
    for (place, spawned) in found.iter().enumerate() {
        let call = spawned.and_then(|spawned| calls.get(spawned.call?));
        let spawner = call.map(|call| parts[call.by].rank());
        parts[place].set_spawner(spawner);
    }
}

fn calls(parts: &[Part]) -> Vec<SpawnCall> {
    let all = parts.iter().enumerate().flat_map(|(by, part)| {
        let spawns = part.spawns().iter();
        spawns.map(move |&spawn| SpawnCall { by, spawn })
    });
    all.take(MOST_CALLS).collect()
}

/// The call during which a process started: of several the one that is nearest, then one for as many ranks.
fn spawned_by(spawn_identity: &SpawnIdentity, calls: &[SpawnCall]) -> Spawned {
    let distance = |spawn: &Spawn| {
        let late = spawn_identity.start.saturating_sub(spawn.until);
        late.max(spawn.since.saturating_sub(spawn_identity.start))
    };
    let call = (0..calls.len())
        .filter(|&call| distance(&calls[call].spawn) <= SKEW)
        .min_by_key(|&call| {
            let spawn = &calls[call].spawn;
            (distance(spawn), spawn.ranks != spawn_identity.size)
        });
    Spawned {
        parent: spawn_identity.parent,
        world: World(
            spawn_identity.world,
            call.filter(|_| !spawn_identity.is_from_launcher),
        ),
        call,
    }
}

/// Who started a process: what a rank has started belongs to the rank's world, whatever it takes for its own.
fn origin(part: &Part, known: &HashMap<(&[u8], u32), Spawned>) -> Option<Spawned> {
    let mut spawned = *known.get(&(part.host(), part.pid()))?;
    for _ in 0..known.len().min(MOST_GENERATIONS) {
        match known.get(&(part.host(), spawned.parent)) {
            Some(parent) => spawned = *parent,
            None => break,
        }
    }
    Some(spawned)
}

/// How many ranks are counted before those of each world; first those that nobody spawned.
fn before(parts: &[Part], worlds: &[World]) -> BTreeMap<World, u32> {
    let mut all: BTreeMap<World, (Nanos, u32)> = BTreeMap::new();
    for (part, world) in parts.iter().zip(worlds) {
        let began = part.began().unwrap_or_default();
        let ranks = part
            .spawn_identity
            .size
            .max(part.rank_in_world().saturating_add(1));
        let found = all.entry(*world).or_insert((began, ranks));
        *found = (found.0.min(began), found.1.max(ranks));
    }
    let mut order: Vec<_> = all.into_iter().collect();
    order.sort_by_key(|(world, (began, _))| (*world != World::default(), *began, *world));
    let mut before = 0u32;
    let counted = order.into_iter().map(|(world, (_, ranks))| {
        let mine = before;
        before = before.saturating_add(ranks);
        (world, mine)
    });
    counted.collect()
}
