//! The shapes of HDF5: what the hooks of its functions do besides the real call.
//!
//! The hooks are rendered from the rows of `crates/calls/src/hdf5.rs`. No `hdf5.h` is read: one row is for every version,
//! serial or parallel. What the tracer itself asks of HDF5 it asks after a call that succeeded, of the library that made
//! it, and never what other ranks would have to be asked as well.
#![no_std]
#![allow(
    missing_docs,
    reason = "internal to the workspace; what is not obvious is documented"
)]

mod ask;
mod functions;
mod objects;
mod on;
mod opens;
mod others;
mod record;
mod transfers;
mod types;

pub use on::*;
pub use opens::*;
pub use others::*;
pub use transfers::h5_transfer;
pub use types::{NAMED, NOW, Naming, UNNAMED};

pub(crate) use record::{known, library, library_after, record_on, succeeded};
pub(crate) use types::{DEFAULT, Outcome, hid_t};
