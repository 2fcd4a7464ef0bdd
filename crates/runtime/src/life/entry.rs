//! What the C library calls: a constructor, a destructor, and word of a fork.

use super::current::current;
use super::finish::finish;
use super::sealed::Reason;
use super::start;
use crate::state::{early, phase};
use crate::sys;
use crate::tables::descriptors;

/// The constructor: from here on every call is recorded, those of the first thread also where memory ends later.
#[unsafe(no_mangle)]
extern "C" fn iota_start() {
    let errno = sys::errno();
    early::look();
    if start::ensure() {
        current();
    }
    sys::set_errno(errno);
}

/// The destructor.
#[unsafe(no_mangle)]
extern "C" fn iota_finish() {
    finish(Reason::Exit);
}

/// The parent forked: it shares its descriptions with the child.
#[unsafe(no_mangle)]
extern "C" fn iota_forked() {
    if phase::is_active() {
        descriptors::share_all();
    }
}
