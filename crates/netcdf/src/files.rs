//! Files that PnetCDF or NetCDF has open: what records say of them, by their numbers.

use crate::asks::{Library, PATH};
use core::ffi::{c_char, c_int};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use iota_runtime::library::{self, FileId, Thread};

/// Files open at once at most, of which records say all. A power of two.
const ROOM: usize = 1024;
/// How many places a number may take.
const NEAR: usize = 16;
/// The number of a place that is being filled: no file has it.
const TAKEN: u64 = 1;

/// An open file.
pub struct OpenFile {
    /// [`Library::key`], and 0 for none.
    key: AtomicU64,
    name: AtomicU32,
    part: AtomicU32,
    /// 0: it was opened by one process for itself.
    ranks: AtomicU32,
    /// The id of its last collective call.
    collective: AtomicU64,
    /// Tells this opening from others.
    opened: AtomicU32,
    /// How often its variables may have changed.
    version: AtomicU32,
    /// One more than the largest number of a request.
    requests: AtomicU32,
    /// Requests whose numbers the program did not want.
    unnumbered: AtomicU32,
}

/// The number of the first request whose number the program did not want: libraries have smaller ones.
const UNNUMBERED: c_int = 1 << 24;

static FILES: [OpenFile; ROOM] = [const {
    OpenFile {
        key: AtomicU64::new(0),
        name: AtomicU32::new(0),
        part: AtomicU32::new(0),
        ranks: AtomicU32::new(0),
        collective: AtomicU64::new(0),
        opened: AtomicU32::new(0),
        version: AtomicU32::new(0),
        requests: AtomicU32::new(0),
        unnumbered: AtomicU32::new(0),
    }
}; ROOM];

/// Files that have been opened.
static OPENED: AtomicU32 = AtomicU32::new(0);

fn near(key: u64) -> impl Iterator<Item = &'static OpenFile> {
    // Libraries count files from 0 or 1.
    let first = key as usize;
    (0..NEAR).filter_map(move |i| FILES.get(first.wrapping_add(i) & (ROOM - 1)))
}

/// The open file with this number.
#[inline(always)]
pub fn find(library: Library, ncid: c_int) -> Option<&'static OpenFile> {
    let key = library.key(ncid);
    near(key).find(|file| file.key.load(Acquire) == key)
}

/// It is closed.
pub fn forget(file: Option<&'static OpenFile>) {
    if let Some(file) = file {
        file.key.store(0, Release);
    }
}

pub(crate) struct Opened {
    pub(crate) name: FileId,
    pub(crate) ranks: u32,
    pub(crate) collective: u64,
}

pub(crate) fn remember(key: u64, opened: &Opened) -> Option<&'static OpenFile> {
    let free = |file: &&OpenFile| {
        let taken = file.key.compare_exchange(0, TAKEN, Acquire, Relaxed);
        taken.is_ok()
    };
    // A number that was closed behind our back.
    let old = near(key).find(|file| file.key.load(Relaxed) == key);
    forget(old);
    let file = near(key).find(free)?;
    file.name.store(opened.name.id(), Relaxed);
    file.part.store(library::part(), Relaxed);
    file.ranks.store(opened.ranks, Relaxed);
    file.collective.store(opened.collective, Relaxed);
    let serial = OPENED.fetch_add(1, Relaxed).wrapping_add(1);
    file.opened.store(serial, Relaxed);
    file.version.store(0, Relaxed);
    file.requests.store(0, Relaxed);
    file.unnumbered.store(0, Relaxed);
    file.key.store(key, Release);
    Some(file)
}

/// The file with this number, asked for if it was opened unseen.
pub fn find_or_ask(library: Library, thread: &Thread, ncid: c_int) -> Option<&'static OpenFile> {
    if let Some(file) = find(library, ncid) {
        return Some(file);
    }
    let mut path = [0; PATH];
    library.path(ncid, &mut path)?;
    // SAFETY: there is a NUL behind what the library wrote.
    let name = unsafe { library::file(thread, path.as_ptr().cast(), true) };
    let opened = Opened {
        name,
        ranks: 0,
        collective: 0,
    };
    remember(library.key(ncid), &opened)
}

/// The file of a path that a call was given.
///
/// # Safety
/// If the call took it without complaint (`is_read`), it ends with NUL.
pub unsafe fn of_path(thread: &Thread, path: *const c_char, is_read: bool) -> FileId {
    // SAFETY: as this function's.
    unsafe { library::file(thread, path, is_read && !path.is_null()) }
}

impl OpenFile {
    /// Its path, if this part has its name.
    pub fn name(&self) -> FileId {
        if self.part.load(Relaxed) == library::part() {
            FileId::from_id(self.name.load(Relaxed))
        } else {
            FileId::NONE
        }
    }

    /// How many ranks opened it together; 0: one process did, for itself.
    pub fn ranks(&self) -> u64 {
        self.ranks.load(Relaxed).into()
    }

    /// Whether it was opened on a communicator.
    pub fn is_shared(&self) -> bool {
        self.ranks() != 0
    }

    /// The id of the collective call that begins now: on each rank the same, because all make the same calls.
    pub fn next_collective(&self) -> u64 {
        self.collective.fetch_add(1, Relaxed).wrapping_add(1)
    }

    /// Its variables may have changed.
    pub fn changed(&self) {
        self.version.fetch_add(1, Relaxed);
    }

    /// Tells what is known of variables: of this opening, and since the last change.
    pub fn version(&self) -> (u32, u32) {
        (self.opened.load(Relaxed), self.version.load(Relaxed))
    }

    /// A request has begun: its number, or one of ours.
    pub fn has_begun(&self, request: Option<c_int>) -> c_int {
        let Some(request) = request else {
            let number = self.unnumbered.fetch_add(1, Relaxed) & 0xff_ffff;
            return UNNUMBERED.wrapping_add(number as c_int);
        };
        self.requests
            .fetch_max((request as u32).wrapping_add(1), Relaxed);
        request
    }

    /// Numbers that its requests may have.
    pub fn requests(&self) -> impl Iterator<Item = c_int> {
        let unnumbered = self.unnumbered.load(Relaxed).min(0xff_ffff) as c_int;
        let behind = UNNUMBERED.wrapping_add(unnumbered);
        (0..self.requests.load(Relaxed) as c_int).chain(UNNUMBERED..behind)
    }

    /// None waits any more.
    pub fn has_no_requests(&self) {
        self.requests.store(0, Relaxed);
        self.unnumbered.store(0, Relaxed);
    }
}
