//! The symbols that an archive or shared object keeps; all others are made local.

use crate::above::{above_exports, above_rows};
use crate::mpi::{mpi_exports, mpi_rows};
use crate::{Flavour, Libc, traced, versioned};

/// One name a line, for `objcopy --keep-global-symbols=FILE`; symbols that are not in the table come on top of these
pub fn exported_symbols(flavour: Flavour, libc: &Libc) -> String {
    let names = traced(flavour, libc)
        .into_iter()
        .flat_map(|(_, call)| flavour.exports(call.name));
    let versioned = versioned(flavour).into_iter().map(|one| one.symbol());
    let mpi = mpi_rows().flat_map(|(_, call)| mpi_exports(flavour, call.name));
    let above = above_rows().flat_map(|(_, call)| above_exports(flavour, call));
    names
        .chain(mpi)
        .chain(above)
        .chain(versioned)
        .map(|name| name + "\n")
        .collect()
}
