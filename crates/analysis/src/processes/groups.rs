//! Rows of the tree of processes.

use crate::stat::Sums;
use serde::Serialize;

/// Some processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProcessGroup {
    /// How many.
    pub processes: u64,
    /// What they did.
    #[serde(flatten)]
    pub sums: Sums,
}

/// One process, or several that have the same program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProcessRow {
    /// The command line of one process, the program of several. Of a process that was several programs, it is the last.
    pub command: String,
    /// The process, if it is one.
    pub pid: Option<u32>,
    /// The id of its parent, if it is known and the same for all.
    pub ppid: Option<u32>,
    /// Its host, if it is one.
    pub host: Option<String>,
    /// First and last of each run of ranks that they belong to.
    pub ranks: Vec<(u64, u64)>,
    /// What they did themselves.
    #[serde(flatten)]
    pub own: ProcessGroup,
    /// What all processes below them did.
    pub descendants: ProcessGroup,
    /// Those that they started, in the same order.
    pub below: Vec<ProcessRow>,
    /// Those that are left out of it.
    pub folded: ProcessGroup,
}

/// How much of the tree is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Rows of the tree; 0: all.
    pub rows: usize,
    /// Processes of one program that have a row each; 0: all.
    pub alike: usize,
}

impl Bounds {
    /// As tables are bounded: `top` rows, and below one row three of each program. With 0 everything is shown.
    pub fn top(top: usize) -> Bounds {
        let alike = if top == 0 { 0 } else { 3 };
        Bounds { rows: top, alike }
    }
}

impl ProcessGroup {
    pub(super) fn add(&mut self, more: &ProcessGroup) {
        self.processes += more.processes;
        self.sums.merge(&more.sums);
    }
}
