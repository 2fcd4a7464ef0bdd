//! The rows of all files together.

use crate::call::{self, Call};
use crate::{hdf5, libaio, liburing, metadata, mpiio, netcdf, pnetcdf, posix, process, stdio};

/// The files of the table, in the order of their operation numbers
const PARTS: &[&[Call]] = &[
    posix::ROWS,
    metadata::ROWS,
    stdio::ROWS,
    process::ROWS,
    libaio::ROWS,
    liburing::ROWS,
    mpiio::ROWS,
    hdf5::ROWS,
    netcdf::ROWS,
    netcdf::TYPED,
    netcdf::attributes::TYPED,
    pnetcdf::ROWS,
    pnetcdf::TYPED,
    pnetcdf::attributes::TYPED,
];

/// How many entries [`TABLE`] has, the reserved first one included
pub const COUNT: usize = call::count(PARTS) + 1;

/// Every row at the index that its [`Op`] holds; index 0 is reserved and has an empty name
pub static TABLE: [Call; COUNT] = call::concat(PARTS, 1);
