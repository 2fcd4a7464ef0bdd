//! What the program's descriptors are: the path, the open file description they share, and the position in it.
//!
//! Two tables of virtual memory, touched only as far as they are used: a descriptor names a description, a description
//! knows file and position. `dup` makes two descriptors name one description, as in the kernel. Where the kernel's
//! position can move without our seeing it (O_APPEND, a stream on top, a description shared with another process), it is
//! asked.

use super::description::{APPEND, Description, FRESH, SEEKABLE, SHARED};
use super::file::FileId;
use super::paths::name_of;
use super::{below, layouts, paths};
use crate::sys::{self, FreeList, Once, SignalsBlocked, Starting, Zeroed};
use crate::thread::{self, Thread};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use iota_trace::unlocked_atomic;

/// Descriptors that the table has room for; those above are looked up each time.
const ROOM: usize = 1 << 20;

/// A forked child finds both empty and looks its descriptors up anew: the names were its parent's.
struct Tables {
    descriptors: [AtomicU32; ROOM],
    descriptions: [Description; ROOM],
}

// SAFETY: atomics, of which zero is a value: no description.
unsafe impl Zeroed for Tables {}

static TABLES: Once<Option<&'static Tables>> = Once::new(None);
/// Descriptions that nobody uses any more.
static FREE: FreeList = FreeList::of(AtomicU64::new(0));
static MADE: AtomicU32 = AtomicU32::new(0);

/// Maps the tables.
pub fn start(starting: &mut Starting) -> bool {
    FREE.clear();
    MADE.store(0, Relaxed);
    if TABLES.get().is_none() {
        TABLES.set(starting, sys::map_table().ok());
    }
    // It is written to before it is read: the kernel makes a page that is read first twice.
    if let Some(first) = entry(0) {
        first.store(0, Relaxed);
    }
    TABLES.get().is_some()
}

/// In the parent after fork: every description is now another process' as well.
pub fn share_all() {
    for number in 1..=MADE.load(Relaxed) {
        if let Some(description) = description(number) {
            description.now_shared();
        }
    }
}

#[inline(always)]
fn entry(fd: c_int) -> Option<&'static AtomicU32> {
    (*TABLES.get())?.descriptors.get(fd as u32 as usize)
}

#[inline(always)]
fn description(number: u32) -> Option<&'static Description> {
    if number == 0 {
        return None;
    }
    (*TABLES.get())?.descriptions.get(number as usize)
}

/// The number of a descriptor's description; 0: it is not known.
pub fn number_of(fd: c_int) -> u32 {
    entry(fd).map_or(0, |entry| entry.load(Relaxed))
}

/// The description of a descriptor, if it is known.
#[inline(always)]
pub fn known(fd: c_int) -> Option<&'static Description> {
    description(entry(fd)?.load(Relaxed))
}

/// The description of a descriptor; one that somebody else opened is looked up now.
#[inline(always)]
pub fn of(thread: &Thread, fd: c_int) -> Option<&'static Description> {
    let Some(description) = known(fd) else {
        return adopt(thread, fd);
    };
    if description.file() == FileId::STALE {
        rename(thread, fd, description);
    }
    Some(description)
}

#[cold]
#[inline(never)]
fn adopt(thread: &Thread, fd: c_int) -> Option<&'static Description> {
    let status = sys::status_flags(fd).ok()?;
    let _undisturbed = SignalsBlocked::begin();
    // SAFETY: the second room is this thread's, whose handlers wait.
    let room = unsafe { &mut *thread.paths[1].get() };
    let length = name_of(fd, room);
    let file = paths::file(thread, room.get(..length).unwrap_or_default());
    let file = layouts::opened(thread, fd, file);
    let position = sys::position(fd);
    let append = if status & libc::O_APPEND != 0 {
        APPEND
    } else {
        0
    };
    let seekable = if position.is_ok() { SEEKABLE } else { 0 };
    put(fd, file, position.unwrap_or(0), append | seekable | SHARED);
    known(fd)
}

/// A part ended: the names in it are not in the next, where files are named anew when they are next used.
pub fn begin_part() {
    for number in 1..=MADE.load(Relaxed) {
        if let Some(description) = description(number) {
            let known = description.file();
            if known != FileId::NONE && !known.is_filtered() {
                description.set_file(FileId::STALE);
            }
        }
    }
}

/// Names the file of a description that a part's end left without.
#[cold]
fn rename(thread: &Thread, fd: c_int, description: &Description) {
    let _undisturbed = SignalsBlocked::begin();
    // SAFETY: as in `adopt`.
    let room = unsafe { &mut *thread.paths[1].get() };
    let length = name_of(fd, room);
    let file = paths::file(thread, room.get(..length).unwrap_or_default());
    description.set_file(layouts::opened(thread, fd, file));
}

/// The file of a descriptor.
pub fn file_of(thread: &Thread, fd: c_int) -> FileId {
    of(thread, fd).map_or(FileId::NONE, Description::file)
}

/// A call made a new description and returned `fd` for it. Returns the file, which may have another id now.
pub fn opened(thread: &Thread, fd: c_int, file: FileId, flags: c_int) -> FileId {
    let file = layouts::opened(thread, fd, file);
    let append = if flags & libc::O_APPEND != 0 {
        APPEND
    } else {
        0
    };
    put(fd, file, 0, append | SEEKABLE | FRESH);
    file
}

fn put(fd: c_int, file: FileId, position: i64, flags: u32) {
    let Some(entry) = entry(fd) else { return };
    let number = allocate();
    below::opened(number);
    if let Some(new) = description(number) {
        new.begin(file, position, flags, thread::mark());
    }
    // The kernel gave the number to this call alone.
    if entry.load(Relaxed) == 0 {
        entry.store(number, Release);
    } else {
        unreference(entry.swap(number, AcqRel));
    }
}

/// `new` is another descriptor of what `old` is.
pub fn duplicated(thread: &Thread, old: c_int, new: c_int) {
    if old == new {
        return;
    }
    let Some(to) = entry(new) else { return };
    let number = of(thread, old)
        .and_then(|_| entry(old))
        .map_or(0, |from| from.load(Relaxed));
    if let Some(shared) = description(number) {
        shared.references.fetch_add(1, AcqRel);
    }
    unreference(to.swap(number, AcqRel));
}

/// Takes a descriptor out of the table; gives its file. Before the real close: afterwards the number may be another's.
/// Where there is one thread, no other closes at the same moment, and it goes without a lock.
#[inline(always)]
pub fn closing(fd: c_int) -> Option<(FileId, Taken)> {
    let entry = entry(fd)?;
    let number = entry.load(Relaxed);
    if thread::is_only() && unlocked_atomic::replace(entry, number, 0) {
        taken(number)
    } else {
        taken(entry.swap(0, AcqRel))
    }
}

#[inline(always)]
fn taken(number: u32) -> Option<(FileId, Taken)> {
    description(number).map(|description| {
        let file = description.file();
        let named = if file == FileId::STALE {
            FileId::NONE
        } else {
            file
        };
        (named, Taken(number))
    })
}

/// A descriptor taken out of the table.
pub struct Taken(u32);

impl Taken {
    /// The descriptor is gone.
    pub fn closed(self) {
        unreference(self.0);
    }
}

/// Every descriptor from `first` to `last` that we know.
pub fn range(first: u32, last: u32) -> impl Iterator<Item = c_int> {
    (first..=last.min(ROOM as u32 - 1))
        .filter(|&fd| known(fd as c_int).is_some())
        .map(|fd| fd as c_int)
}

fn unreference(number: u32) {
    let Some(old) = description(number) else {
        return;
    };
    // The last reference is nobody else's to give back.
    if old.references.load(Acquire) == 1 || old.references.fetch_sub(1, AcqRel) == 1 {
        free(number, old);
    }
}

fn allocate() -> u32 {
    let spare = thread::take_spare();
    if spare != 0 {
        return spare;
    }
    if let Some(number) = FREE.take(|number| description(number).map(|one| &one.next_free)) {
        return number;
    }
    let made = MADE.fetch_add(1, Relaxed).wrapping_add(1);
    if (made as usize) < ROOM { made } else { 0 }
}

fn free(number: u32, description: &Description) {
    if thread::keep_spare(number) {
        return;
    }
    FREE.give(number, &description.next_free);
}

/// Forgets a descriptor: it was closed, or is something new that the kernel shall name.
pub fn unknown(fd: c_int) {
    if let Some((_, taken)) = closing(fd) {
        taken.closed();
    }
}
