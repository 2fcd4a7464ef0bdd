//! Parts that say nothing new: a run that was gathered, spilled, recovered, merged or cut may have the same calls in
//! several files. Each counts once.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::part::Part;
use crate::block::kind;
use crate::part::{End, reason};

/// A block as one of its process' blocks: kind, thread, first and last step, checksum.
type Mark = (u8, u32, i64, i64, u32);

/// Parts with more calls are not compared call by call.
const MANY: u64 = 1 << 20;
/// Nor are more pairs of one process' parts than these: a process has few, whatever a trace says.
const PAIRS: usize = 256;

/// What is read once although it stands in two files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The file whose part, or all of which, is passed over.
    pub file: PathBuf,
    /// The file that has the same.
    pub of: PathBuf,
}

/// The parts without those whose calls all stand in another part of the same process, too: of two that say the same the
/// one that ended by itself is kept, or the first.
pub fn distinct<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Vec<&'a Part> {
    let parts: Vec<&Part> = parts.into_iter().collect();
    let sources = sources(&parts);
    let is_kept = |at: &usize| sources[*at].is_none();
    (0..parts.len())
        .filter(is_kept)
        .map(|at| parts[at])
        .collect()
}

/// Of each part the place of the one that has all of its calls, if there is one that is kept.
pub(super) fn sources(parts: &[&Part]) -> Vec<Option<usize>> {
    let mut processes: HashMap<_, Vec<usize>> = HashMap::new();
    for (place, part) in parts.iter().enumerate() {
        processes.entry(part.process_key()).or_default().push(place);
    }
    let mut sources = vec![None; parts.len()];
    for places in processes.into_values().filter(|places| places.len() > 1) {
        of_process(parts, places, &mut sources);
    }
    sources
}

/// A part of a process, and what was looked up of it.
struct Seen {
    place: usize,
    marks: Option<HashSet<Mark>>,
}

fn of_process(parts: &[&Part], mut places: Vec<usize>, sources: &mut [Option<usize>]) {
    places.sort_by_key(|place| {
        let part = parts[*place];
        (Reverse(part.event_count()), own_end(part).is_none(), *place)
    });
    let (mut kept, mut pairs): (Vec<Seen>, usize) = (Vec::new(), 0);
    for place in places {
        let (mut seen, part) = (Seen { place, marks: None }, parts[place]);
        let source = kept.iter_mut().find_map(|other| {
            let known = parts[other.place];
            let has =
                may_be_same(part, known) && is_within(part, &mut seen, known, other, &mut pairs);
            has.then_some(other.place)
        });
        sources[place] = source;
        if source.is_none() {
            kept.push(seen);
        }
    }
}

/// Parts of one process have ends of their own. One that was recovered may be of a process that had ended.
fn may_be_same(one: &Part, other: &Part) -> bool {
    match (own_end(one), own_end(other)) {
        (Some(one), Some(other)) => one.end == other.end,
        _ => true,
    }
}

fn own_end(part: &Part) -> Option<&End> {
    part.end().filter(|end| end.reason != reason::RECOVERED)
}

/// Whether all whole blocks of a part, or all of its calls, stand in another one.
fn is_within(
    part: &Part,
    seen: &mut Seen,
    other: &Part,
    known: &mut Seen,
    pairs: &mut usize,
) -> bool {
    let blocks = seen.marks.get_or_insert_with(|| marks(part));
    let others = known.marks.get_or_insert_with(|| marks(other));
    if blocks.is_subset(others) {
        return true;
    }
    // Of a part without its beginning it is not known whose it is: the process may have had another part since.
    let is_known = |part: &Part| part.process().is_some() && own_end(part).is_some();
    if !is_known(part) || !is_known(other) || *pairs > PAIRS {
        return false;
    }
    *pairs += 1;
    if *pairs > PAIRS {
        part.repeats(other);
        return false;
    }
    are_within(part, other)
}

/// The same of calls, where their blocks differ: one is a selection of the other.
fn are_within(part: &Part, other: &Part) -> bool {
    if part.event_count().max(other.event_count()) > MANY {
        part.repeats(other);
        return false;
    }
    let (calls, others) = (calls(part), calls(other));
    let shared = calls.intersection(&others).count();
    if (1..calls.len()).contains(&shared) {
        part.repeats(other);
    }
    shared == calls.len()
}

fn calls(part: &Part) -> HashSet<(u32, u64)> {
    let events = part.events().map(|timed| timed.event);
    events.map(|event| (event.thread, event.id)).collect()
}

/// Its blocks of events that are whole.
fn marks(part: &Part) -> HashSet<Mark> {
    let blocks = part
        .blocks()
        .filter(|(at, header)| header.kind == kind::EVENTS && part.source.whole(*at, header));
    blocks
        .map(|(_, header)| {
            let thread = header.ids.thread;
            (header.kind, thread, header.first, header.last, header.crc)
        })
        .collect()
}
