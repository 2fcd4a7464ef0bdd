//! From where calls are made (`IOTA_STACKS`): the functions that were under way, innermost first, as a text of the call's
//! details.
//!
//! A stack that was seen before is known by where it lies and by its return addresses, which are compared; no more is done.
//! Another one is unwound by the rules of `.eh_frame`, under a lock, with all memory read through the kernel. In a program of
//! Python the functions of Python stand where the interpreter is on the stack.

mod capture;
mod elf;
pub mod extent;
mod frames;
mod known;
mod memory;
mod objects;
mod python;

use crate::state::{log, settings};
use crate::sys::{self, Once, Starting};
use crate::tables::paths;
use crate::thread::Thread;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use iota_calls::{Form, Op};
use iota_trace::Details;
use known::{Caller, KnownStacks};
use python::Functions;

static KNOWN: Once<Option<&'static KnownStacks>> = Once::new(None);
static IS_FULL: AtomicBool = AtomicBool::new(false);

/// Maps the tables, if stacks are wanted; false where there is no memory for them.
pub fn start(starting: &mut Starting) -> bool {
    if !settings::get().stacks {
        return true;
    }
    if KNOWN.get().is_none() {
        let Ok(known) = sys::map_table() else {
            return false;
        };
        KNOWN.set(starting, Some(known));
    }
    extent::start();
    capture::start(starting)
}

/// Looks for a Python in the program, if stacks are wanted.
pub fn start_python(starting: &mut Starting) {
    if settings::get().stacks {
        python::start(starting);
    }
}

/// What is to be said of a call: from where it was made. The hook has a variable at `frame`.
#[inline(never)]
pub fn details(thread: &Thread, frame: usize, op: Op) -> Option<Details> {
    let known = (*KNOWN.get())?;
    let functions = python::functions(thread);
    let caller = Caller {
        frame,
        op,
        part: paths::part(),
        python: functions.map_or(0, |functions| functions.fingerprint),
    };
    let text = match known.find(caller, |address, length| {
        extent::holds(thread, address, length)
    }) {
        Some(text) => text,
        None if known.is_full() => return full_once(),
        None => new(thread, known, caller, functions)?,
    };
    Some(Details::new(Form::STACK.0, &[text.into()]))
}

#[cold]
fn new(
    thread: &Thread,
    known: &KnownStacks,
    caller: Caller,
    functions: Option<Functions>,
) -> Option<u32> {
    let mut capture = capture::begin()?;
    let stack = capture.unwind(caller.frame, functions)?;
    let text = paths::text(thread, stack.text);
    if text == 0 {
        return None;
    }
    known.add(caller, text, stack.returns);
    capture.build_ids(caller.part, |text| {
        paths::text(thread, text);
    });
    Some(text)
}

#[cold]
fn full_once() -> Option<Details> {
    if !IS_FULL.swap(true, Relaxed) {
        log::line(&[
            b"IOTA_STACKS: no room for more different stacks; calls from others have none",
        ]);
    }
    None
}
