//! Who started whom: the processes of a trace as a tree.
//!
//! A process stands below the one on its host that has the id of its parent. If several had this id one after the other, it
//! is the last that began before it. A process whose parent is not in the trace is a root.
//!
//! There may be very many. So the tree has a row for all processes that have the same program and the same parent, or whose
//! parents share a row, if they are more than a few.

mod command;
mod groups;
mod lines;
mod list;
mod rows;

pub use command::{brief, command};
pub use groups::{Bounds, ProcessGroup, ProcessRow};
pub use lines::Line;

use crate::stat::Sums;
use iota_trace::read::{Part, Trace};
use serde::Serialize;

/// Processes, those first that no other one of the trace started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Processes {
    /// How many there are.
    pub count: u64,
    /// How many of them another one in the trace started.
    pub started: u64,
    /// Rows, those first that have most I/O time with all below them.
    pub tree: Vec<ProcessRow>,
    /// Processes of rows that are left out, and all below them.
    pub folded: ProcessGroup,
}

/// The part of the process with which the job began, by its number: its command is what the user gave.
pub fn first(trace: &Trace) -> Option<u32> {
    let known = list::ProcessList::of(trace, []);
    known.all.first().map(|one| one.part)
}

/// The name of the program of a part, without its folder; none where the part does not say it.
pub fn program_of(part: &Part) -> Option<String> {
    let block = part.process()?;
    let of = block.fields();
    let is_known = !(of.argv.is_empty() && of.exe.is_empty());
    is_known.then(|| command::program(of.argv, of.exe))
}

impl Processes {
    /// Those of a trace. `sums` says what each part did, by its number; of those that are not in it, nothing is known.
    pub fn of(trace: &Trace, sums: impl IntoIterator<Item = (u32, Sums)>, bounds: Bounds) -> Self {
        let known = list::ProcessList::of(trace, sums);
        let started = known.all.iter().filter(|one| one.above.is_some()).count();
        let (tree, folded) = rows::ProcessTree::of(trace, &known, bounds).whole();
        Processes {
            count: known.all.len() as u64,
            started: started as u64,
            tree,
            folded,
        }
    }
}
