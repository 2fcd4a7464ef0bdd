//! What a call does to handles, as OTF2 has it.

use super::book::{Book, POSIX, paradigm};
use super::handles::{Handles, Key};
use crate::convert::job::Row;
use iota_analysis::{FileId, Function, OpId, Ops};
use iota_calls::{Kind, TABLE};
use iota_otf2::{Creation, Operation, Seek, UNKNOWN, number};
use iota_trace::flags;
use libc::c_int;

/// What a call does; handles as they are numbered in the archive
#[derive(Clone, Copy, Debug)]
pub enum Does {
    /// Nothing that OTF2 has a record of
    Nothing,
    /// Makes one handle or two
    Open([Option<u32>; 2], Creation),
    /// Ends the handle of a descriptor, or of a stream and its descriptor
    Close([Option<u32>; 2]),
    /// Makes a second handle of one
    Duplicate(u32, u32),
    /// Moves the position
    Seek(u32, Seek),
    /// Transfers or flushes: a copy reads one handle and writes another
    Move([Option<Moves>; 2]),
}

/// An operation on a handle
#[derive(Clone, Copy, Debug)]
pub struct Moves {
    /// On which
    pub handle: u32,
    /// What
    pub operation: Operation,
    /// Bytes in the end
    pub done: u64,
    /// File position before; negative: not known
    pub offset: i64,
}

/// How to tell for one function
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Nothing,
    /// The result is the descriptor; with flags in `length` or without
    Open(bool),
    Pair,
    Close,
    CloseStream,
    Duplicate,
    /// The result is the new position
    Seek,
    SeekStream,
    Copy,
    Transfer,
    Sync,
}

/// By function
pub struct Rules(Vec<Rule>);

impl Rules {
    /// Of a job's functions
    pub fn of(ops: &Ops) -> Rules {
        Rules(ops.all().iter().map(rule).collect())
    }

    fn get(&self, op: OpId) -> Rule {
        self.0
            .get(usize::from(op))
            .copied()
            .unwrap_or(Rule::Nothing)
    }
}

fn rule(function: &Function) -> Rule {
    let known = TABLE
        .iter()
        .find(|call| call.name.as_bytes() == function.name);
    match (function.kind, known.map_or("", |call| call.shape)) {
        (_, "new_pair") => Rule::Pair,
        (_, "copy") => Rule::Copy,
        (_, "dup" | "dup2" | "fcntl") => Rule::Duplicate,
        (_, "seek") => Rule::Seek,
        (_, "stream_seek") => Rule::SeekStream,
        (_, "close_range" | "close_all_streams") => Rule::Nothing,
        (_, "open" | "openat" | "openat2" | "fopen" | "freopen") => Rule::Open(true),
        (Kind::Open, _) => Rule::Open(false),
        (Kind::Close, "fclose") => Rule::CloseStream,
        (Kind::Close, _) => Rule::Close,
        (Kind::Read | Kind::Write, _) => Rule::Transfer,
        (Kind::Sync, _) => Rule::Sync,
        _ => Rule::Nothing,
    }
}

/// A call, and what must be known to say what it does
pub struct Asked<'a, 'b> {
    pub row: &'a Row<'a>,
    pub rules: &'a Rules,
    pub handles: &'a mut Handles,
    pub book: &'a mut Book<'b>,
    /// Tells the operations of the process apart
    pub operations: &'a mut u64,
}

impl Asked<'_, '_> {
    /// What it does
    pub fn does(&mut self) -> anyhow::Result<Does> {
        let (call, event) = (&self.row.call, self.row.call.event);
        let (fd, two) = (event.fd, event.flags & flags::MORE != 0);
        let is_about_something = fd >= 0 || call.file != iota_analysis::NO_FILE;
        Ok(match self.rules.get(call.op) {
            Rule::Transfer if is_about_something => self.transfer()?,
            Rule::Sync if is_about_something => {
                Does::Move([Some(self.moves(number::FLUSH, fd, call.file, -1)?), None])
            }
            Rule::Copy if two => self.copy()?,
            _ if call.failed() || event.ret < 0 => Does::Nothing,
            Rule::Open(has_flags) => self.open(has_flags)?,
            Rule::Pair if two => {
                let one = self.opened(fd, call.file)?;
                let other = self.opened(event.second.fd, call.second)?;
                Does::Open([Some(one), Some(other)], creation(libc::O_RDWR))
            }
            Rule::Close | Rule::CloseStream if is_about_something => self.close()?,
            Rule::Duplicate if two => {
                let (old, new) = (self.used(fd, call.file)?, event.second.fd);
                Does::Duplicate(old, self.opened(new, call.file)?)
            }
            Rule::Seek if is_about_something => self.seek(event.ret as u64)?,
            Rule::SeekStream if is_about_something => self.seek(self.reached())?,
            _ => Does::Nothing,
        })
    }

    fn key(&mut self, fd: i32, file: FileId) -> anyhow::Result<Key> {
        let file = self.book.file(self.row, file)?;
        Ok((paradigm(self.row.call.function.layer), fd, file))
    }

    fn used(&mut self, fd: i32, file: FileId) -> anyhow::Result<u32> {
        let key = self.key(fd, file)?;
        self.handles.used(self.book, key)
    }

    fn opened(&mut self, fd: i32, file: FileId) -> anyhow::Result<u32> {
        let key = self.key(fd, file)?;
        self.handles.open(self.book, key)
    }

    fn open(&mut self, has_flags: bool) -> anyhow::Result<Does> {
        let (call, event) = (&self.row.call, self.row.call.event);
        let fd = i32::try_from(event.ret).unwrap_or(-1);
        let flags = if has_flags {
            event.length as c_int
        } else {
            libc::O_RDWR
        };
        let handle = self.opened(fd, call.file)?;
        Ok(Does::Open([Some(handle), None], creation(flags)))
    }

    fn close(&mut self) -> anyhow::Result<Does> {
        let (call, fd) = (&self.row.call, self.row.call.event.fd);
        let key = self.key(fd, call.file)?;
        let handle = self.handles.close(self.book, key)?;
        // With a stream its descriptor is closed, where no call within has told of that.
        let is_stream = self.rules.get(call.op) == Rule::CloseStream;
        let below = (POSIX, key.1, key.2);
        let below = if is_stream {
            self.handles.close_if_open(below)
        } else {
            None
        };
        Ok(Does::Close([Some(handle), below]))
    }

    /// Where a stream is after its seek, as far as that is known
    fn reached(&self) -> u64 {
        let event = self.row.call.event;
        let request = event.length as i64;
        let position = match c_int::from(event.whence) {
            libc::SEEK_SET => Some(request),
            libc::SEEK_CUR if event.offset >= 0 => event.offset.checked_add(request),
            _ => None,
        };
        position
            .and_then(|to| u64::try_from(to).ok())
            .unwrap_or(UNKNOWN)
    }

    fn seek(&mut self, result: u64) -> anyhow::Result<Does> {
        let (call, event) = (&self.row.call, self.row.call.event);
        // Linux numbers what OTF2 numbers, in the same order.
        let seek = Seek {
            request: event.length as i64,
            whence: event.whence.min(4) as u8,
            result,
        };
        Ok(Does::Seek(self.used(event.fd, call.file)?, seek))
    }

    fn transfer(&mut self) -> anyhow::Result<Does> {
        let (call, event) = (&self.row.call, self.row.call.event);
        let mode = match call.kind() {
            Kind::Write => number::WRITE,
            _ => number::READ,
        };
        let moves = self.moves(mode, event.fd, call.file, event.offset)?;
        Ok(Does::Move([Some(moves), None]))
    }

    fn copy(&mut self) -> anyhow::Result<Does> {
        let (call, event) = (&self.row.call, self.row.call.event);
        let (from, to) = (event.offset, event.second.offset);
        let read = self.moves(number::READ, event.fd, call.file, from)?;
        let written = self.moves(number::WRITE, event.second.fd, call.second, to)?;
        Ok(Does::Move([Some(read), Some(written)]))
    }

    fn moves(&mut self, mode: u8, fd: i32, file: FileId, offset: i64) -> anyhow::Result<Moves> {
        let (call, event) = (&self.row.call, self.row.call.event);
        let (asked, done) = match mode {
            number::READ => (event.length.max(call.moved.read), call.moved.read),
            number::WRITE => (event.length.max(call.moved.written), call.moved.written),
            _ => (UNKNOWN, UNKNOWN),
        };
        let is_asynchronous = event.flags & flags::ASYNCHRONOUS != 0;
        *self.operations += 1;
        let operation = Operation {
            mode,
            flags: if is_asynchronous {
                number::NON_BLOCKING
            } else {
                0
            },
            asked,
            id: *self.operations,
        };
        Ok(Moves {
            handle: self.used(fd, file)?,
            operation,
            done,
            offset,
        })
    }
}

/// Flags of open in OTF2's bits
fn creation(flags: c_int) -> Creation {
    let access = match flags & libc::O_ACCMODE {
        libc::O_RDONLY => number::READ_ONLY,
        libc::O_WRONLY => number::WRITE_ONLY,
        _ => number::READ_WRITE,
    };
    Creation {
        access,
        creation: bits(flags, &CREATION),
        status: bits(flags, &STATUS),
    }
}

/// Which of these are all set
fn bits(flags: c_int, of: &[c_int]) -> u32 {
    let set = |(place, flag): (u32, &c_int)| u32::from(flags & flag == *flag) << place;
    (0..).zip(of).map(set).sum()
}

/// The flags that stand for bits of OTF2_IoCreationFlag, and of OTF2_IoStatusFlag, from the lowest
const CREATION: [c_int; 8] = [
    libc::O_CREAT,
    libc::O_TRUNC,
    libc::O_DIRECTORY,
    libc::O_EXCL,
    libc::O_NOCTTY,
    libc::O_NOFOLLOW,
    libc::O_PATH,
    libc::O_TMPFILE,
];
const STATUS: [c_int; 8] = [
    libc::O_CLOEXEC,
    libc::O_APPEND,
    libc::O_NONBLOCK,
    libc::O_ASYNC,
    libc::O_SYNC,
    libc::O_DSYNC,
    libc::O_DIRECT,
    libc::O_NOATIME,
];
