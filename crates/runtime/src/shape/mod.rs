//! The shapes of calls: what a hook does besides making the real call. A row of the table names its shape; all logic is
//! here, and each function takes the op, the real call and those of its arguments that matter.
//!
//! Every function here has the contract of the call that it stands for: pointers are what the program passed to a call
//! that has returned. They are read plainly only where its success says that it read them itself; what a failed call was
//! given, and what a call need not look at, is read with the kernel's help (`sys::copy_in`, `sys::string_length`).

mod asynchronous;
mod descriptors;
mod directories;
mod gap;
mod kernel_aio;
mod metadata;
mod on;
mod process;
mod requests;
mod rings;
mod stream_transfers;
mod streams;
mod syscall;
mod transfers;
mod vfork;

pub use asynchronous::*;
pub use descriptors::*;
pub use directories::*;
pub use kernel_aio::*;
pub use metadata::*;
pub use process::*;
pub use rings::*;
pub use stream_transfers::*;
pub use streams::*;
pub use syscall::syscall;
pub use transfers::*;
