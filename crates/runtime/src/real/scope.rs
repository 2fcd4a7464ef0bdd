//! Functions of the libraries behind this one, found in their tables: without a lock and without memory, so that the
//! handler of a signal, or a child that was forked while another thread held the dynamic linker's lock, may be the first
//! to call one. And no program pays at its start for functions that it never calls.
//!
//! What is found is what `dlsym(RTLD_NEXT)` and `dlvsym` find. Only the objects up to the C library are remembered, which
//! were loaded with the program and stay. Where anything is not as usual (another C library, an object without a GNU hash table, a library of ours that a plugin brought) nothing is, and the
//! dynamic linker is asked.

use super::linker::MARKER;
use super::objects::{self, Object};
use core::cell::UnsafeCell;
use core::ffi::{CStr, c_void};
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering::*};

/// More objects than this are seldom between a program and its C library.
const ROOM: usize = 48;

struct Objects(UnsafeCell<[Object; ROOM]>);

// SAFETY: written by the constructor alone, which runs once; read only up to `COUNT`, which is stored afterwards.
unsafe impl Sync for Objects {}

static OBJECTS: Objects = Objects(UnsafeCell::new([Object::NONE; ROOM]));
/// How many there are; 0 while nothing is remembered.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Which of them this library is.
static OURS: AtomicUsize = AtomicUsize::new(0);

/// Remembers the objects up to the C library; true when [`find`] finds all that they have.
#[cold]
pub fn remember() -> bool {
    if COUNT.load(Relaxed) != 0 {
        return true;
    }
    // SAFETY: the constructor, which runs once, while nothing is remembered.
    let objects = unsafe { &mut *OBJECTS.0.get() };
    let (mut count, mut ours, mut is_whole) = (0usize, None, false);
    objects::for_each_searched((&raw const MARKER).addr(), |object, is_ours| {
        let (Some(object), Some(place)) = (object, objects.get_mut(count)) else {
            return false;
        };
        if object.hash == 0 || object.is_filter {
            return false;
        }
        *place = *object;
        if is_ours {
            ours = Some(count);
        } else if is_c_library(object) {
            is_whole = ours.is_some();
        }
        count = count.wrapping_add(1);
        !is_c_library(object)
    });
    if is_whole {
        OURS.store(ours.unwrap_or(0), Relaxed);
        COUNT.store(count, Release);
    }
    is_whole
}

/// The next function of this name after ours: the default one, or that of a version. Null where the dynamic linker has to
/// be asked.
pub fn find(name: &CStr, hash: u32, version: Option<&CStr>) -> *mut c_void {
    let behind = OURS.load(Relaxed).wrapping_add(1);
    for object in remembered().get(behind..).unwrap_or_default() {
        if let Some(found) = find_in(object, name, hash, version) {
            return found;
        }
    }
    ptr::null_mut()
}

/// The function of this name in the object whose code has this address; null without one.
pub fn find_beside(code: usize, name: &CStr) -> *mut c_void {
    let mut found = ptr::null_mut();
    objects::for_each_loaded(|loaded| {
        let is_it = loaded.segment(code, libc::PF_X).is_some();
        if is_it && loaded.object.hash != 0 {
            let symbol = find_in(&loaded.object, name, hash(name), None);
            found = symbol.unwrap_or(ptr::null_mut());
        }
        is_it
    });
    found
}

/// The first function of this name in all that is loaded; or the first behind this library.
pub fn find_loaded(name: &CStr, version: Option<&CStr>, behind_us: bool) -> *mut c_void {
    let (ours, mut counts, mut found) = ((&raw const MARKER).addr(), !behind_us, ptr::null_mut());
    objects::for_each_loaded(|loaded| {
        if counts && loaded.object.hash != 0 {
            let symbol = find_in(&loaded.object, name, hash(name), version);
            found = symbol.unwrap_or(ptr::null_mut());
        }
        counts = counts || loaded.range_of_all().contains(&ours);
        !found.is_null()
    });
    found
}

/// As .gnu.hash has it.
fn hash(name: &CStr) -> u32 {
    let bytes = name.to_bytes().iter();
    bytes.fold(5381, |hash, byte| {
        hash.wrapping_mul(33).wrapping_add(u32::from(*byte))
    })
}

/// True when the object may have a function whose name has this hash.
pub(super) fn may_have(object: &Object, hash: u32) -> bool {
    candidates(object, hash).next().is_some()
}

/// True when an object before ours may have a function whose name has this hash, and where nothing is remembered.
pub fn may_be_before(hash: u32) -> bool {
    let all = remembered();
    let before = all.get(..OURS.load(Relaxed)).unwrap_or_default();
    all.is_empty() || before.iter().any(|object| may_have(object, hash))
}

fn remembered() -> &'static [Object] {
    let count = COUNT.load(Acquire);
    if count == 0 {
        return &[];
    }
    // SAFETY: once there is a count nobody writes them any more.
    unsafe { &*OBJECTS.0.get() }
        .get(..count)
        .unwrap_or_default()
}

fn is_c_library(object: &Object) -> bool {
    // SAFETY: its own number, which is that of no name where it has none.
    object.soname != 0 && unsafe { object.name(object.soname) } == c"libc.so.6"
}

/// What `dlsym` would choose in this object, as `check_match` in glibc's elf/dl-lookup.c. Some(null): it has to be asked.
fn find_in(object: &Object, name: &CStr, hash: u32, version: Option<&CStr>) -> Option<*mut c_void> {
    let wanted = match version {
        Some(version) if object.versions != 0 => Some(version_number(object, version)?),
        _ => None,
    };
    let (mut newest, mut count) = (None, 0usize);
    for number in candidates(object, hash) {
        // SAFETY: a number of the object's own table.
        let symbol = unsafe { &*(object.symbols as *const libc::Elf64_Sym).add(number) };
        // SAFETY: the name of its symbol.
        if !is_visible(symbol) || unsafe { object.name(symbol.st_name as usize) } != name {
            continue;
        }
        if object.versions == 0 {
            return Some(address(object, symbol));
        }
        // SAFETY: as many versions as symbols.
        let of_symbol = unsafe { *(object.versions as *const u16).add(number) };
        let (which, is_hidden) = (of_symbol & !HIDDEN, of_symbol & HIDDEN != 0);
        match wanted {
            Some(wanted) if which == wanted => return Some(address(object, symbol)),
            // Without a version, in a library that has them.
            None if which <= GLOBAL => return Some(address(object, symbol)),
            None if !is_hidden => {
                count = count.wrapping_add(1);
                newest = newest.or(Some(symbol));
            }
            _ => (),
        }
    }
    newest
        .filter(|_| count == 1)
        .map(|symbol| address(object, symbol))
}

// <elf.h>
const HIDDEN: u16 = 0x8000;
const GLOBAL: u16 = 1;
const STT_NOTYPE: u8 = 0;
const STT_FUNC: u8 = 2;
const STB_GLOBAL: u8 = 1;
const STB_WEAK: u8 = 2;
const STV_INTERNAL: u8 = 1;
const STV_HIDDEN: u8 = 2;

fn is_visible(symbol: &libc::Elf64_Sym) -> bool {
    symbol.st_value != 0
        && matches!(symbol.st_info >> 4, STB_GLOBAL | STB_WEAK)
        && !matches!(symbol.st_other & 3, STV_INTERNAL | STV_HIDDEN)
}

/// Of a plain function; a resolver is the dynamic linker's business.
fn address(object: &Object, symbol: &libc::Elf64_Sym) -> *mut c_void {
    match symbol.st_info & 15 {
        STT_NOTYPE | STT_FUNC => {
            ptr::with_exposed_provenance_mut(object.base.wrapping_add(symbol.st_value as usize))
        }
        _ => ptr::null_mut(),
    }
}

/// The numbers of the symbols that have this hash: `_dl_lookup_x` and the layout of .gnu.hash.
fn candidates(object: &Object, hash: u32) -> impl Iterator<Item = usize> {
    // SAFETY: the object's table: four numbers, then the words of a Bloom filter, then buckets, then hashes.
    let [buckets, first, words, shift] = unsafe { *(object.hash as *const [u32; 4]) };
    let filter = (object.hash as *const u64).wrapping_add(2);
    let starts = filter.wrapping_add(words as usize).cast::<u32>();
    let hashes = starts.wrapping_add(buckets as usize);
    // As the dynamic linker does: their number is a power of two.
    let word = (hash / 64) & words.wrapping_sub(1);
    // SAFETY: inside the filter.
    let word = unsafe { *filter.add(word as usize) };
    let bit = |of: u32| word >> (of % 64) & 1;
    let passes = bit(hash) & bit(hash.checked_shr(shift).unwrap_or(0)) != 0;
    let bucket = passes.then(|| hash.checked_rem(buckets)).flatten();
    // SAFETY: one of the buckets.
    let mut number = bucket.map_or(0, |bucket| unsafe { *starts.add(bucket as usize) });
    core::iter::from_fn(move || {
        while number >= first && number != 0 {
            let at = number;
            // SAFETY: a chain ends with a hash whose lowest bit is set.
            let here = unsafe { *hashes.add(at.wrapping_sub(first) as usize) };
            number = if here & 1 != 0 { 0 } else { at.wrapping_add(1) };
            if here | 1 == hash | 1 {
                return Some(at as usize);
            }
        }
        None
    })
}

/// `Elf64_Verdef`.
#[repr(C)]
struct VersionDefinition {
    version: u16,
    flags: u16,
    number: u16,
    names: u16,
    hash: u32,
    first_name: u32,
    next: u32,
}

/// The number that the object has for a version which it defines.
fn version_number(object: &Object, version: &CStr) -> Option<u16> {
    let mut at = object.defined;
    while at != 0 {
        // SAFETY: the object's list, whose entries say how far the next is; 0 ends it. An entry of names begins with
        // the number of the name.
        let (defined, name) = unsafe {
            let defined = &*(at as *const VersionDefinition);
            let name = *(at.wrapping_add(defined.first_name as usize) as *const u32);
            (defined, object.name(name as usize))
        };
        if name == version {
            return Some(defined.number);
        }
        at = match defined.next {
            0 => 0,
            next => at.wrapping_add(next as usize),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names with one version and with several, old ones, and none.
    const NAMES: [&CStr; 10] = [
        c"read",
        c"write",
        c"open64",
        c"fopen",
        c"fclose",
        c"realpath",
        c"posix_spawn",
        c"pthread_cond_wait",
        c"quick_exit",
        c"no_such_function",
    ];

    #[test]
    #[cfg_attr(miri, ignore = "no objects are loaded")]
    fn what_dlsym_finds_is_found() {
        assert!(remember() || cfg!(not(target_env = "gnu")));
        for name in NAMES {
            // SAFETY: a name that ends with NUL.
            let wanted = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
            assert_eq!(find(name, hash(name), None), wanted, "{name:?}");
            for version in [c"GLIBC_2.2.5", c"GLIBC_2.3", c"GLIBC_2.17", c"GLIBC_9.9"] {
                // SAFETY: likewise.
                let wanted =
                    unsafe { libc::dlvsym(libc::RTLD_NEXT, name.as_ptr(), version.as_ptr()) };
                let found = find(name, hash(name), Some(version));
                assert_eq!(found, wanted, "{name:?} {version:?}");
            }
        }
        // A resolver is the dynamic linker's business.
        assert!(find(c"memcpy", hash(c"memcpy"), None).is_null());
    }
}
