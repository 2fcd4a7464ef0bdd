//! Files that MPI has open: what records say of them, by their handles.

use crate::abi::{Constant::*, Word};
use crate::pmpi::io as mpi;
use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use iota_runtime::library::{self, FileId, Thread};
use iota_runtime::sys;

/// Files open at once at most, of which records say all. A power of two.
const ROOM: usize = 4096;
/// How many places a handle may take.
const NEAR: usize = 64;
/// The handle of a place that is being filled; no handle is an odd address.
const TAKEN: Word = 1;

/// An open file.
pub struct OpenFile {
    handle: AtomicUsize,
    name: AtomicU32,
    part: AtomicU32,
    ranks: AtomicU32,
    amode: AtomicU32,
    /// The id of its last collective call.
    collective: AtomicU64,
    displacement: AtomicI64,
    etype: AtomicI64,
    /// From the first to behind the last byte of an etype, which may leave out some between them.
    etype_span: AtomicI64,
    /// The view leaves out no byte.
    contiguous: AtomicBool,
}

/// All 0, so that they take no room in the library.
static FILES: [OpenFile; ROOM] = [const {
    OpenFile {
        handle: AtomicUsize::new(0),
        name: AtomicU32::new(0),
        part: AtomicU32::new(0),
        ranks: AtomicU32::new(0),
        amode: AtomicU32::new(0),
        collective: AtomicU64::new(0),
        displacement: AtomicI64::new(0),
        etype: AtomicI64::new(0),
        etype_span: AtomicI64::new(0),
        contiguous: AtomicBool::new(false),
    }
}; ROOM];

#[inline(always)]
fn first_place(handle: Word) -> usize {
    (handle >> 4).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40 & (ROOM - 1)
}

fn near(handle: Word) -> impl Iterator<Item = &'static OpenFile> {
    let first = first_place(handle);
    (0..NEAR).filter_map(move |i| FILES.get(first.wrapping_add(i) & (ROOM - 1)))
}

/// The file of a handle. Most stand at their first place.
#[inline(always)]
pub fn find(handle: Word) -> Option<&'static OpenFile> {
    let first = FILES.get(first_place(handle))?;
    if first.is(handle) {
        return Some(first);
    }
    find_further(handle)
}

#[inline(never)]
fn find_further(handle: Word) -> Option<&'static OpenFile> {
    near(handle).find(|file| file.is(handle))
}

/// It is being closed.
pub fn forget(handle: Word) -> Option<&'static OpenFile> {
    let file = find(handle)?;
    file.handle.store(0, Release);
    Some(file)
}

/// What is known of a file that was opened.
pub struct Opened {
    pub handle: Word,
    pub name: FileId,
    pub ranks: u32,
    pub amode: c_int,
    pub collective: u64,
}

/// A file has been opened; none where there is no place for it.
pub fn remember(opened: &Opened) -> Option<&'static OpenFile> {
    // A handle that was closed behind our back.
    forget(opened.handle);
    let free = |file: &&OpenFile| {
        let taken = file.handle.compare_exchange(0, TAKEN, Acquire, Relaxed);
        taken.is_ok()
    };
    let file = near(opened.handle).find(free)?;
    file.name.store(opened.name.id(), Relaxed);
    file.part.store(library::part(), Relaxed);
    file.ranks.store(opened.ranks, Relaxed);
    file.amode.store(opened.amode as u32, Relaxed);
    file.collective.store(opened.collective, Relaxed);
    file.set_view(0, 1, 1, true);
    file.handle.store(opened.handle, Release);
    Some(file)
}

impl OpenFile {
    #[inline(always)]
    fn is(&self, handle: Word) -> bool {
        self.handle.load(Acquire) == handle && handle > TAKEN
    }

    /// Its path, if this part has its name.
    pub fn name(&self) -> FileId {
        if self.part.load(Relaxed) == library::part() {
            FileId::from_id(self.name.load(Relaxed))
        } else {
            FileId::NONE
        }
    }

    /// How many ranks have it open.
    pub fn ranks(&self) -> u64 {
        self.ranks.load(Relaxed).into()
    }

    /// The id of the collective call that begins now: on each rank the same, because all make the same calls.
    pub fn next_collective(&self) -> u64 {
        self.collective.fetch_add(1, Relaxed).wrapping_add(1)
    }

    /// A view: where it begins, the bytes of its etype, what these span, and whether it leaves none out.
    pub fn set_view(&self, displacement: i64, etype: i64, span: i64, contiguous: bool) {
        self.displacement.store(displacement, Relaxed);
        self.etype.store(etype.max(1), Relaxed);
        self.etype_span.store(span.max(1), Relaxed);
        self.contiguous.store(contiguous, Relaxed);
    }

    /// Bytes of the etype, at least 1.
    pub fn etype(&self) -> i64 {
        self.etype.load(Relaxed)
    }

    /// Bytes from the etype's first to behind its last, at least 1.
    pub fn etype_span(&self) -> i64 {
        self.etype_span.load(Relaxed)
    }

    /// Whether it may be asked for positions: a pipe or a tape has none.
    pub fn has_positions(&self) -> bool {
        self.amode.load(Relaxed) & mpi::constant(ModeSequential) as u32 == 0
    }

    /// Where a position of the view lies in the file, if that takes no more than a calculation.
    pub fn byte_of(&self, position: i64) -> Option<i64> {
        let contiguous = self.contiguous.load(Relaxed);
        let distance = position.wrapping_mul(self.etype());
        contiguous.then(|| self.displacement.load(Relaxed).wrapping_add(distance))
    }

    /// `amode`, with the bits of the standard ABI.
    pub fn amode(&self) -> u64 {
        mpi::standard_amode(self.amode.load(Relaxed))
    }
}

/// What ROMIO takes for the name of a file system, if it stands before a path, in small letters or in capitals.
const FILE_SYSTEMS: [&[u8]; 14] = [
    b"nfs:",
    b"ufs:",
    b"xfs:",
    b"pfs:",
    b"lustre:",
    b"gpfs:",
    b"panfs:",
    b"pvfs2:",
    b"daos:",
    b"ime:",
    b"testfs:",
    b"quobytefs:",
    b"gridftp:",
    b"autodetect:",
];

/// The path behind the name of a file system. To Open MPI's own implementation such a name is a part of the path, as it
/// is to some MPICHs if it is in capitals: then there is a file of this path.
///
/// # Safety
/// `path` ends with NUL.
unsafe fn plain(path: *const c_char) -> *const c_char {
    // SAFETY: as this function's.
    let whole = unsafe { CStr::from_ptr(path) };
    let is_at_front = |name: &&&[u8]| {
        let front = whole.to_bytes().get(..name.len());
        front.is_some_and(|front| front.eq_ignore_ascii_case(name))
    };
    let known = FILE_SYSTEMS.iter().find(is_at_front);
    let is_name = |_: &&&[u8]| sys::File::open(whole, libc::O_PATH).is_err();
    path.wrapping_add(known.filter(is_name).map_or(0, |name| name.len()))
}

/// The file of a path that a call was given.
///
/// # Safety
/// If the call took it without complaint (`is_read`), it ends with NUL.
pub unsafe fn of_path(thread: &Thread, path: *const c_char, is_read: bool) -> FileId {
    if is_read && !path.is_null() {
        // SAFETY: as this function's; what is behind its beginning ends there as well.
        return unsafe { library::file(thread, plain(path), true) };
    }
    // SAFETY: nothing is said of it.
    unsafe { library::file(thread, path, false) }
}
