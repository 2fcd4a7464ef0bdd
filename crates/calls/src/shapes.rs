//! The shapes: how a call is recorded. `iota_runtime::shape` has a function for each, which takes the operation, the
//! real call as a closure and these arguments; tests hold every row to them.

/// A shape
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The function's name
    pub name: &'static str,
    /// Types of its arguments
    pub args: &'static [&'static str],
    /// Types that the real call may return
    pub returns: &'static [&'static str],
    /// What is recorded, in a few words
    pub records: &'static str,
}

/// The shape of this name
pub fn find(name: &str) -> Option<&'static Shape> {
    SHAPES.iter().find(|shape| shape.name == name)
}

macro_rules! shapes {
    ($($name:ident($($arg:ty),*) -> $($ret:ty),+ => $records:literal;)*) => {
        /// Every shape that rows may use
        pub const SHAPES: &[Shape] = &[$(Shape {
            name: stringify!($name),
            args: &[$(stringify!($arg)),*],
            returns: &[$(stringify!($ret)),+],
            records: $records,
        }),*];
    };
}

shapes! {
    // descriptors
    open(*const c_char, c_int, mode_t) -> c_int => "descriptor, path, flags, mode";
    openat(c_int, *const c_char, c_int, mode_t) -> c_int => "descriptor, path, flags, mode";
    openat2(c_int, *const c_char, *const open_how) -> c_int => "descriptor, path, flags, mode";
    created(*mut c_char) -> c_int => "descriptor, the path that was made";
    new_fd() -> c_int => "descriptor";
    new_pair(*mut c_int) -> c_int => "both descriptors";
    close(c_int) -> c_int => "descriptor, path";
    close_range(c_uint, c_uint, c_int) -> c_int, () => "first and last descriptor";
    read(c_int, size_t) -> ssize_t => "descriptor, path, offset, length";
    write(c_int, size_t) -> ssize_t => "descriptor, path, offset, length";
    readv(c_int, *const iovec, c_int) -> ssize_t => "descriptor, path, offset, length of all parts";
    writev(c_int, *const iovec, c_int) -> ssize_t => "descriptor, path, offset, length of all parts";
    read_at(c_int, size_t, off64_t) -> ssize_t => "descriptor, path, offset, length";
    write_at(c_int, size_t, off64_t) -> ssize_t => "descriptor, path, offset, length";
    readv_at(c_int, *const iovec, c_int, off64_t) -> ssize_t => "descriptor, path, offset, length of all parts";
    writev_at(c_int, *const iovec, c_int, off64_t) -> ssize_t => "descriptor, path, offset, length of all parts";
    fd_printed(c_int) -> c_int => "descriptor, path, offset, bytes";
    copy(c_int, *mut off64_t, c_int, *mut off64_t, size_t, bool) -> ssize_t => "both descriptors, paths and offsets, length";
    seek(c_int, off64_t, c_int) -> off64_t => "descriptor, path, offset before, distance, whence";
    on_fd(c_int) -> c_int, c_long, ssize_t => "descriptor, path";
    range_answered(c_int, off64_t, off64_t) -> c_int => "descriptor, path, offset, length; an error number as -1 and errno";
    range(c_int, off64_t, off64_t) -> c_int, ssize_t => "descriptor, path, offset, length";
    dup(c_int) -> c_int => "both descriptors, path";
    dup2(c_int, c_int) -> c_int => "both descriptors, path";
    fcntl(c_int, c_int, c_long) -> c_int => "descriptor, path, command";
    ioctl(c_int, c_ulong, c_long) -> c_int => "descriptor, path, request";

    // paths
    path(*const c_char) -> c_int, c_long, ssize_t => "path";
    chdir(*const c_char) -> c_int => "path";
    fchdir(c_int) -> c_int => "descriptor, path";
    path_at(c_int, *const c_char) -> c_int, ssize_t => "path";
    path_unread(*const c_char) -> c_long => "path";
    path_timed(c_int, *const c_char, *const c_void) -> c_int => "path";
    path2(*const c_char, *const c_char) -> c_int => "both paths";
    path2_at(c_int, *const c_char, c_int, *const c_char) -> c_int => "both paths";
    rename(*const c_char, *const c_char) -> c_int => "both paths";
    rename_at(c_int, *const c_char, c_int, *const c_char) -> c_int => "both paths";
    path_ret_ptr(*const c_char) -> *mut c_char => "path";
    opendir(*const c_char) -> *mut DIR => "path, descriptor";
    fdopendir(c_int) -> *mut DIR => "descriptor, path";
    on_dir(*mut DIR) -> c_int, c_long, (), *mut dirent, *mut dirent64 => "descriptor, path";
    closedir(*mut DIR) -> c_int => "descriptor, path";
    global() -> c_int, (), *mut FTS, *mut FTSENT, *mut FTS64, *mut FTSENT64 => "that it happened";

    // memory
    map(size_t, c_int, c_int, off64_t) -> *mut c_void => "descriptor, path, offset, length; memory that is no file is not recorded";
    munmap(*mut c_void, size_t) -> c_int => "address, length";
    unmap(*mut c_void, size_t) -> c_int, *mut c_void => "address, length";

    memory_answered(*mut c_void, size_t) -> c_int => "address, length; an error number as -1 and errno";

    // streams
    fopen(*const c_char, *const c_char) -> *mut FILE => "descriptor, path, flags";
    fdopen(c_int, *const c_char) -> *mut FILE => "descriptor, path";
    freopen(*const c_char, *const c_char, *mut FILE) -> *mut FILE => "descriptor, path, flags";
    new_stream() -> *mut FILE => "descriptor";
    fclose(*mut FILE) -> c_int => "descriptor, path";
    close_all_streams() -> c_int => "that it happened";
    stream_read(*mut FILE, size_t, size_t) -> size_t => "descriptor, path, offset, length";
    stream_write(*mut FILE, size_t, size_t) -> size_t => "descriptor, path, offset, length";
    stream_getc(*mut FILE) -> c_int => "descriptor, path, offset, 1 byte";
    stream_putc(*mut FILE) -> c_int => "descriptor, path, offset, 1 byte";
    stream_ungetc(*mut FILE) -> c_int => "descriptor, path, offset";
    stream_gets(*mut FILE, c_int) -> *mut c_char => "descriptor, path, offset, length";
    stream_getline(*mut FILE) -> ssize_t => "descriptor, path, offset, bytes";
    stream_puts(*mut FILE, *const c_char) -> c_int => "descriptor, path, offset, length";
    stream_puts_line(*mut FILE, *const c_char) -> c_int => "descriptor, path, offset, length";
    stream_printed(*mut FILE) -> c_int => "descriptor, path, offset, bytes";
    stream_scanned(*mut FILE) -> c_int, wint_t, *mut c_char, *mut wchar_t, *mut mntent, *mut passwd, *mut group, *mut spwd, *mut sgrp
        => "descriptor, path, offset, how far the position moved";
    stream_seek(*mut FILE, off64_t, c_int) -> c_int => "descriptor, path, offset before, distance, whence";
    stream_tell(*mut FILE) -> off64_t => "descriptor, path, offset";
    stream_reposition(*mut FILE) -> c_int, () => "descriptor, path, offset before";
    stream_on(*mut FILE) -> c_int, () => "descriptor, path";

    // asynchronous transfers
    aio(*mut aiocb) -> c_int => "nothing yet, unless it fails: the transfer when it has ended";
    aio_sync(c_int, *mut aiocb) -> c_int => "nothing yet, unless it fails: the sync when it has ended";
    aio_return(*mut aiocb) -> ssize_t => "the transfer, as the call that began it: descriptor, path, offset, length";
    aio_list(c_int, *const *mut aiocb, c_int) -> c_int => "how many; each transfer when it has ended, as aio_read or aio_write";

    // asynchronous transfers of the kernel's
    request() -> () => "the request when it has ended, from its submission to when the program could know: descriptor, path, offset, length";
    kernel_aio() -> c_int => "that it happened";
    submit_requests(c_long, *mut *mut c_void) -> c_int => "how many; each request when it has ended";
    get_events(c_long, *mut c_void) -> c_int => "how many";
    cancel_request(*mut c_void) -> c_int => "that it happened";
    ring_begins(*mut c_void) -> c_int => "the ring's descriptor";
    ring_ends(*mut c_void) -> () => "the ring's descriptor";
    ring_submits(*mut c_void) -> c_int => "the ring's descriptor; each request when it has ended";
    ring_waits(*mut c_void, c_uint) -> c_int => "the ring's descriptor, if it waits or submits";
    ring_made(*mut c_void) -> c_int => "the ring's descriptor";
    ring_entered(c_uint, c_uint, c_uint) -> c_int => "the ring's descriptor, how many; each request when it has ended";
    ring_peeks(*mut c_void) -> c_int, c_uint => "nothing of its own";

    // anything
    syscall(c_long, c_long, c_long, c_long, c_long, c_long, c_long) -> c_long => "what the call of that number records, under its name, if it is I/O; else nothing";

    // processes
    fork() -> pid_t => "the child; in the child nothing";
    fork_alone() -> pid_t => "the child; in the child nothing";
    vfork() -> pid_t => "the child; what the child does before it calls exec is not recorded";
    clone(c_int) -> c_int => "the child or thread; what a child in its parent's memory does is not recorded";
    daemon() -> c_int => "that it failed: what was recorded is written before it, and the daemon begins anew";
    spawn(*const c_char, *mut pid_t) -> c_int => "path, the child as length; an error number as -1 and errno";
    spawn_file(*const c_char, *mut pid_t) -> c_int => "the child as length; an error number as -1 and errno";
    command(*const c_char) -> c_int => "length of the command";
    exec(*const c_char) -> c_int => "path, where it fails: the trace is finished before it";
    exec_file(*const c_char) -> c_int => "length of the name, where it fails: the trace is finished before it";
    exec_fd(c_int) -> c_int => "descriptor, path, where it fails: the trace is finished before it";
    exec_at(c_int, *const c_char) -> c_int => "path, where it fails: the trace is finished before it";
    exit() -> ! => "no event: the trace is finished before it";
}
