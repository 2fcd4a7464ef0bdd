//! Which processes made collective calls together: those of one launch of an MPI program. A trace may have several, of one
//! command after another or of `MPI_Comm_spawn`, and the numbers of collective calls only differ within one.

use iota_calls::Layer;
use iota_trace::part::Process;
use iota_trace::read::{Names, Part, Trace};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What the ranks of a launch say alike; others may say it as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LaunchKey {
    /// The job's id.
    job: u64,
    /// How many ranks there are, and how many before.
    world: (u32, u32),
}

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
    process.job.hash(&mut hasher);
    let before = part.rank().wrapping_sub(part.rank_in_world());
    Some(LaunchKey {
        job: hasher.finish(),
        world: (process.size, before),
    })
}

/// Keys of processes, by their parts. Where the launcher starts `iota run` for each rank, and no batch system has given the
/// job an id, each rank has one of its own: where no rank is there under two ids, they are of one job.
fn keys(trace: &Trace, keys: &[Option<LaunchKey>]) -> Vec<(usize, LaunchKey)> {
    let mut jobs: HashMap<((u32, u32), u32), u64> = HashMap::new();
    let mut are_several = HashSet::new();
    let known = (0..)
        .zip(keys)
        .filter_map(|(part, key)| Some((part, (*key)?)));
    let known: Vec<(usize, LaunchKey)> = known.collect();
    for (part, key) in &known {
        let rank = trace.parts()[*part].rank();
        if *jobs.entry((key.world, rank)).or_insert(key.job) != key.job {
            are_several.insert(key.world);
        }
    }
    let one = |(part, key): (usize, LaunchKey)| match are_several.contains(&key.world) {
        true => (part, key),
        false => (part, LaunchKey { job: 0, ..key }),
    };
    known.into_iter().map(one).collect()
}

/// The launch of each part. Of processes with the same rank that say the same, each is of a later launch than the one that
/// started before it.
pub(super) fn of(trace: &Trace, keys: &[Option<LaunchKey>]) -> Vec<u32> {
    let mut order = self::keys(trace, keys);
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
