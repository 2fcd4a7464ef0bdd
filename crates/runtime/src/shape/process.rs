//! Calls that start a process, replace it or end it.

use super::asynchronous;
use super::on::{on, only_path_of};
use super::vfork::vforked;
use crate::life::{self, Reason, current, ends_with_handlers};
use crate::record::{Note, traced_exec, traced_fork, traced_seldom};
use crate::state::{clock, phase, tls};
use crate::sys::{self, signals};
use crate::tables::{descriptors, lookup};
use core::ffi::{c_char, c_int};
use iota_calls::Op;
use libc::pid_t;

/// The process ends, or becomes another.
pub fn finish(reason: Reason) {
    sys::quietly(asynchronous::leave);
    life::finish(reason);
}

/// The destructor, and the last of `quick_exit`'s handlers (c-shim/start.c).
#[unsafe(no_mangle)]
extern "C" fn iota_finish() {
    finish(Reason::Exit);
}

/// `fork`: the child finds the tracer not started, and begins a part of its own at its first call.
#[inline(always)]
pub fn fork(op: Op, real: impl FnOnce() -> c_int) -> c_int {
    traced_fork(op, real)
}

/// `_Fork`: `iota_forked` is not called for it.
#[inline(always)]
pub fn fork_alone(op: Op, real: impl FnOnce() -> c_int) -> c_int {
    traced_fork(op, || {
        let ret = real();
        if ret > 0 && phase::is_active() {
            descriptors::share_all();
        }
        ret
    })
}

/// Where the stub of `vfork` goes.
#[repr(C)]
pub struct VforkTarget {
    /// Where the program goes on; 0: first to the real function, and to [`iota_vforked`].
    back: usize,
    /// The real function, or what it returned.
    next: usize,
}

/// `vfork`: until its child has called exec or `_exit`, this thread's calls are the child's and leave our state alone.
#[inline(always)]
pub fn vfork(op: Op, back: usize, real: usize) -> VforkTarget {
    let back = match current() {
        Some(thread) => {
            tls::set_behind_vfork(back);
            thread.begin_vfork(op, clock::now());
            0
        }
        None => back,
    };
    VforkTarget { back, next: real }
}

/// The real `vfork` returned, in the child or in its parent.
#[unsafe(no_mangle)]
extern "C" fn iota_vforked(ret: c_int) -> VforkTarget {
    VforkTarget {
        back: vforked(ret),
        next: ret as usize,
    }
}

/// A child or thread is about to be made. With our memory and no state of its own it has ours: from now on every call
/// asks whose it is.
pub fn will_share(flags: u64) {
    let same_state = flags & libc::CLONE_VM as u64 != 0 && flags & libc::CLONE_SETTLS as u64 == 0;
    if let Some(thread) = current().filter(|_| same_state) {
        thread.share();
    }
}

/// `clone`: a child in our memory that has this thread's state is distinguished from it by its number at each call.
#[inline(always)]
pub fn clone(op: Op, real: impl FnOnce() -> c_int, flags: c_int) -> c_int {
    will_share(flags as u64);
    traced_seldom(op, real, |_, ret, _| {
        if ret > 0 && flags & libc::CLONE_THREAD == 0 {
            descriptors::share_all();
        }
    })
}

/// `daemon`: the process ends inside the call, and its child goes on.
#[inline(always)]
pub fn daemon(op: Op, real: impl FnOnce() -> c_int) -> c_int {
    life::finish(Reason::Exit);
    traced_fork(op, real)
}

/// `posix_spawn`: returns an error number. The path is read by the child: an old C library succeeds before that.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn spawn(
    op: Op,
    real: impl FnOnce() -> c_int,
    path: *const c_char,
    child: *const pid_t,
) -> c_int {
    traced_seldom(op, real, |thread, ret, note| {
        // SAFETY: the call has returned.
        unsafe { spawned(note, ret, child) };
        note.file = lookup::tried_at(thread, libc::AT_FDCWD, path);
    })
}

/// `posix_spawnp`: a name that is looked for, which is no path yet.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn spawn_file(
    op: Op,
    real: impl FnOnce() -> c_int,
    _: *const c_char,
    child: *const pid_t,
) -> c_int {
    traced_seldom(op, real, |_, ret, note| {
        // SAFETY: the call has returned.
        unsafe { spawned(note, ret, child) };
    })
}

/// The child stands in `length`; what was returned is an error number.
///
/// # Safety
/// `child` is null, or where a call that returned `ret` was to write it.
unsafe fn spawned(note: &mut Note, ret: c_int, child: *const pid_t) {
    note.answers(ret);
    if ret == 0 && !child.is_null() {
        // SAFETY: the call succeeded, so it wrote the child's number there, aligned or not.
        note.length = unsafe { child.read_unaligned() } as u64;
    }
}

/// `system`: only the child reads the command.
#[inline(always)]
pub fn command(op: Op, real: impl FnOnce() -> c_int, command: *const c_char) -> c_int {
    traced_seldom(op, real, |_, _, note| {
        note.length = length_of(command);
    })
}

/// The length of a word for exec; 0 where nothing can be read, or more than the kernel takes.
fn length_of(text: *const c_char) -> u64 {
    const MOST: usize = 128 << 10;
    sys::string_length(text.addr(), MOST).unwrap_or(0) as u64
}

/// `execve`, `execv`: when they succeed nothing of this program is left, so the trace is finished before.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn exec(op: Op, real: impl FnOnce() -> c_int, path: *const c_char) -> c_int {
    // Who tries one folder after another shall not leave a part for each.
    if sys::may_run(path) {
        finish(Reason::Exec);
    }
    traced_exec(op, real, |thread, note| {
        // SAFETY: the call has failed, and so what can be read is found out.
        note.file = unsafe { only_path_of(thread, note, libc::AT_FDCWD, path) };
    })
}

/// `execvp`: a name that is looked for, which is no path yet.
#[inline(always)]
pub fn exec_file(op: Op, real: impl FnOnce() -> c_int, file: *const c_char) -> c_int {
    finish(Reason::Exec);
    traced_exec(op, real, |_, note| {
        note.length = length_of(file);
    })
}

/// `fexecve`
#[inline(always)]
pub fn exec_fd(op: Op, real: impl FnOnce() -> c_int, fd: c_int) -> c_int {
    finish(Reason::Exec);
    traced_exec(op, real, |thread, note| {
        on(thread, note, fd);
    })
}

/// `execveat`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn exec_at(
    op: Op,
    real: impl FnOnce() -> c_int,
    directory: c_int,
    path: *const c_char,
) -> c_int {
    finish(Reason::Exec);
    traced_exec(op, real, |thread, note| {
        // SAFETY: the call has failed, and so what can be read is found out.
        note.file = unsafe { only_path_of(thread, note, directory, path) };
    })
}

const QUICK_EXIT: Op = Op::of("quick_exit");
const ABORT: Op = Op::of("abort");

/// `_exit` and its kin: no destructor follows, so the trace is finished here, when handlers of the program's have made their
/// calls. The call itself never returns, and so is no event.
#[inline(always)]
pub fn exit(op: Op, real: impl FnOnce()) -> ! {
    if op == ABORT {
        let_abort_be_handled();
    }
    if op != QUICK_EXIT || !ends_with_handlers() {
        finish(Reason::Exit);
    }
    real();
    loop {
        sys::yield_now();
    }
}

/// What `abort` does first. The handler may end the process, or leave by longjmp.
#[inline(never)]
fn let_abort_be_handled() {
    if signals::is_handled(libc::SIGABRT) {
        signals::raise(libc::SIGABRT);
        signals::set_default(libc::SIGABRT);
    }
}
