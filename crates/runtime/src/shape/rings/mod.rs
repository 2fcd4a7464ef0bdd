//! Requests of io_uring: read where the program submits them, ended where it calls something that lets it see their
//! completions. Between these calls it reads completions without one, so an end may be recorded a little late.

mod by_hand;
mod library;
mod request;
mod setup;

use super::kernel_aio::answer;
use super::on::on;
use crate::record::{Return, traced_seldom};
use crate::tables::descriptors;
use crate::tables::rings::{self, Params};
use crate::thread;
use by_hand::ByHand;
use core::ffi::{c_int, c_uint};
use iota_calls::Op;
pub use library::Library;
use library::RingCall;

/// `io_uring_submit` and its kin.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn ring_submits<R: Return>(op: Op, real: impl FnOnce() -> R, ring: *const Library) -> R {
    // SAFETY: `ring` is one that the real call takes: initialised, or NULL.
    let around = unsafe { RingCall::before(ring) };
    let fd = around.as_ref().map_or(-1, |around| around.library().fd);
    let ret = traced_seldom(
        op,
        || thread::in_library(real),
        |thread, _, note| {
            answer::<R>(note);
            on(thread, note, fd);
        },
    );
    if let Some(around) = around {
        around.after();
    }
    ret
}

/// `io_uring_wait_cqes` and its kin: a call that neither waits nor submits is made by the million, and is no event.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn ring_waits<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    ring: *const Library,
    waits: c_uint,
) -> R {
    // SAFETY: `ring` is one that the real call takes.
    unsafe {
        if waits != 0 {
            ring_submits(op, real, ring)
        } else {
            ring_peeks(op, real, ring)
        }
    }
}

/// `io_uring_peek_batch_cqe`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn ring_peeks<R: Return>(_: Op, real: impl FnOnce() -> R, ring: *const Library) -> R {
    // SAFETY: `ring` is one that the real call takes: initialised, or NULL.
    let around = unsafe { RingCall::before(ring) };
    let ret = real();
    if let Some(around) = around {
        around.after();
    }
    ret
}

/// `io_uring_queue_init`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn ring_begins<R: Return>(op: Op, real: impl FnOnce() -> R, ring: *const Library) -> R {
    traced_seldom(
        op,
        || thread::in_library(real),
        |thread, ret, note| {
            answer::<R>(note);
            if ret.number() >= 0 {
                // SAFETY: the call succeeded and filled it.
                let fd = unsafe { (*ring).fd };
                rings::begin(ring.addr(), 0);
                descriptors::unknown(fd);
                on(thread, note, fd);
            }
        },
    )
}

/// `io_uring_queue_exit`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn ring_ends(op: Op, real: impl FnOnce(), ring: *const Library) {
    // SAFETY: `ring` is one that the real call takes: initialised, or NULL.
    let around = unsafe { RingCall::before(ring) };
    let fd = around.as_ref().map_or(-1, |around| around.library().fd);
    rings::forget(ring.addr());
    let file = descriptors::closing(fd);
    traced_seldom(
        op,
        || thread::in_library(real),
        |_, (), note| {
            note.fd = fd;
            if let Some((file, taken)) = file {
                note.file = file;
                taken.closed();
            }
        },
    )
}

/// `io_uring_setup`: the program maps and fills the ring by hand.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn ring_made<R: Return>(op: Op, real: impl FnOnce() -> R, params: *const Params) -> R {
    traced_seldom(
        op,
        || thread::in_library(real),
        |thread, ret, note| {
            answer::<R>(note);
            let fd = ret.number();
            if fd >= 0 {
                // SAFETY: the call succeeded and filled it.
                rings::made(fd as c_int, unsafe { params.read_unaligned() });
                descriptors::unknown(fd as c_int);
                on(thread, note, fd as c_int);
            }
        },
    )
}

/// `io_uring_enter`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn ring_entered<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    fd: c_uint,
    submit: c_uint,
    flags: c_uint,
) -> R {
    // SAFETY: the mappings of a ring that is entered are there.
    let by_hand = unsafe { ByHand::before(fd as c_int, submit, flags) };
    let ret = traced_seldom(
        op,
        || thread::in_library(real),
        |thread, _, note| {
            answer::<R>(note);
            note.length = submit.into();
            on(thread, note, fd as c_int);
        },
    );
    if let Some(by_hand) = by_hand {
        by_hand.after(ret.number().max(0) as u32);
    }
    ret
}
