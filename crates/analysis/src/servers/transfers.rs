//! Reads and writes of ranges of files, one by one.

use crate::{Accumulator, Call, FileId, NO_FILE, Process, TaskId};
use iota_calls::Kind;

/// A call by its process, its thread and its number there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallKey {
    /// The part of the trace.
    pub part: u32,
    /// The thread in it.
    pub thread: u32,
    /// Its number in the thread.
    pub id: u64,
}

impl CallKey {
    /// That of a call.
    pub fn of(call: &Call) -> CallKey {
        CallKey {
            part: call.process.part,
            thread: call.event.thread,
            id: call.event.id,
        }
    }
}

/// A read or a write of a range of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeTransfer {
    /// The call.
    pub key: CallKey,
    /// Who called.
    pub task: TaskId,
    /// Where.
    pub host: u32,
    /// Of what.
    pub file: FileId,
    /// Whether it writes.
    pub is_write: bool,
    /// From where,
    pub offset: u64,
    /// and to where.
    pub length: u64,
    /// In ns since the job's start.
    pub start: i64,
    /// When it was done.
    pub end: i64,
}

impl RangeTransfer {
    /// Behind its last byte.
    pub fn end_offset(&self) -> u64 {
        self.offset.saturating_add(self.length)
    }

    /// How long it took, in ns.
    pub fn elapse(&self) -> u64 {
        self.end.wrapping_sub(self.start).max(0) as u64
    }

    /// How many of the same bytes it moves in the same direction.
    pub fn common(&self, other: &RangeTransfer) -> u64 {
        let is_like = (self.file, self.is_write) == (other.file, other.is_write);
        let end = self.end_offset().min(other.end_offset());
        match is_like {
            true => end.saturating_sub(self.offset.max(other.offset)),
            false => 0,
        }
    }
}

/// A read or a write of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerCall {
    /// The server's number.
    pub server: u32,
    /// In the job's files and the job's time.
    pub transfer: RangeTransfer,
    /// The call of the job that it worked for; None: it is not known.
    pub cause: Option<CallKey>,
    /// It was made before or after that call, by a cache.
    pub is_cached: bool,
}

/// All of some files.
pub(super) struct RangeTransfers<'f> {
    files: &'f [bool],
    process: Process,
    pub all: Vec<RangeTransfer>,
    /// Calls on two files: what a name was linked to.
    pub links: Vec<(FileId, FileId)>,
}

impl<'f> RangeTransfers<'f> {
    pub fn on(files: &'f [bool]) -> RangeTransfers<'f> {
        RangeTransfers {
            files,
            process: Process::default(),
            all: Vec::new(),
            links: Vec::new(),
        }
    }

    fn is_on(&self, file: FileId) -> bool {
        self.files.get(file as usize).copied().unwrap_or(false)
    }
}

impl Accumulator for RangeTransfers<'_> {
    fn part(&mut self, process: &Process) {
        self.process = *process;
    }

    fn add(&mut self, call: &Call) {
        if !call.is_io() || !self.is_on(call.file) {
            return;
        }
        let is_write = match call.kind() {
            Kind::Read => false,
            Kind::Write => true,
            _ => {
                if call.second != NO_FILE
                    && !call.failed()
                    && call.function.name.starts_with(b"link")
                {
                    self.links.push((call.file, call.second));
                }
                return;
            }
        };
        let length = match is_write {
            true => call.moved.written,
            false => call.moved.read,
        };
        // Of a call that another encloses the outer one is counted.
        if length == 0 || call.event.offset < 0 || call.is_enclosed() {
            return;
        }
        self.all.push(RangeTransfer {
            key: CallKey::of(call),
            task: self.process.task,
            host: self.process.host,
            file: call.file,
            is_write,
            offset: call.event.offset as u64,
            length,
            start: call.start,
            end: call.end,
        });
    }

    fn merge(&mut self, later: Self) {
        self.links.extend(later.links);
        self.all.extend(later.all);
    }
}

/// A server's transfer, in the job's files and the job's time.
#[derive(Clone, Copy, Debug)]
pub struct ServerTransfer {
    /// Whose.
    pub server: u32,
    /// What.
    pub transfer: RangeTransfer,
}
