//! OTF2 archives, written by the machine's libotf2: loaded when the first is made, so that a program that can write them
//! runs where there is none.
//!
//! What is written is in the caller's hands: references must be defined, times of a location must not decrease.

mod api;
mod archive;
mod constants;
mod definitions;
mod error;
mod events;
mod memory;

pub use archive::Archive;
pub use definitions::{Definitions, Handle, IoParadigm, Region, Type};
pub use error::Error;
pub use events::{Creation, Events, Extra, Operation, Seek};

/// The major version whose functions are called
pub const MAJOR: u8 = 3;

/// No reference, of 32 bits
pub const NONE: u32 = u32::MAX;
/// A number that is not known
pub const UNKNOWN: u64 = u64::MAX;

/// Numbers of the library's enumerations
pub mod number {
    /// OTF2_PARADIGM_USER: functions that the user named
    pub const PARADIGM_USER: u8 = 1;
    /// OTF2_PARADIGM_MPI
    pub const PARADIGM_MPI: u8 = 4;
    /// OTF2_PARADIGM_NONE: of no parallel paradigm
    pub const PARADIGM_NONE: u8 = 22;
    /// OTF2_REGION_ROLE_FUNCTION
    pub const ROLE_FUNCTION: u8 = 1;
    /// OTF2_REGION_ROLE_FILE_IO
    pub const ROLE_FILE_IO: u8 = 27;
    /// OTF2_SYSTEM_TREE_DOMAIN_MACHINE
    pub const DOMAIN_MACHINE: u8 = 0;
    /// OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY: a node
    pub const DOMAIN_NODE: u8 = 1;
    /// OTF2_IO_PARADIGM_CLASS_SERIAL
    pub const SERIAL: u8 = 0;
    /// OTF2_IO_PARADIGM_CLASS_PARALLEL
    pub const PARALLEL: u8 = 1;
    /// OTF2_IO_OPERATION_MODE_READ
    pub const READ: u8 = 0;
    /// OTF2_IO_OPERATION_MODE_WRITE
    pub const WRITE: u8 = 1;
    /// OTF2_IO_OPERATION_MODE_FLUSH
    pub const FLUSH: u8 = 2;
    /// OTF2_IO_OPERATION_FLAG_NON_BLOCKING
    pub const NON_BLOCKING: u32 = 1;
    /// OTF2_IO_ACCESS_MODE_READ_ONLY
    pub const READ_ONLY: u8 = 0;
    /// OTF2_IO_ACCESS_MODE_WRITE_ONLY
    pub const WRITE_ONLY: u8 = 1;
    /// OTF2_IO_ACCESS_MODE_READ_WRITE
    pub const READ_WRITE: u8 = 2;
}
