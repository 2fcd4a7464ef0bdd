//! The two ways in, and the rows that each of them has on a given C library.

use crate::Libc;
use iota_calls::{Call, Library, Op, rows};

/// How a program gets at the hooks
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Link time: `__wrap_x` over `__real_x`
    Wrap,
    /// Run time: `x` and `__wrap_x` over the next definition of `x`
    Preload,
}

impl Flavour {
    /// The symbols under which the hook of a function is seen
    pub fn exports(self, name: &str) -> Vec<String> {
        match self {
            Flavour::Wrap => vec![format!("__wrap_{name}")],
            Flavour::Preload => vec![name.to_string(), format!("__wrap_{name}")],
        }
    }

    /// Whether a row's function is there, and the one to which it passes its arguments on
    pub fn has(self, libc: &Libc, call: &Call) -> bool {
        let has = |name: &str| match self {
            Flavour::Wrap => libc.linkable(name),
            Flavour::Preload => libc.dynamic(name),
        };
        has(call.name) && call.variadic.via().is_none_or(has)
    }
}

/// A function of a library that a program may bring along, at one of the versions that it has had
#[derive(Clone, Copy, Debug)]
pub struct Versioned {
    /// Its number
    pub op: Op,
    /// Its row
    pub call: &'static Call,
    /// The version
    pub version: &'static str,
    /// Which of the row's
    pub index: usize,
}

impl Versioned {
    /// What tells its hook from those of other versions
    pub fn hook(&self) -> String {
        format!("{}_{}", self.call.name, self.index)
    }

    /// Its symbol. Hidden (one `@`): a link does not find it, and takes the library; a running program does
    pub fn symbol(&self) -> String {
        format!("{}@{}", self.call.name, self.version)
    }
}

/// The functions of optional libraries, which only the shared object hooks, whether the library is here or not
pub fn versioned(flavour: Flavour) -> Vec<Versioned> {
    let is_hooked = |call: &Call| flavour == Flavour::Preload && !call.library.is_above();
    let rows = rows().filter(|(_, call)| is_hooked(call));
    let all = rows.flat_map(|(op, call)| {
        let versions = call.versions.iter().enumerate();
        versions.map(move |(index, version)| Versioned {
            op,
            call,
            version,
            index,
        })
    });
    all.collect()
}

/// The rows of the C library that this flavour hooks here
pub fn traced(flavour: Flavour, libc: &Libc) -> Vec<(Op, &'static Call)> {
    rows_of_libc(|call| flavour.has(libc, call))
}

/// The rows that any flavour hooks here
pub fn hooked(libc: &Libc) -> Vec<(Op, &'static Call)> {
    let flavours = [Flavour::Wrap, Flavour::Preload];
    rows_of_libc(|call| flavours.iter().any(|flavour| flavour.has(libc, call)))
}

fn rows_of_libc(is_hooked: impl Fn(&Call) -> bool) -> Vec<(Op, &'static Call)> {
    rows()
        .filter(|(_, call)| call.library == Library::Libc && is_hooked(call))
        .collect()
}
