//! Calls that have the same callers, summed up, and what they called.

use crate::servers::ServerWork;
use crate::sums::add;
use crate::{Call, CallDetails, FileId, NO_FILE, ObjectId, OpId, SiteId};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What tells calls of one caller apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BranchKey {
    /// From where the program made the call, if that is known.
    pub site: SiteId,
    /// The function.
    pub op: OpId,
    /// The dataset, variable or attribute.
    pub object: ObjectId,
    /// The file server that worked for a call of the function, counted from 1; 0: the call itself.
    pub server: u32,
    /// Whether a filter left it out: it is of the layer that the filter is about, and does not pass.
    pub left_out: bool,
}

/// Calls by step.
pub type Forest = BTreeMap<BranchKey, Branch>;

/// Calls that have the same callers.
#[derive(Clone, Debug, Default)]
pub struct Branch {
    /// What they come to.
    pub sum: PathSum,
    /// What they called.
    pub below: Forest,
    /// How many levels there are below.
    height: usize,
}

/// So many levels are kept. A program that calls itself again and again may have any number.
const LEVELS: usize = 64;

/// Sums over calls, the same in whatever order they are added.
#[derive(Clone, Copy, Debug, Default)]
pub struct PathSum {
    /// Calls.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that are tied to their caller by file and time.
    pub inferred: u64,
    /// Time that threads spent in the functions.
    pub time: u64,
    /// The part of it that their caller did not spend in them: other threads, or later calls, worked for it.
    pub beside: u64,
    /// From start to completion of those for which no thread waited.
    pub flight: u64,
    /// Bytes read and written.
    pub moved: [u64; 2],
    /// Processes that made some.
    pub processes: u64,
    /// Which files.
    pub files: BranchFiles,
}

/// Which files calls were on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BranchFiles {
    /// None that is known
    #[default]
    None,
    /// This one
    One(FileId),
    /// Several
    Several,
}

impl BranchFiles {
    fn add(&mut self, more: BranchFiles) {
        *self = match (*self, more) {
            (known, BranchFiles::None) => known,
            (BranchFiles::None, more) => more,
            (known, more) if known == more => known,
            _ => BranchFiles::Several,
        };
    }
}

impl PathSum {
    /// One call; `flies`: no thread waited for it.
    pub fn of(call: &Call, details: Option<CallDetails>, flies: bool) -> PathSum {
        let begun = || {
            let fields = details.and_then(|details| details.with(b"begun"));
            fields.map_or(0, |fields| fields.number(b"begun"))
        };
        PathSum {
            calls: 1,
            failed: call.failed().into(),
            time: if flies { begun() } else { call.elapse() },
            flight: if flies { call.elapse() } else { 0 },
            moved: [call.moved.read, call.moved.written],
            files: match call.file {
                NO_FILE => BranchFiles::None,
                file => BranchFiles::One(file),
            },
            ..PathSum::default()
        }
    }

    /// What a server did for a call.
    pub fn of_server(work: &ServerWork, file: FileId, is_slowest: bool) -> PathSum {
        let in_caller = if is_slowest { work.waited } else { 0 };
        PathSum {
            calls: work.calls,
            time: work.time,
            beside: work.time.saturating_sub(in_caller),
            moved: work.moved,
            files: BranchFiles::One(file),
            ..PathSum::default()
        }
    }

    /// More calls.
    pub fn merge(&mut self, more: &PathSum) {
        self.calls += more.calls;
        self.failed += more.failed;
        self.inferred += more.inferred;
        add(&mut self.time, more.time);
        add(&mut self.beside, more.beside);
        add(&mut self.flight, more.flight);
        add(&mut self.moved[0], more.moved[0]);
        add(&mut self.moved[1], more.moved[1]);
        self.processes += more.processes;
        self.files.add(more.files);
    }
}

impl Branch {
    /// Calls for which servers did this, and that called nothing.
    pub fn of(sum: PathSum, servers: Forest) -> Branch {
        Branch {
            sum,
            height: usize::from(!servers.is_empty()),
            below: servers,
        }
    }

    fn merge(&mut self, more: Branch) {
        self.sum.merge(&more.sum);
        self.height = self.height.max(more.height);
        merge(&mut self.below, more.below);
    }

    /// They called these as well.
    pub fn adopt(&mut self, step: BranchKey, branch: Branch) {
        self.height = self.height.max(branch.height + 1);
        put(&mut self.below, step, branch);
        if self.height > LEVELS {
            self.cut(LEVELS);
        }
    }

    /// They called all of these as well.
    pub fn adopt_all(&mut self, more: Forest) {
        let height = more.values().map(|branch| branch.height + 1).max();
        self.height = self.height.max(height.unwrap_or(0));
        merge(&mut self.below, more);
        if self.height > LEVELS {
            self.cut(LEVELS);
        }
    }

    /// Leaves so many levels below.
    fn cut(&mut self, levels: usize) {
        if self.height <= levels {
            return;
        }
        self.height = levels;
        match levels {
            0 => self.below.clear(),
            _ => self
                .below
                .values_mut()
                .for_each(|branch| branch.cut(levels - 1)),
        }
    }

    /// These calls only began what those below did.
    pub fn sets_off(&mut self) {
        for below in self.below.values_mut() {
            below.sum.beside = below.sum.time;
        }
    }

    /// All of this is of one process.
    pub fn is_of_one(&mut self) {
        self.sum.processes = 1;
        self.below.values_mut().for_each(Branch::is_of_one);
    }
}

/// Adds calls to others of the same caller.
pub fn put(to: &mut Forest, step: BranchKey, branch: Branch) {
    match to.entry(step) {
        Entry::Vacant(place) => drop(place.insert(branch)),
        Entry::Occupied(mut known) => known.get_mut().merge(branch),
    }
}

/// Adds all of these.
pub fn merge(to: &mut Forest, more: Forest) {
    if to.is_empty() {
        *to = more;
        return;
    }
    more.into_iter()
        .for_each(|(step, branch)| put(to, step, branch));
}

/// Calls that stand first in it.
pub fn calls(forest: &Forest) -> u64 {
    forest.values().map(|branch| branch.sum.calls).sum()
}
