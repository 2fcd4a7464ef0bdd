//! The symbols that an archive or shared object keeps, and their names; all others are made local.

use crate::Flavour;
use crate::above::{above_exports, above_rows};
use crate::flavour::{traced, versioned};
use crate::hooks::is_entry;
use crate::mpi::{mpi_exports, mpi_rows};

/// One name a line, for `objcopy --keep-global-symbols=FILE`; symbols that are not in the table come on top of these
pub fn exported_symbols(flavour: Flavour) -> String {
    let names = traced(flavour).into_iter();
    let names = names.flat_map(|(_, call)| match flavour.is_member(call) {
        true => vec![format!("iota_hook_{}", call.name)],
        false => flavour.exports(call.name),
    });
    let is_archive = flavour == Flavour::Wrap;
    // What members refer to
    let of_members = ["iota_found", "iota_is_within"]
        .into_iter()
        .filter(|_| is_archive);
    let versioned = versioned(flavour).into_iter().map(|one| one.symbol());
    let mpi = mpi_rows().flat_map(|(_, call)| mpi_exports(flavour, call.name));
    let above = above_rows().flat_map(|(_, call)| above_exports(flavour, call));
    names
        .chain(mpi)
        .chain(above)
        .chain(versioned)
        .chain(of_members.map(String::from))
        .map(|name| name + "\n")
        .collect()
}

/// What hooks are called in a flavour, and what the shared object has in the place of the archive's C: an old and a new name a
/// line, for `objcopy --redefine-syms=FILE`
pub fn renamed_symbols(flavour: Flavour) -> String {
    let rows = traced(flavour).into_iter();
    let entries = rows.filter(|(_, call)| is_entry(call) && !flavour.is_member(call));
    let hooks = entries.map(|(_, call)| match flavour {
        Flavour::Wrap => format!("iota_hook_{0} __wrap_{0}\n", call.name),
        Flavour::Preload => format!("iota_hook_{0} {0}\n", call.name),
    });
    let asked = ASKED.iter().filter(|_| flavour == Flavour::Preload);
    hooks
        .chain(asked.map(|name| format!("iota_shared_{name} iota_{name}\n")))
        .collect()
}

/// What hooks and the crates of libraries ask: in the shared object of Rust, in the archive of rendered C, c-shim/mpi/archive.c
/// and c-shim/above/archive.c
const ASKED: [&str; 5] = [
    "find",
    "mpi_find",
    "mpi_libraries",
    "library_find",
    "library_of",
];
