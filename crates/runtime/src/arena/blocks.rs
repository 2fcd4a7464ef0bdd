//! Sealed blocks: they wait in the arena; when it is full it spills to the task's own file. An index says where each
//! begins.

use super::spool;
use super::spool::{have, header, prefix, reopened};
use super::task_file::TaskFile;
use crate::state::job;
use core::ops::RangeInclusive;
use core::sync::atomic::Ordering::*;
use iota_trace::block::Header as BlockHeader;
use iota_trace::part::{INDEX_ENTRY_SIZE, PartWriter, Slot};
use iota_trace::spool::HEADER;

/// Index entries held before an index block is written.
pub const ENTRIES: usize = 1024;
/// By how much the arena grows at least, and at most.
const GROWTH: RangeInclusive<u64> = PAGE..=256 << 10;
/// Of memory.
const PAGE: u64 = 4096;

/// All blocks of the part.
#[repr(C)]
pub struct Blocks {
    pub store: Store,
    /// Where each begins.
    pub writer: PartWriter<[Slot; ENTRIES]>,
}

impl Blocks {
    /// None.
    pub const NONE: Blocks = Blocks {
        store: Store {
            promised: 0,
            task: TaskFile::NONE,
        },
        writer: PartWriter::new([[0; INDEX_ENTRY_SIZE]; ENTRIES]),
    };

    /// A new spool: nothing of it has been promised. A part is to be begun in it.
    pub fn start(&mut self) {
        self.store.promised = 0;
    }

    /// A new part: what was recorded so far is written elsewhere.
    pub fn begin_part(&mut self) {
        header().filled.store(0, Relaxed);
        header().spilled.store(0, Relaxed);
        self.store.task.forget();
        self.writer.begin();
    }

    /// Appends one whole block, and its entry to the index; false when there is no room, not even after spilling.
    pub fn put(&mut self, block: &[u8]) -> bool {
        let Some(at) = self.store.append(&[block]) else {
            return false;
        };
        if let Some(header) = BlockHeader::parse(block) {
            self.writer.add_block(prefix().wrapping_add(at), &header);
        }
        if self.writer.is_full() {
            self.put_index();
        }
        if spool::is_private() {
            self.store.spill();
        }
        true
    }

    /// Writes the entries held as an index block among the others.
    fn put_index(&mut self) {
        let Blocks { store, writer } = self;
        let (head, entries) = writer.index(job::ids(0));
        let at = store.append(&[&head, entries]);
        writer.indexed(at.map(|at| prefix().wrapping_add(at)));
    }
}

/// The bytes of the blocks: the arena, and what has spilled from it.
#[repr(C)]
pub struct Store {
    /// Bytes of the arena that the file system has promised.
    promised: u64,
    /// Where they spill to.
    pub task: TaskFile,
}

impl Store {
    /// What the arena holds.
    pub fn arena(&self) -> &[u8] {
        let filled = header().filled.load(Acquire) as usize;
        // SAFETY: filled bytes are initialised, and only `self` changes them.
        unsafe { core::slice::from_raw_parts(spool::behind_header(HEADER as u64), filled) }
    }

    /// Appends the pieces of a block; where behind the Process block it begins. What the spool cannot take goes to the
    /// task's own file.
    fn append(&mut self, pieces: &[&[u8]]) -> Option<u64> {
        let lengths = pieces.iter().map(|piece| piece.len() as u64);
        let length = lengths.fold(0, u64::wrapping_add);
        let room = match self.room(length) {
            Some(filled) => Some(filled),
            None => {
                self.spill();
                self.room(length)
            }
        };
        let Some(filled) = room else {
            return self.write_through(pieces);
        };
        let mut to = spool::behind_header((HEADER as u64).wrapping_add(filled));
        for piece in pieces {
            // SAFETY: inside the arena, whose unfilled part nobody reads.
            unsafe { core::ptr::copy_nonoverlapping(piece.as_ptr(), to, piece.len()) };
            to = to.wrapping_add(piece.len());
        }
        header().filled.store(filled.wrapping_add(length), Release);
        Some(header().spilled.load(Relaxed).wrapping_add(filled))
    }

    /// The spool's file system is full: the pieces go to the task's own file, if the arena could be written there before.
    fn write_through(&mut self, pieces: &[&[u8]]) -> Option<u64> {
        let header = header();
        if header.filled.load(Relaxed) != 0 {
            return None;
        }
        let at = header.spilled.load(Relaxed);
        let mut end = at;
        for piece in pieces {
            let written = self
                .task
                .open()
                .and_then(|file| file.write_all_at(piece, end));
            if let Err(error) = written {
                self.task.failed(error);
                return None;
            }
            end = end.wrapping_add(piece.len() as u64);
        }
        header.spilled.store(end, Relaxed);
        Some(at)
    }

    /// Where the next `length` bytes go, if the arena has room and the file system has promised it.
    fn room(&mut self, length: u64) -> Option<u64> {
        let header = header();
        let filled = header.filled.load(Relaxed);
        let end = filled.wrapping_add(length);
        (end <= header.capacity.load(Relaxed) && self.promise(end)).then_some(filled)
    }

    /// Has the file system promise the arena up to `end`.
    fn promise(&mut self, end: u64) -> bool {
        let promised = self.promised;
        if end <= promised || spool::is_private() {
            return true;
        }
        let more = promised
            .clamp(*GROWTH.start(), *GROWTH.end())
            .max(end.wrapping_sub(promised).next_multiple_of(PAGE))
            .min(header().capacity.load(Relaxed).wrapping_sub(promised));
        let offset = (HEADER as u64).wrapping_add(promised);
        let at = spool::behind_header(offset).cast();
        let had = have(at, more as usize, offset, reopened).is_ok();
        if had {
            self.promised = promised.wrapping_add(more);
        }
        had
    }

    /// Writes the arena to the task's own file. Where that fails the arena stays, and what no longer fits is counted.
    pub fn spill(&mut self) {
        let header = header();
        let written = self
            .task
            .open()
            .and_then(|file| file.write_all_at(self.arena(), header.spilled.load(Relaxed)));
        match written {
            Ok(()) => {
                header
                    .spilled
                    .fetch_add(header.filled.load(Relaxed), Relaxed);
                header.filled.store(0, Release);
            }
            Err(error) => self.task.failed(error),
        }
    }
}
