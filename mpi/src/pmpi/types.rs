//! Sizes of datatypes. What MPI calls a named type (MPI_INT) is never freed: its size is asked for once.

use super::library::*;
use super::ranks::worked;
use crate::abi::{Constant::*, Word};
use core::ffi::c_int;
use core::sync::atomic::{AtomicI64, AtomicUsize, Ordering::*};

/// Types that are remembered; a power of two.
const ROOM: usize = 64;
/// How many places a type may take.
const NEAR: usize = 4;
/// The size of a type that the program has made: its handle may be another type's later.
const MADE: i64 = -1;

/// A type: its handle is set once, then its size, and 2 more.
struct Type {
    handle: AtomicUsize,
    size: AtomicI64,
}

static TYPES: [Type; ROOM] = [const {
    Type {
        handle: AtomicUsize::new(0),
        size: AtomicI64::new(0),
    }
}; ROOM];

fn near(handle: Word) -> impl Iterator<Item = &'static Type> {
    let first = handle.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58;
    (0..NEAR).filter_map(move |i| TYPES.get(first.wrapping_add(i) & (ROOM - 1)))
}

/// Bytes of a datatype that a call has just taken; 0: not known.
#[inline(always)]
pub fn size(handle: Word) -> i64 {
    let known = near(handle).find(|kind| kind.handle.load(Relaxed) == handle);
    match known.map_or(0, |kind| kind.size.load(Acquire)) {
        found if found >= 2 => found.wrapping_sub(2),
        found => asked(handle, found == 0),
    }
}

#[inline(never)]
fn asked(handle: Word, is_new: bool) -> i64 {
    let mut size = 0;
    // SAFETY: a datatype that a call has just taken.
    let asked = worked(unsafe { PMPI_Type_size_x(handle, &mut size) });
    if asked.is_err() {
        return 0;
    }
    if is_new {
        remember(handle, if is_named(handle) { size } else { MADE });
    }
    size
}

fn is_named(handle: Word) -> bool {
    let (mut integers, mut addresses, mut types, mut combiner) = (0, 0, 0, -1);
    // SAFETY: as above.
    let asked = worked(unsafe {
        PMPI_Type_get_envelope(
            handle,
            &mut integers,
            &mut addresses,
            &mut types,
            &mut combiner,
        )
    });
    asked.is_ok() && combiner == constant(CombinerNamed) as c_int
}

fn remember(handle: Word, size: i64) {
    let free = |kind: &&Type| {
        let taken = kind.handle.compare_exchange(0, handle, Relaxed, Relaxed);
        taken.is_ok()
    };
    if let Some(kind) = near(handle).find(free) {
        kind.size.store(size.wrapping_add(2), Release);
    }
}
