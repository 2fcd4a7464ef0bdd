//! The event log: what each thread keeps while it works, and the rows that are made of it at the end.

use crate::api::Direction;

/// What an event covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The open of a descriptor or stream
    Open,
    /// A seek before a transfer
    Seek,
    /// A transfer of a piece
    Op,
    /// A seek with its transfer
    AtomicOp,
    /// A sync, where one was asked for
    Fsync,
    /// All operations of a piece
    Stripes,
    /// All pieces of a file
    AllStripes,
    /// The close of a descriptor or stream
    Close,
    /// All of a file, from the first open to the last close
    File,
    /// All files
    Total,
}

impl Kind {
    /// As the log names it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Open => "open",
            Kind::Seek => "seek",
            Kind::Op => "op",
            Kind::AtomicOp => "atomic_op",
            Kind::Fsync => "fsync",
            Kind::Stripes => "stripes",
            Kind::AllStripes => "all_stripes",
            Kind::Close => "close",
            Kind::File => "file",
            Kind::Total => "total",
        }
    }
}

/// No offset: that of a call without one, or a position that is not known.
pub const NOWHERE: u64 = u64::MAX;

/// One event as its thread keeps it: 40 bytes. Times are CLOCK_MONOTONIC in ns.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Before the call.
    pub start: u64,
    /// After it.
    pub end: u64,
    /// Where in the file, or [`NOWHERE`].
    pub offset: u64,
    /// Bytes that were moved.
    pub moved: u32,
    /// Bytes that were asked for.
    pub asked: u32,
    /// The operation's number.
    pub operation: u32,
    /// Of a call that failed, else 0.
    pub errno: u16,
    /// What it covers.
    pub kind: Kind,
    /// Of a transfer.
    pub direction: Direction,
}

impl Event {
    /// An event without place, bytes or operation.
    pub fn new(kind: Kind, start: u64, end: u64) -> Event {
        Event {
            start,
            end,
            offset: NOWHERE,
            moved: 0,
            asked: 0,
            operation: NONE,
            errno: 0,
            kind,
            direction: Direction::Read,
        }
    }
}

/// No operation.
pub const NONE: u32 = u32::MAX;

/// From a start to an end, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The clock when it began.
    pub start: u64,
    /// The clock when it ended.
    pub end: u64,
}

impl Span {
    /// How long it lasts, in ns.
    pub fn nanos(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// What covers both.
    pub fn and(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// What covers all of them.
pub fn around(spans: impl IntoIterator<Item = Span>) -> Option<Span> {
    spans.into_iter().reduce(Span::and)
}

/// A line of the log.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What it covers.
    pub kind: Kind,
    /// The file's number.
    pub file: Option<u32>,
    /// The piece's number in its file.
    pub piece: Option<u32>,
    /// The operation's number in its piece.
    pub operation: Option<u32>,
    /// From when to when.
    pub span: Span,
    /// Bytes that were moved, of what moves any.
    pub bytes: Option<u64>,
}
