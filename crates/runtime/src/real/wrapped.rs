//! Calls that a program's link editor wrapped for another tracer than ours.

use super::linker::MARKER;
use super::objects::{self, Object};
use super::{forget_error, look_up, scope};
use crate::sys::{self, Text};
use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// What a link editor puts before a name that it wraps.
const PREFIX: &[u8] = b"__wrap_";

/// Whether any object asks for a name that a link editor wrapped. Most programs have none.
#[cold]
pub fn are_called() -> bool {
    let mut are = false;
    for_each_other(|object| {
        are = object.wants_any(PREFIX).unwrap_or(true);
        are
    });
    are
}

/// Calls that a program's link editor wrapped for another tracer are asked for under `__wrap_` names as ours are, and we
/// come first where we are preloaded: they go to that tracer, whose own calls are seen under the public names. `wrapped` has
/// the hashes of all such names; `of` gives the name of one, and where its calls go.
#[cold]
pub fn leave_to_others<'m>(
    wrapped: &[u32],
    of: impl Fn(usize) -> (&'m CStr, &'m AtomicPtr<c_void>),
) {
    let errno = sys::errno();
    let found = defined_by_others(wrapped);
    for (number, _) in wrapped.iter().enumerate() {
        if !found.has(number) {
            continue;
        }
        let (name, meant) = of(number);
        let mut wrapped = Text::<64>::EMPTY;
        wrapped.push(PREFIX).push(name.to_bytes());
        let theirs = look_up(libc::RTLD_NEXT, wrapped.c_str(), None);
        if theirs.is_null() {
            forget_error();
        } else {
            meant.store(theirs, Relaxed);
        }
    }
    sys::set_errno(errno);
}

/// Which names of a list are meant, by their numbers.
pub struct NameSet([u64; NameSet::MOST / 64]);

impl NameSet {
    /// No list has more names.
    pub const MOST: usize = 1024;

    fn add(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word |= 1 << (number % 64);
        }
    }

    fn has(&self, number: usize) -> bool {
        let word = self.0.get(number / 64).copied().unwrap_or(0);
        word >> (number % 64) & 1 != 0
    }
}

/// The names, by their hashes, that an object other than ours may define.
fn defined_by_others(hashes: &[u32]) -> NameSet {
    let mut found = NameSet([0; NameSet::MOST / 64]);
    for_each_other(|object| {
        let all = hashes.iter().enumerate();
        let defined = all.filter(|(_, hash)| object.hash == 0 || scope::may_have(object, **hash));
        defined.for_each(|(number, _)| found.add(number));
        false
    });
    found
}

/// Calls `each` with every object but ours and the kernel's, until it returns true.
fn for_each_other(mut each: impl FnMut(&Object) -> bool) {
    let (ours, of_the_kernel) = ((&raw const MARKER).addr(), sys::object_of_the_kernel());
    objects::for_each_loaded(|loaded| {
        let is_other =
            loaded.object.base != of_the_kernel && !loaded.range_of_all().contains(&ours);
        is_other && each(&loaded.object)
    });
}
