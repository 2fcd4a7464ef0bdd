//! `syscall`: what is I/O is recorded as the call that the number stands for; all else passes.

use super::*;
use crate::life::{Reason, finish};
use crate::thread;
use core::ffi::{c_char, c_int, c_long, c_uint, c_void};
use iota_calls::Op;
use libc::{iovec, off64_t};

/// How the arguments of a number are laid out.
enum As {
    Read,
    Write,
    ReadAt,
    WriteAt,
    Readv,
    Writev,
    ReadvAt,
    WritevAt,
    OnFd,
    Range,
    Path,
    PathAt,
    PathTimed,
    Path2,
    Path2At,
    Rename,
    RenameAt,
    Chdir,
    Fchdir,
    Open,
    OpenAt,
    OpenAt2,
    NewFd,
    NewPair,
    Close,
    CloseRange,
    Seek,
    Dup,
    Dup2,
    Fcntl,
    SendFile,
    Splice,
    Exec,
    Exit,
    AioSetup,
    AioSubmit,
    AioEvents,
    AioCancel,
    RingSetup,
    RingEnter,
    Clone,
    Clone3,
}

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

impl As {
    /// What libraries ask for by `syscall`, whose own functions are followed.
    fn is_request(&self) -> bool {
        use As::*;
        matches!(
            self,
            AioSetup | AioSubmit | AioEvents | AioCancel | RingSetup | RingEnter
        )
    }
}

macro_rules! numbers {
    ($($(#[$on:meta])? $number:ident $name:literal $layout:ident;)*) => {
        fn decoded(number: c_long) -> Option<(Op, As)> {
            match number {
                $($(#[$on])? numbers::$number => Some((const { Op::of($name) }, As::$layout)),)*
                _ => None,
            }
        }
    };
}

numbers! {
    SYS_read "read" Read;
    SYS_write "write" Write;
    SYS_pread64 "pread64" ReadAt;
    SYS_pwrite64 "pwrite64" WriteAt;
    SYS_readv "readv" Readv;
    SYS_writev "writev" Writev;
    SYS_preadv "preadv" ReadvAt;
    SYS_pwritev "pwritev" WritevAt;
    SYS_preadv2 "preadv2" ReadvAt;
    SYS_pwritev2 "pwritev2" WritevAt;
    SYS_sendfile "sendfile" SendFile;
    SYS_copy_file_range "copy_file_range" Splice;
    SYS_splice "splice" Splice;
    SYS_lseek "lseek" Seek;
    SYS_openat "openat" OpenAt;
    SYS_openat2 "openat2" OpenAt2;
    SYS_close "close" Close;
    SYS_close_range "close_range" CloseRange;
    SYS_dup "dup" Dup;
    SYS_dup3 "dup3" Dup2;
    SYS_fcntl "fcntl" Fcntl;
    SYS_pipe2 "pipe2" NewPair;
    SYS_memfd_create "memfd_create" NewFd;
    SYS_fsync "fsync" OnFd;
    SYS_fdatasync "fdatasync" OnFd;
    SYS_syncfs "syncfs" OnFd;
    SYS_flock "flock" OnFd;
    SYS_fstat "fstat" OnFd;
    SYS_fstatfs "fstatfs" OnFd;
    SYS_fchmod "fchmod" OnFd;
    SYS_fchown "fchown" OnFd;
    SYS_getdents64 "getdents64" OnFd;
    SYS_ftruncate "ftruncate" Range;
    SYS_newfstatat "fstatat" PathAt;
    SYS_statx "statx" PathAt;
    SYS_unlinkat "unlinkat" PathAt;
    SYS_mkdirat "mkdirat" PathAt;
    SYS_chdir "chdir" Chdir;
    SYS_fchdir "fchdir" Fchdir;
    SYS_mknodat "mknodat" PathAt;
    SYS_faccessat "faccessat" PathAt;
    SYS_faccessat2 "faccessat" PathAt;
    SYS_readlinkat "readlinkat" PathAt;
    SYS_fchmodat "fchmodat" PathAt;
    SYS_fchownat "fchownat" PathAt;
    SYS_utimensat "utimensat" PathTimed;
    SYS_truncate "truncate" Path;
    SYS_statfs "statfs" Path;
    SYS_renameat2 "renameat2" RenameAt;
    SYS_linkat "linkat" Path2At;
    SYS_execve "execve" Exec;
    SYS_clone "clone" Clone;
    SYS_clone3 "clone" Clone3;
    SYS_exit_group "_exit" Exit;
    SYS_io_setup "io_setup" AioSetup;
    SYS_io_destroy "io_destroy" AioSetup;
    SYS_io_submit "io_submit" AioSubmit;
    SYS_io_getevents "io_getevents" AioEvents;
    SYS_io_pgetevents "io_pgetevents" AioEvents;
    SYS_io_cancel "io_cancel" AioCancel;
    SYS_io_uring_setup "io_uring_setup" RingSetup;
    SYS_io_uring_enter "io_uring_enter" RingEnter;
    #[cfg(target_arch = "x86_64")] SYS_open "open" Open;
    #[cfg(target_arch = "x86_64")] SYS_pipe "pipe" NewPair;
    #[cfg(target_arch = "x86_64")] SYS_dup2 "dup2" Dup2;
    #[cfg(target_arch = "x86_64")] SYS_stat "stat" Path;
    #[cfg(target_arch = "x86_64")] SYS_lstat "lstat" Path;
    #[cfg(target_arch = "x86_64")] SYS_access "access" Path;
    #[cfg(target_arch = "x86_64")] SYS_unlink "unlink" Path;
    #[cfg(target_arch = "x86_64")] SYS_mkdir "mkdir" Path;
    #[cfg(target_arch = "x86_64")] SYS_rmdir "rmdir" Path;
    #[cfg(target_arch = "x86_64")] SYS_readlink "readlink" Path;
    #[cfg(target_arch = "x86_64")] SYS_chmod "chmod" Path;
    #[cfg(target_arch = "x86_64")] SYS_rename "rename" Rename;
    #[cfg(target_arch = "x86_64")] SYS_link "link" Path2;
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
    _f: c_long,
) -> c_long {
    let Some((op, layout)) = decoded(number) else {
        return real();
    };
    if layout.is_request() && thread::is_in_library() {
        return real();
    }
    let (fd, fd2, path, vector) = (
        a as c_int,
        b as c_int,
        a as *const c_char,
        b as *const iovec,
    );
    let (path_at, path_at2) = (b as *const c_char, d as *const c_char);
    // SAFETY: the kernel takes the arguments of this number as each shape does.
    unsafe {
        match layout {
            As::Read => read(op, real, fd, c as usize),
            As::Write => write(op, real, fd, c as usize),
            As::ReadAt => read_at(op, real, fd, c as usize, d),
            As::WriteAt => write_at(op, real, fd, c as usize, d),
            As::Readv => readv(op, real, fd, vector, c as c_int),
            As::Writev => writev(op, real, fd, vector, c as c_int),
            As::ReadvAt => readv_at(op, real, fd, vector, c as c_int, d),
            As::WritevAt => writev_at(op, real, fd, vector, c as c_int, d),
            As::SendFile => copy(
                op,
                real,
                fd2,
                c as *mut off64_t,
                fd,
                core::ptr::null_mut(),
                d as usize,
                false,
            ),
            As::Splice => copy(
                op,
                real,
                fd,
                b as *mut off64_t,
                c as c_int,
                d as *mut off64_t,
                e as usize,
                false,
            ),
            As::Seek => seek(op, real, fd, b, c as c_int),
            As::OnFd => on_fd(op, real, fd),
            As::Range => range(op, real, fd, b, 0),
            As::Path => super::path(op, real, path),
            As::PathAt => super::path_at(op, real, fd, path_at),
            As::PathTimed => path_timed(op, real, fd, path_at, c as *const _),
            As::Path2 => path2(op, real, path, path_at),
            As::Path2At => path2_at(op, real, fd, path_at, c as c_int, path_at2),
            As::Rename => rename(op, real, path, path_at),
            As::RenameAt => rename_at(op, real, fd, path_at, c as c_int, path_at2),
            As::Chdir => chdir(op, real, path),
            As::Fchdir => fchdir(op, real, fd),
            As::CloseRange => close_range(op, real, a as c_uint, b as c_uint, c as c_int),
            As::AioSetup => kernel_aio(op, real),
            As::AioSubmit => submit_requests(op, real, b, c as *mut *mut c_void),
            As::AioEvents => get_events(op, real, c, d as *const c_void),
            As::AioCancel => cancel_request(op, real, c as *const c_void),
            As::RingSetup => ring_made(op, real, b as *const _),
            As::RingEnter => ring_entered(op, real, a as c_uint, b as c_uint, d as c_uint),
            As::Clone => made_process(op, real, a as u64),
            As::Clone3 => made_process(op, real, flags_of(a)),
            As::Exit => {
                finish(Reason::Exit);
                real()
            }
            _ => c_long::from(makes_or_ends(op, layout, || real() as c_int, [a, b, c, d])),
        }
    }
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

/// The calls about descriptors and processes, which return an int.
///
/// # Safety
/// As [`syscall`].
#[inline(always)]
unsafe fn makes_or_ends(
    op: Op,
    layout: As,
    real: impl FnOnce() -> c_int,
    [a, b, c, d]: [c_long; 4],
) -> c_int {
    let (fd, path) = (a as c_int, a as *const c_char);
    // SAFETY: the kernel takes the arguments of this number as each shape does.
    unsafe {
        match layout {
            As::Open => open(op, real, path, b as c_int, c as c_uint),
            As::OpenAt => openat(op, real, fd, b as *const c_char, c as c_int, d as c_uint),
            As::OpenAt2 => openat2(op, real, fd, b as *const c_char, c as *const libc::open_how),
            As::NewFd => new_fd(op, real),
            As::NewPair => new_pair(op, real, a as *mut c_int),
            As::Close => close(op, real, fd),
            As::Dup => dup(op, real, fd),
            As::Dup2 => dup2(op, real, fd, b as c_int),
            As::Fcntl => fcntl(op, real, fd, b as c_int, c),
            As::Exec => exec(op, real, path),
            _ => real(),
        }
    }
}
