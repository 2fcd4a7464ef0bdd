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
