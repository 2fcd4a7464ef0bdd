//! The I/O stack as a tree: each call of one layer, MPI-IO if nothing else is asked for, and what it caused below.
//!
//! A sub-call is a call of a descriptor or stream that a call of the layer made, or a call of another layer that it made: in its own thread, in another one that says
//! for which call it works, or, if it says nothing, in the span of the only transfer that was in flight on its file. (The
//! last is a guess, and counted apart.) Latencies follow four equations:
//!
//! 1. of a layer: the longest of parallel children,
//! 2. throughput of a layer: the sum over parallel children,
//! 3. client latency of a call: the sum over its sub-calls, or, if these overlap, the time in which one was under way,
//! 4. server latency of a call: the sum over its sub-calls of the slowest server of each.
//!
//! What is not the client's is the library's: exchange, synchronisation, copying.
//!
//! Memory grows with functions, files, objects and ranks that use the layer. What would grow with calls has limits, and
//! [`Exactness`] says what came of them.

mod collect;
mod collective;
mod data;
mod facts;
mod figures;
mod files_below;
mod finding;
mod layer_cost;
mod names;
mod node;
mod object;
mod paths;
mod pick;
mod report;
mod resolver;
mod spans;
mod sub_calls;
mod sum;
mod sync_points;

pub use collective::{CollectiveWait, Collectives, Gathered, RankShare};
pub use facts::{FileFacts, Hints};
pub use figures::{
    Amplification, CallRow, CollectiveRow, Exactness, Figures, LayerReport, LayerRow, RankRow,
    Totals,
};
pub use node::{Below, Node};
pub use object::{ObjectFacts, ObjectKey};
pub use paths::{Branch, BranchFiles, BranchKey, Folded, Forest, PathRow, PathSum, Paths};
pub use pick::{Stack, layer_of, layers_of};
pub use spans::Spans;
pub use sub_calls::{SubCall, Union};
pub use sum::{Independent, ReadFirst, Sum};
pub use sync_points::SyncPoints;

use crate::filter::Bound;
use crate::servers::ServerTies;
use crate::sums::add;
use crate::{FileId, Ids, Job, NO_OBJECT, OpId, Process, TaskId};
use files_below::PLACES;
use iota_calls::Kind;
use node::SUB_CALLS;
use resolver::CallResolver;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Calls that are listed one by one: the longest.
const CALLS: usize = 1 << 14;
/// The same where each is listed with its first sub-calls.
const CALLS_WITH_SUB_CALLS: usize = 1 << 11;

/// What has been found out so far.
pub struct Layers<'j> {
    job: &'j Job<'j>,
    /// The layer whose calls are reported.
    pub layer: u8,
    /// Calls of it that are asked for.
    wanted: &'j Bound,
    /// Sub-calls of each call that are kept one by one.
    kept: usize,
    /// What servers did for the calls, as their own traces say.
    servers: Option<&'j ServerTies>,
    now: CallOrigin,
    /// Processes that may have more calls, in order.
    families: Vec<CallResolver>,
    /// Sums by function.
    pub ops: HashMap<OpId, Sum>,
    /// Files.
    pub files: HashMap<FileId, FileFacts>,
    /// Datasets, variables and attributes in their files.
    pub objects: HashMap<ObjectKey, ObjectFacts>,
    /// Ranks, or the processes of a job without ranks.
    pub tasks: HashMap<TaskId, Sum>,
    /// Collective calls.
    pub collectives: Collectives,
    /// Single calls, the longest.
    pub calls: Vec<Node>,
    /// Calls of the layer inside other ones, which count for these.
    pub nested: u64,
    /// Sub-calls on files of MPI-IO that name no call and were let go before the calls in flight were all known.
    pub lost: u64,
}

/// Where calls that come belong.
#[derive(Default)]
struct CallOrigin {
    process: Process,
    thread: u32,
    /// Whether the first call of the thread has come.
    is_begun: bool,
}

impl<'j> Layers<'j> {
    /// Nothing of this job. Of calls of the layer only those that are wanted are reported; the pass must be one of all calls
    /// ([`crate::Pass::of_processes`]), because sub-calls are not asked.
    pub fn new(job: &'j Job<'j>, wanted: &'j Bound, layer: u8) -> Layers<'j> {
        Layers {
            job,
            layer,
            wanted,
            kept: 0,
            servers: None,
            now: CallOrigin::default(),
            families: Vec::new(),
            ops: HashMap::new(),
            files: HashMap::new(),
            objects: HashMap::new(),
            tasks: HashMap::new(),
            collectives: Collectives::default(),
            calls: Vec::new(),
            nested: 0,
            lost: 0,
        }
    }

    /// The same; the first sub-calls of each call are listed one by one.
    #[must_use]
    pub fn with_sub_calls(self) -> Layers<'j> {
        Layers {
            kept: SUB_CALLS,
            ..self
        }
    }

    /// The same with what servers did.
    #[must_use]
    pub fn with_servers(self, servers: Option<&'j ServerTies>) -> Layers<'j> {
        Layers { servers, ..self }
    }

    /// Whether there was any call of the layer.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    fn resolver(&mut self) -> &mut CallResolver {
        let part = self.now.process.part;
        let is_last = |resolver: &CallResolver| resolver.process.part == part;
        if !self.families.last().is_some_and(is_last) {
            let resolver = self.new_family();
            self.families.push(resolver);
        }
        match self.families.last_mut() {
            Some(resolver) => resolver,
            None => unreachable!("it was just made"),
        }
    }

    fn new_family(&self) -> CallResolver {
        let process = self.now.process;
        let ids = self.job.ids(process.part);
        CallResolver {
            process,
            flies: flies(self.job, &ids),
            has_causes: ids.has_form(b"cause"),
            kept: self.kept,
            ..CallResolver::default()
        }
    }

    /// A call of the layer all of whose sub-calls are known.
    fn settle(&mut self, mut node: Node, at: usize) {
        let more = self.families[at].take(node.key());
        node.below.merge(more);
        let inner = std::mem::take(&mut node.below.inner);
        self.nested += inner.len() as u64;
        inner
            .iter()
            .for_each(|inner| node.below.absorb(&inner.below));
        if node.parent == 0 || node.begun.is_some() {
            return self.emit(node, at);
        }
        let parent = (node.thread, node.parent);
        let above = self.families[at].below.entry(parent).or_default();
        if let Some(node) = above.hold(node) {
            self.emit(node, at);
        }
    }

    /// A call of the layer that no other one encloses.
    fn emit(&mut self, node: Node, at: usize) {
        if !node.wanted {
            return;
        }
        let (resolver, duration) = (&mut self.families[at], self.job.duration);
        let of_op = resolver.by_op.entry((node.thread, node.op)).or_default();
        of_op.add(&node, duration);
        let of_file = resolver
            .by_file
            .entry((node.thread, node.file))
            .or_default();
        of_file.add(&node, duration);
        if node.object != NO_OBJECT {
            let place = (node.thread, (node.file, node.object));
            let of_object = resolver.by_object.entry(place).or_default();
            of_object.add(&node, duration);
            if let Some(read) = node.read_below() {
                let known = resolver.read.entry(place.1).or_default();
                known.merge(read.clone(), PLACES);
            }
        }
        if node.collective != 0 {
            self.collectives.add(&node);
        }
        self.calls.push(node);
        if self.calls.len() > 2 * self.most_calls() {
            self.prune();
        }
    }

    fn most_calls(&self) -> usize {
        match self.kept {
            0 => CALLS,
            _ => CALLS_WITH_SUB_CALLS,
        }
    }

    /// Keeps the longest calls.
    fn prune(&mut self) {
        self.calls.sort_by_key(order);
        self.calls.truncate(self.most_calls());
    }

    /// Single calls, the longest first.
    pub fn longest(&self) -> Vec<&Node> {
        let mut calls: Vec<&Node> = self.calls.iter().collect();
        calls.sort_by_key(|node| order(node));
        calls
    }

    /// How long the job lasted.
    pub fn duration(&self) -> i64 {
        self.job.duration
    }

    /// All calls of a process have come.
    fn close(&mut self, at: usize) {
        self.families[at].pass_on_all();
        let rest = self.families[at].rest();
        rest.into_iter().for_each(|node| self.settle(node, at));
        let mut left: Vec<_> = self.families[at].below.drain().collect();
        left.sort_by_key(|(key, _)| *key);
        for (_, below) in left {
            below.inner.into_iter().for_each(|node| self.emit(node, at));
        }
        let resolver = self.families.remove(at);
        self.lost += resolver.lost();
        self.sums(resolver);
    }

    /// The sums of a process' threads are added to those of functions, files and its task.
    fn sums(&mut self, resolver: CallResolver) {
        let duration = self.job.duration;
        let mut by_op: Vec<_> = resolver.by_op.into_iter().collect();
        by_op.sort_by_key(|(key, _)| *key);
        for of_thread in by_op.chunk_by_mut(|a, b| a.0.0 == b.0.0) {
            let mut thread = Sum::default();
            for ((_, op), sum) in of_thread {
                sum.close();
                self.ops.entry(*op).or_default().merge(sum, duration);
                thread.merge(sum, duration);
            }
            // A thread's calls of several functions are not parallel.
            thread.close();
            (thread.wall, thread.wall_below) = (Spans::default(), Spans::default());
            let task = self.tasks.entry(resolver.process.task).or_default();
            task.merge(&thread, duration);
        }
        let mut by_file: Vec<_> = resolver.by_file.into_iter().collect();
        by_file.sort_by_key(|((thread, file), _)| (*file, *thread));
        for of_file in by_file.chunk_by_mut(|a, b| a.0.1 == b.0.1) {
            let facts = self.files.entry(of_file[0].0.1).or_default();
            let mut process = Sum::default();
            for (_, sum) in of_file {
                sum.close();
                process.merge(sum, duration);
            }
            facts.take(resolver.process.task, &process, duration);
        }
        let mut by_object: Vec<_> = resolver.by_object.into_iter().collect();
        by_object.sort_by_key(|((thread, place), _)| (*place, *thread));
        for of_object in by_object.chunk_by_mut(|a, b| a.0.1 == b.0.1) {
            let facts = self.objects.entry(of_object[0].0.1).or_default();
            facts.ranks += 1;
            for (_, sum) in of_object {
                sum.close();
                facts.sum.merge(sum, duration);
            }
        }
        for (object, read) in resolver.read {
            let facts = self.objects.entry(object).or_default();
            add(&mut facts.distinct, read.distinct(PLACES));
        }
    }
}

/// The longest first, then by rank and time.
fn order(node: &Node) -> (Reverse<u64>, u32, i64, u32, u64) {
    (
        Reverse(node.span()),
        node.rank,
        node.start,
        node.thread,
        node.id,
    )
}

/// Whether functions of a part can put transfers in flight.
fn flies(job: &Job, ids: &Ids) -> bool {
    let begins = |op: OpId| {
        let function = job.ops.get(op);
        let words = [
            &b"_iread"[..],
            b"_iwrite",
            b"_begin",
            b"_iput",
            b"_iget",
            b"_bput",
            b"_async",
        ];
        function.is_library && words.iter().any(|word| contains(&function.name, word))
    };
    ids.ops().any(begins)
}

fn contains(text: &[u8], what: &[u8]) -> bool {
    text.windows(what.len()).any(|some| some == what)
}

/// Whether a kind moves bytes.
fn transfers(kind: Kind) -> bool {
    matches!(kind, Kind::Read | Kind::Write)
}
