//! This process' part of the trace, from its first block to its footer, as one run of bytes that lies in up to four
//! places: the Process block, what has spilled to a file, what waits in the arena, and the end.

use crate::output::{self, Path};
use crate::spool::{self, Guard};
use crate::start::Reason;
use crate::sys::{self, Errno, File};
use crate::{clock, job, lines, log, settings, thread};
use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering::*};
use iota_calls::Op;
use iota_trace::block::{Header, Ids};
use iota_trace::clock::Offset;
use iota_trace::names;
use iota_trace::part::{self, End, Entry, FOOTER_SIZE, Footer, INDEX_ENTRY_SIZE, INDEX_HEAD_SIZE};
use iota_trace::spool::{NAMES, Slot};

/// Index entries held before an index block is written.
const ENTRIES: usize = 1024;
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
struct Books {
    defined: Ops,
    entries: [u8; ENTRIES * INDEX_ENTRY_SIZE],
    used: usize,
    total: u64,
    previous: u64,
    block: [u8; BLOCK],
    task: Path,
    failed: bool,
    offset: Option<Offset>,
    errors: u64,
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
};

static BOOKS: Shared = Shared(UnsafeCell::new(NEW));

#[allow(clippy::mut_from_ref)]
fn books(_: &Guard) -> &mut Books {
    // SAFETY: there is one guard at a time, and no function here keeps the reference over a call that takes another.
    unsafe { &mut *BOOKS.0.get() }
}

/// Starts the books of a new part. The names of the old one are not in it.
pub fn open(guard: &Guard) {
    let books = books(guard);
    books.defined = Ops::NONE;
    (books.used, books.total, books.previous) = (0, 0, 0);
    (books.failed, books.offset, books.errors) = (false, None, 0);
    books.task.truncate(0);
}

fn ids(thread: u32) -> Ids {
    Ids {
        rank: job::rank().unwrap_or(0),
        pid: job::pid(),
        thread,
    }
}

/// The Process block, as the spool keeps it.
fn process_block() -> &'static [u8] {
    let header = spool::header();
    header
        .process
        .get(..header.process_length.load(Acquire) as usize)
        .unwrap_or_default()
}

fn prefix() -> u64 {
    process_block().len() as u64
}

/// A block now stands at `at` behind the Process block: the index says so.
pub fn note(guard: &Guard, block: &[u8], at: u64) {
    let Some(header) = Header::parse(block) else {
        return;
    };
    let entry = Entry::of(prefix().wrapping_add(at), &header).encoded();
    let books = books(guard);
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
    let books = books(guard);
    let entries = books.entries.get(..books.used).unwrap_or_default();
    let head = part::index(ids(0), books.previous, entries);
    books.used = 0;
    if let Some(filled) = spool::put_pieces(guard, &[&head, entries]) {
        let spilled = spool::header().spilled.load(Relaxed);
        books.previous = prefix().wrapping_add(spilled).wrapping_add(filled);
    }
}

const FILE: u8 = 1;

/// Keeps a name in the thread's own room until a block takes it; false when the room is full.
pub fn pend(slot: &Slot, id: u32, path: &[u8]) -> bool {
    let size = path.len().wrapping_add(8).next_multiple_of(8);
    let at = slot.names_filled.fetch_add(size as u32, Relaxed) as usize;
    if at.wrapping_add(size) > NAMES {
        slot.names_filled.fetch_sub(size as u32, Relaxed);
        return false;
    }
    let place = slot.names().wrapping_add(at);
    // SAFETY: `size` bytes at `at` lie inside the slot's names and are reserved for this entry; the tag comes last, so
    // that whoever sees it sees the entry.
    unsafe {
        place.add(2).cast::<u16>().write(path.len() as u16);
        place.add(4).cast::<u32>().write(id);
        core::ptr::copy_nonoverlapping(path.as_ptr(), place.add(8), path.len());
        AtomicU8::from_ptr(place).store(FILE, Release);
    }
    true
}

/// The names in a slot from `at` on: id, path, and where the next begins.
fn pending(slot: &Slot, at: usize) -> Option<(u32, &[u8], usize)> {
    if at.wrapping_add(8) > NAMES {
        return None;
    }
    let place = slot.names().wrapping_add(at);
    // SAFETY: inside the names; an entry with its tag is whole.
    unsafe {
        if AtomicU8::from_ptr(place).load(Acquire) != FILE {
            return None;
        }
        let length = usize::from(place.add(2).cast::<u16>().read());
        let path = core::slice::from_raw_parts(place.add(8), length);
        Some((
            place.add(4).cast::<u32>().read(),
            path,
            at.wrapping_add(length.wrapping_add(8).next_multiple_of(8)),
        ))
    }
}

/// Writes all names that a block with these ops may refer to.
pub fn write_names(guard: &Guard, ops: &Ops) {
    write_ops(guard, ops);
    write_pending(guard);
}

fn write_ops(guard: &Guard, ops: &Ops) {
    let books = books(guard);
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
    for thread in thread::all() {
        write_pending_of(guard, thread.slot());
    }
}

fn write_pending_of(guard: &Guard, slot: &Slot) {
    let books = books(guard);
    let first = slot.names_done.load(Relaxed) as usize;
    let (mut at, mut writer) = (first, names::Writer::new(&mut books.block));
    while let Some((id, path, next)) = pending(slot, at) {
        if !writer.file(id, path) {
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

/// All names are in blocks: their room starts afresh, if it is used up by half.
fn reuse_names(slot: &Slot, done: usize) {
    if done < NAMES / 2 || slot.names_filled.load(Acquire) as usize != done || !thread::is_own(slot)
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
    let block: *const [u8] = books(guard).block.get(..length).unwrap_or_default();
    // SAFETY: appending does not touch the buffer; the entry of the index is kept elsewhere.
    if !spool::put(guard, unsafe { &*block }) {
        books(guard).errors = books(guard).errors.wrapping_add(1);
    }
}

/// The task's own file, made when first needed, with the Process block at its start.
pub fn task_file(guard: &Guard) -> sys::Result<Task> {
    let books = books(guard);
    if !books.task.is_empty() {
        return File::open(books.task.c_str(), libc::O_WRONLY | libc::O_NOFOLLOW).map(Task);
    }
    let mut path = Path::EMPTY;
    let file = output::create(output::task_candidate, &mut path)?;
    file.write_all_at(process_block(), 0)?;
    books.task = path;
    Ok(Task(file))
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
    let books = books(guard);
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

/// The finished part. While it lives nothing can be added to the arena.
pub struct Sealed {
    guard: Guard,
    reason: Reason,
    tail: Option<usize>,
    events: u64,
}

/// Where the end of the part was composed: End block, last index block, footer.
static TAIL: AtomicU64 = AtomicU64::new(0);
const TAIL_ROOM: usize = 512 + INDEX_HEAD_SIZE + ENTRIES * INDEX_ENTRY_SIZE + FOOTER_SIZE;

impl Sealed {
    /// Finishes the part. None when there is nothing to write.
    pub fn new(guard: Guard, reason: Reason) -> Option<Sealed> {
        write_pending(&guard);
        let filtered = thread::all()
            .map(|t| t.filtered.swap(0, Relaxed))
            .fold(0, u64::wrapping_add);
        spool::header().filtered.fetch_add(filtered, Relaxed);
        if spool::is_empty() {
            return None;
        }
        let events = spool::header().captured.load(Relaxed);
        Some(Sealed {
            guard,
            reason,
            tail: None,
            events,
        })
    }

    /// Events in it.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// This process' clock against rank 0's; before the length is asked for.
    pub fn set_clock(&self, offset: i64, error: u64) {
        books(&self.guard).offset = Some(Offset {
            nanos: offset,
            error,
            drift: 0,
        });
    }

    /// Bytes of the whole part.
    pub fn len(&mut self) -> u64 {
        let tail = self.tail() as u64;
        self.middle().wrapping_add(tail)
    }

    /// Bytes before the tail.
    fn middle(&self) -> u64 {
        let header = spool::header();
        prefix()
            .wrapping_add(header.spilled.load(Relaxed))
            .wrapping_add(header.filled.load(Relaxed))
    }

    fn tail(&mut self) -> usize {
        if let Some(length) = self.tail {
            return length;
        }
        let length = self.compose();
        self.tail = Some(length);
        length
    }

    fn tail_room() -> &'static mut [u8] {
        if TAIL.load(Relaxed) == 0 {
            let room = sys::map_private(TAIL_ROOM, false).map_or(0, |at| at as u64);
            TAIL.store(room, Relaxed);
        }
        match TAIL.load(Relaxed) {
            0 => &mut [],
            // SAFETY: TAIL_ROOM bytes, mapped once, used by the holder of the guard alone.
            at => unsafe { core::slice::from_raw_parts_mut(at as *mut u8, TAIL_ROOM) },
        }
    }

    fn compose(&self) -> usize {
        let header = spool::header();
        let room = Sealed::tail_room();
        let books = books(&self.guard);
        let end = End {
            captured: self.events,
            filtered: header.filtered.load(Relaxed),
            lost: header.lost.load(Relaxed),
            end: clock::anchor().into(),
            offset: books.offset,
            reason: self.reason as u8,
            errors: books.errors,
        };
        let at = end.write(ids(0), room).unwrap_or(0);
        let entries = books.entries.get(..books.used).unwrap_or_default();
        let index = part::index(ids(0), books.previous, entries);
        let index_at = self.middle().wrapping_add(at as u64);
        let before_footer = at.wrapping_add(index.len()).wrapping_add(entries.len());
        let footer = Footer {
            len: self
                .middle()
                .wrapping_add(before_footer as u64)
                .wrapping_add(FOOTER_SIZE as u64),
            index: index_at,
            entries: books.total,
            events: self.events,
        };
        let mut to = at;
        for piece in [&index[..], entries, &footer.encoded(ids(0))[..]] {
            let next = to.wrapping_add(piece.len());
            if let Some(place) = room.get_mut(to..next) {
                place
                    .iter_mut()
                    .zip(piece)
                    .for_each(|(to, from)| *to = *from);
                to = next;
            }
        }
        to
    }

    /// Reads `buf.len()` bytes of the part from `offset`; false when that is more than there is, or cannot be read.
    pub fn read_at(&mut self, mut offset: u64, mut buf: &mut [u8]) -> bool {
        let tail = self.tail();
        while !buf.is_empty() {
            let n = self.read_some(offset, buf, tail);
            let Some(rest) = buf.get_mut(n..).filter(|_| n != 0) else {
                return false;
            };
            offset = offset.wrapping_add(n as u64);
            buf = rest;
        }
        true
    }

    /// Reads from the one place that holds `offset`.
    fn read_some(&self, offset: u64, buf: &mut [u8], tail: usize) -> usize {
        let spilled = spool::header().spilled.load(Relaxed);
        if spilled != 0 && offset < prefix().wrapping_add(spilled) {
            let room = prefix().wrapping_add(spilled).wrapping_sub(offset);
            let fits = room.min(buf.len() as u64) as usize;
            let task = &books(&self.guard).task;
            let file = File::open(task.c_str(), libc::O_RDONLY | libc::O_NOFOLLOW);
            return file
                .and_then(|f| f.read_at(buf.get_mut(..fits).unwrap_or_default(), offset))
                .unwrap_or(0);
        }
        let mut at = offset;
        let head = if spilled == 0 { process_block() } else { &[] };
        at = at.wrapping_sub(if spilled == 0 {
            0
        } else {
            prefix().wrapping_add(spilled)
        });
        for place in [
            head,
            spool::arena(&self.guard),
            Sealed::tail_room().get(..tail).unwrap_or_default(),
        ] {
            if let Some(rest) = place.get(at as usize..).filter(|rest| !rest.is_empty()) {
                buf.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                return buf.len().min(rest.len());
            }
            at = at.wrapping_sub(place.len() as u64);
        }
        0
    }

    /// Writes the part to the task's own file, where some of it may be already.
    pub fn leave(mut self) {
        if settings::get().text {
            return self.leave_lines();
        }
        let tail = self.tail();
        let middle = self.middle();
        let written = task_file(&self.guard).and_then(|task| {
            task.write_all_at(
                spool::arena(&self.guard),
                spool::header().spilled.load(Relaxed),
            )?;
            let end = Sealed::tail_room().get(..tail).unwrap_or_default();
            task.write_all_at(end, middle.wrapping_sub(prefix()))
        });
        match written {
            Ok(()) => job::written(&books(&self.guard).task),
            Err(error) => self.complain(error),
        }
        self.end();
    }

    /// Writes the part as lines instead.
    fn leave_lines(mut self) {
        let mut path = Path::EMPTY;
        match lines::write(&mut self, &mut path) {
            Ok(()) => self.release(),
            Err(error) => {
                self.complain(error);
                self.end();
            }
        }
    }

    /// Appends the part to a file that holds this job's trace already.
    pub fn append_to(mut self, path: &Path) {
        let opened = File::open(
            path.c_str(),
            libc::O_WRONLY | libc::O_APPEND | libc::O_NOFOLLOW,
        );
        let Ok(file) = opened else {
            return self.leave();
        };
        // One write, so that processes which append at the same time do not mix.
        let length = self.len() as usize;
        let whole = sys::map_private(length, false);
        let Ok(room) = whole else { return self.leave() };
        // SAFETY: just mapped, `length` bytes.
        let buf = unsafe { core::slice::from_raw_parts_mut(room.cast::<u8>(), length) };
        let done = self.read_at(0, buf) && file.append(buf).is_ok();
        // SAFETY: `buf` is not used any more.
        unsafe { sys::unmap(room, length) };
        if done { self.release() } else { self.leave() }
    }

    /// The part stands in the job's file: what is here may go.
    pub fn release(self) {
        let task = &books(&self.guard).task;
        if !task.is_empty() {
            let _ = sys::unlink(task.c_str());
        }
        self.end();
    }

    fn complain(&self, error: Errno) {
        let (calls, why) = (
            log::number(self.events as i64),
            log::number(i64::from(error.0)),
        );
        let spool = spool::path().bytes();
        let kept: &[u8] = if spool.is_empty() {
            b""
        } else {
            b"; the events stay in "
        };
        let pieces: [&[u8]; 8] = [
            b"trace lost: cannot write ",
            output::base().bytes(),
            b": errno ",
            why.bytes(),
            b", ",
            calls.bytes(),
            b" calls",
            kept,
        ];
        job::keep_spool();
        if job::rank().unwrap_or(0) == 0 {
            log::lost(&[
                pieces[0], pieces[1], pieces[2], pieces[3], pieces[4], pieces[5], pieces[6], kept,
                spool,
            ]);
        } else {
            log::line(&[
                pieces[0], pieces[1], pieces[2], pieces[3], pieces[4], pieces[5], pieces[6], kept,
                spool,
            ]);
        }
    }

    /// The next event begins another part.
    fn end(self) {
        job::part_written();
        spool::clear(&self.guard);
        open(&self.guard);
    }
}
