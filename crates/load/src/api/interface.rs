//! What an interface is: how it opens files, and moves bytes of them.

use crate::options::Op;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the file
    Read,
    /// To the file
    Write,
}

/// The functions by which a tracer sees what is done; those with the name of the interface before them are none of
/// the C library's, and no tracer sees them.
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// Opens a file
    pub open: &'static str,
    /// Moves the position
    pub seek: &'static str,
    /// Reads into the buffer
    pub read: &'static str,
    /// Writes the buffer
    pub write: &'static str,
    /// Syncs data and metadata, and data alone
    pub sync: [&'static str; 2],
    /// Closes the file
    pub close: &'static str,
}

/// A file to open.
#[derive(Clone, Copy, Debug)]
pub struct Open<'a> {
    /// As it is passed to open(2).
    pub path: &'a Path,
    /// Flags of open(2).
    pub flags: i32,
    /// What is going to be done.
    pub op: Op,
    /// One past the last byte that is going to be touched.
    pub end: u64,
    /// Whether other ranks open it, too.
    pub shared_by_ranks: bool,
    /// Whether transfers are collective.
    pub collective: bool,
}

impl Open<'_> {
    /// Permissions of a file that is made
    pub const MODE: u32 = 0o666;
}

/// An interface.
pub trait Api: Sync {
    /// As `-io_api` names it.
    fn name(&self) -> &'static str;

    /// How a tracer sees it.
    fn calls(&self) -> Calls;

    /// Whether transfers pass their offset, so that nothing seeks.
    fn positional(&self) -> bool {
        true
    }

    /// Whether several transfers may be under way.
    fn queued(&self) -> bool {
        false
    }

    /// Whether each piece needs a descriptor for its queue.
    fn ring(&self) -> bool {
        false
    }

    /// Whether O_DIRECT makes sense.
    fn direct(&self) -> bool {
        true
    }

    /// Whether flags of open(2) apply.
    fn opens_by_flags(&self) -> bool {
        true
    }

    /// Whether ranks can move data together.
    fn collective(&self) -> bool {
        false
    }

    /// Bytes of stack that its calls and the generator's own need.
    fn stack(&self) -> usize {
        128 << 10
    }

    /// The flags that a file is opened with.
    fn flags(&self, open: &Open) -> i32 {
        open.flags
    }

    /// Whether the interface can be used here.
    ///
    /// # Errors
    /// The machine does not allow it.
    fn probe(&self) -> io::Result<()> {
        Ok(())
    }

    /// Opens a file.
    ///
    /// # Errors
    /// What the system says.
    fn open(&self, open: &Open) -> io::Result<Box<dyn Handle>>;
}

/// An open file, which threads may share.
pub trait Handle: Send + Sync {
    /// Its descriptor, -1 for none.
    fn fd(&self) -> i32;

    /// Moves the position, of interfaces that have one.
    ///
    /// # Errors
    /// What the system says.
    fn seek(&self, _offset: u64) -> io::Result<()> {
        Ok(())
    }

    /// Moves bytes at the position, or at `offset` where the interface is positional.
    ///
    /// # Errors
    /// What the system says; `Unsupported` where transfers are queued.
    fn read(&self, _buffer: &mut [u8], _offset: u64) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Moves bytes at the position, or at `offset` where the interface is positional.
    ///
    /// # Errors
    /// What the system says; `Unsupported` where transfers are queued.
    fn write(&self, _buffer: &[u8], _offset: u64) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Waits until what was written is on the disk.
    ///
    /// # Errors
    /// What the system says.
    fn sync(&self, data_only: bool) -> io::Result<()>;

    /// Closes it; not used afterwards.
    ///
    /// # Errors
    /// What the system says; the file is closed all the same.
    fn close(&self) -> io::Result<()>;

    /// For several transfers at once, of interfaces that are queued; used by the calling thread alone.
    ///
    /// # Errors
    /// `Unsupported` where the interface is not queued, else what the system says.
    fn queue(&self, _depth: usize) -> io::Result<Box<dyn Queue>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// A transfer to begin.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// Reads or writes.
    pub direction: Direction,
    /// Where in the file.
    pub offset: u64,
    /// Where in memory.
    pub buffer: *mut u8,
    /// Bytes.
    pub length: usize,
}

/// A slot's transfer that has ended.
pub type Done = (usize, io::Result<usize>);

/// Transfers under way.
pub trait Queue {
    /// Begins a transfer in a free slot.
    ///
    /// # Safety
    /// The buffer is the slot's alone until [`Queue::wait`] has returned it.
    ///
    /// # Errors
    /// It could not be begun, as the system says; that it failed later is returned by [`Queue::wait`].
    unsafe fn submit(&mut self, slot: usize, transfer: Transfer) -> io::Result<()>;

    /// Waits for one at least, but not longer than `patience`, and adds all that have ended.
    ///
    /// # Errors
    /// The system could not wait. Transfers that failed are no error here: each [`Done`] has its own.
    fn wait(&mut self, patience: Option<Duration>, done: &mut Vec<Done>) -> io::Result<()>;
}

/// What a transfer returned.
pub fn moved(result: isize) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}
