//! Functions of the dynamic linker. Before glibc 2.34 they are in libdl, which a program that loads nothing does not have, and
//! which the tracer does not bring along: there they find nothing (c-shim/libc.c).

/// Lies in this library.
pub static MARKER: u8 = 0;

/// Whether they are there.
pub fn is_there() -> bool {
    #[cfg(not(test))]
    // SAFETY: only asks.
    return unsafe { shim::iota_has_linker() } != 0;
    #[cfg(test)]
    true
}

#[cfg(test)]
pub use libc::{dladdr, dlclose, dlerror, dlopen, dlsym};

#[cfg(not(test))]
mod shim {
    use core::ffi::{c_char, c_int, c_void};

    unsafe extern "C" {
        pub fn iota_has_linker() -> c_int;
        #[link_name = "iota_dladdr"]
        pub fn dladdr(address: *const c_void, info: *mut libc::Dl_info) -> c_int;
        #[link_name = "iota_dlclose"]
        pub fn dlclose(library: *mut c_void) -> c_int;
        #[link_name = "iota_dlerror"]
        pub fn dlerror() -> *mut c_char;
        #[link_name = "iota_dlopen"]
        pub fn dlopen(name: *const c_char, how: c_int) -> *mut c_void;
        #[link_name = "iota_dlsym"]
        pub fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }
}

#[cfg(not(test))]
pub use shim::{dladdr, dlclose, dlerror, dlopen, dlsym};
