//! Asynchronous transfers of POSIX: recorded under the name of the call that began them, from there to when the program
//! learnt that they had ended.

use super::requests;
use crate::pending::{self, About, Begun};
use crate::record::traced_seldom;
use crate::thread::Thread;
use crate::{clock, fds, sys};
use core::ffi::c_int;
use iota_calls::Op;
use libc::{aiocb, ssize_t};

const READ: Op = Op::of("aio_read");
const WRITE: Op = Op::of("aio_write");

/// What a transfer is about.
///
/// # Safety
/// `control` is one that the C library reads as well.
unsafe fn about(thread: &Thread, control: *const aiocb) -> About {
    // SAFETY: the caller's.
    let control = unsafe { &*control };
    About {
        fd: control.aio_fildes,
        file: fds::file_of(thread, control.aio_fildes),
        offset: control.aio_offset,
        length: control.aio_nbytes as u64,
        ..About::NONE
    }
}

/// `aio_read`, `aio_write`: one that cannot even begin is recorded at once.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn aio(op: Op, real: impl FnOnce() -> c_int, control: *mut aiocb) -> c_int {
    let Some(thread) = Thread::current() else {
        return real();
    };
    // Before the real call: another thread may see the end before this one is back.
    // SAFETY: the caller's; the C library reads it too, in this process.
    let begun = Begun::of(op, clock::now(), unsafe { about(thread, control) });
    pending::end(control.addr());
    let is_kept = pending::begin(control.addr(), begun);
    let ret = real();
    if ret != 0 {
        pending::end(control.addr());
        requests::failed(thread, begun, sys::errno());
    } else if !is_kept {
        requests::ended(thread, begun, 0);
    }
    ret
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
#[inline(always)]
pub fn aio_return(op: Op, real: impl FnOnce() -> ssize_t, control: *mut aiocb) -> ssize_t {
    let Some(thread) = Thread::current() else {
        return real();
    };
    let ret = real();
    let begun = pending::end(control.addr()).unwrap_or(Begun::new(op, clock::now()));
    if ret < 0 {
        requests::failed(thread, begun, why(control));
    } else {
        requests::ended(thread, begun, ret as i64);
    }
    ret
}

/// Why a transfer failed: `aio_return` leaves errno alone.
fn why(control: *mut aiocb) -> c_int {
    let errno = sys::errno();
    // SAFETY: a transfer that has ended, as `aio_return` has found.
    let error = unsafe { libc::aio_error(control) };
    sys::set_errno(errno);
    if error > 0 { error } else { errno }
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
    if let Some(thread) = Thread::current()
        && !list.is_null()
    {
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
            // SAFETY: as above.
            let begun = Begun::of(op, start, unsafe { about(thread, control) });
            pending::end(control.addr());
            pending::begin(control.addr(), begun);
        }
    }
    traced_seldom(op, real, |_, _, note| note.length = count as u32 as u64)
}
