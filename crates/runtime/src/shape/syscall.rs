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
use iota_calls::{Library, Op, Shape, TABLE};
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
    ($($(#[$on:meta])? $number:ident $function:ident;)*) => {
        fn decoded(number: c_long) -> Option<Call> {
            match number {
                $($(#[$on])? numbers::$number => Some(const { row(stringify!($function)) }),)*
                _ => None,
            }
        }
    };
}

iota_calls::system_calls!(numbers);

/// `syscall`
///
/// # Safety
/// The contract of the system call itself.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
#[deny(clippy::wildcard_enum_match_arm)]
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
    // SAFETY: the kernel takes the arguments of this number as each shape does.
    unsafe {
        match shape {
            Shape::Read => read(op, real, fd, c as usize),
            Shape::Write => write(op, real, fd, c as usize),
            Shape::ReadAt => read_at(op, real, fd, c as usize, d),
            Shape::WriteAt => write_at(op, real, fd, c as usize, d),
            Shape::Readv => apart(|| readv(op, real, fd, vector, c as c_int)),
            Shape::Writev => apart(|| writev(op, real, fd, vector, c as c_int)),
            Shape::ReadvAt => apart(|| readv_at(op, real, fd, vector, c as c_int, d)),
            Shape::WritevAt => apart(|| writev_at(op, real, fd, vector, c as c_int, d)),
            // Between them is the upper half of the offset, which 64 bits do not need.
            Shape::WritevAs => apart(|| writev_as(op, real, fd, vector, c as c_int, d, f as c_int)),
            Shape::Copy if number == libc::SYS_sendfile => {
                let (from, to) = (c as *mut off64_t, core::ptr::null_mut());
                apart(|| copy(op, real, fd2, from, fd, to, d as usize, false))
            }
            Shape::Copy => {
                let (from, to) = (b as *mut off64_t, d as *mut off64_t);
                apart(|| copy(op, real, fd, from, c as c_int, to, e as usize, false))
            }
            Shape::Seek => apart(|| seek(op, real, fd, b, c as c_int)),
            Shape::OnFd => apart(|| on_fd(op, real, fd)),
            Shape::Range => apart(|| range(op, real, fd, b, 0)),
            Shape::Path => apart(|| metadata::path(op, real, path)),
            Shape::PathUnread => apart(|| metadata::path_unread(op, real, path)),
            Shape::PathAt => apart(|| metadata::path_at(op, real, fd, path_at)),
            Shape::PathUnreadAt => apart(|| metadata::path_unread_at(op, real, fd, path_at)),
            Shape::PathTimed => apart(|| path_timed(op, real, fd, path_at, c as *const _)),
            Shape::Path2 => apart(|| path2(op, real, path, path_at)),
            Shape::Path2At => apart(|| path2_at(op, real, fd, path_at, c as c_int, path_at2)),
            Shape::Rename => apart(|| rename(op, real, path, path_at)),
            Shape::RenameAt => apart(|| rename_at(op, real, fd, path_at, c as c_int, path_at2)),
            Shape::Chdir => apart(|| chdir(op, real, path)),
            Shape::Fchdir => apart(|| fchdir(op, real, fd)),
            Shape::CloseRange => {
                apart(|| close_range(op, real, a as c_uint, b as c_uint, c as c_int))
            }
            Shape::KernelAio => apart(|| kernel_aio(op, real)),
            Shape::SubmitRequests => apart(|| submit_requests(op, real, b, c as *mut *mut c_void)),
            Shape::GetEvents => apart(|| get_events(op, real, c, d as *const c_void)),
            Shape::CancelRequest => apart(|| cancel_request(op, real, c as *const c_void)),
            Shape::RingMade => apart(|| ring_made(op, real, b as *const _)),
            Shape::RingEntered => {
                apart(|| ring_entered(op, real, a as c_uint, b as c_uint, d as c_uint))
            }
            Shape::Clone if number == libc::SYS_clone3 => {
                apart(|| made_process(op, real, flags_of(a)))
            }
            Shape::Clone => apart(|| made_process(op, real, a as u64)),
            Shape::Exit => {
                finish(Reason::Exit);
                real()
            }
            Shape::Open => int!(open(path, b as c_int, c as c_uint)),
            Shape::Openat => int!(openat(fd, path_at, c as c_int, d as c_uint)),
            Shape::Openat2 => int!(openat2(fd, path_at, c as *const libc::open_how)),
            Shape::NewFd => int!(new_fd()),
            Shape::NewPair => int!(new_pair(a as *mut c_int)),
            Shape::Close => int!(close(fd)),
            Shape::Dup => int!(dup(fd)),
            Shape::Dup2 => int!(dup2(fd, fd2)),
            Shape::Fcntl => int!(fcntl(fd, fd2, c)),
            Shape::Exec => int!(exec(path)),
            // No system call that is followed has one of these.
            Shape::Created
            | Shape::FdPrinted
            | Shape::RangeAnswered
            | Shape::Ioctl
            | Shape::PathRetPtr
            | Shape::Opendir
            | Shape::Fdopendir
            | Shape::OnDir
            | Shape::Closedir
            | Shape::Global
            | Shape::Map
            | Shape::Munmap
            | Shape::Unmap
            | Shape::MemoryAnswered
            | Shape::Fopen
            | Shape::Fdopen
            | Shape::Freopen
            | Shape::NewStream
            | Shape::Fclose
            | Shape::CloseAllStreams
            | Shape::StreamRead
            | Shape::StreamWrite
            | Shape::StreamGetc
            | Shape::StreamPutc
            | Shape::StreamUngetc
            | Shape::StreamGets
            | Shape::StreamGetline
            | Shape::StreamPuts
            | Shape::StreamPutsLine
            | Shape::StreamPrinted
            | Shape::StreamScanned
            | Shape::StreamSeek
            | Shape::StreamTell
            | Shape::StreamReposition
            | Shape::StreamOn
            | Shape::Aio
            | Shape::AioSync
            | Shape::AioReturn
            | Shape::AioError
            | Shape::AioList
            | Shape::Request
            | Shape::RingBegins
            | Shape::RingEnds
            | Shape::RingSubmits
            | Shape::RingWaits
            | Shape::RingPeeks
            | Shape::Syscall
            | Shape::Fork
            | Shape::ForkAlone
            | Shape::Vfork
            | Shape::Daemon
            | Shape::Spawn
            | Shape::SpawnFile
            | Shape::Command
            | Shape::ExecFile
            | Shape::ExecFd
            | Shape::ExecAt
            | Shape::MpiOpen
            | Shape::MpiClose
            | Shape::MpiPath
            | Shape::MpiOn
            | Shape::MpiSized
            | Shape::MpiHints
            | Shape::MpiView
            | Shape::MpiSeek
            | Shape::MpiTransfer
            | Shape::MpiStarts
            | Shape::MpiBegins
            | Shape::MpiEnds
            | Shape::MpiWaitsOne
            | Shape::MpiWaitsAny
            | Shape::MpiWaitsAll
            | Shape::MpiWaitsSome
            | Shape::MpiFrees
            | Shape::H5File
            | Shape::H5Path
            | Shape::H5Open
            | Shape::H5Attribute
            | Shape::H5Release
            | Shape::H5End
            | Shape::H5On
            | Shape::H5At
            | Shape::H5AttributeAt
            | Shape::H5AttributeTransfer
            | Shape::H5ChunkRead
            | Shape::H5ChunkWrite
            | Shape::H5Multi
            | Shape::H5Dataset
            | Shape::H5Close
            | Shape::H5Transfer
            | Shape::NcOpens
            | Shape::NcCloses
            | Shape::NcPath
            | Shape::NcOn
            | Shape::NcRedefines
            | Shape::NcNamed
            | Shape::NcVariable
            | Shape::NcAccess
            | Shape::NcFilters
            | Shape::NcAttribute
            | Shape::NcMoves
            | Shape::NcMovesEach
            | Shape::NcStarts
            | Shape::NcWaits
            | Shape::NcCancels
            | Shape::NcBuffer => real(),
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
