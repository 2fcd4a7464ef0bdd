//! Asynchronous transfers of POSIX: recorded under the name of the call that began them, from there to when the program
//! learnt that they had ended.

use super::requests;
use crate::life::current;
use crate::record::traced_seldom;
use crate::state::clock;
use crate::sys;
use crate::tables::descriptors;
use crate::tables::pending::{self, PendingCall, TransferFacts};
use crate::thread::Thread;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use iota_calls::Op;
use libc::{aiocb, ssize_t};

const READ: Op = Op::of("aio_read");
const WRITE: Op = Op::of("aio_write");
const SYNC: Op = Op::of("aio_fsync");
const READ64: Op = Op::of("aio_read64");
const WRITE64: Op = Op::of("aio_write64");
const SYNC64: Op = Op::of("aio_fsync64");

unsafe extern "C" {
    /// c-shim/libc.c
    fn iota_transfer_error(control: *const aiocb) -> c_int;
    fn iota_transfer_result(control: *mut aiocb) -> ssize_t;
}

/// What a transfer is about; nothing where the control block is not all there, which may be why the call fails.
///
/// # Safety
/// Of `control`, the call reads a part at least.
unsafe fn about(thread: &Thread, control: *const aiocb) -> TransferFacts {
    let (at, size) = (control.addr(), size_of::<aiocb>());
    if !sys::is_in_one_page(at, size) && !sys::is_readable(at, size) {
        return TransferFacts::NONE;
    }
    // SAFETY: all of it lies in the page of the part that the call reads, or can be read.
    let control = unsafe { control.read_unaligned() };
    TransferFacts {
        fd: control.aio_fildes,
        file: descriptors::file_of(thread, control.aio_fildes),
        offset: control.aio_offset,
        length: control.aio_nbytes as u64,
        ..TransferFacts::NONE
    }
}

/// `aio_read`, `aio_write`: one that cannot even begin is recorded at once.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn aio(op: Op, real: impl FnOnce() -> c_int, control: *mut aiocb) -> c_int {
    let Some(thread) = current() else {
        return real();
    };
    if control.is_null() {
        return real();
    }
    // Before the real call: another thread may see the end before this one is back.
    // SAFETY: the C library reads it too, in this process.
    let begun = PendingCall::of(thread, op, clock::now(), unsafe { about(thread, control) });
    forget(thread, control.addr());
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

/// `aio_fsync`: with another operation than its two it fails before it looks at the control block.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn aio_sync(
    op: Op,
    real: impl FnOnce() -> c_int,
    operation: c_int,
    control: *mut aiocb,
) -> c_int {
    if !matches!(operation, libc::O_SYNC | libc::O_DSYNC) {
        return traced_seldom(op, real, |_, _, _| {});
    }
    // SAFETY: `real` takes `control` as `aio` describes it.
    unsafe { aio(op, real, control) }
}

/// `aio_return`: the transfer's own event, or, where its begin was not seen, one of this call.
#[inline(always)]
pub fn aio_return(op: Op, real: impl FnOnce() -> ssize_t, control: *mut aiocb) -> ssize_t {
    let Some(thread) = current() else {
        return real();
    };
    let ret = real();
    let begun = pending::end(control.addr()).unwrap_or(PendingCall::new(op, clock::now()));
    if ret < 0 {
        requests::failed(thread, begun, why(control));
    } else {
        requests::ended(thread, begun, ret as i64);
    }
    ret
}

/// `aio_error`: once it says that the transfer has ended, the program knows. It need not call `aio_return`.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn aio_error(_op: Op, real: impl FnOnce() -> c_int, control: *const aiocb) -> c_int {
    let error = real();
    if error >= 0
        && error != libc::EINPROGRESS
        && let Some(thread) = current()
    {
        completed(thread, control.addr());
    }
    error
}

/// Records a transfer that has ended; the table keeps that this was done, for `aio_return`.
#[inline(never)]
fn completed(thread: &'static Thread, key: usize) {
    let Some(begun) = pending::end(key) else {
        return;
    };
    record(thread, key, begun);
    pending::begin(key, PendingCall::new(Op::NONE, begun.start));
}

/// Records a transfer as far as its control block says how it ended.
fn record(thread: &'static Thread, key: usize, begun: PendingCall) {
    if begun.op == Op::NONE {
        return;
    }
    let control = key as *mut aiocb;
    if !sys::is_readable(key, size_of::<aiocb>()) {
        return requests::failed(thread, begun, libc::EINPROGRESS);
    }
    // SAFETY: a control block, or what the program has put there since; it can be read.
    let (error, result) = unsafe { (iota_transfer_error(control), iota_transfer_result(control)) };
    let is_possible = (0..=begun.about.length as i64).contains(&(result as i64));
    match error {
        0 if is_possible => requests::ended(thread, begun, result as i64),
        error @ 1..4096 => requests::failed(thread, begun, error),
        _ => requests::failed(thread, begun, libc::EINPROGRESS),
    }
}

/// Whether there may be transfers of which the program does not know that they have ended.
static ARE_LEFT: AtomicBool = AtomicBool::new(false);

/// The control block is used for another transfer: its last one was not asked for.
fn forget(thread: &'static Thread, key: usize) {
    ARE_LEFT.store(true, Relaxed);
    if let Some(begun) = pending::end(key) {
        record(thread, key, begun);
    }
}

/// The process ends: records the transfers that were not asked for. Those that have not ended have the error EINPROGRESS.
#[inline(never)]
pub fn leave() {
    if !ARE_LEFT.load(Relaxed) {
        return;
    }
    if let Some(thread) = current() {
        pending::for_each_key(|key| end_one_of_ours(thread, key));
    }
}

fn end_one_of_ours(thread: &'static Thread, key: usize) {
    let Some(begun) = pending::end(key) else {
        return;
    };
    if matches!(begun.op, READ | WRITE | SYNC | READ64 | WRITE64 | SYNC64) {
        record(thread, key, begun);
        pending::begin(key, PendingCall::new(Op::NONE, begun.start));
    } else {
        pending::begin(key, begun);
    }
}

/// Why a transfer failed: `aio_return` leaves errno alone.
fn why(control: *mut aiocb) -> c_int {
    let errno = sys::errno();
    if !sys::is_readable(control.addr(), size_of::<aiocb>()) {
        return errno;
    }
    // SAFETY: `aio_return` has looked at it, and it can be read.
    let error = unsafe { iota_transfer_error(control) };
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
    mode: c_int,
    list: *const *mut aiocb,
    count: c_int,
) -> c_int {
    // In another mode the call looks at none.
    if let Some(thread) = current()
        && matches!(mode, libc::LIO_WAIT | libc::LIO_NOWAIT)
        && !list.is_null()
    {
        // SAFETY: `real` reads so many addresses at `list`, and what each of them points to.
        unsafe { begin_all(thread, list, count.max(0) as usize) };
    }
    traced_seldom(op, real, |_, _, note| note.length = count as u32 as u64)
}

/// Notes transfers that are about to begin.
///
/// # Safety
/// The call is about to read `count` pointers, of which NULL ones are passed over.
unsafe fn begin_all(thread: &'static Thread, list: *const *mut aiocb, count: usize) {
    let start = clock::now();
    for i in 0..count {
        // SAFETY: `i` is below the number of addresses there, aligned or not.
        let control = unsafe { list.add(i).read_unaligned() };
        if control.is_null() {
            continue;
        }
        // SAFETY: the call reads it as well.
        let op = match unsafe { (&raw const (*control).aio_lio_opcode).read_unaligned() } {
            libc::LIO_READ => READ,
            libc::LIO_WRITE => WRITE,
            _ => continue,
        };
        // SAFETY: an address of the list that is not NULL points to a request.
        let begun = PendingCall::of(thread, op, start, unsafe { about(thread, control) });
        forget(thread, control.addr());
        pending::begin(control.addr(), begun);
    }
}
