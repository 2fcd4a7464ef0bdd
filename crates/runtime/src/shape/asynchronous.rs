//! Asynchronous transfers of POSIX: recorded under the name of the call that began them, from there to when the program
//! learnt that they had ended.

use super::on;
use crate::pending::{self, Begun};
use crate::record::{Note, store_begun, traced_seldom};
use crate::thread::Thread;
use crate::{clock, sys};
use core::ffi::c_int;
use iota_calls::Op;
use iota_trace::flags;
use libc::{aiocb, ssize_t};

const READ: Op = Op::of("aio_read");
const WRITE: Op = Op::of("aio_write");

/// What a transfer is about.
///
/// # Safety
/// `control` is one that a call of the program's took.
unsafe fn about(thread: &Thread, note: &mut Note, control: *const aiocb) {
    // SAFETY: the caller's.
    let control = unsafe { &*control };
    on(thread, note, control.aio_fildes);
    note.offset = control.aio_offset;
    note.length = control.aio_nbytes as u64;
    note.flags |= flags::ASYNCHRONOUS;
}

/// `aio_read`, `aio_write`: one that cannot even begin is recorded at once.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn aio(op: Op, real: impl FnOnce() -> c_int, control: *mut aiocb) -> c_int {
    // The table of transfers is there once calls are recorded.
    if Thread::current().is_none() {
        return real();
    }
    let start = clock::now();
    // Before the real call: another thread may see the end before this one is back.
    let begun = pending::begin(control.addr(), Begun { op, start });
    let ret = real();
    if ret == 0 && begun {
        return ret;
    }
    pending::end(control.addr());
    traced_seldom(
        op,
        || ret,
        |thread, ret, note| {
            if ret == 0 || sys::errno() != libc::EFAULT {
                // SAFETY: the call has read it.
                unsafe { about(thread, note, control) };
            }
        },
    )
}

/// `aio_fsync`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn aio_sync(
    op: Op,
    real: impl FnOnce() -> c_int,
    _: c_int,
    control: *mut aiocb,
) -> c_int {
    // SAFETY: the caller's.
    unsafe { aio(op, real, control) }
}

/// `aio_return`: the transfer's own event, or, where its begin was not seen, one of this call.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn aio_return(op: Op, real: impl FnOnce() -> ssize_t, control: *mut aiocb) -> ssize_t {
    let Some(thread) = Thread::current() else {
        return real();
    };
    let ret = real();
    let unknown = Begun {
        op,
        start: clock::now(),
    };
    let begun = pending::end(control.addr()).unwrap_or(unknown);
    let errno = sys::errno();
    store_begun(thread, begun, ret as i64, |note| {
        if ret >= 0 || errno != libc::EINVAL {
            // SAFETY: the call has looked at it.
            unsafe { about(thread, note, control) };
        }
    });
    ret
}

/// `lio_listio`: many at once, each of which ends for itself.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn aio_list(
    op: Op,
    real: impl FnOnce() -> c_int,
    list: *const *mut aiocb,
    count: c_int,
) -> c_int {
    if Thread::current().is_some() && !list.is_null() {
        let start = clock::now();
        for i in 0..count.max(0) as usize {
            // SAFETY: the caller passes so many, of which NULL ones are passed over.
            let control = unsafe { *list.add(i) };
            // SAFETY: null, or one that the call is about to read.
            let op = match unsafe { control.as_ref() }.map(|one| one.aio_lio_opcode) {
                Some(libc::LIO_READ) => READ,
                Some(libc::LIO_WRITE) => WRITE,
                _ => continue,
            };
            pending::begin(control.addr(), Begun { op, start });
        }
    }
    traced_seldom(op, real, |_, _, note| note.length = count as u32 as u64)
}
