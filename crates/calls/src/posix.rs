//! Descriptors: opening, moving bytes, positions, storage, copies of descriptors, mappings, the end of a process.

calls! { Libc;
    "Opening and closing" {
        open(path: *const c_char, flags: c_int, ...mode: mode_t) -> c_int => Posix Open, open(path, flags, mode);
        open64(path: *const c_char, flags: c_int, ...mode: mode_t) -> c_int => Posix Open, open(path, flags, mode);
        __open(path: *const c_char, flags: c_int, ...mode: mode_t) -> c_int => Posix Open, open(path, flags, mode);
        __open64(path: *const c_char, flags: c_int, ...mode: mode_t) -> c_int => Posix Open, open(path, flags, mode);
        __open_2(path: *const c_char, flags: c_int) -> c_int => Posix Open, open(path, flags, 0);
        __open64_2(path: *const c_char, flags: c_int) -> c_int => Posix Open, open(path, flags, 0);
        openat(dirfd: c_int, path: *const c_char, flags: c_int, ...mode: mode_t) -> c_int => Posix Open, openat(dirfd, path, flags, mode);
        openat2["GLIBC_2.43"](dirfd: c_int, path: *const c_char, how: *const open_how, size: size_t) -> c_int => Posix Open, openat2(dirfd, path, how);
        openat64(dirfd: c_int, path: *const c_char, flags: c_int, ...mode: mode_t) -> c_int => Posix Open, openat(dirfd, path, flags, mode);
        __openat_2(dirfd: c_int, path: *const c_char, flags: c_int) -> c_int => Posix Open, openat(dirfd, path, flags, 0);
        __openat64_2(dirfd: c_int, path: *const c_char, flags: c_int) -> c_int => Posix Open, openat(dirfd, path, flags, 0);
        creat(path: *const c_char, mode: mode_t) -> c_int => Posix Open, open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
        creat64(path: *const c_char, mode: mode_t) -> c_int => Posix Open, open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
        mkstemp(template: *mut c_char) -> c_int => Posix Open, created(template);
        mkstemp64(template: *mut c_char) -> c_int => Posix Open, created(template);
        mkostemp(template: *mut c_char, flags: c_int) -> c_int => Posix Open, created(template);
        mkostemp64(template: *mut c_char, flags: c_int) -> c_int => Posix Open, created(template);
        mkstemps(template: *mut c_char, suffixlen: c_int) -> c_int => Posix Open, created(template);
        mkstemps64(template: *mut c_char, suffixlen: c_int) -> c_int => Posix Open, created(template);
        mkostemps(template: *mut c_char, suffixlen: c_int, flags: c_int) -> c_int => Posix Open, created(template);
        mkostemps64(template: *mut c_char, suffixlen: c_int, flags: c_int) -> c_int => Posix Open, created(template);
        open_by_handle_at(mount_fd: c_int, handle: *mut file_handle, flags: c_int) -> c_int => Posix Open, new_fd();
        close(fd: c_int) -> c_int => Posix Close, close(fd);
        __close(fd: c_int) -> c_int => Posix Close, close(fd);
        close_range["GLIBC_2.34"](first: c_uint, last: c_uint, flags: c_int) -> c_int => Posix Close, close_range(first, last, flags);
        closefrom["GLIBC_2.34"](lowfd: c_int) -> () => Posix Close, close_range(if lowfd < 0 { 0 } else { lowfd as c_uint }, c_uint::MAX, 0);
    }
    "Descriptors without a path" {
        pipe(fds: *mut c_int) -> c_int => Posix Open, new_pair(fds);
        __pipe(fds: *mut c_int) -> c_int => Posix Open, new_pair(fds);
        pipe2(fds: *mut c_int, flags: c_int) -> c_int => Posix Open, new_pair(fds);
        socketpair(domain: c_int, kind: c_int, protocol: c_int, fds: *mut c_int) -> c_int => Posix Open, new_pair(fds);
        memfd_create(name: *const c_char, flags: c_uint) -> c_int => Posix Open, new_fd();
        shm_open["GLIBC_2.34"](name: *const c_char, flags: c_int, mode: mode_t) -> c_int => Posix Open, new_fd();
        socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int => Posix Open, new_fd();
        accept(fd: c_int, addr: sockaddr_arg, addrlen: *mut socklen_t) -> c_int => Posix Open, new_fd();
        accept4(fd: c_int, addr: sockaddr_arg, addrlen: *mut socklen_t, flags: c_int) -> c_int => Posix Open, new_fd();
        epoll_create(size: c_int) -> c_int => Posix Open, new_fd();
        epoll_create1(flags: c_int) -> c_int => Posix Open, new_fd();
        eventfd(count: c_uint, flags: c_int) -> c_int => Posix Open, new_fd();
        signalfd(fd: c_int, mask: *const sigset_t, flags: c_int) -> c_int => Posix Open, new_fd();
        timerfd_create(clock: c_int, flags: c_int) -> c_int => Posix Open, new_fd();
        inotify_init() -> c_int => Posix Open, new_fd();
        inotify_init1(flags: c_int) -> c_int => Posix Open, new_fd();
        fanotify_init(flags: c_uint, event_flags: c_uint) -> c_int => Posix Open, new_fd();
        pidfd_open["GLIBC_2.36"](pid: pid_t, flags: c_uint) -> c_int => Posix Open, new_fd();
        pidfd_getfd["GLIBC_2.36"](pidfd: c_int, targetfd: c_int, flags: c_uint) -> c_int => Posix Open, new_fd();
        posix_openpt(flags: c_int) -> c_int => Posix Open, new_fd();
        getpt() -> c_int => Posix Open, new_fd();
    }
    "Reading" {
        read(fd: c_int, buf: *mut c_void, count: size_t) -> ssize_t => Posix Read, read(fd, count);
        __read(fd: c_int, buf: *mut c_void, count: size_t) -> ssize_t => Posix Read, read(fd, count);
        __read_chk(fd: c_int, buf: *mut c_void, count: size_t, buflen: size_t) -> ssize_t => Posix Read, read(fd, count);
        pread(fd: c_int, buf: *mut c_void, count: size_t, offset: off_t) -> ssize_t => Posix Read, read_at(fd, count, offset);
        pread64(fd: c_int, buf: *mut c_void, count: size_t, offset: off64_t) -> ssize_t => Posix Read, read_at(fd, count, offset);
        __pread64(fd: c_int, buf: *mut c_void, count: size_t, offset: off64_t) -> ssize_t => Posix Read, read_at(fd, count, offset);
        __pread_chk(fd: c_int, buf: *mut c_void, count: size_t, offset: off_t, buflen: size_t) -> ssize_t => Posix Read, read_at(fd, count, offset);
        __pread64_chk(fd: c_int, buf: *mut c_void, count: size_t, offset: off64_t, buflen: size_t) -> ssize_t => Posix Read, read_at(fd, count, offset);
        readv(fd: c_int, iov: *const iovec, iovcnt: c_int) -> ssize_t => Posix Read, readv(fd, iov, iovcnt);
        preadv(fd: c_int, iov: *const iovec, iovcnt: c_int, offset: off_t) -> ssize_t => Posix Read, readv_at(fd, iov, iovcnt, offset);
        preadv64(fd: c_int, iov: *const iovec, iovcnt: c_int, offset: off64_t) -> ssize_t => Posix Read, readv_at(fd, iov, iovcnt, offset);
        preadv2(fd: c_int, iov: *const iovec, iovcnt: c_int, offset: off_t, flags: c_int) -> ssize_t => Posix Read, readv_at(fd, iov, iovcnt, offset);
        preadv64v2(fd: c_int, iov: *const iovec, iovcnt: c_int, offset: off64_t, flags: c_int) -> ssize_t => Posix Read, readv_at(fd, iov, iovcnt, offset);
        eventfd_read(fd: c_int, value: *mut eventfd_t) -> c_int => Posix Read, on_fd(fd);
        readahead(fd: c_int, offset: off64_t, count: size_t) -> ssize_t => Posix Read, range(fd, offset, count as off64_t);
    }
    "Writing" {
        write(fd: c_int, buf: *const c_void, count: size_t) -> ssize_t => Posix Write, write(fd, count);
        __write(fd: c_int, buf: *const c_void, count: size_t) -> ssize_t => Posix Write, write(fd, count);
        pwrite(fd: c_int, buf: *const c_void, count: size_t, offset: off_t) -> ssize_t => Posix Write, write_at(fd, count, offset);
        pwrite64(fd: c_int, buf: *const c_void, count: size_t, offset: off64_t) -> ssize_t => Posix Write, write_at(fd, count, offset);
        __pwrite64(fd: c_int, buf: *const c_void, count: size_t, offset: off64_t) -> ssize_t => Posix Write, write_at(fd, count, offset);
        writev(fd: c_int, iov: *const iovec, iovcnt: c_int) -> ssize_t => Posix Write, writev(fd, iov, iovcnt);
        pwritev(fd: c_int, iov: *const iovec, iovcnt: c_int, offset: off_t) -> ssize_t => Posix Write, writev_at(fd, iov, iovcnt, offset);
        pwritev64(fd: c_int, iov: *const iovec, iovcnt: c_int, offset: off64_t) -> ssize_t => Posix Write, writev_at(fd, iov, iovcnt, offset);
        pwritev2(fd: c_int, iov: *const iovec, iovcnt: c_int, offset: off_t, flags: c_int) -> ssize_t => Posix Write, writev_as(fd, iov, iovcnt, offset, flags);
        pwritev64v2(fd: c_int, iov: *const iovec, iovcnt: c_int, offset: off64_t, flags: c_int) -> ssize_t => Posix Write, writev_as(fd, iov, iovcnt, offset, flags);
        eventfd_write(fd: c_int, value: eventfd_t) -> c_int => Posix Write, on_fd(fd);
        vmsplice(fd: c_int, iov: *const iovec, count: size_t, flags: c_uint) -> ssize_t => Posix Write, on_fd(fd);
        dprintf(fd: c_int, format: *const c_char, ...ap: va_list via vdprintf) -> c_int => Posix Write, fd_printed(fd);
        vdprintf(fd: c_int, format: *const c_char, ap: va_list) -> c_int => Posix Write, fd_printed(fd);
        __dprintf_chk(fd: c_int, flag: c_int, format: *const c_char, ...ap: va_list via __vdprintf_chk) -> c_int => Posix Write, fd_printed(fd);
        __vdprintf_chk(fd: c_int, flag: c_int, format: *const c_char, ap: va_list) -> c_int => Posix Write, fd_printed(fd);
    }
    "From descriptor to descriptor" {
        sendfile(out_fd: c_int, in_fd: c_int, offset: *mut off_t, count: size_t) -> ssize_t => Posix Write, copy(in_fd, offset, out_fd, core::ptr::null_mut(), count, true);
        sendfile64(out_fd: c_int, in_fd: c_int, offset: *mut off64_t, count: size_t) -> ssize_t => Posix Write, copy(in_fd, offset, out_fd, core::ptr::null_mut(), count, true);
        copy_file_range(fd_in: c_int, off_in: *mut off64_t, fd_out: c_int, off_out: *mut off64_t, len: size_t, flags: c_uint) -> ssize_t => Posix Write, copy(fd_in, off_in, fd_out, off_out, len, false);
        splice(fd_in: c_int, off_in: *mut off64_t, fd_out: c_int, off_out: *mut off64_t, len: size_t, flags: c_uint) -> ssize_t => Posix Write, copy(fd_in, off_in, fd_out, off_out, len, false);
        tee(fd_in: c_int, fd_out: c_int, len: size_t, flags: c_uint) -> ssize_t => Posix Write, copy(fd_in, core::ptr::null_mut(), fd_out, core::ptr::null_mut(), len, false);
    }
    "Position" {
        lseek(fd: c_int, offset: off_t, whence: c_int) -> off_t => Posix Seek, seek(fd, offset, whence);
        lseek64(fd: c_int, offset: off64_t, whence: c_int) -> off64_t => Posix Seek, seek(fd, offset, whence);
        __lseek(fd: c_int, offset: off_t, whence: c_int) -> off_t => Posix Seek, seek(fd, offset, whence);
        llseek(fd: c_int, offset: off64_t, whence: c_int) -> off64_t => Posix Seek, seek(fd, offset, whence);
    }
    "Storage" {
        fsync(fd: c_int) -> c_int => Posix Sync, on_fd(fd);
        fdatasync(fd: c_int) -> c_int => Posix Sync, on_fd(fd);
        syncfs(fd: c_int) -> c_int => Posix Sync, on_fd(fd);
        sync() -> () => Posix Sync, global();
        sync_file_range(fd: c_int, offset: off64_t, count: off64_t, flags: c_uint) -> c_int => Posix Sync, range(fd, offset, count);
        posix_fadvise(fd: c_int, offset: off_t, len: off_t, advice: c_int) -> c_int => Posix Other, range_answered(fd, offset, len);
        posix_fadvise64(fd: c_int, offset: off64_t, len: off64_t, advice: c_int) -> c_int => Posix Other, range_answered(fd, offset, len);
        posix_fallocate(fd: c_int, offset: off_t, len: off_t) -> c_int => Posix Meta, range_answered(fd, offset, len);
        posix_fallocate64(fd: c_int, offset: off64_t, len: off64_t) -> c_int => Posix Meta, range_answered(fd, offset, len);
        fallocate(fd: c_int, mode: c_int, offset: off_t, len: off_t) -> c_int => Posix Meta, range(fd, offset, len);
        fallocate64(fd: c_int, mode: c_int, offset: off64_t, len: off64_t) -> c_int => Posix Meta, range(fd, offset, len);
        ftruncate(fd: c_int, length: off_t) -> c_int => Posix Meta, range(fd, length, 0);
        ftruncate64(fd: c_int, length: off64_t) -> c_int => Posix Meta, range(fd, length, 0);
    }
    "Copies and properties of descriptors" {
        dup(fd: c_int) -> c_int => Posix Other, dup(fd);
        dup2(oldfd: c_int, newfd: c_int) -> c_int => Posix Other, dup2(oldfd, newfd);
        dup3(oldfd: c_int, newfd: c_int, flags: c_int) -> c_int => Posix Other, dup2(oldfd, newfd);
        __dup2(oldfd: c_int, newfd: c_int) -> c_int => Posix Other, dup2(oldfd, newfd);
        fcntl(fd: c_int, cmd: c_int, ...arg: c_long) -> c_int => Posix Other, fcntl(fd, cmd, arg);
        fcntl64(fd: c_int, cmd: c_int, ...arg: c_long) -> c_int => Posix Other, fcntl(fd, cmd, arg);
        __fcntl(fd: c_int, cmd: c_int, ...arg: c_long) -> c_int => Posix Other, fcntl(fd, cmd, arg);
        ioctl(fd: c_int, request: c_ulong, ...arg: c_long) -> c_int => Posix Other, ioctl(fd, request, arg);
        flock(fd: c_int, operation: c_int) -> c_int => Posix Other, on_fd(fd);
        lockf(fd: c_int, cmd: c_int, len: off_t) -> c_int => Posix Other, on_fd(fd);
        lockf64(fd: c_int, cmd: c_int, len: off64_t) -> c_int => Posix Other, on_fd(fd);
    }
    "Asynchronous transfers" {
        aio_read(control: *mut aiocb) -> c_int => Posix Read, aio(control);
        aio_write(control: *mut aiocb) -> c_int => Posix Write, aio(control);
        aio_fsync(operation: c_int, control: *mut aiocb) -> c_int => Posix Sync, aio_sync(operation, control);
        lio_listio(mode: c_int, list: *const *mut aiocb, count: c_int, event: *mut sigevent) -> c_int => Posix Wait, aio_list(mode, list, count);
        aio_return(control: *mut aiocb) -> ssize_t => Posix Other, aio_return(control);
        aio_error(control: *const aiocb) -> c_int => Posix Other, aio_error(control);
        aio_suspend(list: *const *const aiocb, count: c_int, timeout: *const timespec) -> c_int => Posix Wait, global();
        aio_cancel(fd: c_int, control: *mut aiocb) -> c_int => Posix Other, on_fd(fd);
        aio_read64(control: *mut aiocb64) -> c_int => Posix Read, aio(control.cast());
        aio_write64(control: *mut aiocb64) -> c_int => Posix Write, aio(control.cast());
        aio_fsync64(operation: c_int, control: *mut aiocb64) -> c_int => Posix Sync, aio_sync(operation, control.cast());
        lio_listio64(mode: c_int, list: *const *mut aiocb64, count: c_int, event: *mut sigevent) -> c_int => Posix Wait, aio_list(mode, list.cast(), count);
        aio_return64(control: *mut aiocb64) -> ssize_t => Posix Other, aio_return(control.cast());
        aio_error64(control: *const aiocb64) -> c_int => Posix Other, aio_error(control.cast());
        aio_suspend64(list: *const *const aiocb64, count: c_int, timeout: *const timespec) -> c_int => Posix Wait, global();
        aio_cancel64(fd: c_int, control: *mut aiocb64) -> c_int => Posix Other, on_fd(fd);
    }
    "Any system call" {
        syscall(number: c_long, ...rest: longs) -> c_long => Posix Other, syscall(number, a, b, c, d, e, f);
    }
    "Mappings" {
        mmap(addr: *mut c_void, length: size_t, prot: c_int, flags: c_int, fd: c_int, offset: off_t) -> *mut c_void => Posix Map, map(length, flags, fd, offset);
        mmap64(addr: *mut c_void, length: size_t, prot: c_int, flags: c_int, fd: c_int, offset: off64_t) -> *mut c_void => Posix Map, map(length, flags, fd, offset);
        munmap(addr: *mut c_void, length: size_t) -> c_int => Posix Map, munmap(addr, length);
        msync(addr: *mut c_void, length: size_t, flags: c_int) -> c_int => Posix Sync, unmap(addr, length);
        madvise(addr: *mut c_void, length: size_t, advice: c_int) -> c_int => Posix Map, unmap(addr, length);
        posix_madvise(addr: *mut c_void, length: size_t, advice: c_int) -> c_int => Posix Map, memory_answered(addr, length);
        mremap(addr: *mut c_void, length: size_t, new_length: size_t, flags: c_int, ...new_addr: c_long) -> *mut c_void => Posix Map, unmap(addr, length);
        remap_file_pages(addr: *mut c_void, length: size_t, prot: c_int, page: size_t, flags: c_int) -> c_int => Posix Map, unmap(addr, length);
    }
}
