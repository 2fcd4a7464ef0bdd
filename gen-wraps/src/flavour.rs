//! The two ways in, and the rows that each of them has.

use iota_calls::{Call, Library, Op, SHARED_ONLY, rows};

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

    /// Whether it hooks a row's function. The shared object hooks all, because it serves every C library
    pub fn has(self, call: &Call) -> bool {
        let is_wrapped = |name: &str| !SHARED_ONLY.iter().any(|group| group.count(name) > 0);
        self == Flavour::Preload
            || (is_wrapped(call.name) && call.variadic.via().is_none_or(is_wrapped))
    }

    /// Whether the hook of a row is a member of the archive: a link takes it only with a C library that has the function, or
    /// in which programs call it
    pub fn is_member(self, call: &Call) -> bool {
        self == Flavour::Wrap && (call.since().is_some() || call.is_called_before())
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
    let is_hooked = |call: &Call| {
        flavour == Flavour::Preload && matches!(call.library, Library::Aio | Library::Uring)
    };
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

/// The rows of the C library that this flavour hooks
pub fn traced(flavour: Flavour) -> Vec<(Op, &'static Call)> {
    let is_hooked = |call: &Call| call.library == Library::Libc && flavour.has(call);
    rows().filter(|(_, call)| is_hooked(call)).collect()
}

/// The rows that any flavour hooks
pub fn hooked() -> Vec<(Op, &'static Call)> {
    traced(Flavour::Preload)
}
