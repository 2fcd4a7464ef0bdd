//! A request of a ring: what it is about, when it begins, and when it ends.

use crate::arena;
use crate::shape::descriptors::flags_and_mode;
use crate::shape::kernel_aio::vector_length;
use crate::shape::metadata;
use crate::shape::requests::{self, CURRENT, DIRECT};
use crate::sys;
use crate::tables::pending::{self, PendingCall, TransferFacts};
use crate::tables::rings::Ring;
use crate::tables::{FileId, descriptors, lookup};
use crate::thread::Thread;
use core::ffi::{c_char, c_int, c_uint};
use core::mem::MaybeUninit;
use iota_calls::Op;

/// `struct io_uring_sqe`.
#[repr(C)]
pub(super) struct Request {
    opcode: u8,
    flags: u8,
    priority: u16,
    fd: i32,
    offset: u64,
    address: u64,
    length: u32,
    call_flags: u32,
    pub(super) user_data: u64,
    buffer: u16,
    personality: u16,
    file_index: i32,
    more: [u64; 2],
}

/// `struct io_uring_cqe`.
#[repr(C)]
pub(super) struct Completion {
    user_data: u64,
    result: i32,
    flags: u32,
}

// Of the kernel's interface: `IOSQE_`, `IORING_CQE_F_`.
const FIXED_FILE: u8 = 1;
const NO_COMPLETION: u8 = 1 << 6;
const MORE_COME: u32 = 1 << 1;

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
fn path_of(thread: &Thread, directory: c_int, path: u64) -> FileId {
    match path {
        0 => FileId::NONE,
        path => lookup::tried_at(thread, directory, path as *const c_char),
    }
}

/// Flags and mode behind a pointer, as [`descriptors::flags_and_mode`] has them.
fn how_of(how: u64) -> u64 {
    let mut room = [MaybeUninit::<u64>::uninit(); 2];
    match sys::copy_in(how as usize, &mut room, 2) {
        [flags, mode] => flags_and_mode(*flags as c_int, *mode as c_uint),
        _ => 0,
    }
}

fn about(thread: &Thread, request: &Request, layout: As) -> TransferFacts {
    let path = || path_of(thread, request.fd, request.address);
    let mut about = TransferFacts::NONE;
    match layout {
        As::Unknown => return about,
        As::Open | As::OpenHow => {
            about.file = path();
            about.fd = if request.file_index != 0 { DIRECT } else { -1 };
            about.length = match layout {
                As::Open => flags_and_mode(request.call_flags as c_int, request.length),
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
            As::Close => descriptors::closing(request.fd).map_or(FileId::NONE, |(file, taken)| {
                taken.closed();
                file
            }),
            _ => descriptors::file_of(thread, request.fd),
        };
    }
    let offset = match request.offset {
        u64::MAX => CURRENT,
        offset => offset as i64,
    };
    if matches!(layout, As::Transfer | As::Vector) {
        about.flags = request.call_flags as c_int;
    }
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

const RENAME: Op = Op::of("io_uring_prep_renameat");

/// What stands for a request: programs may give many the same `user_data`.
pub(super) fn key_of(ring: &Ring, user_data: u64) -> usize {
    let ring = (ring.key() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (user_data ^ ring).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ mixed >> 32 | 16) as usize
}

pub(super) fn begin(thread: &Thread, ring: &Ring, request: &Request, start: u64) {
    let (op, layout) = decoded(request.opcode);
    if request.flags & NO_COMPLETION != 0 {
        return;
    }
    // Also what is no I/O: its completion shall not be taken for another's.
    let begun = PendingCall::of(thread, op, start, about(thread, request, layout));
    if !pending::begin(key_of(ring, request.user_data), begun) {
        arena::count_lost(1);
    }
}

pub(super) fn record(thread: &'static Thread, ring: &Ring, completion: &Completion) {
    let key = key_of(ring, completion.user_data);
    let Some(begun) = pending::end(key) else {
        return;
    };
    if completion.flags & MORE_COME != 0 {
        pending::begin(key, begun);
    }
    if begun.op == RENAME {
        metadata::renamed();
    }
    requests::ended(thread, begun, completion.result.into());
}
