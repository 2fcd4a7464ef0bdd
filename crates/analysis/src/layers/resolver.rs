//! The calls of a process whose parents, or children, may be still to come.

use super::files_below::PLACES;
use super::node::Key;
use super::sub_calls::SubCall;
use super::{Below, Node, ObjectKey, Sum};
use crate::stat::Touched;
use crate::{FileId, NO_FILE, OpId, Process};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Calls that are kept until all calls of their process have come.
const REQUESTS: usize = 1 << 14;
/// Calls of other libraries that are remembered as long.
const CALLERS: usize = 1 << 16;
/// Calls of other libraries inside each other.
const LEVELS: usize = 64;
/// Sub-calls without a parent that are kept as long.
const STRAYS: usize = 1 << 16;

/// A process.
#[derive(Clone, Debug, Default)]
pub struct CallResolver {
    /// Who.
    pub process: Process,
    /// Whether its functions can put transfers in flight.
    pub flies: bool,
    /// Whether its calls can say what caused them, in whatever thread.
    pub has_causes: bool,
    /// Sub-calls of each call that are kept one by one.
    pub kept: usize,
    /// What calls caused that have not come yet.
    pub below: HashMap<Key, Below>,
    /// When the first call of each thread that came here ended: a call that began before may have caused others before.
    pub first: HashMap<u32, i64>,
    /// Calls that may have caused more than what is known.
    pub open: HashMap<Key, Node>,
    /// Calls of which sub-calls may come at any time: those that put a transfer in flight, and all if sub-calls can say what
    /// caused them.
    pub requests: Vec<Node>,
    /// Sub-calls that name no parent.
    pub strays: Vec<SubCall>,
    /// Files that MPI-IO used.
    pub files: HashSet<FileId>,
    /// Calls of other libraries of which sub-calls may come later, and what encloses them.
    pub callers: HashMap<Key, Key>,
    /// Sums of each thread by function,
    pub by_op: HashMap<(u32, OpId), Sum>,
    /// by file,
    pub by_file: HashMap<(u32, FileId), Sum>,
    /// and by object.
    pub by_object: HashMap<(u32, ObjectKey), Sum>,
    /// Where files were read below calls on objects.
    pub read: HashMap<ObjectKey, Touched>,
    /// Strays that were let go although they may belong to a call that had not come, by file.
    pub lost: HashMap<FileId, u64>,
}

impl CallResolver {
    /// What a call caused, as far as it came.
    pub fn take(&mut self, key: Key) -> Below {
        if self.below.is_empty() {
            return Below::default();
        }
        self.below.remove(&key).unwrap_or_default()
    }

    /// What a call of another library caused belongs to its caller, whenever it comes.
    pub fn pass_on(&mut self, call: Key, caller: Key) {
        if self.callers.len() < CALLERS {
            self.callers.insert(call, caller);
        }
    }

    /// Gives what came after calls of other libraries to what encloses them.
    pub fn pass_on_all(&mut self) {
        if self.callers.is_empty() || self.below.is_empty() {
            return;
        }
        let keys: Vec<Key> = self.below.keys().copied().collect();
        for key in keys
            .into_iter()
            .filter(|key| self.callers.contains_key(key))
        {
            let (mut to, mut hops) = (key, 0);
            while let Some(caller) = self.callers.get(&to).filter(|_| hops < LEVELS) {
                (to, hops) = (*caller, hops + 1);
            }
            if let Some(below) = self.below.remove(&key) {
                self.below.entry(to).or_default().merge(below);
            }
        }
    }

    /// Whether a call may have caused others that came to an earlier accumulator.
    pub fn is_open(&self, thread: u32, start: i64) -> bool {
        self.first.get(&thread).is_none_or(|first| start < *first)
    }

    /// Takes in what came later. Returns calls that are now known to be whole.
    pub fn merge(&mut self, later: CallResolver, duration: i64) -> Vec<Node> {
        let mut whole = Vec::new();
        self.callers.extend(later.callers);
        self.pass_on_all();
        for (key, mut node) in later.open {
            let mut below = self.take(key);
            below.merge(std::mem::take(&mut node.below));
            node.below = below;
            if self.is_open(key.0, node.start) {
                whole.extend(self.open.insert(key, node));
            } else {
                whole.push(node);
            }
        }
        for (key, below) in later.below {
            self.below.entry(key).or_default().merge(below);
        }
        for (thread, first) in later.first {
            self.first.entry(thread).or_insert(first);
        }
        self.requests.extend(later.requests);
        self.strays.extend(later.strays);
        self.files.extend(later.files);
        merge_sums(&mut self.by_op, later.by_op, duration);
        merge_sums(&mut self.by_file, later.by_file, duration);
        merge_sums(&mut self.by_object, later.by_object, duration);
        for (object, read) in later.read {
            self.read.entry(object).or_default().merge(read, PLACES);
        }
        for (file, lost) in later.lost {
            *self.lost.entry(file).or_default() += lost;
        }
        self.flies |= later.flies;
        whole.sort_by_key(|node| (node.end, Reverse(node.id), node.thread));
        whole
    }

    /// Calls that are given up waiting for more, because there are too many of them.
    pub fn crowded(&mut self) -> Vec<Node> {
        if self.strays.len() > STRAYS {
            self.tie();
            let half = self.strays.len() / 2;
            for stray in self.strays.drain(..half) {
                *self.lost.entry(stray.file).or_default() += 1;
            }
        }
        if self.requests.len() <= REQUESTS {
            return Vec::new();
        }
        self.tie();
        self.requests
            .sort_by_key(|node| (node.end, node.thread, node.id));
        let half = self.requests.len() / 2;
        self.requests.drain(..half).collect()
    }

    /// Strays on files of MPI-IO that were let go.
    pub fn lost(&self) -> u64 {
        let lost = self.lost.iter();
        let lost = lost.filter(|(file, _)| self.files.contains(file));
        lost.map(|(_, lost)| lost).sum()
    }

    /// Calls that are left when all have come, those that others enclose before these.
    pub fn rest(&mut self) -> Vec<Node> {
        self.tie();
        let mut rest = std::mem::take(&mut self.requests);
        rest.extend(std::mem::take(&mut self.open).into_values());
        rest.sort_by_key(|node| (node.end, Reverse(node.id), node.thread));
        rest
    }

    /// Ties sub-calls without a parent to the one transfer that was in flight on their file when they were made, if it was
    /// one.
    pub fn tie(&mut self) {
        if self.requests.is_empty() || self.strays.is_empty() {
            return;
        }
        self.strays.sort_by_key(|stray| (stray.start, stray.end));
        self.requests
            .sort_by_key(|node| (node.start, node.end, node.thread, node.id));
        // A call that is not in flight is around nothing.
        let flights = self.requests.iter();
        let flights = flights.map(|node| match node.begun {
            Some(_) => (node.file, node.start, node.end),
            None => (NO_FILE, node.start, node.start),
        });
        let strays = self.strays.iter().map(|of| (of.file, of.start, of.end));
        let pairs = pairs(strays, flights);
        for (stray, pair) in std::mem::take(&mut self.strays).into_iter().zip(pairs) {
            let Some(at) = pair else {
                self.strays.push(stray);
                continue;
            };
            let below = &mut self.requests[at].below;
            below.add(&stray, self.kept);
            below.inferred += 1;
        }
    }
}

/// For each transfer, by file, start and end, the only flight on its file that was under way during all of it. Both are in
/// the order of their starts.
pub(super) fn pairs(
    strays: impl Iterator<Item = (FileId, i64, i64)>,
    flights: impl Iterator<Item = (FileId, i64, i64)>,
) -> Vec<Option<usize>> {
    let mut next = flights.enumerate().peekable();
    let mut flying: Vec<(usize, (FileId, i64, i64))> = Vec::new();
    let pair = |(file, start, end): (FileId, i64, i64)| {
        while let Some(flight) = next.next_if(|(_, flight)| flight.1 <= start) {
            flying.push(flight);
        }
        flying.retain(|(_, flight)| flight.2 >= start);
        let around =
            |(_, flight): &&(usize, (FileId, i64, i64))| flight.0 == file && flight.2 >= end;
        let mut around = flying.iter().filter(around);
        match (around.next(), around.next()) {
            (Some((at, _)), None) => Some(*at),
            _ => None,
        }
    };
    strays.map(pair).collect()
}

fn merge_sums<K: std::hash::Hash + Eq>(
    to: &mut HashMap<K, Sum>,
    from: HashMap<K, Sum>,
    duration: i64,
) {
    for (key, sum) in from {
        to.entry(key).or_default().merge(&sum, duration);
    }
}
