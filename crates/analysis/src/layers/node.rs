//! A call of MPI-IO, or of a library above it, and what it caused in the layers below it.

use super::files_below::FilesBelow;
use super::sub_calls::{SubCall, Union};
use crate::servers::Servers;
use crate::stat::Touched;
use crate::sums::add;
use crate::{Call, CallDetails, FileId, Moved, NO_FILE, ObjectId, OpId};
use iota_calls::{Kind, Layer};

/// Sub-calls of each of these.
pub(super) const SUB_CALLS: usize = 64;
/// Calls of MPI-IO inside another call that are kept until it is known which layer that one is of.
const INNER: usize = 256;

/// What a call caused.
#[derive(Clone, Debug, Default)]
pub struct Below {
    /// Its sub-calls: the calls of descriptors or streams that it made itself.
    pub calls: u64,
    /// Their times, one after another: equation (3).
    pub sum: u64,
    /// The time in which at least one was under way.
    pub union: Union,
    /// Their reads and writes.
    pub transfers: [u64; 2],
    /// Time of these.
    pub transfer_time: [u64; 2],
    /// From the start of the first to the end of the last sub-call.
    pub span: Option<(i64, i64)>,
    /// The first ones, if they are asked for.
    pub first: Vec<SubCall>,
    /// Time of the servers: for each sub-call the slowest of them, equation (4).
    pub server: u64,
    /// Those calls that are tied to it by file and time.
    pub inferred: u64,
    /// Bytes by file.
    pub files: FilesBelow,
    /// What servers did for it directly.
    pub servers: Servers,
    /// Calls of MPI-IO that it made.
    pub inner: Vec<Node>,
    /// Those for which there was no room.
    pub crowded: u64,
}

impl Below {
    /// One sub-call more; the first `kept` are listed one by one.
    pub fn add(&mut self, sub: &SubCall, kept: usize) {
        if self.first.len() < kept {
            self.first.push(*sub);
        }
        self.calls += 1;
        self.widen(Some((sub.start, sub.end)));
        add(&mut self.sum, sub.elapse());
        self.union.add(sub.start, sub.end);
        add(&mut self.server, sub.servers.longest);
        if let Some(way) = sub.way {
            self.transfers[way] += 1;
            add(&mut self.transfer_time[way], sub.elapse());
        }
        self.files.add(sub);
    }

    fn widen(&mut self, more: Option<(i64, i64)>) {
        self.span = match (self.span, more) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (known, more) => known.or(more),
        };
    }

    /// A server that worked for it.
    pub fn serve(&mut self, elapse: u64) {
        self.servers.calls += 1;
        self.servers.longest = self.servers.longest.max(elapse);
    }

    /// A call of MPI-IO inside it. Returns one for which there is no room.
    pub fn hold(&mut self, node: Node) -> Option<Node> {
        if self.inner.len() < INNER {
            self.inner.push(node);
            return None;
        }
        self.crowded += 1;
        Some(node)
    }

    /// Takes in what else it caused, which came later.
    pub fn merge(&mut self, later: Below) {
        self.absorb(&later);
        self.servers.calls += later.servers.calls;
        self.servers.longest = self.servers.longest.max(later.servers.longest);
        self.inner.extend(later.inner);
        self.crowded += later.crowded;
    }

    /// Takes in what a call inside it caused.
    pub fn absorb(&mut self, inner: &Below) {
        self.calls += inner.calls;
        add(&mut self.sum, inner.sum);
        self.union.merge(&inner.union);
        for way in 0..2 {
            self.transfers[way] += inner.transfers[way];
            add(&mut self.transfer_time[way], inner.transfer_time[way]);
        }
        self.widen(inner.span);
        self.first.extend(&inner.first);
        self.first.truncate(SUB_CALLS);
        add(&mut self.server, inner.server);
        self.inferred += inner.inferred;
        self.files.merge(&inner.files);
    }

    /// Client latency: equation (3), or the union where sub-calls overlap.
    pub fn client(&self) -> u64 {
        self.union.length().min(self.sum)
    }

    /// Whether sub-calls overlap.
    pub fn overlaps(&self) -> bool {
        self.client() < self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn union(of: &[(i64, i64)]) -> u64 {
        let mut union = Union::default();
        of.iter().for_each(|(start, end)| union.add(*start, *end));
        union.length()
    }

    #[test]
    fn what_overlaps_counts_once() {
        assert_eq!(union(&[]), 0);
        assert_eq!(union(&[(0, 16), (16, 27)]), 27);
        assert_eq!(union(&[(0, 16), (10, 27), (30, 31)]), 28);
        assert_eq!(union(&[(5, 6), (8, 9), (0, 10)]), 10);
        assert_eq!(union(&[(5, 6), (8, 9), (0, 1), (6, 8)]), 5);
        assert_eq!(union(&[(-5, -3), (-3, -3)]), 2);
    }

    #[test]
    fn any_number_of_intervals_with_gaps_is_exact() {
        let many: Vec<(i64, i64)> = (0..1000).map(|n| (10 * n, 10 * n + 4)).collect();
        assert_eq!(union(&many), 4000);
        let mut two = Union::default();
        let (first, last) = many.split_at(700);
        first.iter().for_each(|(start, end)| two.add(*start, *end));
        let mut later = Union::default();
        last.iter().for_each(|(start, end)| later.add(*start, *end));
        two.merge(&later);
        assert_eq!(two.length(), 4000);
    }
}

/// A call of MPI-IO, from its start to its completion.
#[derive(Clone, Debug)]
pub struct Node {
    /// Rank in MPI_COMM_WORLD.
    pub rank: u32,
    /// The part of its process.
    pub part: u32,
    /// The launch of its process.
    pub launch: u32,
    /// The thread that began it.
    pub thread: u32,
    /// Its number there, by which its sub-calls know it.
    pub id: u64,
    /// The number of the call that encloses it; 0: none.
    pub parent: u64,
    /// The function.
    pub op: OpId,
    /// What that does: a [`Kind`].
    kind: u8,
    /// The dataset, variable or attribute.
    pub object: ObjectId,
    /// The file.
    pub file: FileId,
    /// When it began, in ns since the job's start.
    pub start: i64,
    /// When it was complete.
    pub end: i64,
    /// Of a call that only began a transfer: how long the function took, in ns.
    pub begun: Option<u64>,
    /// The first byte in the file; -1: not known.
    pub offset: i64,
    /// Bytes asked for, of a transfer.
    pub asked: u64,
    /// Bytes moved.
    pub moved: Moved,
    /// Bytes from the first to the last; 0: not known.
    pub extent: u64,
    /// The collective call that it is part of; 0: none.
    pub collective: u64,
    /// Whether it is collective, even if its number is not known.
    pub together: bool,
    /// Ranks of its communicator; 0: not known.
    pub ranks: u32,
    /// Whether it only completes what others began.
    completes: bool,
    /// Whether it failed.
    pub failed: bool,
    /// Whether it is one of those that were asked for.
    pub wanted: bool,
    /// What it caused.
    pub below: Below,
}

/// Whose children they are: thread and number of the call.
pub type Key = (u32, u64);

impl Node {
    /// Of a call; what it caused is added later.
    pub fn of(call: &Call, details: Option<CallDetails>, wanted: bool) -> Node {
        let event = call.event;
        // The forms of all layers have these under the same names.
        let fields = details.and_then(|details| details.with(b"ranks"));
        let number = |name: &[u8]| fields.map_or(0, |fields| fields.number(name));
        // A call without details moves bytes that lie together.
        let asked = if call.is_transfer() { event.length } else { 0 };
        let is_flying = call.is_asynchronous();
        let (thread, id) = Node::key_of(call, details);
        Node {
            rank: call.process.rank,
            part: call.process.part,
            launch: call.process.launch,
            thread,
            id,
            parent: event.parent,
            op: call.op,
            kind: call.kind() as u8,
            object: call.object,
            file: call.file,
            start: call.start,
            end: call.end,
            begun: is_flying.then(|| number(b"begun")),
            offset: event.offset,
            asked,
            moved: call.moved,
            extent: fields.map_or(asked, |fields| fields.number(b"extent")),
            collective: number(b"collective"),
            together: details
                .is_some_and(|details| details.all().any(|of| of.number(b"collective") != 0)),
            ranks: number(b"ranks") as u32,
            completes: call.kind() == Kind::Other && call.function.layer == Layer::MpiIo as u8,
            failed: call.failed(),
            wanted,
            below: Below::default(),
        }
    }

    /// By what the sub-calls of a call know it.
    pub(super) fn key_of(call: &Call, details: Option<CallDetails>) -> Key {
        let fields = details.and_then(|details| details.with(b"begun"));
        let fields = fields.filter(|fields| fields.number(b"call") != 0);
        fields.map_or((call.event.thread, call.event.id), |fields| {
            (fields.number(b"thread") as u32, fields.number(b"call"))
        })
    }

    /// By what its sub-calls know it.
    pub fn key(&self) -> Key {
        (self.thread, self.id)
    }

    /// What its function does.
    pub fn kind(&self) -> Kind {
        Kind::of(self.kind)
    }

    /// From its start to its completion: the latency of the MPI layer.
    pub fn span(&self) -> u64 {
        self.end.wrapping_sub(self.start).max(0) as u64
    }

    /// Time that its thread spent in the function that made or began it.
    pub fn in_call(&self) -> u64 {
        self.begun.unwrap_or_else(|| self.span())
    }

    /// Time inside the MPI library; none for transfers in flight, during which the program runs.
    pub fn library(&self) -> Option<u64> {
        let is_whole = self.begun.is_none() && !self.completes();
        is_whole.then(|| self.span().saturating_sub(self.below.client()))
    }

    /// Whether it only completes what other calls began: their sub-calls are theirs.
    pub fn completes(&self) -> bool {
        self.completes
    }

    /// Bytes moved, in either direction.
    pub fn bytes(&self) -> u64 {
        self.moved.read.saturating_add(self.moved.written)
    }

    /// Where sub-calls read its file, as far as that is known.
    pub fn read_below(&self) -> Option<&Touched> {
        self.below.files.read_of(self.file, self.bytes() > 0)
    }

    /// Bytes that sub-calls read and wrote in its file; if it has none, in all files.
    pub fn bytes_below(&self) -> [u64; 2] {
        match self.file {
            NO_FILE => self.below.files.of_all(),
            file => self.below.files.of_file(file, self.bytes() > 0),
        }
    }
}
