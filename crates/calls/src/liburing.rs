//! liburing: requests in rings that program and kernel share. Most of its interface is inline in the program; what the
//! library exports submits and waits. A request is recorded under the name of the function that prepares it.

calls! { Uring;
    "Asynchronous requests of io_uring" {
        io_uring_queue_init["LIBURING_2.0", "LIBURING_2.4"](entries: c_uint, ring: *mut io_uring, flags: c_uint) -> c_int => Posix Open, ring_begins(ring.cast());
        io_uring_queue_init_params["LIBURING_2.0", "LIBURING_2.4"](entries: c_uint, ring: *mut io_uring, params: *mut io_uring_params) -> c_int => Posix Open, ring_begins(ring.cast());
        io_uring_queue_init_mem["LIBURING_2.5"](entries: c_uint, ring: *mut io_uring, params: *mut io_uring_params, buf: *mut c_void, size: size_t) -> c_int => Posix Open, ring_begins(ring.cast());
        io_uring_queue_exit["LIBURING_2.0", "LIBURING_2.4"](ring: *mut io_uring) -> () => Posix Close, ring_ends(ring.cast());
        io_uring_submit["LIBURING_2.0", "LIBURING_2.4"](ring: *mut io_uring) -> c_int => Posix Wait, ring_submits(ring.cast());
        io_uring_submit_and_wait["LIBURING_2.0", "LIBURING_2.4"](ring: *mut io_uring, least: c_uint) -> c_int => Posix Wait, ring_submits(ring.cast());
        io_uring_submit_and_wait_timeout["LIBURING_2.2", "LIBURING_2.4"](ring: *mut io_uring, cqe: *mut *mut io_uring_cqe, least: c_uint, timeout: *mut kernel_timespec, mask: *mut sigset_t) -> c_int => Posix Wait, ring_submits(ring.cast());
        io_uring_submit_and_wait_min_timeout["LIBURING_2.8"](ring: *mut io_uring, cqe: *mut *mut io_uring_cqe, least: c_uint, timeout: *mut kernel_timespec, min_wait: c_uint, mask: *mut sigset_t) -> c_int => Posix Wait, ring_submits(ring.cast());
        io_uring_submit_and_wait_reg["LIBURING_2.9"](ring: *mut io_uring, cqe: *mut *mut io_uring_cqe, least: c_uint, index: c_int) -> c_int => Posix Wait, ring_submits(ring.cast());
        io_uring_submit_and_get_events["LIBURING_2.3", "LIBURING_2.4"](ring: *mut io_uring) -> c_int => Posix Wait, ring_submits(ring.cast());
        io_uring_wait_cqes["LIBURING_2.0", "LIBURING_2.4"](ring: *mut io_uring, cqe: *mut *mut io_uring_cqe, least: c_uint, timeout: *mut kernel_timespec, mask: *mut sigset_t) -> c_int => Posix Wait, ring_waits(ring.cast(), least);
        io_uring_wait_cqes_min_timeout["LIBURING_2.8"](ring: *mut io_uring, cqe: *mut *mut io_uring_cqe, least: c_uint, timeout: *mut kernel_timespec, min_wait: c_uint, mask: *mut sigset_t) -> c_int => Posix Wait, ring_waits(ring.cast(), least);
        io_uring_wait_cqe_timeout["LIBURING_2.0", "LIBURING_2.4"](ring: *mut io_uring, cqe: *mut *mut io_uring_cqe, timeout: *mut kernel_timespec) -> c_int => Posix Wait, ring_waits(ring.cast(), 1);
        __io_uring_get_cqe["LIBURING_2.0", "LIBURING_2.4"](ring: *mut io_uring, cqe: *mut *mut io_uring_cqe, submit: c_uint, least: c_uint, mask: *mut sigset_t) -> c_int => Posix Wait, ring_waits(ring.cast(), submit | least);
        io_uring_get_events["LIBURING_2.3", "LIBURING_2.4"](ring: *mut io_uring) -> c_int => Posix Wait, ring_peeks(ring.cast());
        io_uring_peek_batch_cqe["LIBURING_2.0", "LIBURING_2.4"](ring: *mut io_uring, cqes: *mut *mut io_uring_cqe, count: c_uint) -> c_uint => Posix Wait, ring_peeks(ring.cast());
        io_uring_setup["LIBURING_2.3", "LIBURING_2.4"](entries: c_uint, params: *mut io_uring_params) -> c_int => Posix Open, ring_made(params.cast());
        io_uring_enter["LIBURING_2.3", "LIBURING_2.4"](fd: c_uint, submit: c_uint, least: c_uint, flags: c_uint, mask: *mut sigset_t) -> c_int => Posix Wait, ring_entered(fd, submit, flags);
        io_uring_enter2["LIBURING_2.3", "LIBURING_2.4"](fd: c_uint, submit: c_uint, least: c_uint, flags: c_uint, mask: *mut sigset_t, size: size_t) -> c_int => Posix Wait, ring_entered(fd, submit, flags);
        io_uring_prep_read() -> () => Posix Read, request();
        io_uring_prep_write() -> () => Posix Write, request();
        io_uring_prep_readv() -> () => Posix Read, request();
        io_uring_prep_writev() -> () => Posix Write, request();
        io_uring_prep_read_fixed() -> () => Posix Read, request();
        io_uring_prep_write_fixed() -> () => Posix Write, request();
        io_uring_prep_read_multishot() -> () => Posix Read, request();
        io_uring_prep_splice() -> () => Posix Write, request();
        io_uring_prep_tee() -> () => Posix Write, request();
        io_uring_prep_fsync() -> () => Posix Sync, request();
        io_uring_prep_sync_file_range() -> () => Posix Sync, request();
        io_uring_prep_fallocate() -> () => Posix Meta, request();
        io_uring_prep_ftruncate() -> () => Posix Meta, request();
        io_uring_prep_fadvise() -> () => Posix Other, request();
        io_uring_prep_openat() -> () => Posix Open, request();
        io_uring_prep_openat2() -> () => Posix Open, request();
        io_uring_prep_close() -> () => Posix Close, request();
        io_uring_prep_statx() -> () => Posix Meta, request();
        io_uring_prep_unlinkat() -> () => Posix Meta, request();
        io_uring_prep_mkdirat() -> () => Posix Meta, request();
        io_uring_prep_renameat() -> () => Posix Meta, request();
        io_uring_prep_linkat() -> () => Posix Meta, request();
        io_uring_prep_symlinkat() -> () => Posix Meta, request();
    }
}
