//! Functions by which a program asks the dynamic linker, whose slots lead to entries of ours (see [`super::later`]).

use core::ffi::CStr;
use core::sync::atomic::{AtomicUsize, Ordering::*};

/// Functions of the dynamic linker, in the order of the entries of c-shim/probe.
const NAMES: [&CStr; COUNT] = [c"dlsym", c"dlvsym", c"dlopen"];

/// Where each of them is.
static REAL: [AtomicUsize; COUNT] = [const { AtomicUsize::new(0) }; COUNT];

/// How many there are.
pub const COUNT: usize = 3;

/// Which of them a name is.
pub fn number(name: &CStr) -> Option<usize> {
    NAMES.iter().position(|one| *one == name)
}

/// A slot of one of them leads there. False if those of others lead elsewhere: a tool has a function of the same name, and
/// calls the dynamic linker's itself.
pub fn is_real(number: usize, held: usize) -> bool {
    let Some(place) = REAL.get(number) else {
        return false;
    };
    match place.compare_exchange(0, held, AcqRel, Acquire) {
        Ok(_) => true,
        Err(before) => before == held,
    }
}

/// Where one of them is.
pub fn real(number: usize) -> usize {
    REAL.get(number).map_or(0, |place| place.load(Acquire))
}
