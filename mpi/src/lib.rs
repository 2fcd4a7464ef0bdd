//! MPI: start and end over PMPI, rank, gather.
//!
//! Promises: at the start only local calls; at the end nothing collective before all ranks have said that they are
//! there; only `PMPI_*` on communicators of our own afterwards; the program is never stopped, and finds `errno` and the
//! error handlers as it left them. No std, no panic.
//!
//! The planning ([`plan`], [`tree`], [`gather`]) sends its messages through a trait, so that MPI, threads in tests and
//! a model of 110,052 ranks drive the same code.
#![cfg_attr(not(test), no_std)]
#![allow(
    clippy::missing_errors_doc,
    reason = "internal to the workspace; group::GatherError says what can fail"
)]

pub mod abi;
pub mod agree;
pub mod arrivals;
pub mod clocks;
pub mod desk;
pub mod ending;
pub mod gather;
pub mod group;
pub mod packing;
mod parties;
pub mod plan;
pub mod random;
pub mod rendezvous;
pub mod segment;
pub mod tree;

#[cfg(feature = "mpi")]
pub mod above;
#[cfg(feature = "mpi")]
mod disk;
#[cfg(feature = "mpi")]
mod hooks;
#[cfg(feature = "mpi")]
pub mod io;
#[cfg(feature = "mpi")]
mod memory;
#[cfg(feature = "mpi")]
mod output_name;
#[cfg(feature = "mpi")]
mod part;
#[cfg(feature = "mpi")]
mod pmpi;
#[cfg(feature = "mpi")]
mod shared;
#[cfg(feature = "mpi")]
mod shared_dir;
#[cfg(feature = "mpi")]
mod stage;
#[cfg(feature = "mpi")]
mod together;
