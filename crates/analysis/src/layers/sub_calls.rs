//! Calls that a call caused, and the time that they cover.

use crate::servers::Servers;
use crate::sums::{add, sum};
use crate::{FileId, Moved};

/// Intervals of a call that are kept apart; those before them count as closed.
const RECENT: usize = 32;

/// A sub-call.
#[derive(Clone, Copy, Debug)]
pub struct SubCall {
    /// Its file.
    pub file: FileId,
    /// In ns since the job's start.
    pub start: i64,
    /// When it was done.
    pub end: i64,
    /// Bytes.
    pub moved: Moved,
    /// The first byte in the file; -1: not known, or nobody asks for it.
    pub offset: i64,
    /// Whether it reads (0) or writes (1).
    pub way: Option<usize>,
    /// Who worked for it.
    pub servers: Servers,
}

impl SubCall {
    /// How long it took, in ns.
    pub fn elapse(&self) -> u64 {
        self.end.wrapping_sub(self.start).max(0) as u64
    }
}

/// How long at least one of several intervals lasted, which come more or less in the order of their ends. An interval that
/// reaches back beyond the last 32 gaps counts from there on.
#[derive(Clone, Debug, Default)]
pub struct Union {
    /// Length of those that are closed.
    done: u64,
    /// Where these end.
    until: Option<i64>,
    /// The others, in order, none touching another.
    recent: Vec<(i64, i64)>,
}

impl Union {
    /// One interval.
    pub fn add(&mut self, start: i64, end: i64) {
        let start = self.until.map_or(start, |until| start.max(until));
        if end < start {
            return;
        }
        let from = self.recent.partition_point(|known| known.1 < start);
        let to = self.recent.partition_point(|known| known.0 <= end);
        if from < to {
            let (first, last) = (
                self.recent[from].0.min(start),
                self.recent[to - 1].1.max(end),
            );
            self.recent[from] = (first, last);
            self.recent.drain(from + 1..to);
        } else {
            self.recent.insert(from, (start, end));
        }
        if self.recent.len() > RECENT {
            let (start, end) = self.recent.remove(0);
            add(&mut self.done, length(start, end));
            self.until = Some(end);
        }
    }

    /// Those of another, which came later.
    pub fn merge(&mut self, later: &Union) {
        add(&mut self.done, later.done);
        for (start, end) in &later.recent {
            self.add(*start, *end);
        }
    }

    /// All of it.
    pub fn length(&self) -> u64 {
        let recent = self.recent.iter().map(|(start, end)| length(*start, *end));
        self.done.saturating_add(sum(recent))
    }
}

fn length(start: i64, end: i64) -> u64 {
    end.wrapping_sub(start).max(0) as u64
}
