//! The calls of a process whose parents, or children, may be still to come.

use super::below::SubCall;
use super::node::Key;
use super::{Below, Node, Sum};
use crate::{FileId, OpId, Process};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Calls that are kept until all calls of their process have come.
const REQUESTS: usize = 1 << 14;
/// Sub-calls without a parent that are kept as long.
const STRAYS: usize = 1 << 16;

/// A process.
#[derive(Clone, Debug, Default)]
pub struct Family {
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
    /// Sums of each thread by function,
    pub by_op: HashMap<(u32, OpId), Sum>,
    /// and by file.
    pub by_file: HashMap<(u32, FileId), Sum>,
    /// Strays that were let go although they may belong to a call that had not come, by file.
    pub lost: HashMap<FileId, u64>,
}

impl Family {
    /// What a call caused, as far as it came.
    pub fn take(&mut self, key: Key) -> Below {
        if self.below.is_empty() {
            return Below::default();
        }
        self.below.remove(&key).unwrap_or_default()
    }

    /// Whether a call may have caused others that came to an earlier accumulator.
    pub fn is_open(&self, thread: u32, start: i64) -> bool {
        self.first.get(&thread).is_none_or(|first| start < *first)
    }

    /// Takes in what came later. Returns calls that are now known to be whole.
    pub fn merge(&mut self, later: Family, duration: i64) -> Vec<Node> {
        let mut whole = Vec::new();
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
        let (mut flying, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
        let (requests, kept) = (&mut self.requests, self.kept);
        self.strays.retain(|stray| {
            while requests
                .get(next)
                .is_some_and(|node| node.start <= stray.start)
            {
                flying.push(next);
                next += 1;
            }
            flying.retain(|at| requests[*at].end >= stray.start);
            let around = |at: &&usize| {
                let node = &requests[**at];
                node.begun.is_some() && node.file == stray.file && node.end >= stray.end
            };
            let mut around = flying.iter().filter(around);
            let (Some(at), None) = (around.next(), around.next()) else {
                return true;
            };
            let below = &mut requests[*at].below;
            below.add(stray, kept);
            below.inferred += 1;
            false
        });
    }
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
