//! Regions: what a program says begins and ends (`iota_region_begin`, `iota_region_end`), and functions of its Python.
//! Recorded as calls of the layer USER, as those of probed functions are.

use crate::arena;
use crate::life::current;
use crate::real::objects;
use crate::record::{self, Note, Ongoing};
use crate::state::{clock, early};
use crate::sys;
use crate::tables::probed;
use crate::thread::{LibraryCall, Region};
use core::ffi::{CStr, c_char};
use iota_calls::Op;

/// A region of this name begins in the calling thread.
///
/// # Safety
/// The name ends with NUL.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_region_begin(name: *const c_char) {
    if name.is_null() || current().is_none() {
        return;
    }
    sys::quietly(|| {
        // SAFETY: as this function's.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        match number(name) {
            Some(number) => begin(number),
            None => arena::count_lost(1),
        }
    });
}

/// The innermost region of this name ends, and with it those inside it; NULL: the innermost one of all.
///
/// # Safety
/// NULL, or the name ends with NUL.
#[unsafe(no_mangle)]
unsafe extern "C" fn iota_region_end(name: *const c_char) {
    // SAFETY: as this function's.
    let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_bytes());
    let number = name.map(probed::known);
    if number != Some(None) {
        sys::quietly(|| end(number.flatten(), 0));
    }
}

/// The number of a name, which it keeps; None: there is no room for more.
pub fn number(name: &[u8]) -> Option<u16> {
    let new = || probed::start().then(|| probed::name_number(name)).flatten();
    probed::known(name).or_else(|| objects::exclusively(new).flatten())
}

/// One begins in the calling thread.
pub fn begin(name: u16) {
    let Some(thread) = current() else {
        return early::missed();
    };
    if !thread.regions.has_room() {
        return arena::count_lost(1);
    }
    let marker = 0u8;
    let numbers = thread.begin((&raw const marker).addr());
    // What stands between two names of one function of a library keeps them together.
    let op = thread.library_op(numbers.parent);
    let outer = thread.enter_library(LibraryCall {
        id: numbers.id,
        op: op.unwrap_or(Op::of_probe(name).0),
    });
    thread.regions.push(Region {
        numbers,
        start: clock::now(),
        outer,
        name,
    });
    thread.enclose_all();
}

/// The innermost one of this name, or of any, ends. In a forked child those that began before are its parent's.
pub fn end(name: Option<u16>, ret: i64) {
    let end = clock::now();
    let Some(thread) = current() else { return };
    let is_it = |region: &Region| name.is_none_or(|name| name == region.name);
    let Some(region) = thread.regions.pop(is_it) else {
        return;
    };
    let marker = 0u8;
    let frame = (&raw const marker).addr();
    let ongoing = Ongoing::new(thread, region.numbers, frame, region.start);
    thread.leave_library(region.outer);
    if !probed::define(thread, region.name) {
        ongoing.abandon();
        return arena::count_lost(1);
    }
    let mut note = Note::of(0);
    note.ret = ret;
    record::finish_seldom(Op::of_probe(region.name), ongoing, end, note);
}
