//! Programs that a traced one started and that nobody traced, as far as the trace itself tells: one that was put in the
//! place of a traced program and left no part, and a child of `vfork`, which does nothing but start a program.
//!
//! Not counted: programs started by `posix_spawn`, of which the trace does not know the process.

use iota_trace::part::{flavour, reason};
use iota_trace::read::{Buffers, Part, Trace};
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
    let is_replaced = |part: &&&Part| {
        let end = part.end();
        end.is_some_and(|end| [end.reason, end.meant.unwrap_or(0)].contains(&reason::EXEC))
    };
    let replaced = last
        .values()
        .filter(is_replaced)
        .map(|part| (part.host(), part.pid()));
    let vforks = iota_calls::rows().filter(|(_, call)| call.returns_twice());
    let vforks: Vec<&[u8]> = vforks.map(|(_, call)| call.name.as_bytes()).collect();
    let mut room = None;
    let parts = trace.parts().iter();
    let children = parts.flat_map(|part| children(part, &vforks, &mut room));
    let silent = children.filter(|child| !last.contains_key(child));
    // Those that were followed have a part of their own for that.
    let parts = trace.parts().iter();
    let followed = parts.filter(|part| part.has_flavour(flavour::FOLLOWED));
    let followed: BTreeSet<_> = followed.map(|part| (part.host(), part.pid())).collect();
    let all: BTreeSet<_> = replaced.chain(silent).collect();
    let all = all.difference(&followed);
    let finished = all.filter(|(_, pid)| !unfinished.contains(pid));
    finished.count() as u64
}

fn by_time(trace: &Trace) -> Vec<&Part> {
    let mut parts: Vec<_> = trace.parts().iter().collect();
    parts.sort_by_key(|part| part.time(0));
    parts
}

/// What `vfork` returned, under any of its names
fn children<'p>(
    part: &'p Part,
    vforks: &[&[u8]],
    room: &mut Option<Buffers>,
) -> Vec<(&'p [u8], u32)> {
    let outline = part.outline();
    let names = part.names_of(&outline);
    let vforks = names.ops().filter(|(_, op)| vforks.contains(&op.name));
    let vforks: Vec<u16> = vforks.map(|(id, _)| id).collect();
    if vforks.is_empty() || part.event_count() > MANY {
        return Vec::new();
    }
    // In what order they returned does not matter.
    let (mut children, room) = (Vec::new(), room.get_or_insert_default());
    for (stretch, _) in outline.stretches(MANY) {
        let mut blocks = part.blocks_of(stretch);
        while let Some(block) = blocks.next(room, |_| true) {
            block.runs(false, |run, _| {
                if vforks.contains(&run.first.op) {
                    run.each(|event| children.extend(u32::try_from(event.ret)));
                }
            });
        }
    }
    children.into_iter().map(|id| (part.host(), id)).collect()
}
