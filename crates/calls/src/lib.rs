//! THE table of intercepted calls.
//!
//! One row is everything that iota knows of a function: its signature, its layer, its kind, and the *shape* that
//! records it. Hooks, `--wrap` flags, variadic stubs, documentation and signature checks are rendered from these rows
//! by `gen-wraps`; nothing about a function is written down twice. What stands in no row stands in [`LEFT_OUT`].
#![no_std]
#![deny(clippy::wildcard_enum_match_arm)]

#[macro_use]
mod grammar;
#[macro_use]
mod shapes;
mod accounting;
mod arguments;
mod call;
mod effects;
mod forms;
pub mod glibc;
mod hdf5;
mod kind;
mod left_out;
mod libaio;
mod liburing;
mod op;
mod system;
mod table;

mod metadata;
pub mod mpi;
pub mod mpi_errors;
mod mpiio;
mod nc_errors;
pub mod netcdf;
mod pnetcdf;
mod posix;
mod probes;
mod process;
mod stdio;

pub use accounting::Accounting;
pub use arguments::{Arguments, Transfer};
pub use call::{Call, Kind, Layer, Library, Param, Variadic};
pub use effects::{Counts, Effects, Handles};
pub use forms::{FORMS, Field, Form, FormInfo, MOST_FIELDS, Unit};
pub use left_out::{LEFT_OUT, LeftOut, SHARED_ONLY};
pub use mpi_errors::{MPI_ERRORS, MpiError};
pub use nc_errors::{NC_ERRORS, nc_error};
pub use op::{Op, OpInfo};
pub use probes::{MOST_PROBES, refused};
pub use shapes::Shape;
pub use system::{SYSTEM_CALLS, SystemCall};
pub use table::{COUNT, TABLE};

/// Tells this table from that of another build, whose operation numbers mean something else
pub const FINGERPRINT: u64 = op::fingerprint();

/// The rows of the table with their numbers
pub fn rows() -> impl Iterator<Item = (Op, &'static Call)> {
    (0u16..).map(Op).zip(TABLE.iter()).skip(1)
}

/// The row of a function
pub fn find(name: &[u8]) -> Option<&'static Call> {
    let mut rows = rows().map(|(_, call)| call);
    rows.find(|call| call.name.as_bytes() == name)
}

/// What a function does of which only name and kind are known
pub fn effects(name: &[u8], kind: Kind) -> Effects {
    find(name).map_or(Effects::of_kind(kind), Call::effects)
}
