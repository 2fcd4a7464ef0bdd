//! Parts that say nothing new: a run that was gathered, spilled and recovered may have the same calls in several files.

use std::collections::{HashMap, HashSet};

use super::part::Part;
use crate::block::kind;
use crate::part::reason;

/// A block as one of its process' blocks: kind, thread, first and last step, checksum.
type Mark = (u8, u32, i64, i64, u32);

/// The parts without those of which every block of events stands in another part of the same process, too.
pub fn distinct<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Vec<&'a Part> {
    let mut processes: HashMap<_, Vec<&Part>> = HashMap::new();
    for part in parts {
        processes.entry(part.process_key()).or_default().push(part);
    }
    processes.into_values().flat_map(of_process).collect()
}

fn of_process(parts: Vec<&Part>) -> Vec<&Part> {
    if parts.len() == 1 {
        return parts;
    }
    let mut marked: Vec<_> = parts.into_iter().map(|part| (marks(part), part)).collect();
    marked.sort_by_key(|(marks, part)| (marks.len(), part.event_count()));
    let (mut kept, mut seen) = (Vec::new(), Vec::<HashSet<Mark>>::new());
    while let Some((marks, part)) = marked.pop() {
        if !seen.iter().any(|other| marks.is_subset(other)) {
            kept.push(part);
            seen.push(marks);
        }
    }
    kept
}

/// Its blocks of events, and its end where it ended by itself.
fn marks(part: &Part) -> HashSet<Mark> {
    let ended = part
        .end()
        .is_some_and(|end| end.reason != reason::RECOVERED);
    let counts = |of: u8| of == kind::EVENTS || (of == kind::END && ended);
    let blocks = part.blocks().filter(|(_, header)| counts(header.kind));
    blocks
        .map(|(_, header)| {
            (
                header.kind,
                header.ids.thread,
                header.first,
                header.last,
                header.crc,
            )
        })
        .collect()
}
