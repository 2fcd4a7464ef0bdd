//! An open file description: its file and the position in it. Where the kernel's position can move without our seeing
//! it, it is asked.

use super::file::FileId;
use crate::sys;
use crate::thread::Thread;
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use iota_trace::unlocked_atomic;

/// An open file description.
#[repr(C)]
pub struct Description {
    /// Where the next transfer at the position goes.
    position: AtomicU64,
    file: AtomicU32,
    pub references: AtomicU32,
    flags: AtomicU32,
    pub next_free: AtomicU32,
    /// The mark of the only thread that has moved the position so far, or [`MANY`].
    mover: AtomicU32,
}

/// More than one thread has moved the position.
const MANY: u32 = u32::MAX;

/// The position means something.
pub const SEEKABLE: u32 = 1;
/// Writes go to the end of the file.
pub const APPEND: u32 = 2;
/// The position moves without our seeing it: ask the kernel after each transfer.
pub const SHARED: u32 = 4;
/// A stream of libc buffers on top of it.
const STREAM: u32 = 8;
/// Opened, and not yet known to have a position.
pub const FRESH: u32 = 16;

impl Description {
    /// A new one, of one descriptor, by the thread of this mark.
    pub fn begin(&self, file: FileId, position: i64, flags: u32, mark: u32) {
        self.position.store(position as u64, Relaxed);
        self.file.store(file.id(), Relaxed);
        self.references.store(1, Relaxed);
        self.flags.store(flags, Relaxed);
        self.mover.store(mark, Relaxed);
    }

    /// No other thread than this one has moved the position.
    #[inline(always)]
    fn is_own(&self, thread: &Thread) -> bool {
        self.mover.load(Relaxed) == thread.mark()
    }

    /// The file.
    #[inline(always)]
    pub fn file(&self) -> FileId {
        FileId::from_id(self.file.load(Relaxed))
    }

    /// It has another file, or another name for it.
    pub fn set_file(&self, file: FileId) {
        self.file.store(file.id(), Relaxed);
    }

    /// The position was set to `position`, or read as that.
    pub fn set_position(&self, position: i64) {
        self.position.store(position as u64, Relaxed);
    }

    /// The position as we know it, -1 where there is none.
    #[inline(always)]
    pub fn position(&self) -> i64 {
        if self.flags.load(Relaxed) & SEEKABLE != 0 {
            self.position.load(Relaxed) as i64
        } else {
            -1
        }
    }

    /// Where a transfer of `moved` bytes at the position of `fd` began. It has ended.
    #[inline(always)]
    pub fn moved(&self, thread: &Thread, fd: c_int, moved: i64, is_write: bool) -> i64 {
        let flags = self.flags.load(Relaxed);
        let asks = if is_write {
            APPEND | SHARED | STREAM | FRESH
        } else {
            SHARED | STREAM | FRESH
        };
        if flags & (SEEKABLE | asks) == SEEKABLE {
            return self.advance(thread, moved);
        }
        self.jumped(fd, moved)
    }

    /// As [`Self::moved`], where the kernel may have put the position elsewhere first: to the end of the file.
    #[inline(always)]
    pub fn jumped(&self, fd: c_int, moved: i64) -> i64 {
        if self.flags.load(Relaxed) & SEEKABLE == 0 {
            -1
        } else {
            self.ask(fd, moved)
        }
    }

    /// Where a buffered transfer of `moved` bytes began: the stream's own position.
    #[inline(always)]
    pub fn stream_moved(&self, thread: &Thread, fd: c_int, moved: i64) -> i64 {
        let flags = self.flags.load(Relaxed);
        if flags & SEEKABLE == 0 {
            return -1;
        }
        if flags & FRESH != 0 {
            let seekable = if sys::position(fd).is_ok() {
                SEEKABLE
            } else {
                0
            };
            self.flags
                .store(flags & !(FRESH | SEEKABLE) | seekable, Relaxed);
            return self.stream_moved(thread, fd, moved);
        }
        self.advance(thread, moved)
    }

    /// Claims the next `moved` bytes, also where others do so at once. A lock prefix costs more than all else that a
    /// transfer needs, so that the only thread that moves the position goes without.
    #[inline(always)]
    fn advance(&self, thread: &Thread, moved: i64) -> i64 {
        if self.is_own(thread) {
            unlocked_atomic::fetch_add(&self.position, moved as u64) as i64
        } else {
            self.advance_shared(moved)
        }
    }

    #[inline(never)]
    fn advance_shared(&self, moved: i64) -> i64 {
        if self.mover.swap(MANY, Relaxed) != MANY {
            // The thread that was alone sees this before its next move.
            sys::barrier();
        }
        self.position.fetch_add(moved as u64, Relaxed) as i64
    }

    #[cold]
    fn ask(&self, fd: c_int, moved: i64) -> i64 {
        match sys::position(fd) {
            // A device answers without having one.
            Ok(position) if position >= moved => {
                self.position.store(position as u64, Relaxed);
                self.flags.fetch_and(!FRESH, Relaxed);
                position.wrapping_sub(moved)
            }
            _ => {
                self.flags.fetch_and(!SEEKABLE, Relaxed);
                -1
            }
        }
    }

    /// Another process has it as well.
    pub fn now_shared(&self) {
        self.flags.fetch_or(SHARED, Relaxed);
    }

    /// True when all bits of `flags` are set.
    #[inline(always)]
    pub fn has(&self, flags: u32) -> bool {
        self.flags.load(Relaxed) & flags == flags
    }

    /// A stream buffers on top of this description from now on.
    pub fn now_stream(&self) {
        self.flags.fetch_or(STREAM, Relaxed);
    }

    /// The status flags were changed with fcntl(F_SETFL).
    pub fn set_status(&self, status: c_int) {
        if status & libc::O_APPEND != 0 {
            self.flags.fetch_or(APPEND, Relaxed);
        } else {
            self.flags.fetch_and(!APPEND, Relaxed);
        }
    }
}
