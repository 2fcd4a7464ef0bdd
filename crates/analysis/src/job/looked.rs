//! What a part says before its events are read.

use super::launches;
use iota_trace::read::{Names, Stretch, Trace};

/// What a part says before its events are read.
pub(super) struct Looked {
    pub part: usize,
    pub names: Names,
    pub stretches: Vec<(Stretch, u64)>,
    pub began: i64,
    pub ended: i64,
    pub threads: Box<[u32]>,
    pub ranks: u32,
    pub launch_key: Option<launches::LaunchKey>,
}

impl Looked {
    pub fn at(trace: &Trace, index: usize, events: u64) -> Looked {
        let part = &trace.parts()[index];
        let outline = part.outline();
        let last = outline.span(part).map_or(0, |(_, last)| last.0);
        let process = part.process();
        let process = process.as_ref().map(|process| process.fields());
        let names = part.names_of(&outline);
        Looked {
            part: index,
            launch_key: launches::key(&names, part, process.as_ref()),
            names,
            stretches: outline.stretches(events),
            began: part.time(0).0,
            ended: last.max(part.ended().map_or(0, |ended| ended.0)),
            threads: outline.threads().iter().copied().collect(),
            ranks: part.job_ranks(process.as_ref()),
        }
    }
}
