//! The kernel's asynchronous transfers, by libaio or by `syscall`: each is an event from its submission to when the
//! program learnt of its end.
//!
//! Descriptions of transfers are read before they are submitted, because afterwards another thread may have learnt of
//! the end and freed them; but by the kernel, as any of them may be a wrong address, which submitting reports.

use super::requests;
use crate::arena;
use crate::life::current;
use crate::record::{Note, Return, traced_seldom};
use crate::state::clock;
use crate::sys;
use crate::tables::pending::{self, PendingCall, TransferFacts};
use crate::tables::{FileId, descriptors};
use crate::thread::{self, Thread};
use core::ffi::{c_int, c_long, c_void};
use core::mem::MaybeUninit;
use iota_calls::Op;
use libc::iovec;

/// `struct iocb`, of the kernel's interface.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Control {
    data: u64,
    key: u32,
    rw_flags: u32,
    opcode: u16,
    priority: i16,
    fd: i32,
    buffer: u64,
    length: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    event_fd: u32,
}

/// `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Event {
    data: u64,
    control: u64,
    result: i64,
    more: i64,
}

/// How many are read at a time.
const BATCH: usize = 32;

const fn op_of(opcode: u16) -> Op {
    match opcode {
        0 => const { Op::of("io_prep_pread") },
        1 => const { Op::of("io_prep_pwrite") },
        2 => const { Op::of("io_prep_fsync") },
        3 => const { Op::of("io_prep_fdsync") },
        7 => const { Op::of("io_prep_preadv") },
        8 => const { Op::of("io_prep_pwritev") },
        _ => Op::NONE,
    }
}

/// What a transfer is about.
fn about(thread: &Thread, control: &Control) -> TransferFacts {
    let is_vector = matches!(control.opcode, 7 | 8);
    let length = if is_vector {
        vector_length(control.buffer, control.length)
    } else {
        control.length
    };
    let is_sync = matches!(control.opcode, 2 | 3);
    TransferFacts {
        fd: control.fd,
        file: descriptors::file_of(thread, control.fd),
        offset: if is_sync { -1 } else { control.offset },
        length,
        second: FileId::NONE,
        flags: control.rw_flags as c_int,
    }
}

/// The bytes of a vector of buffers that the kernel has not looked at yet; 0 where it cannot be read.
pub fn vector_length(vector: u64, count: u64) -> u64 {
    let mut parts = [MaybeUninit::<iovec>::uninit(); BATCH];
    let (mut length, mut at) = (0u64, 0);
    while at < count.min(1024) {
        let n = count.wrapping_sub(at).min(BATCH as u64) as usize;
        let from = (vector as usize).wrapping_add(at as usize * size_of::<iovec>());
        let read = sys::copy_in(from, &mut parts, n);
        if read.is_empty() {
            break;
        }
        let bytes = read.iter().map(|part| part.iov_len as u64);
        length = length.wrapping_add(bytes.fold(0, u64::wrapping_add));
        at = at.wrapping_add(n as u64);
    }
    length
}

/// Notes transfers that are about to be submitted.
fn begin_all(thread: &Thread, list: usize, count: c_long) {
    let mut batch = [MaybeUninit::<usize>::uninit(); BATCH];
    let (start, mut at) = (clock::now(), 0usize);
    while at < count.clamp(0, 1 << 16) as usize {
        let n = (count as usize).wrapping_sub(at).min(BATCH);
        let from = list.wrapping_add(at.wrapping_mul(size_of::<usize>()));
        let controls = sys::copy_in(from, &mut batch, n);
        let mut room = [MaybeUninit::<Control>::uninit(); BATCH];
        let read = sys::gather_in(controls, &mut room);
        if read.is_empty() {
            return;
        }
        for (key, control) in controls.iter().zip(read) {
            let begun =
                PendingCall::of(thread, op_of(control.opcode), start, about(thread, control));
            pending::end(*key);
            if !pending::begin(*key, begun) {
                arena::count_lost(1);
            }
        }
        at = at.wrapping_add(n);
    }
}

/// Those from `accepted` on were not submitted.
fn withdraw_from(list: usize, accepted: usize, count: c_long) {
    let mut one = [MaybeUninit::<usize>::uninit(); 1];
    for at in accepted..count.clamp(0, 1 << 16) as usize {
        let from = list.wrapping_add(at.wrapping_mul(size_of::<usize>()));
        let [key] = sys::copy_in(from, &mut one, 1) else {
            return;
        };
        pending::withdraw(*key);
    }
}

/// Libraries return an int, and errors as numbers below 0; `syscall` returns a long, or -1 and errno.
pub fn answer<R: Return>(note: &mut Note) {
    if size_of::<R>() == size_of::<c_int>() {
        note.answers(note.ret.wrapping_neg().clamp(0, 4095) as c_int);
    }
}

/// `io_setup`, `io_destroy`
#[inline(always)]
pub fn kernel_aio<R: Return>(op: Op, real: impl FnOnce() -> R) -> R {
    traced_seldom(
        op,
        || thread::in_library(real),
        |_, _, note| answer::<R>(note),
    )
}

/// `io_submit`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn submit_requests<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    count: c_long,
    list: *mut *mut c_void,
) -> R {
    if let Some(thread) = current() {
        begin_all(thread, list.addr(), count);
    }
    traced_seldom(
        op,
        || thread::in_library(real),
        |_, _, note| {
            answer::<R>(note);
            note.length = count as u64;
            withdraw_from(list.addr(), note.ret.max(0) as usize, count);
        },
    )
}

/// `io_getevents`
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn get_events<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    count: c_long,
    events: *const c_void,
) -> R {
    let ret = traced_seldom(
        op,
        || thread::in_library(real),
        |_, _, note| {
            answer::<R>(note);
            note.length = count as u64;
        },
    );
    // SAFETY: so many the call has written there.
    unsafe { learn(events.cast(), ret.number().max(0) as usize) };
    ret
}

/// `io_cancel`: an event at once, on old kernels.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn cancel_request<R: Return>(
    op: Op,
    real: impl FnOnce() -> R,
    event: *const c_void,
) -> R {
    let ret = kernel_aio(op, real);
    let mut room = [MaybeUninit::<Event>::uninit(); 1];
    // Other kernels leave it alone, whatever it points to.
    if ret.number() == 0
        && let [event] = sys::copy_in(event.addr(), &mut room, 1)
    {
        // SAFETY: one that can be read.
        unsafe { learn(event, 1) };
    }
    ret
}

/// The program has got these.
///
/// # Safety
/// `events` holds `count` of them.
unsafe fn learn(events: *const Event, count: usize) {
    let Some(thread) = current() else {
        return;
    };
    for at in 0..count {
        // SAFETY: `at` is below the number of events that the kernel wrote there.
        let event = unsafe { events.add(at).read_unaligned() };
        if let Some(begun) = pending::end(event.control as usize) {
            requests::ended(thread, begun, event.result);
        }
    }
}
