//! From paths to the ids of files: made absolute, filtered, named once. Texts of details have ids of the same numbers.

use super::file::FileId;
use super::{below, directory};
use crate::arena::Named;
use crate::state::settings;
use crate::sys::{self, CheckedSlot, Once, SignalsBlocked, Starting, Text, Zeroed};
use crate::thread::{PATH_ROOM, Thread};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU32, Ordering::*};

/// Places of the cache; a power of two. A path that was pushed out is named again under a new id, and readers join
/// the two: memory stays bounded however many files there are.
const ENTRIES: usize = if cfg!(miri) { 1 << 10 } else { 1 << 14 };

/// The ids of paths by their stamps; a forked child finds all places empty.
struct Cache([CheckedSlot; ENTRIES]);

// SAFETY: atomics, of which zero is a value: no path.
unsafe impl Zeroed for Cache {}

static CACHE: Once<Option<&'static Cache>> = Once::new(None);
static IDS: AtomicU32 = AtomicU32::new(0);
static PART: AtomicU32 = AtomicU32::new(0);
/// How many paths were put into the cache.
static REMEMBERED: AtomicU32 = AtomicU32::new(0);

/// Tells the names of this part from those of the next.
pub fn part() -> u32 {
    PART.load(Relaxed)
}

/// A part ended: the names in it are not in the next, where what the cache holds means nothing.
pub fn begin_part() {
    PART.fetch_add(1, Release);
}

/// Maps the cache.
pub fn start(starting: &mut Starting) -> bool {
    IDS.store(0, Relaxed);
    REMEMBERED.store(0, Relaxed);
    // What a parent knew has no name here either.
    begin_part();
    if CACHE.get().is_none() {
        CACHE.set(starting, sys::map_table().ok());
    }
    // The page of the first paths is written to before it is read: the kernel makes one that is read first twice.
    let first = CACHE.get().and_then(|cache| cache.0.first());
    first.inspect(|place| place.set(0, 0));
    CACHE.get().is_some()
}

/// What the kernel calls the file of a descriptor; the length of its name.
pub fn name_of(fd: c_int, room: &mut [u8; PATH_ROOM]) -> usize {
    if let Some(name) = plain_name(fd)
        && let Some(to) = room.get_mut(..name.bytes().len())
    {
        to.copy_from_slice(name.bytes());
        return to.len();
    }
    linked_name(fd, room)
}

/// The same for what has a path, as a directory does.
fn linked_name(fd: c_int, room: &mut [u8; PATH_ROOM]) -> usize {
    let mut link = Text::<40>::EMPTY;
    link.push(b"/proc/self/fd/").push_number(fd as u32 as u64);
    sys::read_link(link.c_str(), room).map_or(0, <[u8]>::len)
}

/// The same for what short processes mostly find open. A link in /proc costs them more: the kernel makes the process'
/// folder there when it is first looked for.
fn plain_name(fd: c_int) -> Option<Text<40>> {
    const PIPEFS_MAGIC: u64 = 0x5049_5045;
    const SOCKFS_MAGIC: u64 = 0x534f_434b;
    let found = sys::identity(fd).ok()?;
    let mut name = Text::EMPTY;
    let (beginning, magic) = match found.kind {
        libc::S_IFIFO => (b"pipe:[".as_slice(), PIPEFS_MAGIC),
        libc::S_IFSOCK => (b"socket:[".as_slice(), SOCKFS_MAGIC),
        libc::S_IFCHR if sys::is_at(fd, c"/dev/null") => {
            name.push(b"/dev/null");
            return Some(name);
        }
        _ => return None,
    };
    // A named pipe has a path, and so has a socket that was opened by its path alone.
    if sys::kind_below(fd).ok()? != magic {
        return None;
    }
    name.push(beginning).push_number(found.inode).push(b"]");
    Some(name)
}

/// Only absolute paths in their plain form are in the cache: one that is found there is plain.
pub fn named_absolute(thread: &Thread, given: &[u8]) -> FileId {
    let hash = hash(given);
    match known(hash) {
        Some(file) => file,
        None if is_plain(given) => name(thread, hash, given),
        None => named_from(thread, Base::HERE, given).0,
    }
}

/// Where a path is taken from: a directory's descriptor, and the number of its description; 0: it is not known.
#[derive(Clone, Copy)]
pub struct Base {
    pub fd: c_int,
    pub number: u32,
}

impl Base {
    /// The working directory.
    const HERE: Base = Base {
        fd: libc::AT_FDCWD,
        number: 0,
    };

    fn path(self, room: &mut [u8; PATH_ROOM]) -> usize {
        let Some(key) = below::Key::of(self.number) else {
            return linked_name(self.fd, room);
        };
        if let Some(length) = key.read(room) {
            return length;
        }
        key.ask();
        let length = linked_name(self.fd, room);
        key.remember(room.get(..length).unwrap_or_default());
        length
    }
}

/// A path from the working directory, which thread and directory remember.
pub fn named_here(thread: &Thread, given: &[u8]) -> FileId {
    let changes = directory::changes();
    let alias = fold(hash(given), u64::from(changes).wrapping_add(FACTOR));
    if let Some(file) = thread.aliases.get(alias).and_then(known) {
        return file;
    }
    let (file, absolute) = named_from(thread, Base::HERE, given);
    if changes.is_multiple_of(2) && directory::changes() == changes {
        thread.aliases.set(alias, absolute);
    }
    file
}

/// The file of a path, made absolute from a directory, and that path's hash.
#[inline(never)]
pub fn named_from(thread: &Thread, directory: Base, given: &[u8]) -> (FileId, u64) {
    loop {
        let turn = thread.take_room();
        // SAFETY: the room is this thread's; a signal handler that gets here meanwhile takes a turn of its own.
        let room = unsafe { &mut *thread.paths[0].get() };
        let length = absolute(room, directory, given);
        let path = room.get(..length).unwrap_or_default();
        let hash = hash(path);
        let file = known(hash).or_else(|| name_if(thread, hash, path, || thread.has_room(turn)));
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
fn absolute(room: &mut [u8; PATH_ROOM], from: Base, given: &[u8]) -> usize {
    let mut length = match (given.first(), from.fd) {
        (Some(b'/'), _) => 0,
        (_, libc::AT_FDCWD) => directory::read(room),
        _ => from.path(room),
    };
    // The root alone ends with the slash that each component begins with.
    if room.get(..length) == Some(b"/") {
        length = 0;
    }
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
pub fn file(thread: &Thread, path: &[u8]) -> FileId {
    let hash = hash(path);
    known(hash).unwrap_or_else(|| name(thread, hash, path))
}

/// While there are few paths, so many places do: each page that is touched costs a short program something.
const FEW: usize = 256;

/// Where a path stands or is put, and where it may stand since there were few.
fn places(hash: u64) -> [Option<&'static CheckedSlot>; 2] {
    // The lowest bit of a hash is always set.
    let place = |number: usize| {
        let all = CACHE.get();
        all.and_then(|cache| cache.0.get((hash >> 1) as usize & (number - 1)))
    };
    if (REMEMBERED.load(Relaxed) as usize) < FEW / 2 {
        [place(FEW), None]
    } else {
        [place(ENTRIES), place(FEW)]
    }
}

/// What stands in the cache for a path of this part.
fn stamp(hash: u64) -> u64 {
    hash ^ u64::from(part()).wrapping_mul(FACTOR)
}

/// The file of a path that has been named, by the path's hash.
fn known(hash: u64) -> Option<FileId> {
    let stamp = stamp(hash);
    let all = places(hash).into_iter().flatten();
    all.filter_map(|place| place.get(stamp))
        .next()
        .map(FileId::from_id)
}

fn name(thread: &Thread, hash: u64, path: &[u8]) -> FileId {
    name_if(thread, hash, path, || true).unwrap_or(FileId::NONE)
}

/// The file of a path that has no name yet; none if `is_whole` no longer holds when the path has been read.
#[cold]
#[inline(never)]
fn name_if(thread: &Thread, hash: u64, path: &[u8], is_whole: impl Fn() -> bool) -> Option<FileId> {
    // If a part ends meanwhile, the name may be in the one before.
    let stamp = stamp(hash);
    let file = if settings::wanted(path) {
        let id = next_id();
        match thread.own_slot().define(id, path, is_whole) {
            Named::Defined => FileId::from_id(id),
            Named::NoRoom => FileId::NONE,
            Named::Spoiled => return None,
        }
    } else {
        is_whole().then_some(FileId::FILTERED)?
    };
    remember(hash, stamp, file.id());
    Some(file)
}

fn remember(hash: u64, stamp: u64, id: u32) {
    let [Some(place), older] = places(hash) else {
        return;
    };
    // What stands there was true until now.
    if let Some(older) = older {
        older.forget(stamp);
    }
    place.set(stamp, id);
    REMEMBERED.fetch_add(1, Relaxed);
}

/// Another id for the path of `fd`, which is another file than it was under `file`; the same where the path is gone.
pub fn renewed(thread: &Thread, fd: c_int, file: FileId) -> FileId {
    let _undisturbed = SignalsBlocked::begin();
    // SAFETY: the second room is this thread's, whose handlers wait.
    let room = unsafe { &mut *thread.paths[1].get() };
    let length = name_of(fd, room);
    let path = room.get(..length).unwrap_or_default();
    let hash = hash(path);
    if known(hash) == Some(file) {
        name(thread, hash, path)
    } else {
        file
    }
}

/// The id of a text of details, which is kept among the paths; 0 where there is no room for it.
pub fn text(thread: &Thread, text: &[u8]) -> u32 {
    // Not the hash of a path of these bytes.
    let hash = fold(hash(text), FACTOR) | 1;
    if let Some(known) = known(hash) {
        return known.id();
    }
    let (stamp, id) = (stamp(hash), next_id());
    if !thread.own_slot().define_text(id, text) {
        return 0;
    }
    remember(hash, stamp, id);
    id
}

fn next_id() -> u32 {
    IDS.fetch_add(1, Relaxed).wrapping_add(1)
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
        let length = absolute(&mut room, Base::HERE, given);
        room[..length].to_vec()
    }

    #[test]
    fn paths_become_absolute() {
        directory::moved();
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
    fn few_paths_lie_in_one_page_and_are_known_when_there_are_more() {
        // SAFETY: no other test of this crate looks into the cache.
        assert!(start(&mut unsafe { Starting::new() }));
        let numbered = |n: usize| hash(format!("/scratch/few/rank.{n}").as_bytes());
        let put = |n: usize| remember(numbered(n), stamp(numbered(n)), n as u32 + 1);
        let is_known = |n: &usize| known(numbered(*n)) == Some(FileId::from_id(*n as u32 + 1));
        (0..100).for_each(put);
        let known_of_few = (0..100).filter(is_known).count();
        assert!(known_of_few > 70, "some push others out: {known_of_few}");
        let in_page = |n: &usize| {
            let cache = CACHE.get().unwrap();
            let place = (numbered(*n) >> 1) as usize % FEW;
            cache.0[place].get(stamp(numbered(*n))).is_some()
        };
        assert_eq!((0..100).filter(in_page).count(), known_of_few);
        let many = 1000..if cfg!(miri) { 1050 } else { 2000 };
        many.clone().for_each(put);
        // The next few pushed some of them out.
        assert!((0..100).filter(is_known).count() > 60);
        let least = many.len() / 10 * 9;
        assert!(many.filter(is_known).count() > least);
        begin_part();
        assert_eq!((0..2000).filter(is_known).count(), 0);
    }

    #[test]
    fn hashes_tell_paths_apart() {
        let mut seen = std::collections::HashSet::new();
        for n in 0..if cfg!(miri) { 2000 } else { 200_000 } {
            assert!(
                seen.insert(hash(format!("/scratch/run/rank.{n}").as_bytes())),
                "{n}"
            );
        }
    }
}
