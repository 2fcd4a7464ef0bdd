//! System calls that are I/O, and where in their arguments what is to be known of them stands.

use Kind::{Close, Map, Meta, Open, Process, Read, Seek, Sync, Write};
use iota_calls::Kind;

/// What the arguments are; numbers are their places
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Opens a path, below a directory if there is one: directory, path, flags
    Open(Option<usize>, usize, Option<usize>),
    /// Ends a descriptor
    Close,
    /// First and last descriptor
    CloseRange,
    /// Moves bytes at the position, or at an offset
    Transfer(Option<usize>),
    /// Moves the position
    Seek,
    /// Makes the same descriptor again
    Dup,
    /// Which may do so
    Fcntl,
    /// On a descriptor, whose offset and length stand there
    Descriptor(Option<usize>, Option<usize>),
    /// On a path, below a directory if there is one
    Path(Option<usize>, usize),
    /// On two paths
    Paths((Option<usize>, usize), (Option<usize>, usize)),
    /// From a descriptor to another: from, its offset, to, its offset, length
    Between(usize, usize, usize, Option<usize>, usize),
    /// Maps a descriptor
    Map,
    /// Returns a descriptor of no file
    Made,
    /// Fills in two
    Pair,
    /// Becomes another program
    Exec,
    /// Makes a process or thread
    Clone,
    /// On nothing that is named
    Global,
}

use Shape::{Between, Descriptor, Dup, Exec, Fcntl, Global, Made, Pair, Path, Paths, Transfer};

const ON: Shape = Descriptor(None, None);
const AT: Shape = Path(Some(0), 1);
const PATH: Shape = Path(None, 0);

/// Name, shape, kind
const CALLS: &[(&str, Shape, Kind)] = &[
    ("open", Shape::Open(None, 0, Some(1)), Open),
    ("openat", Shape::Open(Some(0), 1, Some(2)), Open),
    ("openat2", Shape::Open(Some(0), 1, Some(2)), Open),
    ("creat", Shape::Open(None, 0, None), Open),
    ("close", Shape::Close, Close),
    ("close_range", Shape::CloseRange, Close),
    ("read", Transfer(None), Read),
    ("readv", Transfer(None), Read),
    ("pread64", Transfer(Some(3)), Read),
    ("preadv", Transfer(Some(3)), Read),
    ("preadv2", Transfer(Some(3)), Read),
    ("write", Transfer(None), Write),
    ("writev", Transfer(None), Write),
    ("pwrite64", Transfer(Some(3)), Write),
    ("pwritev", Transfer(Some(3)), Write),
    ("pwritev2", Transfer(Some(3)), Write),
    ("copy_file_range", Between(0, 1, 2, Some(3), 4), Write),
    ("splice", Between(0, 1, 2, Some(3), 4), Write),
    ("sendfile", Between(1, 2, 0, None, 3), Write),
    ("lseek", Shape::Seek, Seek),
    ("dup", Dup, Meta),
    ("dup2", Dup, Meta),
    ("dup3", Dup, Meta),
    ("fcntl", Fcntl, Meta),
    ("fsync", ON, Sync),
    ("fdatasync", ON, Sync),
    ("syncfs", ON, Sync),
    ("sync", Global, Sync),
    ("sync_file_range", Descriptor(Some(1), Some(2)), Sync),
    ("ftruncate", Descriptor(None, Some(1)), Meta),
    ("fallocate", Descriptor(Some(2), Some(3)), Meta),
    ("fadvise64", Descriptor(Some(1), Some(2)), Meta),
    ("readahead", Descriptor(Some(1), Some(2)), Read),
    ("flock", ON, Meta),
    ("fstat", ON, Meta),
    ("fstatfs", ON, Meta),
    ("fchmod", ON, Meta),
    ("fchown", ON, Meta),
    ("ioctl", ON, Meta),
    ("getdents64", ON, Meta),
    ("fgetxattr", ON, Meta),
    ("fsetxattr", ON, Meta),
    ("flistxattr", ON, Meta),
    ("fchdir", ON, Meta),
    ("stat", PATH, Meta),
    ("lstat", PATH, Meta),
    ("newfstatat", AT, Meta),
    ("statx", AT, Meta),
    ("statfs", PATH, Meta),
    ("access", PATH, Meta),
    ("faccessat", AT, Meta),
    ("faccessat2", AT, Meta),
    ("readlink", PATH, Meta),
    ("readlinkat", AT, Meta),
    ("unlink", PATH, Meta),
    ("unlinkat", AT, Meta),
    ("rmdir", PATH, Meta),
    ("mkdir", PATH, Meta),
    ("mkdirat", AT, Meta),
    ("mknod", PATH, Meta),
    ("mknodat", AT, Meta),
    ("chmod", PATH, Meta),
    ("fchmodat", AT, Meta),
    ("fchmodat2", AT, Meta),
    ("chown", PATH, Meta),
    ("lchown", PATH, Meta),
    ("fchownat", AT, Meta),
    ("truncate", PATH, Meta),
    ("utime", PATH, Meta),
    ("utimensat", AT, Meta),
    ("getxattr", PATH, Meta),
    ("lgetxattr", PATH, Meta),
    ("setxattr", PATH, Meta),
    ("listxattr", PATH, Meta),
    ("llistxattr", PATH, Meta),
    ("chdir", PATH, Meta),
    ("rename", Paths((None, 0), (None, 1)), Meta),
    ("renameat", Paths((Some(0), 1), (Some(2), 3)), Meta),
    ("renameat2", Paths((Some(0), 1), (Some(2), 3)), Meta),
    ("link", Paths((None, 0), (None, 1)), Meta),
    ("linkat", Paths((Some(0), 1), (Some(2), 3)), Meta),
    ("symlink", Path(None, 1), Meta),
    ("symlinkat", Path(Some(1), 2), Meta),
    ("mmap", Shape::Map, Map),
    ("pipe", Pair, Open),
    ("pipe2", Pair, Open),
    ("socketpair", Pair, Open),
    ("socket", Made, Open),
    ("accept", Made, Open),
    ("accept4", Made, Open),
    ("eventfd2", Made, Open),
    ("epoll_create1", Made, Open),
    ("memfd_create", Made, Open),
    ("timerfd_create", Made, Open),
    ("signalfd4", Made, Open),
    ("inotify_init1", Made, Open),
    ("execve", Exec, Process),
    ("execveat", Exec, Process),
    ("clone", Shape::Clone, Process),
    ("clone3", Shape::Clone, Process),
    ("fork", Shape::Clone, Process),
    ("vfork", Shape::Clone, Process),
];

/// That of a name; nothing of a call that is no I/O
pub fn find(name: &str) -> Option<(Shape, Kind)> {
    let found = CALLS.iter().find(|(known, ..)| *known == name)?;
    Some((found.1, found.2))
}
