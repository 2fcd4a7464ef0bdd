//! A call of a probed function, as the trampoline of c-shim/probe asks for it before and after.
//!
//! The registers of the call's arguments and results are the caller's to keep where they are wider than this code knows:
//! it is compiled without AVX, and what it does here calls no function of another library. Only the first call of a thread
//! may, for which the trampoline keeps all of them.

use crate::arena;
use crate::life::current;
use crate::record::{self, Note, Ongoing};
use crate::stacks::extent;
use crate::state::{clock, early, job, settings};
use crate::tables::probed;
use crate::thread::{LibraryCall, Thread};
use core::mem::MaybeUninit;
use iota_calls::Op;

/// A call under way, in the trampoline's frame.
#[repr(C)]
pub struct Probed {
    /// The function, which the trampoline calls.
    real: usize,
    ongoing: MaybeUninit<Ongoing>,
    outer: LibraryCall,
    /// The process that began it.
    process: u32,
    probe: u16,
}

/// What the trampoline has room for.
const _: () = assert!(size_of::<Probed>() <= 128);

/// The call is not recorded: it goes to the function.
const UNTRACED: isize = -1;
/// [`iota_probe_begin_first`] is to be asked.
const FIRST: isize = -2;

/// A call of the function behind a stub begins. Returns how many bytes at `arguments`, the arguments on the caller's stack,
/// are to be passed on.
#[unsafe(no_mangle)]
extern "C" fn iota_probe_begin(
    call: &mut MaybeUninit<Probed>,
    stub: u32,
    arguments: usize,
) -> isize {
    let (real, probe) = probed::target(stub);
    let call = call.write(Probed {
        real,
        ongoing: MaybeUninit::uninit(),
        outer: LibraryCall::default(),
        process: 0,
        probe,
    });
    match Thread::ready() {
        Some(thread) => begin(call, thread, arguments),
        None => FIRST,
    }
}

/// The same, where the thread or the process may have to be made known first.
#[unsafe(no_mangle)]
extern "C" fn iota_probe_begin_first(call: &mut Probed, arguments: usize) -> isize {
    match current() {
        Some(thread) => begin(call, thread, arguments),
        None => {
            early::missed();
            UNTRACED
        }
    }
}

#[inline(always)]
fn begin(call: &mut Probed, thread: &'static Thread, arguments: usize) -> isize {
    let frame = (&raw const *call).addr();
    let bytes = extent::readable(thread, arguments, settings::get().probe_stack);
    // What the function calls is below the copy of its arguments. A call at a place above that is none of its own: it was left
    // by longjmp.
    let numbers = thread.begin(frame.wrapping_sub(bytes));
    // What stands between two names of one function of a library keeps them together.
    let op = thread.library_op(numbers.parent);
    let inner = LibraryCall {
        id: numbers.id,
        op: op.unwrap_or(Op::of_probe(call.probe).0),
    };
    call.outer = thread.enter_library(inner);
    call.process = job::pid();
    let start = clock::now();
    call.ongoing
        .write(Ongoing::new(thread, numbers, frame, start));
    bytes as isize
}

/// The function returned, or was left (c-shim/left.c): then the result is -1.
#[unsafe(no_mangle)]
extern "C" fn iota_probe_end(call: &Probed, ret: i64) {
    let end = clock::now();
    // SAFETY: the trampoline calls this only after a call was begun, which was written then.
    let ongoing = unsafe { call.ongoing.assume_init_read() };
    let thread = ongoing.thread;
    // In a child that was forked meanwhile the call is its parent's.
    if !thread.is_ready() || job::pid() != call.process {
        return;
    }
    thread.leave_library(call.outer);
    if !probed::define(thread, call.probe) {
        ongoing.abandon();
        arena::count_lost(1);
        return;
    }
    let mut note = Note::of(0);
    note.ret = number(ret);
    record::finish_seldom(Op::of_probe(call.probe), ongoing, end, note);
}

/// The result, of a function of which it is not known what it returns: -1 as an `int` leaves the upper half of the register
/// empty, and so do the other numbers by which functions tell that they failed.
fn number(ret: i64) -> i64 {
    match u32::try_from(ret) {
        Ok(low) if low > u32::MAX - 4095 => i64::from(low as i32),
        _ => ret,
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn small_negative_results_are_read_as_such() {
        assert_eq!(number(0xffff_ffff), -1);
        assert_eq!(number(-1), -1);
        assert_eq!(number(0xffff_f001), -4095);
        assert_eq!(number(0xffff_f000), 0xffff_f000);
        assert_eq!(number(3 << 30), 3 << 30);
        assert_eq!(number(i64::MIN), i64::MIN);
    }
}
