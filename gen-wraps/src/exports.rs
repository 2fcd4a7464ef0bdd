//! The symbols that an archive or shared object keeps; all others are made local.

use crate::{Flavour, Libc, traced, versioned};

/// One name a line, for `objcopy --keep-global-symbols=FILE`; symbols that are not in the table come on top of these
pub fn exported_symbols(flavour: Flavour, libc: &Libc) -> String {
    let names = traced(flavour, libc)
        .into_iter()
        .flat_map(|(_, call)| flavour.exports(call.name));
    let versioned = versioned(flavour).into_iter().map(|one| one.symbol());
    names.chain(versioned).map(|name| name + "\n").collect()
}
