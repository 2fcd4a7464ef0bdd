//! The shapes: how a call is recorded, and what its record says. `iota_runtime::shape` has a function for each, which takes
//! the operation, the real call as a closure and these arguments; tests hold every row to them.
//!
//! ```text
//! SHAPE: FUNCTION(TYPE, ...) -> TYPE, ... => COUNTS HANDLES, "what is recorded", ARGUMENTS;
//! ```
//! The last is for what may be a system call: where it stands in the call's arguments, by places of the function's.
//!
//! What a shape does to handles may be `OfKind`: rows of one shape differ in it, and their kind says all.

use crate::Arguments::{self, *};
use crate::{Counts, Effects, Handles, Kind};

macro_rules! handles {
    (OfKind, $kind:ident) => {
        Effects::of_kind($kind).handles
    };
    ($handles:ident, $kind:ident) => {{
        let _ = $kind;
        Handles::$handles
    }};
}

macro_rules! at {
    () => {
        None
    };
    ($at:expr) => {
        Some($at)
    };
}

macro_rules! shapes {
    ($($shape:ident: $function:ident($($arg:ty),*) -> $($ret:ty),+ => $counts:ident $handles:ident, $records:literal $(, $at:expr)?;)*) => {
        /// How a call is recorded: the function of `iota_runtime::shape` that the hook calls
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum Shape { $($shape),* }

        /// The shape of this function, for rows
        macro_rules! shape {
            $(($function) => { crate::Shape::$shape };)*
        }

        impl Shape {
            /// Every shape that rows may use
            pub const ALL: &[Shape] = &[$(Shape::$shape),*];

            /// The name of the function that records it
            pub const fn function(self) -> &'static str {
                match self { $(Shape::$shape => stringify!($function)),* }
            }

            /// Types of that function's arguments
            pub const fn args(self) -> &'static [&'static str] {
                match self { $(Shape::$shape => &[$(stringify!($arg)),*]),* }
            }

            /// Types that the real call may return
            pub const fn returns(self) -> &'static [&'static str] {
                match self { $(Shape::$shape => &[$(stringify!($ret)),+]),* }
            }

            /// How the result of a call that moves bytes counts
            pub const fn counts(self) -> Counts {
                match self { $(Shape::$shape => Counts::$counts),* }
            }

            /// What a call of this kind does to handles
            pub const fn handles(self, kind: Kind) -> Handles {
                match self { $(Shape::$shape => handles!($handles, kind)),* }
            }

            /// What is recorded, in a few words
            pub const fn records(self) -> &'static str {
                match self { $(Shape::$shape => $records),* }
            }

            /// Where a system call of this shape has what is recorded. None: it is no system call, or one whose arguments do
            /// not say that
            pub const fn arguments(self) -> Option<Arguments> {
                match self { $(Shape::$shape => at!($($at)?)),* }
            }
        }
    };
}

shapes! {
    // descriptors
    Open: open(*const c_char, c_int, mode_t) -> c_int => Nothing OpensByFlags, "descriptor, path, flags, mode", Open(None, 0, Some(1));
    Openat: openat(c_int, *const c_char, c_int, mode_t) -> c_int => Nothing OpensByFlags, "descriptor, path, flags, mode", Open(Some(0), 1, Some(2));
    Openat2: openat2(c_int, *const c_char, *const open_how) -> c_int => Nothing OpensByFlags, "descriptor, path, flags, mode", Open(Some(0), 1, Some(2));
    Created: created(*mut c_char) -> c_int => Nothing Opens, "descriptor, the path that was created";
    NewFd: new_fd() -> c_int => Nothing Opens, "descriptor", Made;
    NewPair: new_pair(*mut c_int) -> c_int => Nothing OpensTwo, "both descriptors", Pair;
    Close: close(c_int) -> c_int => Nothing Closes, "descriptor, path", Close;
    CloseRange: close_range(c_uint, c_uint, c_int) -> c_int, () => Nothing Keeps, "first and last descriptor", CloseRange;
    Read: read(c_int, size_t) -> ssize_t => Bytes Keeps, "descriptor, path, offset, length", Arguments::transfer(None, false);
    Write: write(c_int, size_t) -> ssize_t => Bytes Keeps, "descriptor, path, offset, length", Arguments::transfer(None, false);
    Readv: readv(c_int, *const iovec, c_int) -> ssize_t => Bytes Keeps, "descriptor, path, offset, length of all parts", Arguments::transfer(None, true);
    Writev: writev(c_int, *const iovec, c_int) -> ssize_t => Bytes Keeps, "descriptor, path, offset, length of all parts", Arguments::transfer(None, true);
    ReadAt: read_at(c_int, size_t, off64_t) -> ssize_t => Bytes Keeps, "descriptor, path, offset, length", Arguments::transfer(Some(2), false);
    WriteAt: write_at(c_int, size_t, off64_t) -> ssize_t => Bytes Keeps, "descriptor, path, offset, length", Arguments::transfer(Some(2), false);
    ReadvAt: readv_at(c_int, *const iovec, c_int, off64_t) -> ssize_t => Bytes Keeps, "descriptor, path, offset, length of all parts", Arguments::transfer(Some(3), true);
    WritevAt: writev_at(c_int, *const iovec, c_int, off64_t) -> ssize_t => Bytes Keeps, "descriptor, path, offset, length of all parts", Arguments::transfer(Some(3), true);
    WritevAs: writev_as(c_int, *const iovec, c_int, off64_t, c_int) -> ssize_t => Bytes Keeps, "descriptor, path, offset, length of all parts", Arguments::transfer(Some(3), true);
    FdPrinted: fd_printed(c_int) -> c_int => Bytes Keeps, "descriptor, path, offset, bytes";
    Copy: copy(c_int, *mut off64_t, c_int, *mut off64_t, size_t, bool) -> ssize_t => Bytes Copies, "both descriptors, paths and offsets, length", Between(0, Some(1), 2, Some(3), 4);
    Seek: seek(c_int, off64_t, c_int) -> off64_t => Nothing Seeks, "descriptor, path, offset before, distance, whence", Seek;
    OnFd: on_fd(c_int) -> c_int, c_long, ssize_t => Bytes Keeps, "descriptor, path", Descriptor(None, None);
    RangeAnswered: range_answered(c_int, off64_t, off64_t) -> c_int => Nothing Keeps, "descriptor, path, offset, length; an error number as -1 and errno", Descriptor(Some(1), Some(2));
    Range: range(c_int, off64_t, off64_t) -> c_int, ssize_t => Nothing Keeps, "descriptor, path, offset, length", Descriptor(Some(1), Some(2));
    Dup: dup(c_int) -> c_int => Nothing Duplicates, "both descriptors, path", Dup;
    Dup2: dup2(c_int, c_int) -> c_int => Nothing Duplicates, "both descriptors, path", Dup;
    Fcntl: fcntl(c_int, c_int, c_long) -> c_int => Nothing MayDuplicate, "descriptor, path, command", Fcntl;
    Ioctl: ioctl(c_int, c_ulong, c_long) -> c_int => Nothing Keeps, "descriptor, path, request", Descriptor(None, None);

    // paths
    Path: path(*const c_char) -> c_int, c_long, ssize_t => Nothing Keeps, "path", Path(None, 0);
    Chdir: chdir(*const c_char) -> c_int => Nothing Keeps, "path", Path(None, 0);
    Fchdir: fchdir(c_int) -> c_int => Nothing Keeps, "descriptor, path", Descriptor(None, None);
    PathAt: path_at(c_int, *const c_char) -> c_int, ssize_t => Nothing Keeps, "path", Path(Some(0), 1);
    PathUnread: path_unread(*const c_char) -> c_int, c_long => Nothing Keeps, "path", Path(None, 0);
    PathUnreadAt: path_unread_at(c_int, *const c_char) -> c_int => Nothing Keeps, "path", Path(Some(0), 1);
    PathTimed: path_timed(c_int, *const c_char, *const c_void) -> c_int => Nothing Keeps, "path", Path(Some(0), 1);
    Path2: path2(*const c_char, *const c_char) -> c_int => Nothing Keeps, "both paths", Paths((None, 0), (None, 1));
    Path2At: path2_at(c_int, *const c_char, c_int, *const c_char) -> c_int => Nothing Keeps, "both paths", Paths((Some(0), 1), (Some(2), 3));
    Rename: rename(*const c_char, *const c_char) -> c_int => Nothing Keeps, "both paths", Paths((None, 0), (None, 1));
    RenameAt: rename_at(c_int, *const c_char, c_int, *const c_char) -> c_int => Nothing Keeps, "both paths", Paths((Some(0), 1), (Some(2), 3));
    PathRetPtr: path_ret_ptr(*const c_char) -> *mut c_char => Nothing Keeps, "path";
    Opendir: opendir(*const c_char) -> *mut DIR => Nothing Keeps, "path, descriptor";
    Fdopendir: fdopendir(c_int) -> *mut DIR => Nothing Keeps, "descriptor, path";
    OnDir: on_dir(*mut DIR) -> c_int, c_long, (), *mut dirent, *mut dirent64 => Nothing Keeps, "descriptor, path";
    Closedir: closedir(*mut DIR) -> c_int => Nothing Keeps, "descriptor, path";
    Global: global() -> c_int, (), *mut FTS, *mut FTSENT, *mut FTS64, *mut FTSENT64 => Nothing Keeps, "nothing else", Global;

    // memory
    Map: map(size_t, c_int, c_int, off64_t) -> *mut c_void => Nothing Keeps, "descriptor, path, offset, length; maps of anonymous memory are not recorded", Map;
    Munmap: munmap(*mut c_void, size_t) -> c_int => Nothing Keeps, "length";
    Unmap: unmap(*mut c_void, size_t) -> c_int, *mut c_void => Nothing Keeps, "length";

    MemoryAnswered: memory_answered(*mut c_void, size_t) -> c_int => Nothing Keeps, "length; an error number as -1 and errno";

    // streams
    Fopen: fopen(*const c_char, *const c_char) -> *mut FILE => Nothing OpensByFlags, "descriptor, path, flags";
    Fdopen: fdopen(c_int, *const c_char) -> *mut FILE => Nothing Opens, "descriptor, path";
    Freopen: freopen(*const c_char, *const c_char, *mut FILE) -> *mut FILE => Nothing OpensByFlags, "descriptor, path, flags";
    NewStream: new_stream() -> *mut FILE => Nothing Opens, "descriptor";
    Fclose: fclose(*mut FILE) -> c_int => Nothing ClosesStream, "descriptor, path";
    CloseAllStreams: close_all_streams() -> c_int => Nothing Keeps, "nothing else";
    StreamRead: stream_read(*mut FILE, size_t, size_t) -> size_t => Items Keeps, "descriptor, path, offset, length";
    StreamWrite: stream_write(*mut FILE, size_t, size_t) -> size_t => Items Keeps, "descriptor, path, offset, length";
    StreamGetc: stream_getc(*mut FILE) -> c_int => Asked Keeps, "descriptor, path, offset, 1 byte";
    StreamPutc: stream_putc(*mut FILE) -> c_int => Asked Keeps, "descriptor, path, offset, 1 byte";
    StreamUngetc: stream_ungetc(*mut FILE) -> c_int => Nothing Keeps, "descriptor, path, offset";
    StreamGets: stream_gets(*mut FILE, c_int) -> *mut c_char => Bytes Keeps, "descriptor, path, offset, length";
    StreamGetline: stream_getline(*mut FILE) -> ssize_t => Bytes Keeps, "descriptor, path, offset, bytes";
    StreamPuts: stream_puts(*mut FILE, *const c_char) -> c_int => Asked Keeps, "descriptor, path, offset, length";
    StreamPutsLine: stream_puts_line(*mut FILE, *const c_char) -> c_int => Asked Keeps, "descriptor, path, offset, length";
    StreamPrinted: stream_printed(*mut FILE) -> c_int => Bytes Keeps, "descriptor, path, offset, bytes";
    StreamScanned: stream_scanned(*mut FILE) -> c_int, wint_t, *mut c_char, *mut wchar_t, *mut mntent, *mut passwd, *mut group, *mut spwd, *mut sgrp => Asked Keeps, "descriptor, path, offset, how far the position moved";
    StreamSeek: stream_seek(*mut FILE, off64_t, c_int) -> c_int => Nothing SeeksStream, "descriptor, path, offset before, distance, whence";
    StreamTell: stream_tell(*mut FILE) -> off64_t => Nothing Keeps, "descriptor, path, offset";
    StreamReposition: stream_reposition(*mut FILE) -> c_int, () => Nothing Keeps, "descriptor, path, offset before";
    StreamOn: stream_on(*mut FILE) -> c_int, () => Nothing Keeps, "descriptor, path";
    StreamBuffer: stream_buffer(*mut FILE, c_int, size_t) -> c_int => Nothing Keeps, "descriptor, path, size of the buffer as the length";

    // asynchronous transfers
    Aio: aio(*mut aiocb) -> c_int => Bytes Keeps, "the transfer, once it has ended; the call itself only if it fails";
    AioSync: aio_sync(c_int, *mut aiocb) -> c_int => Nothing Keeps, "the sync, once it has ended; the call itself only if it fails";
    AioReturn: aio_return(*mut aiocb) -> ssize_t => Nothing Keeps, "the transfer, under the name of the call that began it: descriptor, path, offset, length";
    AioError: aio_error(*const aiocb) -> c_int => Nothing Keeps, "no event; the transfer, if it has ended: descriptor, path, offset, length";
    AioList: aio_list(c_int, *const *mut aiocb, c_int) -> c_int => Nothing Keeps, "number of transfers; each transfer once it has ended, as aio_read or aio_write";

    // asynchronous transfers of the kernel's
    Request: request() -> () => Bytes OfKind, "the request, from its submission to when the program could know that it had ended: descriptor, path, offset, length";
    KernelAio: kernel_aio() -> c_int => Nothing Keeps, "nothing else";
    SubmitRequests: submit_requests(c_long, *mut *mut c_void) -> c_int => Nothing Keeps, "number of requests; each request once it has ended";
    GetEvents: get_events(c_long, *mut c_void) -> c_int => Nothing Keeps, "number of completions asked for";
    CancelRequest: cancel_request(*mut c_void) -> c_int => Nothing Keeps, "nothing else";
    RingBegins: ring_begins(*mut c_void) -> c_int => Nothing Opens, "the ring's descriptor";
    RingEnds: ring_ends(*mut c_void) -> () => Nothing Closes, "the ring's descriptor";
    RingSubmits: ring_submits(*mut c_void) -> c_int => Nothing Keeps, "the ring's descriptor; each request once it has ended";
    RingWaits: ring_waits(*mut c_void, c_uint) -> c_int => Nothing Keeps, "the ring's descriptor, if it waits or submits";
    RingMade: ring_made(*mut c_void) -> c_int => Nothing Opens, "the ring's descriptor";
    RingEntered: ring_entered(c_uint, c_uint, c_uint) -> c_int => Nothing Keeps, "the ring's descriptor, number of requests; each request once it has ended";
    RingPeeks: ring_peeks(*mut c_void) -> c_int, c_uint => Nothing Keeps, "no event";

    // anything
    Syscall: syscall(c_long, c_long, c_long, c_long, c_long, c_long, c_long) -> c_long => Nothing Keeps, "as the function with that number, under its name; no event if it is no I/O";

    // MPI-IO: the functions are those of iota_mpi::io
    MpiOpen: mpi_open(MPI_Comm, *const c_char, c_int, MPI_Info, *mut MPI_File) -> c_int => Nothing Keeps, "path, number of ranks, collective, amode, hints in force, hints that were given";
    MpiClose: mpi_close(*mut MPI_File) -> c_int => Nothing Keeps, "path, number of ranks, collective";
    MpiPath: mpi_path(*const c_char) -> c_int => Nothing Keeps, "path";
    MpiOn: mpi_on(MPI_File, By) -> c_int => Nothing Keeps, "path, number of ranks, collective if it is one";
    MpiSized: mpi_sized(MPI_File, MPI_Offset) -> c_int => Nothing Keeps, "path, size as length, number of ranks, collective";
    MpiHints: mpi_hints(MPI_File) -> c_int => Nothing Keeps, "path, number of ranks, collective, amode, hints";
    MpiView: mpi_view(MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype) -> c_int => Nothing Keeps, "path, displacement as offset, number of ranks, collective, size of the etype, size and extent of the filetype, hints";
    MpiSeek: mpi_seek(MPI_File, By, MPI_Offset, c_int) -> c_int => Nothing Keeps, "path, distance as length, whence, number of ranks, collective if it is one";
    MpiTransfer: mpi_transfer(MPI_File, By, At, MPI_Count, MPI_Datatype, *mut MPI_Status) -> c_int => Bytes Keeps, "path, offset, length, bytes moved, number of ranks, collective if it is one, extent";
    MpiStarts: mpi_starts(MPI_File, By, At, MPI_Count, MPI_Datatype, *mut MPI_Request) -> c_int => Bytes Keeps, "the transfer, once it has ended: as a blocking one, and how long it took to begin";
    MpiBegins: mpi_begins(MPI_File, At, MPI_Count, MPI_Datatype) -> c_int => Bytes Keeps, "the transfer, once it has ended: as a blocking one, and how long it took to begin";
    MpiEnds: mpi_ends(MPI_File, *mut MPI_Status) -> c_int => Nothing Keeps, "path; the transfer that it ends";
    MpiWaitsOne: mpi_waits_one(*mut MPI_Request, *mut MPI_Status) -> c_int => Nothing Keeps, "requests of files that it completed, each of which is an event as well; no event if there are none";
    MpiWaitsAny: mpi_waits_any(c_int, *mut MPI_Request, *mut MPI_Status) -> c_int => Nothing Keeps, "requests of files that it completed, each of which is an event as well; no event if there are none";
    MpiWaitsAll: mpi_waits_all(c_int, *mut MPI_Request, *mut MPI_Status) -> c_int => Nothing Keeps, "requests of files that it completed, each of which is an event as well; no event if there are none";
    MpiWaitsSome: mpi_waits_some(c_int, *mut MPI_Request, *mut c_int, *mut c_int, *mut MPI_Status) -> c_int => Nothing Keeps, "requests of files that it completed, each of which is an event as well; no event if there are none";
    MpiFrees: mpi_frees(*mut MPI_Request) -> c_int => Nothing Keeps, "requests of files that it completed, each of which is an event as well; no event if there are none";

    // HDF5: the functions are those of iota_hdf5
    H5File: h5_file(*const c_char, c_uint, hid_t, hid_t) -> hid_t => Nothing Keeps, "path, flags, driver, VOL connector, whether metadata is read and written collectively";
    H5Path: h5_path(*const c_char) -> herr_t, htri_t => Nothing Keeps, "path";
    H5Open: h5_open(hid_t, Naming, hid_t) -> hid_t => Nothing Keeps, "path, name in the file";
    H5Attribute: h5_attribute(hid_t, hid_t) -> hid_t => Nothing Keeps, "path, name in the file";
    H5Dataset: h5_dataset(hid_t, Naming, hid_t) -> hid_t => Nothing Keeps, "path, name in the file, size of an element, layout, size of a chunk, filters";
    H5Close: h5_close(hid_t, hid_t) -> herr_t => Nothing Keeps, "path, name in the file";
    H5Release: h5_release(hid_t) -> c_int => Nothing Keeps, "path, name in the file; no event if it closes neither a file nor an object";
    H5End: h5_end() -> herr_t => Nothing Keeps, "nothing else";
    H5On: h5_on(hid_t) -> herr_t, ssize_t, c_int => Nothing Keeps, "path, name in the file";
    H5At: h5_at(hid_t, *const c_char) -> herr_t, htri_t, ssize_t, c_int => Nothing Keeps, "path, name in the file";
    H5AttributeAt: h5_attribute_at(hid_t, *const c_char, *const c_char) -> herr_t, htri_t => Nothing Keeps, "path, name in the file";
    H5AttributeTransfer: h5_attribute_transfer(hid_t, hid_t, hid_t) -> herr_t => Asked Keeps, "path, length, name in the file, number of elements, their size in memory and in the file";
    H5ChunkRead: h5_chunk_read(hid_t, *const hsize_t) -> herr_t => Asked Keeps, "path, length, name in the file, size of an element, layout, size of a chunk, filters";
    H5ChunkWrite: h5_chunk_write(hid_t, size_t) -> herr_t => Asked Keeps, "path, length, name in the file, size of an element, layout, size of a chunk, filters";
    H5Multi: h5_multi(size_t, *const hid_t, *const hid_t, *const hid_t, *const hid_t, hid_t, hid_t) -> herr_t => Asked Keeps, "path of the first dataset, length of all; the same as of a single transfer of each of the first eight";
    H5Transfer: h5_transfer(hid_t, hid_t, hid_t, hid_t, hid_t, hid_t) -> herr_t => Asked Keeps, "path, length, name in the file, number of elements, their size in memory and in the file, selection, layout, size of a chunk, filters, whether it was to be collective, and was";

    // PnetCDF and NetCDF: the functions are those of iota_netcdf
    NcOpens: nc_opens(*const c_char, Ranks, *mut c_int) -> c_int => Nothing Keeps, "path, number of ranks, collective if there are several";
    NcCloses: nc_closes(c_int) -> c_int => Nothing Keeps, "path, number of ranks, collective if there are several";
    NcPath: nc_path(*const c_char) -> c_int => Nothing Keeps, "path";
    NcOn: nc_on(c_int, Access) -> c_int => Nothing Keeps, "path, number of ranks, collective if it is one";
    NcRedefines: nc_redefines(c_int, Access) -> c_int => Nothing Keeps, "path, number of ranks, collective if it is one";
    NcNamed: nc_named(c_int, *const c_char) -> c_int => Nothing Keeps, "path, the name";
    NcVariable: nc_variable(c_int, c_int, Access) -> c_int => Nothing Keeps, "path, the variable if its name is known, number of ranks, collective if it is one";
    NcAccess: nc_access(c_int, c_int, c_int) -> c_int => Nothing Keeps, "path, the variable if its name is known";
    NcFilters: nc_filters(c_int, c_int, c_int) -> c_int => Nothing Keeps, "path, the variable if its name is known";
    NcAttribute: nc_attribute(c_int, c_int, *const c_char) -> c_int => Nothing Keeps, "path, the variable if its name is known, the attribute";
    NcMoves: nc_moves(c_int, c_int, Access, Part, Element) -> c_int => Bytes Keeps, "path, length, the variable, number of ranks, collective if it is one, number of elements, their size in memory and in the file, size of a chunk, whether a dimension is unlimited";
    NcMovesEach: nc_moves_each(c_int, c_int, *const c_int, By, Part, Element) -> c_int => Bytes Keeps, "path, length and number of elements of all variables together, number of ranks, collective if it is one";
    NcStarts: nc_starts(c_int, c_int, Part, Element, *mut c_int) -> c_int => Bytes Keeps, "the transfer, once it was waited for: as a blocking one, and how long it took to begin";
    NcWaits: nc_waits(c_int, By, c_int, *mut c_int, *mut c_int) -> c_int => Nothing Keeps, "path, number of requests that it completed, number of ranks, collective if it is one; each request is an event as well";
    NcCancels: nc_cancels(c_int, c_int, *mut c_int, *mut c_int) -> c_int => Nothing Keeps, "path, number of requests; each of them is an event as well";
    NcBuffer: nc_buffer(c_int, MPI_Offset) -> c_int => Nothing Keeps, "path, size as length";

    // processes
    Fork: fork() -> pid_t => Nothing Keeps, "the child, in the parent only", Clone;
    ForkAlone: fork_alone() -> pid_t => Nothing Keeps, "the child, in the parent only", Clone;
    Vfork: vfork() -> pid_t => Nothing Keeps, "the child; calls of the child before exec are not recorded", Clone;
    Clone: clone(c_int) -> c_int => Nothing Keeps, "the child or thread; calls of a child that shares its parent's memory are not recorded", Clone;
    Daemon: daemon() -> c_int => Nothing Keeps, "only if it fails; the trace is written before the call, and the daemon starts a new part";
    Spawn: spawn(*const c_char, *mut pid_t) -> c_int => Nothing Keeps, "path, the child (as length); an error number as -1 and errno";
    SpawnFile: spawn_file(*const c_char, *mut pid_t) -> c_int => Nothing Keeps, "the child (as length); an error number as -1 and errno";
    Command: command(*const c_char) -> c_int => Nothing Keeps, "length of the command";
    Exec: exec(*const c_char) -> c_int => Nothing Keeps, "path, only if it fails; the trace is finished before the call", Exec(None, 0);
    ExecFile: exec_file(*const c_char) -> c_int => Nothing Keeps, "length of the name, only if it fails; the trace is finished before the call";
    ExecFd: exec_fd(c_int) -> c_int => Nothing Keeps, "descriptor, path, only if it fails; the trace is finished before the call";
    ExecAt: exec_at(c_int, *const c_char) -> c_int => Nothing Keeps, "path, only if it fails; the trace is finished before the call", Exec(Some(0), 1);
    Exit: exit() -> ! => Nothing Keeps, "no event; the trace is finished before the call, or when the handlers of at_quick_exit or SIGABRT have run";
}
