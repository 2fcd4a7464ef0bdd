//! System calls that are I/O, and where in their arguments what is to be known of them stands: as the rows of the table
//! tell their shapes.

use iota_calls::{Call, Kind, Op, SYSTEM_CALLS, Shape};
use std::collections::HashMap;
use std::sync::LazyLock;

/// What the arguments are; numbers are their places
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Opens a path, below a directory if there is one: directory, path, flags
    Open(Option<usize>, usize, Option<usize>),
    /// Ends a descriptor
    Close,
    /// First and last descriptor
    CloseRange,
    /// Moves bytes
    Transfer(Transfer),
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
    Between(usize, Option<usize>, usize, Option<usize>, usize),
    /// Maps a descriptor
    Map,
    /// Returns a descriptor of no file
    Made,
    /// Fills in two
    Pair,
    /// Becomes another program: a path, below a directory if there is one
    Exec(Option<usize>, usize),
    /// Makes a process or thread
    Clone,
    /// On nothing that is named
    Global,
}

/// How bytes are moved
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Where the offset stands, if not at the position
    pub offset: Option<usize>,
    /// Whether there are several buffers
    pub is_vector: bool,
    pub is_write: bool,
}

/// The function that a system call is recorded as, and its arguments
#[derive(Clone, Copy, Debug)]
pub struct SystemCall {
    pub function: Op,
    pub arguments: Arguments,
}

/// What `syscall` is not followed for, and the functions that it is
const MORE: &[(&str, &str)] = &[
    ("creat", "creat"),
    ("sync", "sync"),
    ("sync_file_range", "sync_file_range"),
    ("fallocate", "fallocate"),
    ("fadvise64", "posix_fadvise64"),
    ("readahead", "readahead"),
    ("ioctl", "ioctl"),
    ("fgetxattr", "fgetxattr"),
    ("fsetxattr", "fsetxattr"),
    ("flistxattr", "flistxattr"),
    ("mknod", "mknod"),
    ("fchmodat2", "fchmodat"),
    ("chown", "chown"),
    ("lchown", "lchown"),
    ("utime", "utime"),
    ("getxattr", "getxattr"),
    ("lgetxattr", "lgetxattr"),
    ("setxattr", "setxattr"),
    ("listxattr", "listxattr"),
    ("llistxattr", "llistxattr"),
    ("renameat", "renameat"),
    ("symlink", "symlink"),
    ("symlinkat", "symlinkat"),
    ("mmap", "mmap"),
    ("socketpair", "socketpair"),
    ("socket", "socket"),
    ("accept", "accept"),
    ("accept4", "accept4"),
    ("eventfd2", "eventfd"),
    ("epoll_create1", "epoll_create1"),
    ("timerfd_create", "timerfd_create"),
    ("signalfd4", "signalfd"),
    ("inotify_init1", "inotify_init1"),
    ("execveat", "execveat"),
    ("fork", "fork"),
    ("vfork", "vfork"),
];

static CALLS: LazyLock<HashMap<&str, SystemCall>> = LazyLock::new(|| {
    let followed = SYSTEM_CALLS.iter().map(|call| (call.name, call.function));
    let more = MORE
        .iter()
        .map(|(name, function)| (*name, Op::of(function)));
    let known = |(name, function): (&'static str, Op)| {
        let arguments = arguments(function.call()?)?;
        Some((
            name,
            SystemCall {
                function,
                arguments,
            },
        ))
    };
    followed.chain(more).filter_map(known).collect()
});

/// That of a name; nothing of a call that is no I/O
pub fn find(name: &str) -> Option<SystemCall> {
    CALLS.get(name).copied()
}

/// Where a system call has what the shape of its function is told; none: it is left out
#[deny(clippy::wildcard_enum_match_arm)]
fn arguments(call: &Call) -> Option<Arguments> {
    let at = |place| call.parameter(place);
    let transfer = |offset, is_vector| {
        Arguments::Transfer(Transfer {
            offset,
            is_vector,
            is_write: call.kind == Kind::Write,
        })
    };
    Some(match call.shape {
        Shape::Open => Arguments::Open(None, at(0)?, at(1)),
        Shape::Openat | Shape::Openat2 => Arguments::Open(at(0), at(1)?, at(2)),
        Shape::Close => Arguments::Close,
        Shape::CloseRange => Arguments::CloseRange,
        Shape::Read | Shape::Write => transfer(None, false),
        Shape::ReadAt | Shape::WriteAt => transfer(at(2), false),
        Shape::Readv | Shape::Writev => transfer(None, true),
        Shape::ReadvAt | Shape::WritevAt | Shape::WritevAs => transfer(at(3), true),
        Shape::Seek => Arguments::Seek,
        Shape::Dup | Shape::Dup2 => Arguments::Dup,
        Shape::Fcntl => Arguments::Fcntl,
        Shape::OnFd | Shape::Ioctl | Shape::Fchdir => Arguments::Descriptor(None, None),
        Shape::Range | Shape::RangeAnswered => Arguments::Descriptor(at(1), at(2)),
        Shape::Path | Shape::PathUnread | Shape::Chdir => Arguments::Path(None, at(0)?),
        Shape::PathAt | Shape::PathUnreadAt | Shape::PathTimed => Arguments::Path(at(0), at(1)?),
        Shape::Path2 | Shape::Rename => Arguments::Paths((None, at(0)?), (None, at(1)?)),
        Shape::Path2At | Shape::RenameAt => Arguments::Paths((at(0), at(1)?), (at(2), at(3)?)),
        Shape::Copy => Arguments::Between(at(0)?, at(1), at(2)?, at(3), at(4)?),
        Shape::Map => Arguments::Map,
        Shape::NewFd => Arguments::Made,
        Shape::NewPair => Arguments::Pair,
        Shape::Exec => Arguments::Exec(None, at(0)?),
        Shape::ExecAt => Arguments::Exec(at(0), at(1)?),
        Shape::Fork | Shape::ForkAlone | Shape::Vfork | Shape::Clone => Arguments::Clone,
        Shape::Global => Arguments::Global,
        // Requests and waits whose transfers nobody sees; what ends a process; and no system calls.
        Shape::Created
        | Shape::FdPrinted
        | Shape::PathRetPtr
        | Shape::Opendir
        | Shape::Fdopendir
        | Shape::OnDir
        | Shape::Closedir
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
        | Shape::KernelAio
        | Shape::SubmitRequests
        | Shape::GetEvents
        | Shape::CancelRequest
        | Shape::RingBegins
        | Shape::RingEnds
        | Shape::RingSubmits
        | Shape::RingWaits
        | Shape::RingMade
        | Shape::RingEntered
        | Shape::RingPeeks
        | Shape::Syscall
        | Shape::Daemon
        | Shape::Spawn
        | Shape::SpawnFile
        | Shape::Command
        | Shape::ExecFile
        | Shape::ExecFd
        | Shape::Exit
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
        | Shape::NcBuffer => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(
                find(name).map(|known| known.arguments),
                Some(expected),
                "{name}"
            );
        }
        for name in ["exit_group", "io_submit", "io_uring_enter", "futex"] {
            assert!(find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn every_other_system_call_has_a_row_that_says_where() {
        for (name, _) in MORE {
            assert!(find(name).is_some(), "{name}");
        }
    }
}
