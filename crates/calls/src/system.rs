//! System calls that are I/O: those with a number of their own that `syscall` is followed for, all others that a log of system
//! calls may have, the functions that record them, and where in their arguments a record's fields stand.

use crate::{Arguments, Call, Kind, Op, Transfer};

/// A system call
#[derive(Clone, Copy, Debug)]
pub struct SystemCall {
    /// As the kernel calls it
    pub name: &'static str,
    /// The function that it is
    pub function: Op,
    /// Whether a hook of `syscall` records it
    pub is_followed: bool,
}

impl Arguments {
    /// Those of a shape, with the places of a function of that shape. None: the function has no parameter there that it must
    /// have
    fn of(self, call: &Call) -> Option<Arguments> {
        use Arguments::*;
        let at = |place| call.parameter(place);
        let may = |place: Option<usize>| place.and_then(at);
        Some(match self {
            Open(directory, path, flags) => Open(may(directory), at(path)?, may(flags)),
            Transfer(transfer) => Transfer(self::Transfer {
                offset: may(transfer.offset),
                is_write: call.kind == Kind::Write,
                ..transfer
            }),
            Descriptor(offset, length) => Descriptor(may(offset), may(length)),
            Path(directory, path) => Path(may(directory), at(path)?),
            Paths((one, path), (other, path2)) => {
                Paths((may(one), at(path)?), (may(other), at(path2)?))
            }
            Between(from, offset, to, offset2, length) => {
                Between(at(from)?, may(offset), at(to)?, may(offset2), at(length)?)
            }
            Exec(directory, path) => Exec(may(directory), at(path)?),
            Close | CloseRange | Seek | Dup | Fcntl | Map | Made | Pair | Clone | Global => self,
        })
    }
}

impl SystemCall {
    /// Where its arguments are. None: a request or a wait whose transfers nobody sees here, or the end of a process
    pub fn arguments(&self) -> Option<Arguments> {
        let call = self.function.call()?;
        call.shape.arguments()?.of(call)
    }
}

/// Hands a macro the numbers, as the libc crate calls them, and the functions that are recorded: first those that `syscall` is
/// followed for, then the others. A condition says where there is such a number.
#[macro_export]
macro_rules! system_calls {
    ($with:ident) => {
        $with! {
            followed {
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
            others {
                #[cfg(target_arch = "x86_64")] SYS_creat creat;
                SYS_sync sync;
                SYS_sync_file_range sync_file_range;
                SYS_fallocate fallocate;
                SYS_fadvise64 posix_fadvise64;
                SYS_readahead readahead;
                SYS_ioctl ioctl;
                SYS_fgetxattr fgetxattr;
                SYS_fsetxattr fsetxattr;
                SYS_flistxattr flistxattr;
                #[cfg(target_arch = "x86_64")] SYS_mknod mknod;
                SYS_fchmodat2 fchmodat;
                #[cfg(target_arch = "x86_64")] SYS_chown chown;
                #[cfg(target_arch = "x86_64")] SYS_lchown lchown;
                #[cfg(target_arch = "x86_64")] SYS_utime utime;
                SYS_getxattr getxattr;
                SYS_lgetxattr lgetxattr;
                SYS_setxattr setxattr;
                SYS_listxattr listxattr;
                SYS_llistxattr llistxattr;
                SYS_renameat renameat;
                #[cfg(target_arch = "x86_64")] SYS_symlink symlink;
                SYS_symlinkat symlinkat;
                SYS_mmap mmap;
                SYS_socketpair socketpair;
                SYS_socket socket;
                SYS_accept accept;
                SYS_accept4 accept4;
                SYS_eventfd2 eventfd;
                SYS_epoll_create1 epoll_create1;
                SYS_timerfd_create timerfd_create;
                SYS_signalfd4 signalfd;
                SYS_inotify_init1 inotify_init1;
                SYS_execveat execveat;
                #[cfg(target_arch = "x86_64")] SYS_fork fork;
                #[cfg(target_arch = "x86_64")] SYS_vfork vfork;
            }
        }
    };
}

macro_rules! all {
    (followed { $($(#[$on:meta])? $number:ident $function:ident;)* } others { $($(#[$and:meta])? $other:ident $its:ident;)* }) => {
        /// Those of all machines
        pub const SYSTEM_CALLS: &[SystemCall] = &[
            $(one(stringify!($number), stringify!($function), true),)*
            $(one(stringify!($other), stringify!($its), false),)*
        ];
    };
}

const fn one(number: &'static str, function: &str, is_followed: bool) -> SystemCall {
    SystemCall {
        name: number.split_at("SYS_".len()).1,
        function: Op::of(function),
        is_followed,
    }
}

system_calls!(all);

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(name: &str) -> Option<Arguments> {
        let call = SYSTEM_CALLS.iter().find(|call| call.name == name);
        call.expect("a system call").arguments()
    }

    #[test]
    fn arguments_are_where_the_kernel_has_them() {
        let transfer = |offset, is_vector, is_write| {
            Arguments::Transfer(Transfer {
                offset,
                is_vector,
                is_write,
            })
        };
        for (name, expected) in [
            ("read", transfer(None, false, false)),
            ("pwrite64", transfer(Some(3), false, true)),
            ("preadv2", transfer(Some(3), true, false)),
            ("openat2", Arguments::Open(Some(0), 1, Some(2))),
            ("creat", Arguments::Open(None, 0, None)),
            (
                "copy_file_range",
                Arguments::Between(0, Some(1), 2, Some(3), 4),
            ),
            ("sendfile", Arguments::Between(1, Some(2), 0, None, 3)),
            ("ftruncate", Arguments::Descriptor(Some(1), None)),
            ("fallocate", Arguments::Descriptor(Some(2), Some(3))),
            ("readahead", Arguments::Descriptor(Some(1), Some(2))),
            ("newfstatat", Arguments::Path(Some(0), 1)),
            ("symlink", Arguments::Path(None, 1)),
            ("symlinkat", Arguments::Path(Some(1), 2)),
            ("renameat2", Arguments::Paths((Some(0), 1), (Some(2), 3))),
            ("execveat", Arguments::Exec(Some(0), 1)),
            ("clone3", Arguments::Clone),
        ] {
            assert_eq!(arguments(name), Some(expected), "{name}");
        }
        for name in ["exit_group", "io_submit", "io_uring_enter"] {
            assert!(arguments(name).is_none(), "{name}");
        }
    }

    /// What no hook follows is here for the arguments alone.
    #[test]
    fn system_calls_that_are_not_followed_have_arguments() {
        for call in SYSTEM_CALLS.iter().filter(|call| !call.is_followed) {
            assert!(call.arguments().is_some(), "{}", call.name);
        }
    }

    #[test]
    fn every_system_call_is_there_once() {
        for (n, call) in SYSTEM_CALLS.iter().enumerate() {
            let again = SYSTEM_CALLS[..n]
                .iter()
                .any(|other| other.name == call.name);
            assert!(!again, "{}", call.name);
        }
    }
}
