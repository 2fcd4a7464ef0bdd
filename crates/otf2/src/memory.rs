//! The memory of writers: a chunk for each, which is written when it is full. The library's own callbacks would let every
//! writer grow to 128 MiB first.

use crate::api::{FlushCallbacks, MemoryCallbacks};
use std::ffi::c_void;
use std::ptr::null_mut;

/// OTF2_FLUSH
const FLUSH: u8 = 1;

/// What is full is written, and no event tells of it
pub static FLUSHES: FlushCallbacks = FlushCallbacks {
    before: flush,
    after: None,
};

extern "C" fn flush(_: *mut c_void, _: u8, _: u64, _: *mut c_void, _: bool) -> u8 {
    FLUSH
}

/// One chunk for each writer
pub static MEMORY: MemoryCallbacks = MemoryCallbacks { lend, take_back };

/// A writer's chunk
struct Chunk {
    bytes: Vec<u64>,
    is_lent: bool,
}

/// A writer that asks for a second one gets none, writes the first, gives it back and asks again.
extern "C" fn lend(
    _: *mut c_void,
    _: u8,
    _: u64,
    of_writer: *mut *mut c_void,
    size: u64,
) -> *mut c_void {
    // SAFETY: a place that the library keeps for the writer: null, or what stood there last.
    let place = unsafe { &mut *of_writer.cast::<*mut Chunk>() };
    if place.is_null() {
        let bytes = vec![0; (size as usize).div_ceil(8)];
        let is_lent = false;
        *place = Box::into_raw(Box::new(Chunk { bytes, is_lent }));
    }
    // SAFETY: made above, and not freed before the writer ends.
    let chunk = unsafe { &mut **place };
    match std::mem::replace(&mut chunk.is_lent, true) {
        true => null_mut(),
        false => chunk.bytes.as_mut_ptr().cast(),
    }
}

extern "C" fn take_back(_: *mut c_void, _: u8, _: u64, of_writer: *mut *mut c_void, is_last: bool) {
    // SAFETY: the place of above.
    let place = unsafe { &mut *of_writer.cast::<*mut Chunk>() };
    if place.is_null() {
        return;
    }
    if is_last {
        // SAFETY: made by Box, and nobody has it any more.
        drop(unsafe { Box::from_raw(*place) });
        *place = null_mut();
    } else {
        // SAFETY: made above, and not freed before the writer ends.
        unsafe { (**place).is_lent = false };
    }
}
