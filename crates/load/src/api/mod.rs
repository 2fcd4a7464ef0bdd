//! The interfaces that transfers go through, one file each, behind one trait. All but dummy and io_uring's transfers
//! call functions of the C library by their symbols, where any tracer sees them.

mod aio;
mod descriptor;
mod dummy;
mod interface;
mod io_uring;
mod mmap;
mod pio;
mod stdio;
mod unixio;

pub(crate) use interface::moved;
pub use interface::{Api, Calls, Direction, Done, Handle, Open, Queue, Transfer};

/// The interfaces that are always there.
pub const APIS: [&dyn Api; 7] = [
    &unixio::Unixio,
    &stdio::Stdio,
    &aio::Aio,
    &pio::Pio,
    &mmap::Mmap,
    &io_uring::Uring,
    &dummy::Dummy,
];

/// `: unixio, stdio, ...`
pub fn known(apis: &[&dyn Api]) -> String {
    let names: Vec<&str> = apis.iter().map(|api| api.name()).collect();
    let hint = if names.contains(&"mpiio") {
        ""
    } else {
        " (mpiio is in iota-load-mpi)"
    };
    format!(": {}{hint}", names.join(", "))
}
