//! The spool: one file for each process, mapped shared, where records wait until their part of the trace is written.
//!
//! The kernel keeps the file when the process is killed, so that what had been recorded can be recovered:
//!
//! ```text
//! 0           Header                 who this is, which output it belongs to, how far the arena is filled
//! HEADER      arena                  sealed blocks, one after another
//! + arena     slot 0, slot 1, ...    a thread's ring of records, and its names that no block holds yet
//! ```

use crate::{OP_NONE, Record, alone};
use core::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::*};

/// The first bytes of a spool file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"IOTASPL3");
/// Bytes before the arena.
pub const HEADER: usize = 32 << 10;
/// Records in a thread's ring; a power of two.
pub const RING_RECORDS: usize = 4096;
/// Turns a running number into a place in the ring.
pub const RING_MASK: usize = RING_RECORDS - 1;
/// Bytes of names that a thread may hold back.
pub const NAMES: usize = 16 << 10;
/// The tag of a path among them: u8, then 0, its length as u16, its id as u32, its bytes, up to the next multiple of 8.
pub const FILE: u8 = 1;
/// The tag of a file's layout on Lustre.
pub const LAYOUT: u8 = 2;
/// Bytes of a slot.
pub const SLOT: usize = size_of::<Slot>();

/// The start of a spool file.
#[repr(C)]
pub struct Header {
    /// [`MAGIC`], written last.
    pub magic: AtomicU64,
    /// Bytes of the arena.
    pub capacity: AtomicU64,
    /// Bytes of the arena that hold whole blocks.
    pub filled: AtomicU64,
    /// Bytes already written to the part's own file.
    pub spilled: AtomicU64,
    /// Slots made.
    pub slots: AtomicU32,
    /// The process.
    pub pid: AtomicU32,
    /// Records that found no room, here or on the file system.
    pub lost: AtomicU64,
    /// Calls on files that the user left out.
    pub filtered: AtomicU64,
    /// Records in sealed blocks.
    pub captured: AtomicU64,
    /// The latest anchor of the clock: ticks, CLOCK_MONOTONIC, CLOCK_REALTIME.
    pub anchor: [AtomicU64; 3],
    /// `iota_calls::FINGERPRINT` of the process: what its records' op numbers mean.
    pub table: AtomicU64,
    /// Bytes of `process` that are filled.
    pub process_length: AtomicU32,
    reserved: [u32; 9],
    /// The Process block of the part.
    pub process: [u8; HEADER - 136],
}

const _: () = assert!(size_of::<Header>() == HEADER);

/// A thread's ring and its names.
#[repr(C, align(4096))]
pub struct Slot {
    /// Records ever stored, or being stored.
    pub stored: AtomicU64,
    /// Records that stand in sealed blocks.
    pub sealed: AtomicU64,
    /// Calls of the thread on files that the user left out, since the header counted them.
    pub filtered: AtomicU64,
    /// Number of the thread in its process.
    pub thread: AtomicU32,
    /// Bytes of `names` that are filled.
    pub names_filled: AtomicU32,
    /// Bytes of `names` that stand in blocks.
    pub names_done: AtomicU32,
    reserved: [u32; 7],
    pub(crate) names: [u8; NAMES],
    /// One place more than the ring has: the second record of a pair stays behind its first.
    pub(crate) ring: [Record; RING_RECORDS + 1],
}

impl Slot {
    /// Takes the next `n` places, if there is room for them and one more. Their ops are 0 until they are filled, because
    /// whoever takes places empties those behind the first, and the one behind the last: whenever the process is
    /// killed, no record of an earlier round is among them.
    #[inline(always)]
    pub fn reserve(&self, n: u64) -> Option<u64> {
        let next = self.stored.load(Relaxed);
        if !self.has_room(next, n) {
            return None;
        }
        self.empty_behind(next, n);
        let first = alone::fetch_add(&self.stored, n);
        if first == next {
            Some(first)
        } else {
            self.taken_late(first, n)
        }
    }

    #[inline(always)]
    fn has_room(&self, first: u64, n: u64) -> bool {
        let used = first.wrapping_sub(self.sealed.load(Relaxed));
        used.wrapping_add(n) < RING_RECORDS as u64
    }

    #[inline(always)]
    fn empty_behind(&self, first: u64, n: u64) {
        let mut more = n;
        while more > 0 {
            self.empty(first.wrapping_add(more));
            more = more.wrapping_sub(1);
        }
    }

    #[inline(always)]
    fn empty(&self, at: u64) {
        let place = self.record(at as usize & RING_MASK);
        // SAFETY: inside the ring, and of no thread but this one.
        unsafe { AtomicU16::from_ptr(&raw mut (*place).op).store(OP_NONE, Relaxed) };
    }

    /// A signal handler stored records since the place behind was emptied.
    #[cold]
    #[inline(never)]
    fn taken_late(&self, first: u64, n: u64) -> Option<u64> {
        if !self.has_room(first, n) {
            self.give_back(n);
            return None;
        }
        self.empty_behind(first, n);
        Some(first)
    }

    /// Gives the last places back. A signal handler in between leaves the sum as it was.
    fn give_back(&self, n: u64) {
        self.stored
            .store(self.stored.load(Relaxed).wrapping_sub(n), Relaxed);
    }

    /// The place of record `at`, which is at most [`RING_RECORDS`].
    #[inline(always)]
    pub fn record(&self, at: usize) -> *mut Record {
        (&raw const self.ring)
            .cast::<Record>()
            .cast_mut()
            .wrapping_add(at.min(RING_RECORDS))
    }

    /// The bytes of names.
    pub fn names(&self) -> *mut u8 {
        (&raw const self.names).cast::<u8>().cast_mut()
    }
}

impl Record {
    /// Writes a record to its place so that whoever sees its op sees all of it.
    ///
    /// # Safety
    /// `place` is for writing, and this thread's alone until the op is seen.
    #[inline(always)]
    pub unsafe fn publish(place: *mut Record, record: Record) {
        // SAFETY: the caller's.
        unsafe {
            (&raw mut (*place).start).write(record.start);
            (&raw mut (*place).end).write(record.end);
            (&raw mut (*place).ret).write(record.ret);
            (&raw mut (*place).offset).write(record.offset);
            (&raw mut (*place).length).write(record.length);
            (&raw mut (*place).id).write(record.id);
            (&raw mut (*place).parent).write(record.parent);
            (&raw mut (*place).file).write(record.file);
            (&raw mut (*place).fd).write(record.fd);
            (&raw mut (*place).errno).write(record.errno);
            (&raw mut (*place).flags).write(record.flags);
            (&raw mut (*place).whence).write(record.whence);
            AtomicU16::from_ptr(&raw mut (*place).op).store(record.op, Release);
        }
    }
}
