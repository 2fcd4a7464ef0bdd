//! What the library says of a failure.

use crate::constants::{Code, NAMES, SUCCESS, VARIABLE};
use std::cell::Cell;
use std::ffi::{c_char, c_void};
use std::fmt;

/// A failure, in one line
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub(crate) String);

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// None of the names is a library
    pub(crate) fn missing(causes: &[String]) -> Error {
        let looked_for = match causes {
            [cause] => cause.clone(),
            _ => format!(
                "looked for {} (LD_LIBRARY_PATH, the system's libraries)",
                NAMES.join(", ")
            ),
        };
        Error(format!(
            "OTF2 needs libotf2 3.x, and it is not found: {looked_for}; install OTF2 (Debian: otf2-tools; \
             elsewhere a module of OTF2 or Score-P), or name the library by {VARIABLE}"
        ))
    }

    /// A library without one of the functions
    pub(crate) fn foreign(library: &str, function: &str) -> Error {
        Error(format!(
            "{library}: has no {function}, so it is not libotf2 3.x; name another by {VARIABLE}"
        ))
    }

    /// A library of another ABI
    pub(crate) fn version(found: &str) -> Error {
        Error(format!(
            "libotf2 is of version {found}, and 3.x is needed; name another by {VARIABLE}"
        ))
    }
}

thread_local! {
    /// The first error that the library reported since it was asked for
    static FIRST: Cell<Code> = const { Cell::new(SUCCESS) };
}

/// Keeps the first error, whose code may not come back from the function in which it arose, and prints nothing.
pub(crate) extern "C" fn keep_first(
    _: *mut c_void,
    _: *const c_char,
    _: u64,
    _: *const c_char,
    code: Code,
    _: *const c_char,
    _: *mut c_void,
) -> Code {
    // Negative codes are warnings.
    if code > SUCCESS && FIRST.get() == SUCCESS {
        FIRST.set(code);
    }
    code
}

/// What was reported since the last time
pub(crate) fn take_first() -> Code {
    FIRST.replace(SUCCESS)
}
