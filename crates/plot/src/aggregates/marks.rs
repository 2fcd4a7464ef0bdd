//! Calls one by one, where they are few enough to be drawn so.

use super::Transfer;
use iota_analysis::Call;
use iota_analysis::stat::{Direction, TimeCategory};

/// Above so many marks densities are drawn.
pub const MOST_MARKS: usize = 100_000;

/// A transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferMark {
    /// In ns since the job's start.
    pub start: i64,
    /// In ns since the job's start.
    pub end: i64,
    /// Where in the file.
    pub offset: i64,
    /// How many bytes.
    pub bytes: u64,
    /// Whose.
    pub rank: u32,
    /// Which way.
    pub way: Direction,
}

impl TransferMark {
    pub(super) fn of(call: &Call, side: &Transfer, offset: i64) -> TransferMark {
        TransferMark {
            start: call.start,
            end: call.end,
            offset,
            bytes: side.bytes,
            rank: call.process.task,
            way: side.way,
        }
    }

    /// The place behind the last byte.
    pub fn until(&self) -> i64 {
        self.offset.saturating_add_unsigned(self.bytes)
    }
}

/// A call that a thread waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// In ns since the job's start.
    pub start: i64,
    /// In ns since the job's start.
    pub end: i64,
    /// Whose.
    pub rank: u32,
    /// What for.
    pub class: TimeCategory,
}

impl Span {
    pub(super) fn of(call: &Call, class: TimeCategory) -> Span {
        Span {
            start: call.start,
            end: call.end,
            rank: call.process.task,
            class,
        }
    }
}
