//! What a call does to I/O handles: the events that OTF2 has for it.

use super::definitions::{DefinitionWriter, POSIX, paradigm};
use super::handles::{Handles, Key};
use crate::job::Row;
use iota_analysis::FileId;
use iota_calls::{Handles as Effect, Kind};
use iota_otf2::{Creation, Operation, Seek, UNKNOWN, number};
use iota_trace::flags;
use libc::c_int;

/// What a call does; handles as they are numbered in the archive
#[derive(Clone, Copy, Debug)]
pub enum HandleEvent {
    /// Nothing that OTF2 has a record of
    Nothing,
    /// Makes one handle or two
    Create([Option<u32>; 2], Creation),
    /// Ends the handle of a descriptor, or of a stream and its descriptor
    Destroy([Option<u32>; 2]),
    /// Makes a second handle of one
    Duplicate(u32, u32),
    /// Moves the position
    Seek(u32, Seek),
    /// Transfers or flushes: a copy reads one handle and writes another
    Operate([Option<HandleOperation>; 2]),
}

/// An operation on a handle
#[derive(Clone, Copy, Debug)]
pub struct HandleOperation {
    /// The handle
    pub handle: u32,
    /// Read, write or flush
    pub operation: Operation,
    /// Bytes transferred
    pub done: u64,
    /// File position before; negative: not known
    pub offset: i64,
}

/// A call, and what must be known to say what it does
pub struct HandleCall<'a, 'b> {
    pub row: &'a Row<'a>,
    pub handles: &'a mut Handles,
    pub definitions: &'a mut DefinitionWriter<'b>,
    /// Tells the operations of the process apart
    pub operations: &'a mut u64,
}

impl HandleCall<'_, '_> {
    /// What it does
    pub fn event(&mut self) -> anyhow::Result<HandleEvent> {
        let (call, event) = (&self.row.call, self.row.call.event);
        let (fd, two) = (event.fd, event.flags & flags::MORE != 0);
        let is_about_something = fd >= 0 || call.file != iota_analysis::NO_FILE;
        let failed = call.failed() || event.ret < 0;
        Ok(match call.function.effects.handles {
            Effect::Keeps => match call.kind() {
                Kind::Read | Kind::Write if is_about_something => self.transfer()?,
                Kind::Sync if is_about_something => HandleEvent::Operate([
                    Some(self.operation(number::FLUSH, fd, call.file, -1)?),
                    None,
                ]),
                _ => HandleEvent::Nothing,
            },
            Effect::Copies if two => self.copy()?,
            _ if failed => HandleEvent::Nothing,
            Effect::Opens => self.open(libc::O_RDWR)?,
            Effect::OpensByFlags => self.open(event.length as c_int)?,
            Effect::OpensTwo if two => {
                let one = self.opened(fd, call.file)?;
                let other = self.opened(event.second.fd, call.second)?;
                HandleEvent::Create([Some(one), Some(other)], creation(libc::O_RDWR))
            }
            Effect::Closes | Effect::ClosesStream if is_about_something => self.close()?,
            Effect::Duplicates | Effect::MayDuplicate if two => {
                let (old, new) = (self.used(fd, call.file)?, event.second.fd);
                HandleEvent::Duplicate(old, self.opened(new, call.file)?)
            }
            Effect::Seeks if is_about_something => self.seek(event.ret as u64)?,
            Effect::SeeksStream if is_about_something => self.seek(self.reached())?,
            Effect::OpensTwo
            | Effect::Closes
            | Effect::ClosesStream
            | Effect::Duplicates
            | Effect::MayDuplicate
            | Effect::Seeks
            | Effect::SeeksStream
            | Effect::Copies => HandleEvent::Nothing,
        })
    }

    fn key(&mut self, fd: i32, file: FileId) -> anyhow::Result<Key> {
        let file = self.definitions.file(self.row, file)?;
        Ok((paradigm(self.row.call.function.layer), fd, file))
    }

    fn used(&mut self, fd: i32, file: FileId) -> anyhow::Result<u32> {
        let key = self.key(fd, file)?;
        self.handles.used(self.definitions, key)
    }

    fn opened(&mut self, fd: i32, file: FileId) -> anyhow::Result<u32> {
        let key = self.key(fd, file)?;
        self.handles.open(self.definitions, key)
    }

    fn open(&mut self, flags: c_int) -> anyhow::Result<HandleEvent> {
        let (call, event) = (&self.row.call, self.row.call.event);
        let fd = i32::try_from(event.ret).unwrap_or(-1);
        let handle = self.opened(fd, call.file)?;
        Ok(HandleEvent::Create([Some(handle), None], creation(flags)))
    }

    fn close(&mut self) -> anyhow::Result<HandleEvent> {
        let (call, fd) = (&self.row.call, self.row.call.event.fd);
        let key = self.key(fd, call.file)?;
        let handle = self.handles.close(self.definitions, key)?;
        // With a stream its descriptor is closed, where no call within has said so.
        let is_stream = call.function.effects.handles == Effect::ClosesStream;
        let below = (POSIX, key.1, key.2);
        let below = if is_stream {
            self.handles.close_if_open(below)
        } else {
            None
        };
        Ok(HandleEvent::Destroy([Some(handle), below]))
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

    fn seek(&mut self, result: u64) -> anyhow::Result<HandleEvent> {
        let (call, event) = (&self.row.call, self.row.call.event);
        // Linux numbers what OTF2 numbers, in the same order.
        let seek = Seek {
            request: event.length as i64,
            whence: event.whence.min(4) as u8,
            result,
        };
        Ok(HandleEvent::Seek(self.used(event.fd, call.file)?, seek))
    }

    fn transfer(&mut self) -> anyhow::Result<HandleEvent> {
        let (call, event) = (&self.row.call, self.row.call.event);
        let mode = match call.kind() {
            Kind::Write => number::WRITE,
            _ => number::READ,
        };
        let operation = self.operation(mode, event.fd, call.file, event.offset)?;
        Ok(HandleEvent::Operate([Some(operation), None]))
    }

    fn copy(&mut self) -> anyhow::Result<HandleEvent> {
        let (call, event) = (&self.row.call, self.row.call.event);
        let mut ends = [
            (event.fd, call.file, event.offset),
            (event.second.fd, call.second, event.second.offset),
        ];
        if call.writes_first() {
            ends.reverse();
        }
        let [(from, source, from_offset), (to, target, to_offset)] = ends;
        let read = self.operation(number::READ, from, source, from_offset)?;
        let written = self.operation(number::WRITE, to, target, to_offset)?;
        Ok(HandleEvent::Operate([Some(read), Some(written)]))
    }

    fn operation(
        &mut self,
        mode: u8,
        fd: i32,
        file: FileId,
        offset: i64,
    ) -> anyhow::Result<HandleOperation> {
        let (call, event) = (&self.row.call, self.row.call.event);
        let (asked, done) = match mode {
            number::READ => (event.length.max(call.moved.read), call.moved.read),
            number::WRITE => (event.length.max(call.moved.written), call.moved.written),
            _ => (UNKNOWN, UNKNOWN),
        };
        let is_asynchronous = call.is_asynchronous();
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
        Ok(HandleOperation {
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
