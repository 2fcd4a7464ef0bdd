//! Worlds of MPI that MPI_Comm_spawn has started: their ranks begin at 0 again. In a trace they are counted on, so that no
//! two ranks have the same number.

use super::kin::Kin;
use super::part::Part;
use crate::clock::Nanos;
use std::collections::{BTreeMap, HashMap};

/// Gives the ranks of each world their numbers, the worlds in the order of their starts.
pub(super) fn number(parts: &mut [Part]) {
    if parts.iter().all(|part| part.kin.world == 0) {
        return;
    }
    let spawned = parts.iter().filter(|part| part.kin.world != 0);
    let known: HashMap<_, _> = spawned
        .map(|part| ((part.host(), part.pid()), part.kin))
        .collect();
    let worlds: Vec<u32> = parts.iter().map(|part| world(part, &known)).collect();
    let before = before(parts, &worlds);
    for (part, world) in parts.iter_mut().zip(worlds) {
        part.count_from(before[&world]);
    }
}

/// The world of a process: what a rank has started belongs to the rank's, whatever it takes for its own.
fn world(part: &Part, known: &HashMap<(&[u8], u32), Kin>) -> u32 {
    let mut kin = part.kin;
    for _ in 0..known.len() {
        match known.get(&(part.host(), kin.parent)) {
            Some(parent) if kin.world != 0 => kin = *parent,
            _ => break,
        }
    }
    kin.world
}

/// How many ranks are counted before those of each world; first those that nobody spawned, world 0.
fn before(parts: &[Part], worlds: &[u32]) -> BTreeMap<u32, u32> {
    let mut all: BTreeMap<u32, (Nanos, u32)> = BTreeMap::new();
    for (part, world) in parts.iter().zip(worlds) {
        let began = part.began().unwrap_or_default();
        let ranks = part.kin.size.max(part.rank_in_world().saturating_add(1));
        let found = all.entry(*world).or_insert((began, ranks));
        *found = (found.0.min(began), found.1.max(ranks));
    }
    let mut order: Vec<_> = all.into_iter().collect();
    order.sort_by_key(|(world, (began, _))| (*world != 0, *began, *world));
    let mut before = 0u32;
    let counted = order.into_iter().map(|(world, (_, ranks))| {
        let mine = before;
        before = before.saturating_add(ranks);
        (world, mine)
    });
    counted.collect()
}
