//! Programs that a traced one started and that nobody traced, as far as the trace itself tells: one that was put in the
//! place of a traced program and left no part, and a child of `vfork`, which does nothing but start a program.
//!
//! Not told: programs started by `posix_spawn`, of which the trace does not know the process.

use iota_trace::part::reason;
use iota_trace::read::{Part, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// Parts with more calls are not looked through for children.
const MANY: u64 = 10_000_000;

/// How many there are, not counting processes that have more to say
pub fn count(trace: &Trace, unfinished: &BTreeSet<u32>) -> u64 {
    let mut last = BTreeMap::new();
    // Of parts of one process the latest comes last.
    for part in by_time(trace) {
        last.insert((part.host(), part.pid()), part);
    }
    let is_replaced = |part: &&&Part| part.end().is_some_and(|end| end.reason == reason::EXEC);
    let replaced = last
        .values()
        .filter(is_replaced)
        .map(|part| (part.host(), part.pid()));
    let children = trace.parts().iter().flat_map(children);
    let silent = children.filter(|child| !last.contains_key(child));
    let all: BTreeSet<_> = replaced.chain(silent).collect();
    let finished = all.iter().filter(|(_, pid)| !unfinished.contains(pid));
    finished.count() as u64
}

fn by_time(trace: &Trace) -> Vec<&Part> {
    let mut parts: Vec<_> = trace.parts().iter().collect();
    parts.sort_by_key(|part| part.time(0));
    parts
}

/// What `vfork` returned
fn children(part: &Part) -> Vec<(&[u8], u32)> {
    let names = part.names();
    let known = names
        .ops()
        .filter_map(|(id, op)| Some((id, iota_calls::find(op.name)?)));
    let vforks = known.filter(|(_, call)| call.returns_twice());
    let vforks: Vec<u16> = vforks.map(|(id, _)| id).collect();
    if vforks.is_empty() || part.event_count() > MANY {
        return Vec::new();
    }
    let forks = part
        .events()
        .filter(|timed| vforks.contains(&timed.event.op));
    let ids = forks.filter_map(|timed| u32::try_from(timed.event.ret).ok());
    ids.map(|id| (part.host(), id)).collect()
}
