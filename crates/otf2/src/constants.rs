//! What both the functions of the library and its failures name.

use std::ffi::c_int;

/// Names under which the library is looked for: those of its ABI first
pub const NAMES: [&str; 4] = [
    "libotf2.so.10",
    "libopen-trace-format2.so.10",
    "libotf2.so",
    "libopen-trace-format2.so",
];

/// The variable that names the library where none of these would be found
pub const VARIABLE: &str = "IOTA_OTF2";

/// `OTF2_ErrorCode`, an enum of C
pub type Code = c_int;

/// `OTF2_SUCCESS`
pub const SUCCESS: Code = 0;
