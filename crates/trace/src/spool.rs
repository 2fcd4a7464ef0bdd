//! The spool: one file for each process, mapped shared, where records wait until their part of the trace is written.
//!
//! The kernel keeps the file when the process is killed, so that what had been recorded can be recovered:
//!
//! ```text
//! 0           SpoolHeader            who this is, which output it belongs to, how far the arena is filled
//! HEADER      arena                  sealed blocks, one after another
//! + arena     slot 0, slot 1, ...    a thread's ring of records, and its names that no block holds yet
//! ```

use crate::places::{CommitWord, Places};
use crate::{OP_DETAILS, OP_NONE, Record, flags};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

/// The first bytes of a spool file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"IOTASPL8");
/// Bytes before the arena.
pub const HEADER: usize = 32 << 10;
/// Records in a thread's ring; a power of two.
pub const RING_RECORDS: usize = 4096;
/// The places of a thread's ring.
pub type Ring = Places<{ RING_RECORDS as u64 }, MARGIN>;
/// Turns a running number into a place in the ring.
const RING_MASK: u64 = RING_RECORDS as u64 - 1;
/// Bytes of names that a thread may hold back.
pub const NAMES: usize = (16 << 10) - 80;
/// The tag of a path among them: u8, then its check, its length as u16, its id as u32, its bytes, up to the next multiple of 8.
pub const FILE: u8 = 1;
/// The check of a name: eight bits that depend on all of its others.
pub fn name_check(id: u32, name: &[u8]) -> u8 {
    let (words, rest) = name.as_chunks::<8>();
    let mixed = |sum: u64, word: u64| (sum ^ word).wrapping_mul(MIX).rotate_left(29);
    let start = mixed(name.len() as u64, id.into());
    let sum = words
        .iter()
        .fold(start, |sum, word| mixed(sum, u64::from_le_bytes(*word)));
    let sum = rest
        .iter()
        .fold(sum, |sum, byte| mixed(sum, u64::from(*byte)));
    (sum >> 32) as u8
}
/// The tag of a file's layout on Lustre.
pub const LAYOUT: u8 = 2;
/// The tag of a text that details refer to.
pub const TEXT: u8 = 3;
/// The tag of a function that the user named: its number is an op's that no row of the table has.
pub const FUNCTION: u8 = 4;
/// Bytes of a slot.
pub const SLOT: usize = size_of::<Slot>();
/// Places for handlers alone.
const MARGIN: u64 = 16;

/// The start of a spool file.
#[repr(C)]
pub struct SpoolHeader {
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
    /// `lost` once more: damage to one of the two is seen.
    pub lost_again: AtomicU64,
    /// The sum of the anchor's words.
    pub anchor_sum: AtomicU64,
    /// Bytes of `process` that are filled.
    pub process_length: AtomicU32,
    /// Of a rank of MPI: its number plus 1, as far as it is known.
    pub rank: AtomicU32,
    /// How many ranks there are; 0 as long as that is not known.
    pub size: AtomicU32,
    /// The same in all ranks that were started together on a node.
    pub launch: AtomicU32,
    /// Of rank 0: where ranks without a communicator learn whether all have come (`mpi/src/arrivals.rs`).
    pub assembly: AtomicU32,
    /// Threads whose slot is in private memory: a kill takes what it holds.
    pub private_slots: AtomicU32,
    /// Inode of the process' PID namespace; 0 where that is not known.
    pub namespace: AtomicU32,
    /// Why the part was to end, plus 1, as long as nothing was added to it since: it may not have been written.
    pub ending: AtomicU32,
    /// The Process block of the part.
    pub process: [u8; HEADER - 144],
}

const _: () = assert!(size_of::<SpoolHeader>() == HEADER);

impl SpoolHeader {
    /// Counts calls that found no room.
    pub fn add_lost(&self, calls: u64) {
        self.lost.fetch_add(calls, Relaxed);
        self.lost_again.fetch_add(calls, Relaxed);
    }

    /// What was counted stands in a part that is written.
    pub fn take_lost(&self, calls: u64) {
        self.lost.fetch_sub(calls, Relaxed);
        self.lost_again.fetch_sub(calls, Relaxed);
    }

    /// Notes what three clocks say at one moment.
    pub fn set_anchor(&self, words: [u64; 3]) {
        let sum = words
            .iter()
            .fold(0, |sum: u64, word| sum.wrapping_add(*word));
        for (to, word) in self.anchor.iter().zip(words) {
            to.store(word, Relaxed);
        }
        self.anchor_sum.store(sum, Relaxed);
    }
}

/// A thread's ring and its names.
#[repr(C, align(4096))]
pub struct Slot {
    /// Which of the ring's places are taken and free.
    pub places: Ring,
    /// Calls of the thread on files that the user left out.
    pub filtered: AtomicU64,
    /// How many of them the header has counted.
    pub filtered_counted: AtomicU64,
    /// Where the slot begins in the file; 0 for one in private memory.
    pub offset: AtomicU64,
    /// Number of the thread in its process.
    pub thread: AtomicU32,
    /// The same, each bit the other way: damage to one of the two is seen.
    pub thread_inverted: AtomicU32,
    /// Bytes of `names` that are filled.
    pub names_filled: AtomicU32,
    /// Bytes of `names` that stand in blocks.
    pub names_done: AtomicU32,
    /// Bytes of `names` for which there is memory.
    names_ready: AtomicU32,
    pub(crate) names: UnsafeCell<[u8; NAMES]>,
    /// One place more than the ring has: the second record of a pair stays behind its first.
    pub(crate) ring: UnsafeCell<[Record; RING_RECORDS + 1]>,
}

/// What of a slot has memory from the start: a page of its counters and names, and a page of records; where each begins, and
/// its bytes.
pub const SLOT_START: [(usize, usize); 2] = [(0, PAGE), (core::mem::offset_of!(Slot, ring), PAGE)];
const _: () = assert!(core::mem::offset_of!(Slot, ring) == 16 << 10);
/// Of memory.
const PAGE: usize = 4096;

impl Slot {
    /// A slot that begins at `offset` in the file. There is memory for [`SLOT_START`].
    pub fn start(&self, offset: u64) {
        self.offset.store(offset, Relaxed);
        let names = PAGE.wrapping_sub(core::mem::offset_of!(Slot, names));
        self.names_ready.store(names as u32, Relaxed);
        self.add_ready(PAGE);
    }

    /// How many bytes of names there is memory for.
    pub fn names_ready(&self) -> usize {
        self.names_ready.load(Acquire) as usize
    }

    /// What comes to the names when that is not enough, as [`Slot::ring_growth`].
    pub fn names_growth(&self) -> Option<(usize, usize)> {
        let at = core::mem::offset_of!(Slot, names).wrapping_add(self.names_ready());
        let rest = NAMES.wrapping_sub(self.names_ready());
        (rest != 0).then_some((at, rest))
    }

    /// All of the names have memory.
    pub fn set_names_ready(&self) {
        self.names_ready.store(NAMES as u32, Release);
    }

    /// It is a thread's, whose number in its process this is.
    pub fn set_thread(&self, number: u32) {
        self.thread.store(number, Relaxed);
        self.thread_inverted.store(!number, Relaxed);
    }

    /// What comes to the ring next, when all that there is is in use: its place in the slot, its bytes. None: the ring has
    /// all its memory.
    pub fn ring_growth(&self) -> Option<(usize, usize)> {
        let ready = self.places.ready.load(Relaxed) as usize;
        let all = RING_RECORDS + 1;
        if ready >= all {
            return None;
        }
        let rest = all.wrapping_sub(ready);
        // A page more costs a process 3 us.
        let more = if ready < all / 2 { ready } else { rest };
        let record = size_of::<Record>();
        let at = core::mem::offset_of!(Slot, ring).wrapping_add(ready.wrapping_mul(record));
        Some((at, more.wrapping_mul(record)))
    }

    /// There is memory for the whole slot.
    pub fn set_all_ready(&self) {
        self.set_names_ready();
        while let Some((_, bytes)) = self.ring_growth() {
            self.add_ready(bytes);
        }
    }

    /// So many bytes more have memory.
    pub fn add_ready(&self, bytes: usize) {
        self.places.add_ready((bytes / size_of::<Record>()) as u32);
    }

    /// Whether the first record that is in no block is still to be written.
    pub fn is_held_up(&self) -> bool {
        let first = self.places.sealed.load(Relaxed);
        self.places.stored.load(Relaxed) != first && self.look(first).is_none()
    }

    /// How many calls were left out since this was last asked. One thread at a time asks.
    pub fn newly_filtered(&self) -> u64 {
        let all = self.filtered.load(Relaxed);
        all.wrapping_sub(self.filtered_counted.swap(all, Relaxed))
    }

    /// Fills a place.
    ///
    /// # Safety
    /// It was taken by [`Places::reserve`], by the calling thread.
    #[inline(always)]
    pub unsafe fn put(&self, at: u64, record: Record) {
        // SAFETY: in the ring, and the caller's alone.
        unsafe { Record::publish(self.place(at), record, at) };
    }

    /// Fills two places, one behind the other. Behind the ring's last place there is one for the second record of a pair,
    /// which stands at the ring's first place as well, so that none stays empty. The first record comes last.
    ///
    /// # Safety
    /// As [`Slot::put`].
    pub unsafe fn put_pair(&self, at: u64, record: Record, more: Record) {
        let next = at.wrapping_add(1);
        // SAFETY: in the ring, or behind its last place, and the caller's alone.
        unsafe {
            Record::publish(self.place(at).wrapping_add(1), more, at);
            if next & RING_MASK == 0 {
                Record::publish(self.place(next), more, next);
            }
            Record::publish(self.place(at), record, at);
        }
    }

    /// Fills a place, and those behind it: with the second record of a pair, if there is one, and with details. The first
    /// record comes last.
    ///
    /// # Safety
    /// As [`Slot::put`].
    pub unsafe fn put_detailed(
        &self,
        at: u64,
        record: Record,
        more: Option<Record>,
        details: impl Iterator<Item = Record>,
    ) {
        let mut place = at.wrapping_add(u64::from(more.is_some()));
        for record in details {
            place = place.wrapping_add(1);
            // SAFETY: taken by the calling thread together with `at`, as all places that this fills.
            unsafe { self.put(place, record) };
        }
        match more {
            // SAFETY: as above.
            Some(more) => unsafe { self.put_pair(at, record, more) },
            // SAFETY: as above.
            None => unsafe { self.put(at, record) },
        }
    }

    /// The place of the record with this running number.
    #[inline(always)]
    pub fn place(&self, at: u64) -> *mut Record {
        self.ring
            .get()
            .cast::<Record>()
            .wrapping_add((at & RING_MASK) as usize)
    }

    /// Op and flags of a place, if it holds its record; none while nobody has filled it in this turn.
    #[inline(always)]
    pub fn look(&self, at: u64) -> Option<(u16, u16)> {
        Record::whole(self.last(at), at)
    }

    /// The last eight bytes of a place, but for the check: alike in records that are alike. [`Record::whole`] tells their
    /// meaning.
    #[inline(always)]
    pub fn last(&self, at: u64) -> u64 {
        // SAFETY: in the ring.
        unsafe { Record::mark(self.place(at)) }.get() & !(0xFF << CHECK)
    }

    /// The form of the details at a place, if it holds such.
    pub fn form(&self, at: u64) -> Option<u16> {
        let last = self.last(at);
        let (op, _) = Record::whole(last, at)?;
        (op == OP_DETAILS).then_some((last >> 16) as u16)
    }

    /// The bytes of names.
    pub fn names(&self) -> *mut u8 {
        self.names.get().cast()
    }
}

/// Where a record's last eight bytes have its check: in the high half of its flags.
const CHECK: u32 = 40;
/// Spreads a change of any bit over the highest ones.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

impl Record {
    /// The eight bytes from the op on.
    ///
    /// # Safety
    /// `place` is in a ring.
    #[inline(always)]
    unsafe fn mark<'r>(place: *mut Record) -> &'r CommitWord {
        // SAFETY: inside the record, aligned as it is, and only changed as a mark.
        unsafe { &*(&raw mut (*place).op).cast::<CommitWord>() }
    }

    /// Op and flags as the last eight bytes of place `at` have them, if they are of this turn.
    #[inline(always)]
    pub fn whole(last: u64, at: u64) -> Option<(u16, u16)> {
        let (op, flags) = (last as u16, (last >> 32) as u16 & flags::ALL);
        (op != OP_NONE && Ring::is_of_turn(last, at)).then_some((op, flags))
    }

    /// Writes the record with this running number so that whoever sees its last bytes sees all of it.
    ///
    /// # Safety
    /// `place` is for writing, and this thread's alone until the record is seen.
    #[inline(always)]
    unsafe fn publish(place: *mut Record, record: Record, at: u64) {
        let flags = u64::from(record.flags & flags::ALL);
        let last = u64::from(record.op)
            | u64::from(record.errno) << 16
            | flags << 32
            | u64::from(record.whence) << 48;
        let last = Ring::marked(last, at);
        let (ids, on) = record.pairs();
        // SAFETY: `place` is in the ring, and was taken by who stores here.
        unsafe {
            (&raw mut (*place).start).write(record.start);
            (&raw mut (*place).end).write(record.end);
            (&raw mut (*place).ret).write(record.ret);
            (&raw mut (*place).offset).write(record.offset);
            (&raw mut (*place).length).write(record.length);
            (&raw mut (*place).id).cast::<u64>().write(ids);
            (&raw mut (*place).file).cast::<u64>().write(on);
            Record::mark(place).set(last | record.check(last) << CHECK);
        }
    }

    /// Its numbers of 32 bits as they lie in memory.
    #[inline(always)]
    fn pairs(&self) -> (u64, u64) {
        (
            u64::from(self.id) | u64::from(self.parent) << 32,
            u64::from(self.file) | u64::from(self.fd as u32) << 32,
        )
    }

    /// Eight bits that depend on all others, of which the last eight bytes are `last`.
    #[inline(always)]
    fn check(&self, last: u64) -> u64 {
        let (ids, on) = self.pairs();
        let mixed = self.start ^ self.end ^ self.offset as u64 ^ self.length ^ ids ^ on ^ last;
        mixed.wrapping_add(self.ret as u64).wrapping_mul(MIX) >> 56
    }

    /// Whether it is what was stored, with these last eight bytes.
    #[cfg(feature = "std")]
    pub(crate) fn is_intact(&self, last: u64) -> bool {
        let check = last >> CHECK & 0xFF;
        self.check(last ^ check << CHECK) == check
    }
}
