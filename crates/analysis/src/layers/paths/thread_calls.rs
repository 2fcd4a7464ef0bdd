//! The calls of a thread: which one called which, from their numbers and the order of their records.
//!
//! Calls are numbered as they begin, and recorded as they end. So the record of a caller comes after those of all that it
//! called, and has a smaller number. What waits for its caller is kept in a stack, by the caller's number. A record takes
//! what waits for it; what waits for a greater number waits in vain, because that call would have ended before.
//!
//! The lane of a unit does not know what waited before it. Only a call with a smaller number than all before it in the unit
//! can take some of that, or put an end to its waiting. These calls stay by themselves until lanes are merged: as many as
//! calls enclose each other. So the result does not depend on the cuts, whatever the numbers are.

use super::branch::{self, Branch, BranchKey, Forest};

/// A thread's calls that wait for callers, or for what they called.
#[derive(Clone, Debug, Default)]
pub struct ThreadCalls {
    /// By number of the caller, in order.
    stack: Vec<Waiting>,
    /// Calls that may have called others in an earlier unit, in the order of their records.
    open: Vec<Open>,
    /// The smallest number of a call.
    least: Option<u64>,
}

/// What waits for a caller.
#[derive(Clone, Debug, Default)]
struct Waiting {
    caller: u64,
    forest: Forest,
    /// Open calls that wait as well.
    open: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Open {
    id: u64,
    step: BranchKey,
    branch: Branch,
    to: To,
}

/// Where a call goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// To an open call
    Open(usize),
    /// To the call of this number, which is still to come
    Waiting(u64),
    /// To the call of this number, which did not come in time
    Adrift(u64),
    /// What it called goes to the call of this number, which is itself
    PendingCall(u64),
    /// Nobody called it
    Root,
    /// It is not shown
    Nowhere,
}

/// What leaves a lane.
#[derive(Debug, Default)]
pub struct Out {
    /// Calls by the numbers of callers that did not come in time.
    pub adrift: Vec<(u64, Forest)>,
    /// Calls that nobody called.
    pub roots: Forest,
}

impl Out {
    fn drift(&mut self, caller: u64, forest: Forest) {
        if !forest.is_empty() {
            self.adrift.push((caller, forest));
        }
    }
}

/// What a call called, as far as it is known.
#[derive(Default)]
pub struct Called {
    forest: Forest,
    open: Vec<usize>,
}

impl ThreadCalls {
    /// A call of this number has ended; what it called.
    pub fn end(&mut self, id: u64, out: &mut Out) -> Called {
        while self.stack.last().is_some_and(|last| last.caller > id) {
            if let Some(waiting) = self.stack.pop() {
                let to = To::Adrift(waiting.caller);
                waiting.open.iter().for_each(|at| self.open[*at].to = to);
                out.drift(waiting.caller, waiting.forest);
            }
        }
        let is_it = |last: &mut Waiting| last.caller == id;
        let taken = self.stack.pop_if(is_it).unwrap_or_default();
        Called {
            forest: taken.forest,
            open: taken.open,
        }
    }

    /// Puts a call, with what it called, where it goes.
    pub fn put(
        &mut self,
        id: u64,
        (step, mut branch): (BranchKey, Branch),
        to: To,
        called: Called,
        out: &mut Out,
    ) {
        branch.adopt_all(called.forest);
        if self.least.is_some_and(|least| id >= least) {
            return self.give(to, step, branch, out);
        }
        self.least = Some(id);
        let at = self.open.len();
        let to_it = |child: &usize| self.open[*child].to = To::Open(at);
        called.open.iter().for_each(to_it);
        if let To::Waiting(caller) = to {
            self.waiting(caller).open.push(at);
        }
        self.open.push(Open {
            id,
            step,
            branch,
            to,
        });
    }

    /// Puts calls where they go, that need not wait for what they called.
    pub fn give(&mut self, to: To, step: BranchKey, branch: Branch, out: &mut Out) {
        match to {
            To::Open(at) => self.open[at].branch.adopt(step, branch),
            To::Waiting(caller) => branch::put(&mut self.waiting(caller).forest, step, branch),
            To::Adrift(caller) => out.drift(caller, Forest::from([(step, branch)])),
            To::PendingCall(id) => out.drift(id, branch.below),
            To::Root => branch::put(&mut out.roots, step, branch),
            To::Nowhere => {}
        }
    }

    fn waiting(&mut self, caller: u64) -> &mut Waiting {
        let at = self
            .stack
            .partition_point(|waiting| waiting.caller < caller);
        if self
            .stack
            .get(at)
            .is_none_or(|known| known.caller != caller)
        {
            let new = Waiting {
                caller,
                ..Waiting::default()
            };
            self.stack.insert(at, new);
        }
        &mut self.stack[at]
    }

    /// Takes in what came later.
    pub fn merge(&mut self, mut later: ThreadCalls, out: &mut Out) {
        let (first, mut places) = (self.open.len(), Vec::new());
        for at in 0..later.open.len() {
            let called = self.end(later.open[at].id, out);
            let open = &mut later.open[at];
            open.branch.adopt_all(called.forest);
            let (id, step, to) = (open.id, open.step, open.to);
            let branch = std::mem::take(&mut open.branch);
            if self.least.is_none_or(|least| id < least) {
                let place = self.open.len();
                called
                    .open
                    .iter()
                    .for_each(|child| self.open[*child].to = To::Open(place));
                self.open.push(Open {
                    id,
                    step,
                    branch,
                    to,
                });
                places.push(Some(place));
            } else {
                places.push(None);
                later.give(to, step, branch, out);
            }
        }
        self.least = self.least.into_iter().chain(later.least).min();
        for open in &mut self.open[first..] {
            if let To::Open(at) = open.to {
                open.to = places[at].map_or(To::Nowhere, To::Open);
            }
        }
        self.join(later, &places);
    }

    /// What waits in a later lane waits here; `places` are those of its open calls here.
    fn join(&mut self, later: ThreadCalls, places: &[Option<usize>]) {
        for waiting in later.stack {
            let open = waiting.open.iter().filter_map(|at| places[*at]);
            let here = self.waiting(waiting.caller);
            branch::merge(&mut here.forest, waiting.forest);
            here.open.extend(open);
        }
    }

    /// No more calls come.
    pub fn close(mut self, out: &mut Out) {
        for waiting in std::mem::take(&mut self.stack) {
            let to = To::Adrift(waiting.caller);
            waiting.open.iter().for_each(|at| self.open[*at].to = to);
            out.drift(waiting.caller, waiting.forest);
        }
        for at in 0..self.open.len() {
            let open = &mut self.open[at];
            let (step, to) = (open.step, open.to);
            let branch = std::mem::take(&mut open.branch);
            self.give(to, step, branch, out);
        }
    }
}
