//! A call of MPI-IO.

use super::Below;
use crate::{Call, CallDetails, FileId, Moved, NO_FILE, ObjectId, OpId};
use iota_calls::{Kind, Layer};

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

    /// Bytes that sub-calls read and wrote in its file; if it has none, in all files.
    pub fn bytes_below(&self) -> [u64; 2] {
        match self.file {
            NO_FILE => self.below.of_all(),
            file => self.below.of_file(file, self.bytes() > 0),
        }
    }
}
