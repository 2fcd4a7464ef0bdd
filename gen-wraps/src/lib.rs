//! The table rendered: whatever says something about an intercepted function is written from `iota_calls::TABLE`.
//!
//! A build script takes [`hooks`] (Rust, for `include!`) and, for each
//! flavour, [`variadic_stubs`] (C, for cc); a library has what [`renamed_symbols`] says and keeps [`exported_symbols`]; a user
//! links with [`wraps_line`].

mod above;
mod document;
mod exports;
mod flavour;
mod found;
mod hooks;
mod libc;
mod mpi;
mod older;
mod params;
mod pointers;
mod probes;
mod signatures;
mod stubs;
mod types;
mod wraps;

pub use above::{above_members, above_rows, above_signatures};
pub use document::document;
pub use exports::{exported_symbols, renamed_symbols};
pub use flavour::{Flavour, Versioned, traced, versioned};
pub use hooks::hooks;
pub use libc::Libc;
pub use mpi::mpi_signatures;
pub use pointers::{NOT_CALLED, pointers};
pub use probes::{probe_flags, probe_object};
pub use signatures::signatures;
pub use stubs::{CFLAGS, libc_members, variadic_stubs};
pub use types::definitions;
pub use wraps::{RESPONSE_FILE, above_flags, newer_flags, wrap_flags, wraps_line};
