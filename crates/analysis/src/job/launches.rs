//! Which processes made collective calls together: those of one launch of an MPI program. A trace may have several, of one
//! command after another or of `MPI_Comm_spawn`, and the numbers of collective calls only differ within one.

use iota_calls::Layer;
use iota_trace::part::Process;
use iota_trace::read::{Names, Part, Trace};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What the ranks of a launch say alike; others may say it as well.
pub(super) type LaunchKey = u64;

/// Rank, process id and host.
type OfProcess = (u32, u32, Vec<u8>);

/// What a process says of its launch; none of one that makes no collective calls.
pub(super) fn key(names: &Names, part: &Part, process: Option<&Process>) -> Option<LaunchKey> {
    let is_above = |layer: u8| Layer::of(layer).is_some_and(Layer::is_library);
    if !names.ops().any(|(_, op)| is_above(op.layer)) {
        return None;
    }
    let mut hasher = DefaultHasher::new();
    let process = process?;
    let before = part.rank().wrapping_sub(part.rank_in_world());
    (process.job, process.size, before).hash(&mut hasher);
    Some(hasher.finish())
}

/// The launch of each part. Of processes with the same rank that say the same, each is of a later launch than the one that
/// started before it.
pub(super) fn of(trace: &Trace, keys: &[Option<LaunchKey>]) -> Vec<u32> {
    let mut order: Vec<(usize, LaunchKey)> = (0..)
        .zip(keys)
        .filter_map(|(part, key)| Some((part, (*key)?)))
        .collect();
    order.sort_by_key(|(part, _)| trace.parts()[*part].time(0));
    let mut processes: HashMap<(LaunchKey, u32), Vec<OfProcess>> = HashMap::new();
    let mut launches: HashMap<(LaunchKey, usize), u32> = HashMap::new();
    let mut found = vec![0; keys.len()];
    for (part, key) in order {
        let of = &trace.parts()[part];
        let of_rank = processes.entry((key, of.rank())).or_default();
        let process = of.of_process();
        let nth = match of_rank.iter().position(|known| *known == process) {
            Some(nth) => nth,
            None => {
                of_rank.push(process);
                of_rank.len() - 1
            }
        };
        let next = launches.len() as u32;
        found[part] = *launches.entry((key, nth)).or_insert(next);
    }
    found
}
