//! Constants of NetCDF, and how a call accesses a variable.

use core::ffi::c_int;
use iota_mpi::above::{By, Word};

/// NC_NOERR.
pub(crate) const SUCCESS: c_int = 0;

/// NC_GLOBAL: attributes of the file, and the access of all variables.
pub(crate) const GLOBAL: c_int = -1;

/// Who makes a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// One rank for itself, or all that have the file open together.
    Is(By),
    /// As nc_var_par_access said of the variable.
    AsSet,
    /// All ranks if they opened the file together.
    AsOpened,
}

/// For rows.
pub const AS_SET: Access = Access::AsSet;

/// For rows.
pub const AS_OPENED: Access = Access::AsOpened;

impl From<By> for Access {
    fn from(by: By) -> Access {
        Access::Is(by)
    }
}

/// Which communicator a file is opened on.
#[derive(Clone, Copy)]
pub enum Ranks {
    /// None.
    Alone,
    /// This one.
    On(Word),
}

/// For rows.
pub const ALONE: Ranks = Ranks::Alone;
