//! The calls of a process.
//!
//! With asynchronous work, a sub-call may be recorded after its parent, in any thread. Then calls of libraries are kept one by
//! one until the process is complete.

use super::branch::{self, Branch, BranchKey, Forest, PathSum};
use super::thread_calls::{Out, ThreadCalls, To};
use crate::layers::node::Key;
use crate::layers::resolver::pairs;
use crate::{FileId, Process};
use std::collections::HashMap;

/// Calls that are kept one by one.
const KEPT: usize = 1 << 14;
/// Calls without a caller that may belong to one of these.
const STRAYS: usize = 1 << 16;

/// A process.
#[derive(Clone, Debug, Default)]
pub struct ProcessCalls {
    pub process: Process,
    /// Whether calls of libraries are kept one by one.
    pub keeps: bool,
    lanes: HashMap<u32, ThreadCalls>,
    kept: HashMap<Key, PendingCall>,
    /// Calls whose caller did not come in time.
    adrift: HashMap<Key, Forest>,
    strays: Vec<UnattributedCall>,
    /// Calls that nobody called.
    roots: Forest,
    /// Calls whose caller is not in the trace.
    orphans: u64,
}

/// A call of a library.
#[derive(Clone, Debug)]
struct PendingCall {
    step: BranchKey,
    branch: Branch,
    caller: Key,
    /// The file, and when it was in flight.
    flight: Option<(FileId, i64, i64)>,
    end: i64,
    is_shown: bool,
}

/// A call that may be done for one in flight.
#[derive(Clone, Debug)]
pub struct UnattributedCall {
    pub file: FileId,
    pub start: i64,
    pub end: i64,
    pub step: BranchKey,
    pub sum: PathSum,
    pub servers: Forest,
    /// Whether it is shown if it is not.
    pub is_shown: bool,
}

/// A call as it comes.
pub struct IncomingCall {
    /// By what others know it.
    pub key: Key,
    /// By what it knows its caller; 0: none.
    pub caller: Key,
    /// Whether it says what caused it.
    pub is_caused: bool,
    /// Of a library
    pub is_library: bool,
    /// The file, and when it was in flight, if no thread waited for it.
    pub flight: Option<(FileId, i64, i64)>,
    /// Without a caller it is shown.
    pub is_shown: bool,
    pub end: i64,
    pub step: BranchKey,
    pub sum: PathSum,
    /// What servers did for it.
    pub servers: Forest,
}

impl ProcessCalls {
    pub fn of(process: Process, keeps: bool) -> ProcessCalls {
        ProcessCalls {
            process,
            keeps,
            ..ProcessCalls::default()
        }
    }

    /// One call of a thread.
    pub fn add(&mut self, thread: u32, came: IncomingCall) {
        if self.keeps && came.is_library {
            return self.keep(thread, came);
        }
        let (id, to) = (came.key.1, came.to());
        let leaf = Branch::of(came.sum, came.servers);
        if came.is_caused {
            let forest = self.adrift.entry(came.caller).or_default();
            return branch::put(forest, came.step, leaf);
        }
        let mut out = Out::default();
        let thread_calls = self.lanes.entry(thread).or_default();
        if came.flight.is_some() && self.keeps {
            thread_calls.give(to, came.step, leaf, &mut out);
        } else {
            let called = thread_calls.end(id, &mut out);
            thread_calls.put(id, (came.step, leaf), to, called, &mut out);
        }
        self.take(thread, out);
    }

    /// Calls after one that came just now, alike.
    pub fn add_more(&mut self, thread: u32, came: IncomingCall) {
        let mut out = Out::default();
        let thread_calls = self.lanes.entry(thread).or_default();
        thread_calls.give(
            came.to(),
            came.step,
            Branch::of(came.sum, came.servers),
            &mut out,
        );
        self.take(thread, out);
    }

    pub fn stray(&mut self, stray: UnattributedCall) {
        self.strays.push(stray);
        self.relieve();
    }

    fn keep(&mut self, thread: u32, came: IncomingCall) {
        let mut out = Out::default();
        if came.flight.is_none() {
            let thread_calls = self.lanes.entry(thread).or_default();
            let called = thread_calls.end(came.key.1, &mut out);
            let (marker, to) = ((came.step, Branch::default()), To::PendingCall(came.key.1));
            thread_calls.put(came.key.1, marker, to, called, &mut out);
        }
        self.take(thread, out);
        let kept = PendingCall {
            step: came.step,
            branch: Branch::of(came.sum, came.servers),
            caller: came.caller,
            flight: came.flight,
            end: came.end,
            is_shown: came.is_shown,
        };
        if let Some(before) = self.kept.insert(came.key, kept) {
            self.settle(before);
        }
        self.relieve();
    }

    fn take(&mut self, thread: u32, out: Out) {
        if !out.roots.is_empty() {
            branch::merge(&mut self.roots, out.roots);
        }
        for (caller, forest) in out.adrift {
            if self.keeps {
                let known = self.adrift.entry((thread, caller)).or_default();
                branch::merge(known, forest);
            } else {
                self.orphan(forest);
            }
        }
    }

    fn orphan(&mut self, forest: Forest) {
        self.orphans += branch::calls(&forest);
        branch::merge(&mut self.roots, forest);
    }

    /// A call that is no longer kept goes to its caller.
    fn settle(&mut self, mut kept: PendingCall) {
        if kept.flight.is_some() {
            kept.branch.sets_off();
        }
        let (step, branch) = (kept.step, kept.branch);
        match kept.caller {
            (_, 0) if kept.is_shown => branch::put(&mut self.roots, step, branch),
            (_, 0) => {}
            caller => match self.kept.get_mut(&caller) {
                Some(caller) => caller.branch.adopt(step, branch),
                None => branch::put(self.adrift.entry(caller).or_default(), step, branch),
            },
        }
    }

    /// Takes in what came later.
    pub fn merge(&mut self, later: ProcessCalls) {
        self.keeps |= later.keeps;
        for (thread, thread_calls) in later.lanes {
            let mut out = Out::default();
            self.lanes
                .entry(thread)
                .or_default()
                .merge(thread_calls, &mut out);
            self.take(thread, out);
        }
        for (key, kept) in later.kept {
            if let Some(before) = self.kept.insert(key, kept) {
                self.settle(before);
            }
        }
        for (key, forest) in later.adrift {
            branch::merge(self.adrift.entry(key).or_default(), forest);
        }
        self.strays.extend(later.strays);
        branch::merge(&mut self.roots, later.roots);
        self.orphans += later.orphans;
        self.relieve();
    }

    /// Lets go of what there is too much of.
    fn relieve(&mut self) {
        if self.strays.len() > STRAYS {
            self.tie();
            let half = self.strays.len() / 2;
            let old: Vec<UnattributedCall> = self.strays.drain(..half).collect();
            old.into_iter().for_each(|stray| self.roam(stray));
        }
        if self.kept.len() > KEPT {
            self.tie();
            let mut old: Vec<(i64, Key)> =
                self.kept.iter().map(|(key, of)| (of.end, *key)).collect();
            old.sort_unstable();
            old.truncate(KEPT / 2);
            // What was called ends before its caller.
            old.into_iter().for_each(|(_, key)| self.let_go(key));
        }
    }

    fn let_go(&mut self, key: Key) {
        if let Some(mut kept) = self.kept.remove(&key) {
            let more = self.adrift.remove(&key).unwrap_or_default();
            kept.branch.adopt_all(more);
            self.settle(kept);
        }
    }

    fn roam(&mut self, stray: UnattributedCall) {
        if stray.is_shown {
            branch::put(
                &mut self.roots,
                stray.step,
                Branch::of(stray.sum, stray.servers),
            );
        }
    }

    /// Gives calls without a caller to the one call that was in flight on their file.
    fn tie(&mut self) {
        let mut flights: Vec<(FileId, i64, i64, Key)> = Vec::new();
        let kept = self.kept.iter();
        flights.extend(kept.filter_map(|(key, kept)| {
            let (file, start, end) = kept.flight?;
            Some((file, start, end, *key))
        }));
        if flights.is_empty() || self.strays.is_empty() {
            return;
        }
        flights.sort_unstable_by_key(|(_, start, end, key)| (*start, *end, *key));
        self.strays.sort_by_key(|stray| (stray.start, stray.end));
        let strays = self.strays.iter().map(|of| (of.file, of.start, of.end));
        let around = flights.iter().map(|of| (of.0, of.1, of.2));
        let pairs = pairs(strays, around);
        let strays = std::mem::take(&mut self.strays);
        for (stray, pair) in strays.into_iter().zip(pairs) {
            let Some(kept) = pair.and_then(|at| self.kept.get_mut(&flights[at].3)) else {
                self.strays.push(stray);
                continue;
            };
            let mut leaf = Branch::of(stray.sum, stray.servers);
            leaf.sum.inferred = leaf.sum.calls;
            kept.branch.adopt(stray.step, leaf);
        }
    }

    /// All calls have come: those that nobody called, and how many calls have callers that are not in the trace.
    pub fn close(mut self) -> (Forest, u64) {
        for (thread, thread_calls) in std::mem::take(&mut self.lanes) {
            let mut out = Out::default();
            thread_calls.close(&mut out);
            self.take(thread, out);
        }
        self.tie();
        let strays = std::mem::take(&mut self.strays);
        strays.into_iter().for_each(|stray| self.roam(stray));
        self.settle_all();
        let lost: Vec<Forest> = self.adrift.drain().map(|(_, forest)| forest).collect();
        lost.into_iter().for_each(|forest| self.orphan(forest));
        self.roots.values_mut().for_each(Branch::is_of_one);
        (self.roots, self.orphans)
    }

    /// Calls go to their callers when all that they called has come to them. Those that call each other in a circle, as
    /// none does, are orphans.
    fn settle_all(&mut self) {
        let mut callees: HashMap<Key, u64> = HashMap::new();
        let callers = self.kept.values().map(|kept| kept.caller);
        callers.for_each(|caller| *callees.entry(caller).or_default() += 1);
        let is_ready = |key: &&Key| !callees.contains_key(key);
        let mut ready: Vec<Key> = self.kept.keys().filter(is_ready).copied().collect();
        while let Some(key) = ready.pop() {
            let caller = self.kept.get(&key).map(|kept| kept.caller);
            self.let_go(key);
            let Some((caller, left)) = caller.and_then(|key| Some((key, callees.get_mut(&key)?)))
            else {
                continue;
            };
            *left -= 1;
            if *left == 0 && self.kept.contains_key(&caller) {
                ready.push(caller);
            }
        }
        let circle: Vec<Key> = self.kept.keys().copied().collect();
        let circle: Vec<PendingCall> = circle
            .iter()
            .filter_map(|key| self.kept.remove(key))
            .collect();
        for kept in circle {
            self.orphan(Forest::from([(kept.step, kept.branch)]));
        }
    }
}

impl IncomingCall {
    fn to(&self) -> To {
        match self.caller.1 {
            0 if self.is_shown => To::Root,
            0 => To::Nowhere,
            caller if caller < self.key.1 => To::Waiting(caller),
            caller => To::Adrift(caller),
        }
    }
}
