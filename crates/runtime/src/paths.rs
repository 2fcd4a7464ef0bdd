//! From the paths that the host passes to file ids: made absolute, filtered, named once.

use crate::bytes::Once;
use crate::thread::{PATH_ROOM, Thread};
use crate::undisturbed::Undisturbed;
use crate::watched::Watched;
use crate::{fds, lustre, settings, spool, sys};
use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

/// The file of an event: its id, or why there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct File(u32);

impl File {
    /// No path is known.
    pub const NONE: File = File(0);
    /// The user left this file out.
    pub const FILTERED: File = File(u32::MAX);

    /// There is one, but the names of this part do not hold it yet.
    pub const STALE: File = File(u32::MAX - 1);

    /// The id as recorded.
    pub fn id(self) -> u32 {
        self.0
    }

    /// From what `id` gave.
    pub fn from_id(id: u32) -> File {
        File(id)
    }

    /// True when the part holds its name.
    #[inline(always)]
    pub fn is_named(self) -> bool {
        self != File::NONE && !self.is_filtered() && self != File::STALE
    }

    /// True when events on it are not recorded.
    #[inline(always)]
    pub fn is_filtered(self) -> bool {
        self == File::FILTERED
    }
}

/// Places of the cache; a power of two. A path that was pushed out is named again under a new id, and readers join
/// the two: memory stays bounded however many files there are.
const PLACES: usize = 1 << 14;

/// A path by its hash; a forked child finds all places empty.
struct Place {
    hash: AtomicU64,
    id: AtomicU32,
}

static CACHE: Once<*const Place> = Once::new(core::ptr::null());
static IDS: AtomicU32 = AtomicU32::new(0);
static PART: AtomicU32 = AtomicU32::new(0);

/// Tells the names of this part from those of the next.
pub fn part() -> u32 {
    PART.load(Relaxed)
}

/// A part ended: the names in it are not in the next, where what the cache holds means nothing.
pub fn forget_names() {
    PART.fetch_add(1, Release);
    fds::forget_names();
    lustre::forget_names();
}

/// Maps the cache and learns the working directory.
///
/// # Safety
/// Only while the tracer starts.
pub unsafe fn start() -> bool {
    IDS.store(0, Relaxed);
    // Whoever was at it may be a thread that this process does not have.
    DIRECTORY.settle();
    moved();
    if !CACHE.get().is_null() {
        return true;
    }
    let Ok(cache) = sys::map_private(PLACES.wrapping_mul(size_of::<Place>()), true) else {
        return false;
    };
    // SAFETY: the caller's.
    unsafe { *CACHE.start() = cache.cast() };
    true
}

/// Words that suffice for most; a longer path is asked for whenever it is needed.
const WORDS: usize = 128;

static DIRECTORY: Watched<WORDS> = Watched::of(
    AtomicU32::new(0),
    AtomicU32::new(0),
    [const { AtomicU64::new(0) }; WORDS],
);

/// The working directory changed.
pub fn moved() {
    // A handler that came in between and did not return would leave the change unfinished for good.
    let _undisturbed = Undisturbed::begin();
    DIRECTORY.changed(look);
}

/// The kernel's word; its length, 0 where it does not fit.
fn look(words: &mut [u64; WORDS]) -> usize {
    let mut room = [0; WORDS * 8];
    let length = ask(&mut room);
    let now = room.as_chunks().0.iter();
    words
        .iter_mut()
        .zip(now)
        .for_each(|(word, now)| *word = u64::from_le_bytes(*now));
    length
}

/// The same into `to`.
fn ask(to: &mut [u8]) -> usize {
    sys::working_directory(to).map_or(0, <[u8]>::len)
}

/// Something was renamed, which may be the working directory or one above it.
pub fn renamed() {
    let mut words = [0; WORDS];
    let length = look(&mut words);
    if DIRECTORY.differ(&words, length) {
        moved();
    }
}

/// The working directory into `to`; its length.
fn working_directory(to: &mut [u8]) -> usize {
    let known = (0..100).find_map(|_| DIRECTORY.read(to));
    known.unwrap_or_else(|| ask(to))
}

/// The file of a path that the host passed, taken from the working directory.
///
/// # Safety
/// `path` is what a call just took without complaint, or NULL.
pub unsafe fn named(thread: &Thread, path: *const c_char) -> File {
    // SAFETY: the caller's.
    unsafe { named_at(thread, libc::AT_FDCWD, path) }
}

/// The file of a path that the host passed with a directory's descriptor.
///
/// # Safety
/// As [`named`].
pub unsafe fn named_at(thread: &Thread, directory: c_int, path: *const c_char) -> File {
    if path.is_null() {
        return fds::file_of(thread, directory);
    }
    // SAFETY: the caller's.
    let given = unsafe { CStr::from_ptr(path) }.to_bytes();
    match (given.first(), directory) {
        (Some(b'/'), _) => named_absolute(thread, given),
        (Some(_), libc::AT_FDCWD) => named_here(thread, given),
        (None, fd) if fd != libc::AT_FDCWD => fds::file_of(thread, fd),
        (_, fd) => named_from(thread, fd, given).0,
    }
}

/// The same for a path that a call may have refused, or not looked at: that of one which can be read to its end and is
/// no longer than paths are; else none.
pub fn tried_at(thread: &Thread, directory: c_int, path: *const c_char) -> File {
    let most = libc::PATH_MAX as usize;
    if !path.is_null() && sys::string_length(path.addr(), most).is_none() {
        return File::NONE;
    }
    // SAFETY: null, or found to end with NUL just now.
    unsafe { named_at(thread, directory, path) }
}

/// Only absolute paths in their plain form are in the cache: one that is found there is plain.
fn named_absolute(thread: &Thread, given: &[u8]) -> File {
    let hash = hash(given);
    match known(hash) {
        Some(file) => file,
        None if is_plain(given) => name(thread, hash, given),
        None => named_from(thread, libc::AT_FDCWD, given).0,
    }
}

/// A path from the working directory, which thread and directory remember.
fn named_here(thread: &Thread, given: &[u8]) -> File {
    let changes = DIRECTORY.changes();
    let alias = fold(hash(given), u64::from(changes).wrapping_add(FACTOR));
    if let Some(file) = thread.absolute(alias).and_then(known) {
        return file;
    }
    let (file, absolute) = named_from(thread, libc::AT_FDCWD, given);
    if changes.is_multiple_of(2) && DIRECTORY.changes() == changes {
        thread.is_absolute(alias, absolute);
    }
    file
}

/// The file of a path, made absolute from a directory, and that path's hash.
#[inline(never)]
fn named_from(thread: &Thread, directory: c_int, given: &[u8]) -> (File, u64) {
    loop {
        let turn = thread.take_room();
        // SAFETY: the room is this thread's; a signal handler that gets here meanwhile takes a turn of its own.
        let room = unsafe { &mut *thread.paths[0].get() };
        let length = absolute(room, directory, given);
        let path = room.get(..length).unwrap_or_default();
        let hash = hash(path);
        let file = known(hash).or_else(|| {
            let _undisturbed = Undisturbed::begin();
            thread.has_room(turn).then(|| name(thread, hash, path))
        });
        if let Some(file) = file.filter(|_| thread.has_room(turn)) {
            return (file, hash);
        }
    }
}

fn is_plain(path: &[u8]) -> bool {
    path.len() < libc::PATH_MAX as usize
        && !path.windows(2).any(|pair| matches!(pair, b"//" | b"/."))
}

/// Puts the absolute path into `room`: no `//`, no `/./`; `..` stays, because a link before it decides what it means.
fn absolute(room: &mut [u8; PATH_ROOM], directory: c_int, given: &[u8]) -> usize {
    let mut length = match (given.first(), directory) {
        (Some(b'/'), _) => 0,
        (_, libc::AT_FDCWD) => working_directory(room),
        (_, fd) => fds::read_link_of(fd, room),
    };
    for component in given
        .split(|&b| b == b'/')
        .filter(|c| !c.is_empty() && *c != b".")
    {
        let end = length.wrapping_add(1).wrapping_add(component.len());
        let Some([slash, to @ ..]) = room.get_mut(length..end) else {
            break;
        };
        *slash = b'/';
        to.iter_mut()
            .zip(component)
            .for_each(|(to, from)| *to = *from);
        length = end;
    }
    if length == 0 {
        room[0] = b'/';
        length = 1;
    }
    length
}

/// The file of an absolute path.
pub fn file(thread: &Thread, path: &[u8]) -> File {
    let hash = hash(path);
    known(hash).unwrap_or_else(|| name(thread, hash, path))
}

fn place(hash: u64) -> &'static Place {
    // The lowest bit of a hash is always set.
    let number = (hash >> 1) as usize & (PLACES - 1);
    // SAFETY: mapped with PLACES places while the tracer started.
    unsafe { &*CACHE.get().add(number) }
}

/// What stands in the cache for a path of this part; not 0.
fn stamp(hash: u64) -> u64 {
    (hash ^ u64::from(part()).wrapping_mul(FACTOR)) | 1
}

/// The file of a path that has been named, by the path's hash.
fn known(hash: u64) -> Option<File> {
    let (place, stamp) = (place(hash), stamp(hash));
    if place.hash.load(Acquire) == stamp {
        let id = place.id.load(Acquire);
        if id != 0 && place.hash.load(Acquire) == stamp {
            return Some(File(id));
        }
    }
    None
}

fn name(thread: &Thread, hash: u64, path: &[u8]) -> File {
    let file = fresh(thread, path);
    remember(hash, file);
    file
}

/// The file of a path that has no name yet.
#[cold]
#[inline(never)]
fn fresh(thread: &Thread, path: &[u8]) -> File {
    if settings::wanted(path) {
        define(thread, path)
    } else {
        File::FILTERED
    }
}

fn remember(hash: u64, file: File) {
    let place = place(hash);
    // Between the two stores a reader finds no id, and names the path once more: harmless.
    place.id.store(0, Release);
    place.hash.store(stamp(hash), Release);
    place.id.store(file.id(), Release);
}

/// Another id for the path of `fd`, which is another file than it was under `file`; the same where the path is gone.
pub fn renewed(thread: &Thread, fd: c_int, file: File) -> File {
    let _undisturbed = Undisturbed::begin();
    // SAFETY: the second room is this thread's, whose handlers wait.
    let room = unsafe { &mut *thread.paths[1].get() };
    let length = fds::read_link_of(fd, room);
    let path = room.get(..length).unwrap_or_default();
    let hash = hash(path);
    if known(hash) == Some(file) {
        name(thread, hash, path)
    } else {
        file
    }
}

fn define(thread: &Thread, path: &[u8]) -> File {
    let id = IDS.fetch_add(1, Relaxed).wrapping_add(1);
    if spool::define(thread, id, path) {
        File(id)
    } else {
        File::NONE
    }
}

fn word_of(chunk: &[u8]) -> u64 {
    chunk
        .iter()
        .rev()
        .fold(0, |word, &b| word << 8 | u64::from(b))
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// 64 bits of a path: multiply and fold, eight bytes at a time, of which the last may be counted twice. Zero is never given.
fn hash(path: &[u8]) -> u64 {
    let mut state = path.len() as u64 ^ FACTOR;
    for word in path.as_chunks::<8>().0 {
        state = fold(state ^ u64::from_le_bytes(*word), FACTOR);
    }
    let last = match path.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last),
        None => word_of(path),
    };
    fold(state ^ last, 0xd6e8_feb8_6659_fd93) | 1
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a).wrapping_mul(u128::from(b));
    (product as u64 ^ (product >> 64) as u64).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(given: &[u8]) -> Vec<u8> {
        let mut room = [0u8; PATH_ROOM];
        let length = absolute(&mut room, libc::AT_FDCWD, given);
        room[..length].to_vec()
    }

    #[test]
    fn paths_become_absolute() {
        moved();
        let here = std::env::current_dir()
            .unwrap()
            .into_os_string()
            .into_encoded_bytes();
        assert_eq!(joined(b"./a//b"), [&here[..], b"/a/b"].concat());
        assert_eq!(joined(b"//x/./y/../z/"), b"/x/y/../z");
        assert_eq!(joined(b"/"), b"/");
        assert_eq!(joined(b"."), here);
    }

    #[test]
    fn moves_at_the_same_time_come_to_an_end() {
        let moving = || (0..2000).for_each(|_| moved());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(moving);
            }
        });
        assert!(DIRECTORY.changes().is_multiple_of(2));
        let here = std::env::current_dir().unwrap().into_os_string();
        assert_eq!(joined(b"."), here.into_encoded_bytes());
    }

    #[test]
    fn hashes_tell_paths_apart() {
        let mut seen = std::collections::HashSet::new();
        for n in 0..200_000 {
            assert!(
                seen.insert(hash(format!("/scratch/run/rank.{n}").as_bytes())),
                "{n}"
            );
        }
    }
}
