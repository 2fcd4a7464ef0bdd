//! Calls before the tracer can start: from a program's `.preinit_array`, or from the resolver of an IFUNC, which runs while
//! programs and libraries are still being put together.
//!
//! Then the thread may have no storage of its own, this library no addresses in its tables, and the C library no
//! environment. Nothing here needs any of them. A call at such a moment goes on unrecorded, and is counted.

use crate::sys;
use core::ffi::{CStr, c_char, c_int};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

/// 1 once a thread's storage is known to be there.
static IS_THERE: AtomicU32 = AtomicU32::new(0);
static MISSED: AtomicU64 = AtomicU64::new(0);
/// Says where [`TARGET`] is, once the dynamic linker has put this library's addresses in place.
static PLACED: &u8 = &TARGET;
static TARGET: u8 = 0;
/// More than the kernel passes to a program.
const ROOM: usize = 8 << 20;

unsafe extern "C" {
    /// `environ`, by a name that no program has.
    #[link_name = "__environ"]
    static environ: *const *const c_char;
    /// True when the C library says that it is ready, which it does since glibc 2.32 (c-shim/tls.c).
    safe fn iota_libc_is_ready() -> c_int;
}

/// True when a thread's storage may be looked at.
#[inline(always)]
pub fn is_over() -> bool {
    IS_THERE.load(Relaxed) != 0
}

/// The same, found out.
#[cold]
pub fn look() -> bool {
    let is_there = is_over() || is_placed() && sys::thread_pointer() != 0 && libc_is_there();
    IS_THERE.store(u32::from(is_there), Relaxed);
    is_there
}

/// True when this library's addresses are in place.
#[inline(never)]
pub fn is_placed() -> bool {
    // SAFETY: a static of ours; the dynamic linker writes it, before any thread is made.
    let says = unsafe { (&raw const PLACED).cast::<usize>().read_volatile() };
    says == (&raw const TARGET).addr()
}

fn libc_is_there() -> bool {
    // SAFETY: read only; the C library sets it before any thread is made.
    !unsafe { environ }.is_null() || iota_libc_is_ready() != 0
}

/// A call went on unrecorded: counts it where that is so because it came too early.
#[cold]
#[inline(never)]
pub fn missed() {
    // SAFETY: reads a word that the C library sets before any thread is made.
    if !is_over() || BLOCK.load(Acquire).is_null() && unsafe { environ }.is_null() {
        MISSED.fetch_add(1, Relaxed);
    }
}

/// The calls that came too early and stand in no part yet.
pub fn take_missed() -> u64 {
    MISSED.swap(0, Relaxed)
}

/// The environment as the kernel passed it, and its length.
static BLOCK: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(0);

/// True when the user's wishes can be read.
pub fn has_environment() -> bool {
    // SAFETY: reads a word that the C library sets before any thread is made.
    !unsafe { environ }.is_null() || !BLOCK.load(Acquire).is_null() || read_block()
}

/// Asks the kernel, unless the program has more rights than its user.
#[cold]
fn read_block() -> bool {
    if sys::is_privileged() {
        return false;
    }
    let Ok(file) = sys::File::open(c"/proc/self/environ", libc::O_RDONLY) else {
        return false;
    };
    let Ok(at) = sys::map_private(ROOM, false) else {
        return false;
    };
    // SAFETY: just mapped.
    let room = unsafe { core::slice::from_raw_parts_mut(at.cast::<u8>(), ROOM) };
    let mut length = 0usize;
    while let Some(rest) = room.get_mut(length..) {
        match file.read(rest) {
            Ok(0) => break,
            Ok(n) => length = length.wrapping_add(n),
            Err(_) => return false,
        }
    }
    LENGTH.store(length, Relaxed);
    BLOCK.store(at.cast(), Release);
    true
}

/// Calls `each` with the name of every variable that the C library has.
pub fn for_each_name(mut each: impl FnMut(&[u8])) {
    for variable in variables() {
        let mut length = 0;
        // SAFETY: a C string, up to its NUL.
        while !matches!(unsafe { *variable.add(length) }, 0 | b'=') {
            length = length.wrapping_add(1);
        }
        // SAFETY: so many bytes of it.
        each(unsafe { core::slice::from_raw_parts(variable, length) });
    }
}

/// Every variable that the C library has, a C string.
fn variables() -> impl Iterator<Item = *const u8> {
    // SAFETY: the C library's list, which a null pointer ends; null itself: there is none yet.
    let mut at = unsafe { environ };
    core::iter::from_fn(move || {
        // SAFETY: inside the list.
        let one = unsafe { at.as_ref() }.filter(|one| !one.is_null())?;
        at = at.wrapping_add(1);
        Some(one.cast())
    })
}

/// What is behind the name of this variable and `=`; null, if it is another.
fn value_of(variable: *const u8, name: &[u8]) -> *const c_char {
    let mut at = variable;
    for byte in name.iter().chain(b"=") {
        // SAFETY: up to the string's NUL, which is in no name.
        if unsafe { *at } != *byte {
            return ptr::null();
        }
        at = at.wrapping_add(1);
    }
    at.cast()
}

/// A variable of the C library's environment; of none if the program has more rights than its user.
pub fn variable(name: &[u8]) -> Option<&'static [u8]> {
    let values = variables().map(|variable| value_of(variable, name));
    let found = { values }.find(|value| !value.is_null());
    // SAFETY: a C string of the environment; copied or parsed before the program goes on.
    let found = found.map(|value| unsafe { CStr::from_ptr(value) }.to_bytes());
    found
        .filter(|_| !sys::is_privileged())
        .or_else(|| passed(name))
}

/// A variable, where the C library has no environment yet.
fn passed(name: &[u8]) -> Option<&'static [u8]> {
    let (at, length) = (BLOCK.load(Acquire), LENGTH.load(Relaxed));
    // SAFETY: reads a word that the C library sets before any thread is made.
    if at.is_null() || !unsafe { environ }.is_null() {
        return None;
    }
    // SAFETY: mapped and filled for as long as the process lives.
    let block = unsafe { core::slice::from_raw_parts(at, length) };
    let mut all = block.split(|&b| b == 0);
    all.find_map(|one| one.strip_prefix(name)?.strip_prefix(b"="))
}
