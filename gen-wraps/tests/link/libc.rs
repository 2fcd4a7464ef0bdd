//! What rendered hooks need of the libc crate.
#![no_std]
#![allow(non_camel_case_types)]

pub use core::ffi::{
    c_char, c_double, c_float, c_int, c_long, c_longlong, c_schar, c_short, c_uchar, c_uint,
    c_ulong, c_ulonglong, c_ushort, c_void,
};

pub type size_t = usize;
pub type ssize_t = isize;
pub type ptrdiff_t = isize;
pub type off_t = i64;
pub type off64_t = i64;
pub type mode_t = u32;
pub type uid_t = u32;
pub type gid_t = u32;
pub type pid_t = i32;
pub type dev_t = u64;
pub type key_t = i32;
pub type socklen_t = u32;
pub type wchar_t = i32;
pub enum FILE {}
pub enum DIR {}
pub enum iovec {}
pub enum aiocb {}
pub enum open_how {}
pub enum sigevent {}

pub const O_WRONLY: c_int = 1;
pub const O_CREAT: c_int = 0o100;
pub const O_TRUNC: c_int = 0o1000;

/// What stands in for functions that an older C library lacks uses these; no program of these tests gets there
mod stand_ins {
    use super::{c_int, c_long};

    pub const ENOSYS: c_int = 38;
    pub const RLIMIT_NOFILE: c_int = 7;
    pub const SYS_close: c_long = -1;
    pub const SYS_close_range: c_long = -1;
    pub const SYS_execveat: c_long = -1;
    pub const SYS_getdents64: c_long = -1;
    pub const SYS_openat2: c_long = -1;
    pub const SYS_pidfd_getfd: c_long = -1;
    pub const SYS_pidfd_open: c_long = -1;
    pub const SYS_prlimit64: c_long = -1;

    #[repr(C)]
    pub struct rlimit {
        pub rlim_cur: u64,
        pub rlim_max: u64,
    }
}
pub use stand_ins::*;
