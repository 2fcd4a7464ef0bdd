//! libaio: the kernel's asynchronous transfers. A request is recorded under the name of the function that prepares it.

calls! { Aio;
    "Asynchronous transfers of libaio" {
        io_setup["LIBAIO_0.4"](count: c_int, context: *mut io_context_t) -> c_int => Posix Other, kernel_aio();
        io_destroy["LIBAIO_0.4"](context: io_context_t) -> c_int => Posix Other, kernel_aio();
        io_submit["LIBAIO_0.1"](context: io_context_t, count: c_long, list: *mut *mut iocb) -> c_int => Posix Wait, submit_requests(count, list.cast());
        io_getevents["LIBAIO_0.4"](context: io_context_t, least: c_long, count: c_long, events: *mut io_event, timeout: *mut timespec) -> c_int => Posix Wait, get_events(count, events.cast());
        io_pgetevents["LIBAIO_0.5"](context: io_context_t, least: c_long, count: c_long, events: *mut io_event, timeout: *mut timespec, mask: *mut sigset_t) -> c_int => Posix Wait, get_events(count, events.cast());
        io_cancel["LIBAIO_0.4"](context: io_context_t, control: *mut iocb, event: *mut io_event) -> c_int => Posix Other, cancel_request(event.cast());
        io_prep_pread() -> () => Posix Read, request();
        io_prep_pwrite() -> () => Posix Write, request();
        io_prep_preadv() -> () => Posix Read, request();
        io_prep_pwritev() -> () => Posix Write, request();
        io_prep_fsync() -> () => Posix Sync, request();
        io_prep_fdsync() -> () => Posix Sync, request();
    }
}
