//! The tracer inside the traced process.
//!
//! It is a guest: no panics, no allocation, no lock on the path of a call, its own I/O by raw system calls, `errno` as
//! the real call left it. A call goes through [`record::traced`]; what is particular to it stands in [`shape`].
//!
//! The modules stand on floors, and a floor uses what is below it: `sys`; `real`; `state`; `arena`; `thread`; `tables`;
//! `stacks`; `life`; `record`; `shape`, `library` and `probe`.
#![cfg_attr(not(test), no_std)]
#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "internal to the workspace; what is not obvious is documented"
)]

mod arena;
pub mod library;
mod life;
pub mod probe;
pub mod real;
mod record;
pub mod shape;
pub mod stacks;
mod state;
pub mod sys;
mod tables;
mod thread;

pub use life::rank;
pub use state::{clock, early, log, output};
