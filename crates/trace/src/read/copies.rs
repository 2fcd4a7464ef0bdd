//! Parts that say nothing new: a run that was gathered, spilled, recovered, merged or cut may have the same calls in
//! several files. Each counts once.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use super::part::Part;
use crate::block::kind;
use crate::clock::Anchor;
use crate::part::{End, reason};

/// A block as one of its process' blocks: kind, thread, first and last step, checksum.
type CallKey = (u8, u32, i64, i64, u32);

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

/// Those parts of one process that may say the same, and what was looked up of them.
struct OfProcess<'p> {
    parts: &'p [&'p Part],
    kept: Vec<Seen>,
    /// The places in `kept` that have a block.
    holders: HashMap<CallKey, Vec<usize>>,
    pairs: usize,
}

struct Seen {
    place: usize,
    marks: HashSet<CallKey>,
    /// Whether it is known whose it is: without its beginning, the process may have had another part since.
    is_known: bool,
}

fn of_process(parts: &[&Part], mut places: Vec<usize>, sources: &mut [Option<usize>]) {
    places.sort_by_key(|place| {
        let part = parts[*place];
        (Reverse(part.event_count()), own_end(part).is_none(), *place)
    });
    let mut seen = OfProcess {
        parts,
        kept: Vec::new(),
        holders: HashMap::new(),
        pairs: 0,
    };
    for place in with_doubtful_ends(parts, &places) {
        sources[place] = seen.enter(place);
    }
}

/// Parts of one process have ends of their own, so those whose end no other part has are left out. One that was recovered
/// may be of a process that had ended.
fn with_doubtful_ends(parts: &[&Part], places: &[usize]) -> Vec<usize> {
    let mut ends: HashMap<Option<Anchor>, usize> = HashMap::new();
    let end = |place: &usize| own_end(parts[*place]).map(|end| end.end);
    for place in places {
        *ends.entry(end(place)).or_default() += 1;
    }
    let is_doubtful = |place: &usize| ends.contains_key(&None) || ends[&end(place)] > 1;
    places.iter().copied().filter(is_doubtful).collect()
}

fn may_be_same(one: &Part, other: &Part) -> bool {
    match (own_end(one), own_end(other)) {
        (Some(one), Some(other)) => one.end == other.end,
        _ => true,
    }
}

fn own_end(part: &Part) -> Option<&End> {
    part.end().filter(|end| end.reason != reason::RECOVERED)
}

impl OfProcess<'_> {
    /// The place of a part that has all calls of this one; else this one is kept.
    fn enter(&mut self, place: usize) -> Option<usize> {
        let part = self.parts[place];
        let seen = Seen {
            place,
            marks: marks(part),
            is_known: own_end(part).is_some() && part.process().is_some(),
        };
        let source = self.by_blocks(&seen).or_else(|| self.by_calls(&seen));
        if source.is_none() {
            self.keep(seen);
        }
        source
    }

    fn keep(&mut self, seen: Seen) {
        for mark in &seen.marks {
            let holders = self.holders.entry(*mark).or_default();
            holders.push(self.kept.len());
        }
        self.kept.push(seen);
    }

    /// The first part that has all its whole blocks.
    fn by_blocks(&self, seen: &Seen) -> Option<usize> {
        let none = Vec::new();
        let holders = |mark| self.holders.get(mark).unwrap_or(&none);
        // Whoever has all has the one that fewest have.
        let rarest = seen.marks.iter().map(holders).min_by_key(|held| held.len());
        let has = |other: &&Seen| {
            may_be_same(self.parts[seen.place], self.parts[other.place])
                && seen.marks.is_subset(&other.marks)
        };
        let found = match rarest {
            Some(held) => held.iter().map(|at| &self.kept[*at]).find(has),
            None => self.kept.iter().find(has),
        };
        found.map(|other| other.place)
    }

    /// The first part that has all its calls, in other blocks.
    fn by_calls(&mut self, seen: &Seen) -> Option<usize> {
        if !seen.is_known {
            return None;
        }
        let part = self.parts[seen.place];
        for other in self.kept.iter().filter(|other| other.is_known) {
            let other = other.place;
            if self.pairs > PAIRS {
                return None;
            }
            if !may_be_same(part, self.parts[other]) {
                continue;
            }
            self.pairs += 1;
            if self.pairs > PAIRS {
                part.repeats(self.parts[other]);
            } else if are_within(part, self.parts[other]) {
                return Some(other);
            }
        }
        None
    }
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
fn marks(part: &Part) -> HashSet<CallKey> {
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
