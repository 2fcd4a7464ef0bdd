//! Descriptors: opening, moving bytes, positions, storage, copies of descriptors.

calls! { Libc;
    "Opening and closing" {
        open(path: *const c_char, flags: c_int, ...mode: mode_t) -> c_int => Posix Open, open(path, flags, mode);
        openat(dirfd: c_int, path: *const c_char, flags: c_int, ...mode: mode_t) -> c_int => Posix Open, openat(dirfd, path, flags, mode);
        creat(path: *const c_char, mode: mode_t) -> c_int => Posix Open, open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
        close(fd: c_int) -> c_int => Posix Close, close(fd);
    }
    "Reading and writing" {
        read(fd: c_int, buf: *mut c_void, count: size_t) -> ssize_t => Posix Read, read(fd, count);
        write(fd: c_int, buf: *const c_void, count: size_t) -> ssize_t => Posix Write, write(fd, count);
        pread64(fd: c_int, buf: *mut c_void, count: size_t, offset: off64_t) -> ssize_t => Posix Read, read_at(fd, count, offset);
        pwrite64(fd: c_int, buf: *const c_void, count: size_t, offset: off64_t) -> ssize_t => Posix Write, write_at(fd, count, offset);
        readv(fd: c_int, iov: *const iovec, iovcnt: c_int) -> ssize_t => Posix Read, readv(fd, iov, iovcnt);
    }
    "Position" {
        lseek64(fd: c_int, offset: off64_t, whence: c_int) -> off64_t => Posix Seek, seek(fd, offset, whence);
    }
    "Storage" {
        fsync(fd: c_int) -> c_int => Posix Sync, on_fd(fd);
    }
    "Copies of descriptors" {
        dup2(oldfd: c_int, newfd: c_int) -> c_int => Posix Other, dup2(oldfd, newfd);
        fcntl(fd: c_int, cmd: c_int, ...arg: c_long) -> c_int => Posix Other, fcntl(fd, cmd, arg);
    }
    "Names" {
        unlink(path: *const c_char) -> c_int => Posix Meta, path(path);
        rename(oldpath: *const c_char, newpath: *const c_char) -> c_int => Posix Meta, path2(oldpath, newpath);
    }
    "Process exit" {
        _exit(status: c_int) -> ! => Posix Process, exit();
    }
}
