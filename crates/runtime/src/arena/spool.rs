//! The spool's file: a header, the arena of sealed blocks, and a slot for each thread.
//!
//! It is mapped shared and closed at once; where that fails, private memory takes its place, from which every block is
//! written out as soon as it is sealed.

use crate::state::texts::{self, Composed, Kept};
use crate::state::{clock, environment, log, settings};
use crate::sys::{self, Errno, File, Identity, Once, Starting};
use core::borrow::Borrow;
use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};
use iota_trace::spool::{HEADER, MAGIC, SLOT, SpoolHeader};

/// Where the header is mapped; the arena and the first slot lie behind it.
static MAPPED: AtomicPtr<SpoolHeader> = AtomicPtr::new(core::ptr::null_mut());

/// The file.
struct SpoolFile {
    identity: Identity,
    /// Empty when it is private memory.
    path: Kept,
    /// For how many slots it is long enough.
    room: u32,
}

#[unsafe(link_section = ".bss.iota_start")]
static MADE: Once<SpoolFile> = Once::new(SpoolFile {
    path: Kept::NONE,
    identity: Identity::NONE,
    room: 0,
});

/// Of memory.
const PAGE: u64 = 4096;
/// Bytes of the header that are always used.
const HEADER_START: usize = 4096;
/// For how many slots the file is lengthened at a time.
const SLOTS: u32 = 256;
/// What must be free in memory for the spool to be there.
const ROOM: u64 = 64 << 20;

/// Makes the spool.
#[inline(never)]
pub fn start(starting: &mut Starting) -> bool {
    let capacity = settings::get().buffer.next_multiple_of(PAGE);
    let whole = (HEADER as u64)
        .wrapping_add(capacity)
        .wrapping_add(SLOT as u64);
    let path = texts::compose(starting, choose);
    let mapped = MADE.change(starting, |made| {
        made.path = path;
        create(made, whole).or_else(|error| not_created(made, error, whole))
    });
    let Ok(at) = mapped else { return false };
    MAPPED.store(at.cast(), Release);
    let header = header();
    header.capacity.store(capacity, Relaxed);
    header.pid.store(sys::process_id(), Relaxed);
    header.namespace.store(sys::pid_namespace(), Relaxed);
    header.table.store(iota_calls::FINGERPRINT, Relaxed);
    anchor();
    true
}

fn create(made: &mut SpoolFile, whole: u64) -> sys::Result<*mut c_void> {
    let file = File::create_new(made.path.c_str(), 0)?;
    made.identity = file.identity()?;
    let mapped = lengthen(&file, whole.wrapping_sub(SLOT as u64))
        .inspect(|room| made.room = *room)
        .and_then(|_| file.map_shared(0, whole as usize))
        .and_then(|at| have(at, HEADER_START, 0, || Ok(&file)).map(|()| at));
    if mapped.is_err() {
        let _ = sys::unlink(made.path.c_str());
    }
    mapped
}

/// Makes the file long enough for more slots behind `end`, many if the process may: later it may not be able to open the
/// file. What is not used is a hole. For how many.
pub fn lengthen(file: &File, end: u64) -> sys::Result<u32> {
    let mut slots = SLOTS;
    loop {
        let length = u64::from(slots).wrapping_mul(SLOT as u64);
        match file.set_len(end.wrapping_add(length)) {
            Err(_) if slots > 1 => slots /= 2,
            answer => return answer.map(|()| slots),
        }
    }
}

/// Memory instead of a file.
fn not_created(made: &mut SpoolFile, error: Errno, whole: u64) -> sys::Result<*mut c_void> {
    let why = log::number(i64::from(error.0));
    log::line(&[
        b"no spool: cannot create and map ",
        made.path.bytes(),
        b": errno ",
        why.bytes(),
        b"; blocks are written as they are sealed (IOTA_SPOOL names another directory)",
    ]);
    (made.path, made.room) = (Kept::NONE, 0);
    sys::map_private(whole as usize, false)
}

/// On the node, in memory while there is room, so that no file storm reaches the parallel file system.
fn choose(path: &mut Composed<'_>) {
    let wished = &settings::get().spool;
    if !wished.is_empty() {
        path.push(wished.bytes());
    } else if sys::free_bytes(c"/dev/shm").is_ok_and(|free| free >= ROOM) {
        path.push(b"/dev/shm");
    } else {
        path.push(environment::variable(c"TMPDIR").unwrap_or(b"/tmp"));
    }
    path.push(b"/iota-").push_number(u64::from(sys::user_id()));
    path.push(b"-").push_number(u64::from(sys::process_id()));
    path.push(b"-")
        .push_number(clock::realtime_ns())
        .push(b".spool");
}

/// The spool's header.
#[inline(always)]
pub fn header() -> &'static SpoolHeader {
    // SAFETY: mapped in `start`, which comes before anything else here, and never unmapped.
    unsafe { &*MAPPED.load(Relaxed) }
}

/// What lies `offset` bytes behind the start of the header's mapping: the arena, and the first slot.
pub fn behind_header(offset: u64) -> *mut u8 {
    MAPPED
        .load(Relaxed)
        .cast::<u8>()
        .wrapping_add(offset as usize)
}

/// Where the file lies; empty when it is private memory.
pub fn path() -> Kept {
    MADE.get().path
}

/// True where there is no file.
pub fn is_private() -> bool {
    path().is_empty()
}

/// For how many slots the file was made.
pub fn room() -> u32 {
    MADE.get().room
}

/// The file, for more of it.
pub fn reopened() -> sys::Result<File> {
    File::open_made(path().c_str(), libc::O_RDWR, MADE.get().identity)
}

/// Has the file system give `length` bytes at `at`, which lie at `offset` in the file: a full one answers here, not with
/// SIGBUS at a store. Without the file, wherever the kernel can: its user may have changed, or its directory be gone.
pub fn have<F: Borrow<File>>(
    at: *mut c_void,
    length: usize,
    offset: u64,
    file: impl FnOnce() -> sys::Result<F>,
) -> sys::Result<()> {
    if let Some(answer) = sys::populate(at, length) {
        return answer;
    }
    match file() {
        Ok(file) => file.borrow().reserve(offset, length as u64),
        Err(error) => sys::touch(at, length).then_some(()).ok_or(error),
    }
}

/// Notes the clocks, so that the stamps of a killed process can be converted to seconds.
pub fn anchor() {
    let now = clock::anchor();
    header().set_anchor([now.ticks, now.monotonic, now.realtime]);
}

/// Keeps the Process block where recovery finds it, and marks the spool as one.
pub fn describe(block: &[u8]) {
    let header = header();
    let room = &raw const header.process;
    let length = block.len().min(header.process.len());
    if length > HEADER_START.wrapping_sub(core::mem::offset_of!(SpoolHeader, process))
        && !is_private()
        && have(MAPPED.load(Relaxed).cast(), HEADER, 0, reopened).is_err()
    {
        return;
    }
    // SAFETY: inside the header; only the thread that starts or attaches writes here.
    unsafe { core::ptr::copy_nonoverlapping(block.as_ptr(), room.cast::<u8>().cast_mut(), length) };
    header.process_length.store(length as u32, Release);
    header.magic.store(MAGIC, Release);
}

/// The Process block, as the spool keeps it.
pub fn process_block() -> &'static [u8] {
    let header = header();
    header
        .process
        .get(..header.process_length.load(Acquire) as usize)
        .unwrap_or_default()
}

/// Bytes of the Process block: a part begins with it.
pub fn prefix() -> u64 {
    process_block().len() as u64
}

/// Counts records that found no room.
#[cold]
pub fn count_lost(records: u64) {
    header().add_lost(records);
}

/// True while no call was counted in any way.
pub fn is_empty() -> bool {
    let header = header();
    let none = |counter: &AtomicU64| counter.load(Relaxed) == 0;
    none(&header.captured) && none(&header.lost) && none(&header.filtered)
}

/// The process goes, and its trace is written: the spool has done its work.
pub fn remove() {
    if !is_private() {
        let _ = sys::unlink(path().c_str());
    }
}
