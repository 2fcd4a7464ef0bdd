//! `syscall`: what is I/O is recorded as the call that the number stands for; all else passes.

use super::descriptors::*;
use super::kernel_aio::{cancel_request, get_events, kernel_aio, submit_requests};
use super::metadata::{self, *};
use super::process::{exec, finish, fork_alone, will_share};
use super::rings::{ring_entered, ring_made};
use super::transfers::*;
use crate::life::Reason;
use crate::thread;
use core::ffi::{c_char, c_int, c_long, c_uint, c_void};
use iota_calls::{Library, Op, SYSTEM_CALLS, Shape, TABLE};
use libc::{iovec, off64_t};

/// Those of libc, and what it lacks.
mod numbers {
    pub use libc::*;

    #[allow(non_upper_case_globals)]
    pub const SYS_io_pgetevents: c_long = if cfg!(target_arch = "x86_64") {
        333
    } else {
        292
    };
}

/// What a number stands for.
struct Call {
    op: Op,
    shape: Shape,
    library: Library,
}

/// For constants.
const fn row(name: &str) -> Call {
    let op = Op::of(name);
    let row = &TABLE[op.0 as usize];
    Call {
        op,
        shape: row.shape,
        library: row.library,
    }
}

macro_rules! numbers {
    (followed { $($(#[$on:meta])? $number:ident $function:ident;)* } $($others:tt)*) => {
        fn decoded(number: c_long) -> Option<Call> {
            match number {
                $($(#[$on])? numbers::$number => Some(const { row(stringify!($function)) }),)*
                _ => None,
            }
        }
    };
}

iota_calls::system_calls!(numbers);

/// Of a list of shapes: whether those of all followed system calls are among them.
const fn is_complete(shapes: &[Shape]) -> bool {
    let mut calls = SYSTEM_CALLS;
    while let [call, rest @ ..] = calls {
        let wanted = TABLE[call.function.0 as usize].shape as usize;
        let (mut found, mut left) = (!call.is_followed, shapes);
        while let [shape, others @ ..] = left {
            found = found || *shape as usize == wanted;
            left = others;
        }
        if !found {
            return false;
        }
        calls = rest;
    }
    true
}

/// `syscall`
///
/// # Safety
/// The contract of the system call itself.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
pub unsafe fn syscall(
    _op: Op,
    real: impl FnOnce() -> c_long,
    number: c_long,
    a: c_long,
    b: c_long,
    c: c_long,
    d: c_long,
    e: c_long,
    f: c_long,
) -> c_long {
    let Some(Call { op, shape, library }) = decoded(number) else {
        return real();
    };
    // What libraries ask for by `syscall`, whose own functions are followed.
    if library != Library::Libc && thread::is_in_library() {
        return real();
    }
    let (fd, fd2, path, vector) = (
        a as c_int,
        b as c_int,
        a as *const c_char,
        b as *const iovec,
    );
    let (path_at, path_at2) = (b as *const c_char, d as *const c_char);
    // The calls about descriptors and processes return an int.
    macro_rules! int {
        ($shape:ident($($arg:expr),*)) => {
            apart(|| c_long::from($shape(op, || real() as c_int, $($arg),*)))
        };
    }
    // It does not build if a system call that is followed has another shape.
    macro_rules! by_shape {
        ($($shape:ident $(if $condition:expr)? => $call:expr,)*) => {{
            const { assert!(is_complete(&[$(Shape::$shape),*])) };
            #[allow(clippy::wildcard_enum_match_arm)]
            match shape {
                $(Shape::$shape $(if $condition)? => $call,)*
                _ => real(),
            }
        }};
    }
    // SAFETY: the kernel takes the arguments of this number as each shape does.
    unsafe {
        by_shape! {
            Read => read(op, real, fd, c as usize),
            Write => write(op, real, fd, c as usize),
            ReadAt => read_at(op, real, fd, c as usize, d),
            WriteAt => write_at(op, real, fd, c as usize, d),
            Readv => apart(|| readv(op, real, fd, vector, c as c_int)),
            Writev => apart(|| writev(op, real, fd, vector, c as c_int)),
            ReadvAt => apart(|| readv_at(op, real, fd, vector, c as c_int, d)),
            WritevAt => apart(|| writev_at(op, real, fd, vector, c as c_int, d)),
            // Between them is the upper half of the offset, which 64 bits do not need.
            WritevAs => apart(|| writev_as(op, real, fd, vector, c as c_int, d, f as c_int)),
            Copy if number == libc::SYS_sendfile => {
                let (from, to) = (c as *mut off64_t, core::ptr::null_mut());
                apart(|| copy(op, real, fd2, from, fd, to, d as usize, false))
            },
            Copy => {
                let (from, to) = (b as *mut off64_t, d as *mut off64_t);
                apart(|| copy(op, real, fd, from, c as c_int, to, e as usize, false))
            },
            Seek => apart(|| seek(op, real, fd, b, c as c_int)),
            OnFd => apart(|| on_fd(op, real, fd)),
            Range => apart(|| range(op, real, fd, b, 0)),
            Path => apart(|| metadata::path(op, real, path)),
            PathUnread => apart(|| metadata::path_unread(op, real, path)),
            PathAt => apart(|| metadata::path_at(op, real, fd, path_at)),
            PathUnreadAt => apart(|| metadata::path_unread_at(op, real, fd, path_at)),
            PathTimed => apart(|| path_timed(op, real, fd, path_at, c as *const _)),
            Path2 => apart(|| path2(op, real, path, path_at)),
            Path2At => apart(|| path2_at(op, real, fd, path_at, c as c_int, path_at2)),
            Rename => apart(|| rename(op, real, path, path_at)),
            RenameAt => apart(|| rename_at(op, real, fd, path_at, c as c_int, path_at2)),
            Chdir => apart(|| chdir(op, real, path)),
            Fchdir => apart(|| fchdir(op, real, fd)),
            CloseRange => {
                apart(|| close_range(op, real, a as c_uint, b as c_uint, c as c_int))
            },
            KernelAio => apart(|| kernel_aio(op, real)),
            SubmitRequests => apart(|| submit_requests(op, real, b, c as *mut *mut c_void)),
            GetEvents => apart(|| get_events(op, real, c, d as *const c_void)),
            CancelRequest => apart(|| cancel_request(op, real, c as *const c_void)),
            RingMade => apart(|| ring_made(op, real, b as *const _)),
            RingEntered => {
                apart(|| ring_entered(op, real, a as c_uint, b as c_uint, d as c_uint))
            },
            Clone if number == libc::SYS_clone3 => {
                apart(|| made_process(op, real, flags_of(a)))
            },
            Clone => apart(|| made_process(op, real, a as u64)),
            Exit => {
                finish(Reason::Exit);
                real()
            },
            Open => int!(open(path, b as c_int, c as c_uint)),
            Openat => int!(openat(fd, path_at, c as c_int, d as c_uint)),
            Openat2 => int!(openat2(fd, path_at, c as *const libc::open_how)),
            NewFd => int!(new_fd()),
            NewPair => int!(new_pair(a as *mut c_int)),
            Close => int!(close(fd)),
            Dup => int!(dup(fd)),
            Dup2 => int!(dup2(fd, fd2)),
            Fcntl => int!(fcntl(fd, fd2, c)),
            Exec => int!(exec(path)),
        }
    }
}

/// Has a shape in a frame of its own: in one for all of them, each call would need the stack of the largest.
#[inline(never)]
fn apart(shape: impl FnOnce() -> c_long) -> c_long {
    shape()
}

/// `clone`, `clone3`: the child goes on behind the call as its parent does.
fn made_process(op: Op, real: impl FnOnce() -> c_long, flags: u64) -> c_long {
    will_share(flags);
    if flags & libc::CLONE_VM as u64 != 0 {
        return real();
    }
    c_long::from(fork_alone(op, || real() as c_int))
}

/// The flags of `struct clone_args`.
fn flags_of(arguments: c_long) -> u64 {
    let mut room = [core::mem::MaybeUninit::<u64>::uninit(); 1];
    let flags = crate::sys::copy_in(arguments as usize, &mut room, 1);
    flags.first().copied().unwrap_or(0)
}
