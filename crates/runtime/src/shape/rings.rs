//! Requests of io_uring: read where the program submits them, ended where it calls something that lets it see their
//! completions. Between these calls it reads completions without one, so an end may be told a little late.

use super::kernel_aio::{answer, vector_length};
use super::requests::{self, CURRENT, DIRECT};
use super::{descriptors, on};
use crate::paths::{self, File};
use crate::pending::{self, About, Begun};
use crate::record::{Return, traced_seldom};
use crate::rings::{self, Params, Ring};
use crate::thread::{self, Thread};
use crate::{clock, fds, spool, sys};
use core::ffi::{c_char, c_int, c_uint};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU32, Ordering::*};
use iota_calls::Op;

/// `struct io_uring_sqe`.
#[repr(C)]
struct Request {
    opcode: u8,
    flags: u8,
    priority: u16,
    fd: i32,
    offset: u64,
    address: u64,
    length: u32,
    call_flags: u32,
    user_data: u64,
    buffer: u16,
    personality: u16,
    file_index: i32,
    more: [u64; 2],
}

/// `struct io_uring_cqe`.
#[repr(C)]
struct Completion {
    user_data: u64,
    result: i32,
    flags: u32,
}

/// `struct io_uring` of liburing, as far as all its versions agree.
#[repr(C)]
pub struct Library {
    requests: Submission,
    completions: Completions,
    flags: u32,
    fd: i32,
}

#[repr(C)]
struct Submission {
    head: *const AtomicU32,
    tail: *const AtomicU32,
    mask: *const u32,
    entries: *const u32,
    flags: *const u32,
    dropped: *const u32,
    array: *const u32,
    entries_at: *const Request,
    from: u32,
    to: u32,
    size: usize,
    mapping: usize,
    unused: [u32; 4],
}

#[repr(C)]
struct Completions {
    head: *const AtomicU32,
    tail: *const AtomicU32,
    mask: *const u32,
    entries: *const u32,
    flags: *const u32,
    overflow: *const u32,
    entries_at: *const Completion,
    size: usize,
    mapping: usize,
    unused: [u32; 4],
}

// Of the kernel's interface: `IORING_SETUP_`, `IOSQE_`, `IORING_CQE_F_`, `IORING_FEAT_`, `IORING_ENTER_`.
const SETUP_SQPOLL: u32 = 1 << 1;
const SETUP_SQE128: u32 = 1 << 10;
const SETUP_CQE32: u32 = 1 << 11;
const SETUP_NO_MMAP: u32 = 1 << 14;
const SETUP_NO_SQARRAY: u32 = 1 << 16;
const SETUP_MIXED: u32 = 1 << 18 | 1 << 19;
const FIXED_FILE: u8 = 1;
const NO_COMPLETION: u8 = 1 << 6;
const MORE_COME: u32 = 1 << 1;
const SINGLE_MAPPING: u32 = 1;
const REGISTERED_RING: u32 = 1 << 4;

/// How the words of a request are laid out.
#[derive(Clone, Copy, PartialEq)]
enum As {
    Transfer,
    Vector,
    Range,
    Whole,
    Truncate,
    Allocate,
    Open,
    OpenHow,
    Close,
    Path,
    TwoPaths,
    Symlink,
    Unknown,
}

const fn decoded(opcode: u8) -> (Op, As) {
    const fn of(name: &str) -> Op {
        Op::of(name)
    }
    match opcode {
        1 => (const { of("io_uring_prep_readv") }, As::Vector),
        2 => (const { of("io_uring_prep_writev") }, As::Vector),
        3 => (const { of("io_uring_prep_fsync") }, As::Whole),
        4 => (const { of("io_uring_prep_read_fixed") }, As::Transfer),
        5 => (const { of("io_uring_prep_write_fixed") }, As::Transfer),
        8 => (const { of("io_uring_prep_sync_file_range") }, As::Range),
        17 => (const { of("io_uring_prep_fallocate") }, As::Allocate),
        18 => (const { of("io_uring_prep_openat") }, As::Open),
        19 => (const { of("io_uring_prep_close") }, As::Close),
        21 => (const { of("io_uring_prep_statx") }, As::Path),
        22 => (const { of("io_uring_prep_read") }, As::Transfer),
        23 => (const { of("io_uring_prep_write") }, As::Transfer),
        24 => (const { of("io_uring_prep_fadvise") }, As::Range),
        28 => (const { of("io_uring_prep_openat2") }, As::OpenHow),
        30 => (const { of("io_uring_prep_splice") }, As::Transfer),
        33 => (const { of("io_uring_prep_tee") }, As::Transfer),
        35 => (const { of("io_uring_prep_renameat") }, As::TwoPaths),
        36 => (const { of("io_uring_prep_unlinkat") }, As::Path),
        37 => (const { of("io_uring_prep_mkdirat") }, As::Path),
        38 => (const { of("io_uring_prep_symlinkat") }, As::Symlink),
        39 => (const { of("io_uring_prep_linkat") }, As::TwoPaths),
        49 => (const { of("io_uring_prep_read_multishot") }, As::Transfer),
        55 => (const { of("io_uring_prep_ftruncate") }, As::Truncate),
        _ => (Op::NONE, As::Unknown),
    }
}

/// The file of a path that the kernel has not looked at yet.
fn path_of(thread: &Thread, directory: c_int, path: u64) -> File {
    let mut first = [MaybeUninit::<u8>::uninit(); 1];
    if sys::copy_in(path as usize, &mut first, 1).is_empty() {
        return File::NONE;
    }
    // SAFETY: it can be read; that it ends with NUL is the program's word to the kernel.
    unsafe { paths::named_at(thread, directory, path as *const c_char) }
}

/// Flags and mode behind a pointer, as [`descriptors::flags_and_mode`] has them.
fn how_of(how: u64) -> u64 {
    let mut room = [MaybeUninit::<u64>::uninit(); 2];
    match sys::copy_in(how as usize, &mut room, 2) {
        [flags, mode] => descriptors::flags_and_mode(*flags as c_int, *mode as c_uint),
        _ => 0,
    }
}

fn about(thread: &Thread, request: &Request, layout: As) -> About {
    let path = || path_of(thread, request.fd, request.address);
    let mut about = About::NONE;
    match layout {
        As::Unknown => return about,
        As::Open | As::OpenHow => {
            about.file = path();
            about.fd = if request.file_index != 0 { DIRECT } else { -1 };
            about.length = match layout {
                As::Open => {
                    descriptors::flags_and_mode(request.call_flags as c_int, request.length)
                }
                _ => how_of(request.offset),
            };
            return about;
        }
        As::Path | As::TwoPaths => {
            about.file = path();
            if layout == As::TwoPaths {
                about.second = path_of(thread, request.length as c_int, request.offset);
            }
            return about;
        }
        As::Symlink => {
            about.file = path_of(thread, libc::AT_FDCWD, request.address);
            about.second = path_of(thread, request.fd, request.offset);
            return about;
        }
        As::Close if request.file_index != 0 => return about,
        _ => (),
    }
    // A place in the ring's table of files: which file that is, the ring does not say.
    if request.flags & FIXED_FILE == 0 {
        about.fd = request.fd;
        about.file = match layout {
            As::Close => fds::closing(request.fd).map_or(File::NONE, |(file, taken)| {
                taken.closed();
                file
            }),
            _ => fds::file_of(thread, request.fd),
        };
    }
    let offset = match request.offset {
        u64::MAX => CURRENT,
        offset => offset as i64,
    };
    (about.offset, about.length) = match layout {
        As::Transfer | As::Range => (offset, request.length.into()),
        As::Vector => (
            offset,
            vector_length(request.address, request.length.into()),
        ),
        As::Allocate => (offset, request.address),
        As::Truncate => (offset, 0),
        _ => (-1, 0),
    };
    about
}

/// What stands for a request: programs may give many the same `user_data`.
fn key_of(ring: &Ring, user_data: u64) -> usize {
    let ring = (ring.key() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (user_data ^ ring).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ mixed >> 32 | 16) as usize
}

fn begin(thread: &Thread, ring: &Ring, request: &Request, start: u64) {
    let (op, layout) = decoded(request.opcode);
    if request.flags & NO_COMPLETION != 0 {
        return;
    }
    // Also what is no I/O: its completion shall not be taken for another's.
    let begun = Begun::of(op, start, about(thread, request, layout));
    if !pending::begin(key_of(ring, request.user_data), begun) {
        spool::count_lost(1);
    }
}

fn tell(thread: &'static Thread, ring: &Ring, completion: &Completion) {
    let key = key_of(ring, completion.user_data);
    let Some(begun) = pending::end(key) else {
        return;
    };
    if completion.flags & MORE_COME != 0 {
        pending::begin(key, begun);
    }
    requests::ended(thread, begun, completion.result.into());
}

/// A ring of liburing, around a call.
struct Around {
    ring: &'static Ring,
    library: *const Library,
    thread: &'static Thread,
    /// Requests that the call may submit.
    from: u32,
    to: u32,
}

impl Around {
    /// Before the call: tells what has completed meanwhile, and notes what is there to be submitted.
    ///
    /// # Safety
    /// `ring` is null or a ring of liburing's, and no other thread submits to it.
    unsafe fn before(ring: *const Library) -> Option<Around> {
        let thread = Thread::current()?;
        // SAFETY: the caller's.
        let library = unsafe { ring.as_ref() }?;
        if library.flags & SETUP_MIXED != 0 {
            return None;
        }
        let known = rings::find(ring.addr()).or_else(|| {
            // SAFETY: the caller's: a ring that was initialised before we looked.
            let seen = unsafe { library.completions.head.as_ref() }?.load(Relaxed);
            rings::begin(ring.addr(), seen)
        })?;
        let around = Around {
            ring: known,
            library: ring,
            thread,
            from: library.requests.from,
            to: library.requests.to,
        };
        around.learn();
        let start = clock::now();
        for request in around.requests() {
            begin(thread, known, request, start);
        }
        Some(around)
    }

    fn library(&self) -> &Library {
        // SAFETY: as in `before`.
        unsafe { &*self.library }
    }

    fn requests(&self) -> impl Iterator<Item = &Request> {
        let library = self.library();
        let shift = u32::from(library.flags & SETUP_SQE128 != 0);
        // SAFETY: set by liburing when it made the ring.
        let mask = unsafe { *library.requests.mask };
        let count = self.to.wrapping_sub(self.from).min(mask.wrapping_add(1));
        (0..count).map(move |i| {
            let at = (self.from.wrapping_add(i) & mask) << shift;
            // SAFETY: inside the ring.
            unsafe { &*library.requests.entries_at.add(at as usize) }
        })
    }

    fn learn(&self) {
        let completions = &self.library().completions;
        let shift = u32::from(self.library().flags & SETUP_CQE32 != 0);
        // SAFETY: set by liburing when it made the ring.
        let (tail, mask) = unsafe { (&*completions.tail, *completions.mask) };
        let behind = self.ring.tell(tail, mask.wrapping_add(1), |n| {
            let at = (n & mask) << shift;
            // SAFETY: inside the ring.
            let completion = unsafe { &*completions.entries_at.add(at as usize) };
            tell(self.thread, self.ring, completion);
        });
        if behind != 0 {
            spool::count_lost(behind.into());
        }
    }

    /// After the call: what it did not submit has not begun.
    fn after(self) {
        if self.library().requests.from == self.from {
            for request in self.requests() {
                pending::withdraw(key_of(self.ring, request.user_data));
            }
        }
        self.learn();
    }
}

/// `io_uring_submit` and its kin.
///
/// # Safety
/// The contract of the call itself.
#[inline(always)]
pub unsafe fn ring_submits<R: Return>(op: Op, real: impl FnOnce() -> R, ring: *const Library) -> R {
    // SAFETY: the caller's.
    let around = unsafe { Around::before(ring) };
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
    // SAFETY: the caller's.
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
    // SAFETY: the caller's.
    let around = unsafe { Around::before(ring) };
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
                fds::unknown(fd);
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
    // SAFETY: the caller's.
    let around = unsafe { Around::before(ring) };
    let fd = around.as_ref().map_or(-1, |around| around.library().fd);
    rings::forget(ring.addr());
    let file = fds::closing(fd);
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
                rings::made(fd as c_int, unsafe { *params });
                fds::unknown(fd as c_int);
                on(thread, note, fd as c_int);
            }
        },
    )
}

/// A ring by hand, whose memory the program has mapped.
struct ByHand {
    ring: &'static Ring,
    thread: &'static Thread,
    requests: usize,
    completions: usize,
    entries: usize,
    /// Requests that the call is to submit, from which on.
    from: u32,
    count: u32,
}

/// A word in a mapping.
///
/// # Safety
/// The kernel said that it lies there.
unsafe fn word<'m>(base: usize, offset: u32) -> &'m AtomicU32 {
    // SAFETY: the caller's.
    unsafe { &*(base.wrapping_add(offset as usize) as *const AtomicU32) }
}

impl ByHand {
    /// # Safety
    /// The ring's mappings are still there.
    unsafe fn before(fd: c_int, submit: u32, flags: u32) -> Option<ByHand> {
        let (thread, ring) = (Thread::current()?, rings::by_hand(fd)?);
        let params = ring.params();
        let unknown = SETUP_SQPOLL | SETUP_NO_MMAP | SETUP_MIXED;
        if flags & REGISTERED_RING != 0 || params.flags & unknown != 0 {
            return None;
        }
        let [requests, completions, entries] =
            [0, 1, 2].map(|i| ring.bases.get(i).map_or(0, |base| base.load(Acquire)));
        let completions = if params.features & SINGLE_MAPPING != 0 {
            requests
        } else {
            completions
        };
        if requests == 0 || completions == 0 || entries == 0 {
            return None;
        }
        let from = ring.told.load(Relaxed);
        // SAFETY: the kernel's own offset.
        let tail = unsafe { word(requests, params.sq.tail) }.load(Acquire);
        let by_hand = ByHand {
            ring,
            thread,
            requests,
            completions,
            entries,
            from,
            count: tail.wrapping_sub(from).min(submit).min(params.sq_entries),
        };
        by_hand.learn();
        let start = clock::now();
        for request in by_hand.submitted(0) {
            begin(thread, ring, request, start);
        }
        Some(by_hand)
    }

    /// The requests that are to be submitted, but for the first ones.
    fn submitted(&self, first: u32) -> impl Iterator<Item = &Request> {
        let params = self.ring.params();
        let shift = u32::from(params.flags & SETUP_SQE128 != 0);
        let mask = params.sq_entries.wrapping_sub(1);
        (first..self.count).map(move |i| {
            let place = self.from.wrapping_add(i) & mask;
            let at = if params.flags & SETUP_NO_SQARRAY != 0 {
                place
            } else {
                let offset = params.sq.array.wrapping_add(place.wrapping_mul(4));
                // SAFETY: the kernel's own offset.
                unsafe { word(self.requests, offset) }.load(Relaxed) & mask
            };
            let entries = self.entries as *const Request;
            // SAFETY: inside the ring.
            unsafe { &*entries.add((at << shift) as usize) }
        })
    }

    fn learn(&self) {
        let params = self.ring.params();
        let shift = u32::from(params.flags & SETUP_CQE32 != 0);
        let mask = params.cq_entries.wrapping_sub(1);
        // SAFETY: the kernel's own offset.
        let tail = unsafe { word(self.completions, params.cq.tail) };
        let first = self.completions.wrapping_add(params.cq.entries_at as usize);
        let behind = self.ring.tell(tail, params.cq_entries, |n| {
            let at = ((n & mask) << shift) as usize;
            // SAFETY: inside the ring.
            tell(self.thread, self.ring, unsafe {
                &*(first as *const Completion).add(at)
            });
        });
        if behind != 0 {
            spool::count_lost(behind.into());
        }
    }

    /// So many were submitted.
    fn after(self, submitted: u32) {
        let submitted = submitted.min(self.count);
        for request in self.submitted(submitted) {
            pending::withdraw(key_of(self.ring, request.user_data));
        }
        self.ring
            .told
            .store(self.from.wrapping_add(submitted), Relaxed);
        self.learn();
    }
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
    // SAFETY: the caller's.
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
