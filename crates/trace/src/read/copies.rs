//! Parts that say nothing new: a run that was gathered, spilled and recovered may have the same calls in several files.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::part::Part;
use crate::block::kind;
use crate::part::reason;

/// A block as one of its process' blocks: kind, thread, first and last step, checksum.
type Mark = (u8, u32, i64, i64, u32);

/// The parts without those of which every block of events stands in another part of the same process, too: of two that
/// say the same the first is kept.
pub fn distinct<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Vec<&'a Part> {
    let mut processes: HashMap<_, Vec<(usize, &Part)>> = HashMap::new();
    for (place, part) in parts.into_iter().enumerate() {
        let process = processes.entry(part.process_key()).or_default();
        process.push((place, part));
    }
    let mut kept: Vec<_> = processes.into_values().flat_map(of_process).collect();
    kept.sort_by_key(|(place, _)| *place);
    kept.into_iter().map(|(_, part)| part).collect()
}

fn of_process(parts: Vec<(usize, &Part)>) -> Vec<(usize, &Part)> {
    if parts.len() == 1 {
        return parts;
    }
    let marked = parts.into_iter().map(|part| (marks(part.1), part));
    let mut marked: Vec<_> = marked.collect();
    marked.sort_by_key(|(marks, _)| Reverse(marks.len()));
    let (mut kept, mut seen) = (Vec::new(), Vec::<HashSet<Mark>>::new());
    for (marks, part) in marked {
        if !seen.iter().any(|other| marks.is_subset(other)) {
            kept.push(part);
            seen.push(marks);
        }
    }
    kept
}

/// Its blocks of events that are whole, and its end where it ended by itself.
fn marks(part: &Part) -> HashSet<Mark> {
    let ended = part
        .end()
        .is_some_and(|end| end.reason != reason::RECOVERED);
    let counts = |of: u8| of == kind::EVENTS || (of == kind::END && ended);
    let blocks = part
        .blocks()
        .filter(|(at, header)| counts(header.kind) && part.source.whole(*at, header));
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
