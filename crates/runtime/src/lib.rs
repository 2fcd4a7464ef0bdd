//! The tracer inside the traced process.
//!
//! It is a guest: no panics, no allocation, no lock on the path of a call, its own I/O by raw system calls, `errno` as
//! the real call left it. A call goes through [`record::traced`]; what is particular to it stands in [`shape`].
#![cfg_attr(not(test), no_std)]
#![allow(
    missing_docs,
    reason = "internal to the workspace; what is not obvious is documented"
)]

mod atomics;
mod books;
mod bytes;
pub mod clock;
mod description;
pub mod early;
mod fds;
mod free_list;
pub mod job;
mod lines;
pub mod log;
mod lustre;
pub mod output;
mod part;
mod paths;
mod pending;
pub mod real;
mod record;
mod rings;
mod sealing;
mod settings;
pub mod shape;
mod spool;
pub mod start;
pub mod sys;
mod thread;
mod undisturbed;
mod watched;
