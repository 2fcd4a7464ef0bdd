//! What the holder of the arena keeps about the part: which names stand in it, its index, the task's own file.

use crate::output::{self, Path};
use crate::spool::{self, Guard};
use crate::sys::{self, Errno, File};
use crate::{job, log, thread};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering::*};
use iota_calls::Op;
use iota_trace::block::{Header, Ids};
use iota_trace::clock::Offset;
use iota_trace::names;
use iota_trace::part::{self, Entry, INDEX_ENTRY_SIZE};
use iota_trace::spool::{LAYOUT, NAMES, Slot};

/// Index entries held before an index block is written.
pub const ENTRIES: usize = 1024;
/// Room for a block of names, and for the end of a part.
const BLOCK: usize = NAMES + 4096;
/// Words of the set of ops.
const OP_WORDS: usize = 64;

/// A set of ops.
pub struct Ops([u64; OP_WORDS]);

impl Ops {
    /// No op.
    pub const NONE: Ops = Ops([0; OP_WORDS]);

    /// Adds one.
    #[inline(always)]
    pub fn add(&mut self, op: u16) {
        if let Some(word) = self.0.get_mut(usize::from(op >> 6)) {
            *word |= 1 << (op & 63);
        }
    }
}

/// What the holder of the arena keeps about the part.
pub struct Books {
    defined: Ops,
    pub entries: [u8; ENTRIES * INDEX_ENTRY_SIZE],
    pub used: usize,
    pub total: u64,
    pub previous: u64,
    block: [u8; BLOCK],
    pub task: Path,
    failed: bool,
    pub offset: Option<Offset>,
    pub errors: u64,
    /// How many names had been kept when all that waited were written.
    pended: u64,
}

struct Shared(UnsafeCell<Books>);

// SAFETY: used by the holder of the one `Guard` alone.
unsafe impl Sync for Shared {}

const NEW: Books = Books {
    defined: Ops::NONE,
    entries: [0; ENTRIES * INDEX_ENTRY_SIZE],
    used: 0,
    total: 0,
    previous: 0,
    block: [0; BLOCK],
    task: Path::EMPTY,
    failed: false,
    offset: None,
    errors: 0,
    pended: 0,
};

static BOOKS: Shared = Shared(UnsafeCell::new(NEW));

#[allow(clippy::mut_from_ref)]
pub fn of(_: &Guard) -> &mut Books {
    // SAFETY: there is one guard at a time, and no function here keeps the reference over a call that takes another.
    unsafe { &mut *BOOKS.0.get() }
}

/// Starts the books of a new part. The names of the old one are not in it.
pub fn open(guard: &Guard) {
    let books = of(guard);
    books.defined = Ops::NONE;
    (books.used, books.total, books.previous) = (0, 0, 0);
    (books.failed, books.offset, books.errors) = (false, None, 0);
    books.task.truncate(0);
}

pub fn ids(thread: u32) -> Ids {
    Ids {
        rank: job::rank().unwrap_or(0),
        pid: job::pid(),
        thread,
    }
}

/// The Process block, as the spool keeps it.
pub fn process_block() -> &'static [u8] {
    let header = spool::header();
    header
        .process
        .get(..header.process_length.load(Acquire) as usize)
        .unwrap_or_default()
}

pub fn prefix() -> u64 {
    process_block().len() as u64
}

/// A block now stands at `at` behind the Process block: the index says so.
pub fn note(guard: &Guard, block: &[u8], at: u64) {
    let Some(header) = Header::parse(block) else {
        return;
    };
    let entry = Entry::of(prefix().wrapping_add(at), &header).encoded();
    let books = of(guard);
    let end = books.used.wrapping_add(INDEX_ENTRY_SIZE);
    if let Some(place) = books.entries.get_mut(books.used..end) {
        place.copy_from_slice(&entry);
        books.used = end;
        books.total = books.total.wrapping_add(1);
    }
    if end >= ENTRIES * INDEX_ENTRY_SIZE {
        write_index(guard);
    }
}

/// Writes the entries held as an index block among the others.
fn write_index(guard: &Guard) {
    let books = of(guard);
    let entries = books.entries.get(..books.used).unwrap_or_default();
    let head = part::index(ids(0), books.previous, entries);
    books.used = 0;
    if let Some(at) = spool::put_pieces(guard, &[&head, entries]) {
        of(guard).previous = prefix().wrapping_add(at);
    }
}

/// Names ever kept in a thread's room: where there is none more, nobody looks through all threads.
static PENDED: AtomicU64 = AtomicU64::new(0);

/// Keeps a name in the thread's own room until a block takes it; false when the room is full.
pub fn pend(slot: &Slot, tag: u8, id: u32, name: &[u8]) -> bool {
    let size = name.len().wrapping_add(8).next_multiple_of(8);
    let at = slot.names_filled.fetch_add(size as u32, Relaxed) as usize;
    if at.wrapping_add(size) > NAMES {
        slot.names_filled.fetch_sub(size as u32, Relaxed);
        return false;
    }
    let place = slot.names().wrapping_add(at);
    // SAFETY: `size` bytes at `at` lie inside the slot's names and are reserved for this entry; the tag comes last, so
    // that whoever sees it sees the entry.
    unsafe {
        place.add(2).cast::<u16>().write(name.len() as u16);
        place.add(4).cast::<u32>().write(id);
        core::ptr::copy_nonoverlapping(name.as_ptr(), place.add(8), name.len());
        AtomicU8::from_ptr(place).store(tag, Release);
    }
    PENDED.fetch_add(1, Release);
    true
}

/// A name that waits in a slot.
struct Pending<'s> {
    tag: u8,
    id: u32,
    name: &'s [u8],
    /// Where the next begins.
    next: usize,
}

/// The name in a slot at `at`, if one is there.
fn pending(slot: &Slot, at: usize) -> Option<Pending<'_>> {
    if at.wrapping_add(8) > NAMES {
        return None;
    }
    let place = slot.names().wrapping_add(at);
    // SAFETY: inside the names; an entry with its tag is whole.
    unsafe {
        let tag = AtomicU8::from_ptr(place).load(Acquire);
        if tag == 0 {
            return None;
        }
        let length = usize::from(place.add(2).cast::<u16>().read());
        Some(Pending {
            tag,
            id: place.add(4).cast::<u32>().read(),
            name: core::slice::from_raw_parts(place.add(8), length),
            next: at.wrapping_add(length.wrapping_add(8).next_multiple_of(8)),
        })
    }
}

/// Writes all names that a block with these ops may refer to.
pub fn write_names(guard: &Guard, ops: &Ops) {
    write_ops(guard, ops);
    write_pending(guard);
}

fn write_ops(guard: &Guard, ops: &Ops) {
    let books = of(guard);
    let news = ops
        .0
        .iter()
        .zip(&books.defined.0)
        .any(|(now, before)| now & !before != 0);
    if !news {
        return;
    }
    let mut writer = names::Writer::new(&mut books.block);
    for (n, (now, before)) in (0u16..).zip(ops.0.iter().zip(&mut books.defined.0)) {
        let mut new = now & !*before;
        while new != 0 {
            define_op(
                &mut writer,
                n.wrapping_mul(64).wrapping_add(new.trailing_zeros() as u16),
            );
            new &= new.wrapping_sub(1);
        }
        *before |= now;
    }
    if let Some(length) = writer.finish(ids(0)) {
        put_own(guard, length);
    }
}

fn define_op(writer: &mut names::Writer<'_, '_>, op: u16) {
    if let Some(info) = Op(op).info() {
        writer.op(op, info.layer as u8, info.kind as u8, info.name.as_bytes());
    }
}

/// Writes the names that wait in the threads' rooms.
pub fn write_pending(guard: &Guard) {
    let pended = PENDED.load(Acquire);
    if core::mem::replace(&mut of(guard).pended, pended) == pended {
        return;
    }
    for thread in thread::all() {
        write_pending_of(guard, thread.slot());
    }
}

/// Writes the names that wait in one thread's room, which is free again if it is this thread's.
pub fn write_pending_of(guard: &Guard, slot: &Slot) {
    let books = of(guard);
    let first = slot.names_done.load(Relaxed) as usize;
    let (mut at, mut writer) = (first, names::Writer::new(&mut books.block));
    while let Some(Pending {
        tag,
        id,
        name,
        next,
    }) = pending(slot, at)
    {
        let fits = match tag {
            LAYOUT => writer.layout(id, name),
            _ => writer.file(id, name),
        };
        if !fits {
            break;
        }
        at = next;
    }
    if at != first {
        if let Some(length) = writer.finish(ids(slot.thread.load(Relaxed))) {
            put_own(guard, length);
        }
        slot.names_done.store(at as u32, Relaxed);
    }
    reuse_names(slot, at);
}

/// Writes a layout that is too long to wait in a slot as a block of its own.
pub fn write_layout(guard: &Guard, ids: Ids, file: u32, layout: &[u8]) {
    let length = layout.len().wrapping_add(BLOCK);
    let Ok(at) = sys::map_private(length, false) else {
        return;
    };
    // SAFETY: so many bytes, just mapped.
    let room = unsafe { core::slice::from_raw_parts_mut(at.cast::<u8>(), length) };
    let mut writer = names::Writer::new(room);
    writer.layout(file, layout);
    let block = writer.finish(ids).unwrap_or(0);
    // SAFETY: the block stands there; the writer is done with it.
    spool::put(guard, unsafe {
        core::slice::from_raw_parts(at.cast(), block)
    });
    // SAFETY: not used any more.
    unsafe { sys::unmap(at, length) };
}

/// All names are in blocks: their room starts afresh, if a quarter of it is used up: then the longest path fits.
fn reuse_names(slot: &Slot, done: usize) {
    if done < NAMES / 4 || slot.names_filled.load(Acquire) as usize != done || !thread::is_own(slot)
    {
        return;
    }
    // SAFETY: inside the names, and only this thread adds to them.
    unsafe { slot.names().write_bytes(0, done.min(NAMES)) };
    slot.names_done.store(0, Relaxed);
    slot.names_filled.store(0, Release);
}

/// Appends the first `length` bytes of the own block buffer.
fn put_own(guard: &Guard, length: usize) {
    let block: *const [u8] = of(guard).block.get(..length).unwrap_or_default();
    // SAFETY: appending does not touch the buffer; the entry of the index is kept elsewhere.
    if !spool::put(guard, unsafe { &*block }) {
        of(guard).errors = of(guard).errors.wrapping_add(1);
    }
}

/// The task's own file, made when first needed, with the Process block at its start.
pub fn task_file(guard: &Guard) -> sys::Result<Task> {
    let books = of(guard);
    if !books.task.is_empty() {
        let file = File::open(books.task.c_str(), libc::O_WRONLY | libc::O_NOFOLLOW)?;
        return if file.has_one_name() {
            Ok(Task(file))
        } else {
            Err(Errno(libc::EMLINK))
        };
    }
    let mut path = Path::EMPTY;
    let file = output::create(output::task_candidate, 1, &mut path)?;
    if let Err(error) = file.write_all_at(process_block(), 0) {
        let _ = sys::unlink(path.c_str());
        return Err(error);
    }
    books.task = path;
    Ok(Task(file))
}

/// What the task's own file has, is in the spool as well: away with the file.
pub fn drop_task_file(guard: &Guard) {
    let task = &mut of(guard).task;
    if !task.is_empty() {
        let _ = sys::unlink(task.c_str());
        task.truncate(0);
    }
}

/// A task's own file; offsets count behind the Process block.
pub struct Task(File);

impl Task {
    /// Writes behind the Process block.
    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> sys::Result<()> {
        self.0.write_all_at(bytes, prefix().wrapping_add(offset))
    }
}

/// Spilling did not work; the log learns it once.
pub fn spill_failed(guard: &Guard, error: Errno) {
    let books = of(guard);
    books.errors = books.errors.wrapping_add(1);
    if !core::mem::replace(&mut books.failed, true) {
        let why = log::number(i64::from(error.0));
        log::line(&[
            b"cannot write ",
            output::base().bytes(),
            b".*: errno ",
            why.bytes(),
            b"; the oldest events are kept",
        ]);
    }
}
