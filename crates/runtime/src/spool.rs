//! The spool of this process: sealed blocks wait in its arena, a thread's records in its slot.
//!
//! It is a file that is mapped shared and closed at once; where that fails, private memory, from which every block is
//! written out as soon as it is sealed. When the arena is full it spills to the task's own file.

use crate::bytes::{Once, Text};
use crate::output::{self, Path};
use crate::sys::{self, Errno, File, Identity};
use crate::thread::{self, Thread};
use crate::undisturbed::Undisturbed;
use crate::{books, clock, job, log, settings};
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use iota_trace::spool::{FILE, HEADER, Header, LAYOUT, MAGIC, NAMES, SLOT, SLOT_START, Slot};

static SPOOL_HEADER: AtomicPtr<Header> = AtomicPtr::new(core::ptr::null_mut());
static ARENA: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
/// Bytes of the arena that the file system has promised.
static PROMISED: AtomicU64 = AtomicU64::new(0);
/// Where the spool lies; empty when it is private memory.
static PATH: Once<Path> = Once::new(Text::EMPTY);
/// Which file that is.
static MADE: Once<Identity> = Once::new(Identity::NONE);
/// Whoever appends, spills or joins; the address of a thread's own word, 0 when free.
static OWNER: AtomicUsize = AtomicUsize::new(0);
/// How many wait for it, and how often one of them was woken.
static WAITING: AtomicU32 = AtomicU32::new(0);
static TURN: AtomicU32 = AtomicU32::new(0);
/// For how long at most before it asks again.
const WAIT_NS: u64 = 1_000_000_000;

/// By how much the arena grows at least, and at most.
const GROWTH: core::ops::RangeInclusive<u64> = 8 << 10..=256 << 10;
/// Of memory.
const PAGE: u64 = 4096;
/// Bytes of the header that are always used.
const HEADER_START: usize = 4096;
/// What must be free in memory for the spool to be there.
const ROOM: u64 = 64 << 20;

/// Makes the spool, with a slot for the first thread.
///
/// # Safety
/// Only while the tracer starts.
pub unsafe fn start() -> bool {
    OWNER.store(0, Relaxed);
    WAITING.store(0, Relaxed);
    PROMISED.store(0, Relaxed);
    // SAFETY: the caller's.
    let path = unsafe { PATH.start() };
    let capacity = settings::get().buffer.next_multiple_of(PAGE);
    let whole = (HEADER as u64)
        .wrapping_add(capacity)
        .wrapping_add(SLOT as u64);
    let mapped = create(path, whole).or_else(|error| not_created(path, error, whole));
    let Ok(at) = mapped else { return false };
    SPOOL_HEADER.store(at.cast(), Release);
    ARENA.store(at.cast::<u8>().wrapping_add(HEADER), Release);
    let header = header();
    header.capacity.store(capacity, Relaxed);
    header.pid.store(sys::process_id(), Relaxed);
    header.table.store(iota_calls::FINGERPRINT, Relaxed);
    anchor();
    true
}

/// Memory instead of a file.
fn private(path: &mut Path, whole: u64) -> sys::Result<*mut c_void> {
    path.truncate(0);
    sys::map_private(whole as usize, false)
}

fn not_created(path: &mut Path, error: Errno, whole: u64) -> sys::Result<*mut c_void> {
    let why = log::number(i64::from(error.0));
    log::line(&[
        b"no spool: cannot create and map ",
        path.bytes(),
        b": errno ",
        why.bytes(),
        b"; blocks are written as they are sealed (IOTA_SPOOL names another directory)",
    ]);
    private(path, whole)
}

fn create(path: &mut Path, whole: u64) -> sys::Result<*mut c_void> {
    choose(path);
    let file = File::create_new(path.c_str(), 0)?;
    // SAFETY: the tracer starts.
    unsafe { *MADE.start() = file.identity()? };
    let mapped = file
        .set_len(whole)
        .and_then(|()| file.map_shared(0, whole as usize))
        .and_then(|at| have(at, HEADER_START, 0, || Ok(&file)).map(|()| at));
    if mapped.is_err() {
        let _ = sys::unlink(path.c_str());
    }
    mapped
}

/// On the node, in memory while there is room, so that no file storm reaches the parallel file system.
fn choose(path: &mut Path) {
    path.truncate(0);
    let wished = &settings::get().spool;
    if !wished.is_empty() {
        path.push(wished.bytes());
    } else if sys::free_bytes(c"/dev/shm").is_ok_and(|free| free >= ROOM) {
        path.push(b"/dev/shm");
    } else {
        path.push(settings::variable(c"TMPDIR").unwrap_or(b"/tmp"));
    }
    path.push(b"/iota-").push_number(u64::from(sys::user_id()));
    path.push(b"-").push_number(u64::from(sys::process_id()));
    path.push(b"-")
        .push_number(clock::realtime_ns())
        .push(b".spool");
}

/// The spool's header.
#[inline(always)]
pub fn header() -> &'static Header {
    // SAFETY: mapped in `start`, which comes before anything else here, and never unmapped.
    unsafe { &*SPOOL_HEADER.load(Relaxed) }
}

/// Notes the clocks, so that a killed process' stamps can be told in seconds.
pub fn anchor() {
    let now = clock::anchor();
    let values = [now.ticks, now.monotonic, now.realtime];
    header()
        .anchor
        .iter()
        .zip(values)
        .for_each(|(to, value)| to.store(value, Relaxed));
}

/// Keeps the Process block where recovery finds it, and marks the spool as one.
pub fn describe(block: &[u8]) {
    let header = header();
    let room = &raw const header.process;
    let length = block.len().min(header.process.len());
    if length > HEADER_START.wrapping_sub(core::mem::offset_of!(Header, process))
        && !PATH.get().is_empty()
        && have(SPOOL_HEADER.load(Relaxed).cast(), HEADER, 0, reopened).is_err()
    {
        return;
    }
    // SAFETY: inside the header; only the thread that starts or attaches writes here.
    unsafe { core::ptr::copy_nonoverlapping(block.as_ptr(), room.cast::<u8>().cast_mut(), length) };
    header.process_length.store(length as u32, Release);
    header.magic.store(MAGIC, Release);
}

/// The spool's file, for more of it.
fn reopened() -> sys::Result<File> {
    File::open_made(PATH.get().c_str(), libc::O_RDWR, *MADE.get())
}

/// Has the file system give `length` bytes at `at`, which lie at `offset` in the file: a full one answers here, not with
/// SIGBUS at a store. Without the file, wherever the kernel can: its user may have changed, or its directory be gone.
fn have<F: core::borrow::Borrow<File>>(
    at: *mut c_void,
    length: usize,
    offset: u64,
    file: impl FnOnce() -> sys::Result<F>,
) -> sys::Result<()> {
    match sys::populate(at, length) {
        Some(answer) => answer,
        None => file()?.borrow().reserve(offset, length as u64),
    }
}

/// Where slot `number` lies in the file.
fn slot_offset(number: u32) -> u64 {
    (HEADER as u64)
        .wrapping_add(header().capacity.load(Relaxed))
        .wrapping_add(u64::from(number).wrapping_mul(SLOT as u64))
}

/// A slot for one more thread, or none where memory ends.
pub fn new_slot() -> Option<*mut Slot> {
    let shared = lock().and_then(|guard| shared_slot(&guard));
    let (slot, offset) = match shared {
        Some(shared) => shared,
        None => (sys::map_private(SLOT, false).ok()?, 0),
    };
    // SAFETY: mapped with the bytes of a slot, of which zero is a valid state.
    unsafe { &*slot.cast::<Slot>() }.start(offset);
    Some(slot.cast())
}

/// One in the spool's file, and where it lies there. What was asked of the file in vain is given back.
fn shared_slot(_: &Guard) -> Option<(*mut c_void, u64)> {
    let header = header();
    let number = header.slots.load(Relaxed);
    let offset = slot_offset(number);
    let slot = if PATH.get().is_empty() {
        return None;
    } else if number == 0 {
        let first = SPOOL_HEADER.load(Relaxed).cast::<u8>();
        let slot = first.wrapping_add(offset as usize).cast();
        have(slot, SLOT_START, offset, reopened).ok()?;
        slot
    } else {
        further_slot(offset).ok()?
    };
    header.slots.store(number.wrapping_add(1), Release);
    Some((slot, offset))
}

fn further_slot(offset: u64) -> sys::Result<*mut c_void> {
    let file = reopened()?;
    file.set_len(offset.wrapping_add(SLOT as u64))?;
    let slot = file.map_shared(offset, SLOT).and_then(|slot| {
        have(slot, SLOT_START, offset, || Ok(&file))
            .inspect_err(|_| {
                // SAFETY: just mapped, and nobody knows it.
                unsafe { sys::unmap(slot, SLOT) }
            })
            .map(|()| slot)
    });
    if slot.is_err() {
        let _ = file.set_len(offset);
    }
    slot
}

/// More of a slot's ring; false where it has all, or memory ends.
pub fn grow(slot: &Slot) -> bool {
    let Some((at, bytes)) = slot.growth() else {
        return false;
    };
    let offset = slot.offset.load(Relaxed);
    let place = (&raw const *slot)
        .cast::<u8>()
        .cast_mut()
        .wrapping_add(at)
        .cast();
    let had = offset == 0 || have(place, bytes, offset.wrapping_add(at as u64), reopened).is_ok();
    if had {
        slot.grown(bytes);
    }
    had
}

/// Counts records that found no room.
#[cold]
pub fn count_lost(records: u64) {
    header().lost.fetch_add(records, Relaxed);
}

/// The right to change the arena, given back when it goes out of scope.
pub struct Guard {
    _undisturbed: Undisturbed,
}

impl Drop for Guard {
    fn drop(&mut self) {
        OWNER.swap(0, SeqCst);
        if WAITING.load(SeqCst) != 0 {
            TURN.fetch_add(1, SeqCst);
            sys::wake_one(&TURN);
        }
    }
}

/// Waits for the right to change the arena. None for its owner: waiting would never end.
pub fn lock() -> Option<Guard> {
    let (me, undisturbed) = (thread::word(), Undisturbed::begin());
    let mut is_waiting = false;
    loop {
        let turn = TURN.load(SeqCst);
        match OWNER.compare_exchange(0, me, SeqCst, SeqCst) {
            Ok(_) => break,
            Err(owner) if owner == me => return None,
            // Its owner wakes one of those that wait: thousands may.
            Err(_) if is_waiting => sys::wait_while(&TURN, turn, WAIT_NS),
            Err(_) => {
                WAITING.fetch_add(1, SeqCst);
                is_waiting = true;
            }
        }
    }
    WAITING.fetch_sub(u32::from(is_waiting), SeqCst);
    Some(Guard {
        _undisturbed: undisturbed,
    })
}

/// Appends a block of events, after the names that it may refer to. False: nothing was done, try again later.
pub fn append(block: &[u8], ops: &books::Ops, records: u64) -> bool {
    let Some(guard) = lock() else { return false };
    books::write_names(&guard, ops);
    if put(&guard, block) {
        header().captured.fetch_add(records, Relaxed);
    } else {
        count_lost(records);
    }
    true
}

/// Appends one whole block, and its entry to the index; false when there is no room, not even after spilling.
pub fn put(guard: &Guard, block: &[u8]) -> bool {
    let Some(at) = put_pieces(guard, &[block]) else {
        return false;
    };
    books::note(guard, block, at);
    if PATH.get().is_empty() {
        spill(guard);
    }
    true
}

/// Appends the pieces of a block; where behind the Process block it begins. What the spool cannot take goes to the
/// task's own file.
pub fn put_pieces(guard: &Guard, pieces: &[&[u8]]) -> Option<u64> {
    let lengths = pieces.iter().map(|piece| piece.len() as u64);
    let length = lengths.fold(0, u64::wrapping_add);
    let Some(filled) = room(length).or_else(|| {
        spill(guard);
        room(length)
    }) else {
        return write_through(guard, pieces);
    };
    let mut to = ARENA.load(Relaxed).wrapping_add(filled as usize);
    for piece in pieces {
        // SAFETY: inside the arena, whose unfilled part is the guard's.
        unsafe { core::ptr::copy_nonoverlapping(piece.as_ptr(), to, piece.len()) };
        to = to.wrapping_add(piece.len());
    }
    header().filled.store(filled.wrapping_add(length), Release);
    Some(header().spilled.load(Relaxed).wrapping_add(filled))
}

/// The spool's file system is full: the pieces go to the task's own file, if the arena could be written there before.
fn write_through(guard: &Guard, pieces: &[&[u8]]) -> Option<u64> {
    let header = header();
    if header.filled.load(Relaxed) != 0 {
        return None;
    }
    let at = header.spilled.load(Relaxed);
    let mut end = at;
    for piece in pieces {
        let written = books::task_file(guard).and_then(|file| file.write_all_at(piece, end));
        if let Err(error) = written {
            books::spill_failed(guard, error);
            return None;
        }
        end = end.wrapping_add(piece.len() as u64);
    }
    header.spilled.store(end, Relaxed);
    Some(at)
}

/// Where the next `length` bytes go, if the arena has room and the file system has promised it.
fn room(length: u64) -> Option<u64> {
    let header = header();
    let filled = header.filled.load(Relaxed);
    let end = filled.wrapping_add(length);
    (end <= header.capacity.load(Relaxed) && promise(end)).then_some(filled)
}

/// Has the file system promise the arena up to `end`.
fn promise(end: u64) -> bool {
    let promised = PROMISED.load(Relaxed);
    if end <= promised || PATH.get().is_empty() {
        return true;
    }
    let more = promised
        .clamp(*GROWTH.start(), *GROWTH.end())
        .max(end.wrapping_sub(promised).next_multiple_of(PAGE))
        .min(header().capacity.load(Relaxed).wrapping_sub(promised));
    let at = ARENA.load(Relaxed).wrapping_add(promised as usize).cast();
    let offset = (HEADER as u64).wrapping_add(promised);
    let had = have(at, more as usize, offset, reopened).is_ok();
    if had {
        PROMISED.store(promised.wrapping_add(more), Relaxed);
    }
    had
}

/// What the arena holds.
pub fn arena(_: &Guard) -> &'static [u8] {
    // SAFETY: filled bytes are initialised, and change only under a guard.
    unsafe {
        core::slice::from_raw_parts(ARENA.load(Relaxed), header().filled.load(Acquire) as usize)
    }
}

/// Writes the arena to the task's own file. Where that fails the arena stays, and what no longer fits is counted.
pub fn spill(guard: &Guard) {
    let header = header();
    let written = books::task_file(guard)
        .and_then(|file| file.write_all_at(arena(guard), header.spilled.load(Relaxed)));
    match written {
        Ok(()) => {
            header
                .spilled
                .fetch_add(header.filled.load(Relaxed), Relaxed);
            header.filled.store(0, Release);
        }
        Err(error) => books::spill_failed(guard, error),
    }
}

/// Starts an empty part: what was recorded so far is written elsewhere, and `lost` calls with it.
pub fn clear(_: &Guard, lost: u64) {
    let header = header();
    for counter in [
        &header.filled,
        &header.spilled,
        &header.captured,
        &header.filtered,
    ] {
        counter.store(0, Relaxed);
    }
    header.lost.fetch_sub(lost, Relaxed);
}

/// Defines a file's name in the thread's names; false when there is no room for it.
pub fn define(thread: &Thread, id: u32, path: &[u8]) -> bool {
    define_as(thread, FILE, id, path)
}

/// Tells how a file lies on Lustre.
pub fn define_layout(thread: &Thread, file: u32, layout: &[u8]) {
    if layout.len() <= NAMES / 2 {
        define_as(thread, LAYOUT, file, layout);
    } else if let Some(guard) = lock() {
        let ids = books::ids(thread.slot().thread.load(Relaxed));
        books::write_layout(&guard, ids, file, layout);
    }
}

/// Undisturbed: a handler that came in between and did not return would leave an unfinished name, which stops those
/// behind it.
fn define_as(thread: &Thread, tag: u8, id: u32, name: &[u8]) -> bool {
    let _undisturbed = Undisturbed::begin();
    if books::pend(thread.slot(), tag, id, name) {
        return true;
    }
    let Some(guard) = lock() else { return false };
    books::write_pending_of(&guard, thread.slot());
    books::pend(thread.slot(), tag, id, name)
}

/// The process goes, and its trace is written: the spool has done its work.
pub fn remove() {
    if !PATH.get().is_empty() {
        let _ = sys::unlink(PATH.get().c_str());
    }
}

/// True before anything was recorded.
pub fn is_empty() -> bool {
    let header = header();
    let none = |counter: &AtomicU64| counter.load(Relaxed) == 0;
    none(&header.captured) && none(&header.lost) && none(&header.filtered) && !job::is_first()
}

/// For the log.
pub fn path() -> &'static Path {
    let _ = output::base();
    PATH.get()
}
