//! System calls that are I/O and have a number of their own, and the functions that record them.

use crate::Op;

/// A system call
#[derive(Clone, Copy, Debug)]
pub struct SystemCall {
    /// As the kernel calls it
    pub name: &'static str,
    /// The function that it is
    pub function: Op,
}

/// Hands a macro what `syscall` is followed for: the numbers, as the libc crate calls them, and the functions that are
/// recorded. A condition says where there is such a number.
#[macro_export]
macro_rules! system_calls {
    ($with:ident) => {
        $with! {
            SYS_read read;
            SYS_write write;
            SYS_pread64 pread64;
            SYS_pwrite64 pwrite64;
            SYS_readv readv;
            SYS_writev writev;
            SYS_preadv preadv;
            SYS_pwritev pwritev;
            SYS_preadv2 preadv2;
            SYS_pwritev2 pwritev2;
            SYS_sendfile sendfile;
            SYS_copy_file_range copy_file_range;
            SYS_splice splice;
            SYS_lseek lseek;
            SYS_openat openat;
            SYS_openat2 openat2;
            SYS_close close;
            SYS_close_range close_range;
            SYS_dup dup;
            SYS_dup3 dup3;
            SYS_fcntl fcntl;
            SYS_pipe2 pipe2;
            SYS_memfd_create memfd_create;
            SYS_fsync fsync;
            SYS_fdatasync fdatasync;
            SYS_syncfs syncfs;
            SYS_flock flock;
            SYS_fstat fstat;
            SYS_fstatfs fstatfs;
            SYS_fchmod fchmod;
            SYS_fchown fchown;
            SYS_getdents64 getdents64;
            SYS_ftruncate ftruncate;
            SYS_newfstatat fstatat;
            SYS_statx statx;
            SYS_unlinkat unlinkat;
            SYS_mkdirat mkdirat;
            SYS_chdir chdir;
            SYS_fchdir fchdir;
            SYS_mknodat mknodat;
            SYS_faccessat faccessat;
            SYS_faccessat2 faccessat;
            SYS_readlinkat readlinkat;
            SYS_fchmodat fchmodat;
            SYS_fchownat fchownat;
            SYS_utimensat utimensat;
            SYS_truncate truncate;
            SYS_statfs statfs;
            SYS_renameat2 renameat2;
            SYS_linkat linkat;
            SYS_execve execve;
            SYS_clone clone;
            SYS_clone3 clone;
            SYS_exit_group _exit;
            SYS_io_setup io_setup;
            SYS_io_destroy io_destroy;
            SYS_io_submit io_submit;
            SYS_io_getevents io_getevents;
            SYS_io_pgetevents io_pgetevents;
            SYS_io_cancel io_cancel;
            SYS_io_uring_setup io_uring_setup;
            SYS_io_uring_enter io_uring_enter;
            #[cfg(target_arch = "x86_64")] SYS_open open;
            #[cfg(target_arch = "x86_64")] SYS_pipe pipe;
            #[cfg(target_arch = "x86_64")] SYS_dup2 dup2;
            #[cfg(target_arch = "x86_64")] SYS_stat stat;
            #[cfg(target_arch = "x86_64")] SYS_lstat lstat;
            #[cfg(target_arch = "x86_64")] SYS_access access;
            #[cfg(target_arch = "x86_64")] SYS_unlink unlink;
            #[cfg(target_arch = "x86_64")] SYS_mkdir mkdir;
            #[cfg(target_arch = "x86_64")] SYS_rmdir rmdir;
            #[cfg(target_arch = "x86_64")] SYS_readlink readlink;
            #[cfg(target_arch = "x86_64")] SYS_chmod chmod;
            #[cfg(target_arch = "x86_64")] SYS_rename rename;
            #[cfg(target_arch = "x86_64")] SYS_link link;
        }
    };
}

macro_rules! all {
    ($($(#[$on:meta])? $number:ident $function:ident;)*) => {
        /// Those of all machines
        pub const SYSTEM_CALLS: &[SystemCall] = &[$(SystemCall {
            name: stringify!($number).split_at("SYS_".len()).1,
            function: Op::of(stringify!($function)),
        }),*];
    };
}

system_calls!(all);
