//! What differs between MPIs, as a table. No `mpi.h` is read: one library serves every MPI, and knows at run time which
//! one it is in ([`crate::pmpi`]). A test compares each column with the header of every MPI that it can get.
//!
//! A handle is a word here, whatever it is for the MPI: arguments travel in registers or in slots of eight bytes, so
//! that a function that takes an `int` finds it in the lower half. What an MPI writes as an `int` is read as one, and
//! so is a key.

use core::ffi::{CStr, c_int, c_void};
use iota_calls::{MPI_ERRORS, MpiError};

/// A handle of MPI, or another argument that is an `int` or an address.
pub type Word = usize;

/// MPIs whose programs and libraries fit together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// MPICH from 3.1 on, Intel MPI, MVAPICH, Cray: handles are numbers of type `int`.
    Mpich,
    /// Open MPI and what is made of it: handles are addresses of variables.
    OpenMpi,
    /// The standard ABI of MPI 5: handles are small numbers in pointers.
    Standard,
}

/// Where a status has the bytes that were moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StatusCount {
    /// At its beginning, as `count_lo` and `count_hi_and_cancelled`.
    LowAndHigh,
    /// Behind 16 bytes, as `_ucount`.
    At16,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 3] = [Family::Mpich, Family::OpenMpi, Family::Standard];
    /// Bytes that hold a status of each.
    pub const STATUS_ROOM: usize = 32;

    /// Bytes of a handle in memory.
    pub fn handle_bytes(self) -> usize {
        match self {
            Family::Mpich => size_of::<c_int>(),
            Family::OpenMpi | Family::Standard => size_of::<*const c_void>(),
        }
    }

    /// A handle that a call was given: if it is an `int`, there is anything in the upper half of the word.
    pub fn handle(self, given: Word) -> Word {
        match self {
            Family::Mpich => given as u32 as Word,
            Family::OpenMpi | Family::Standard => given,
        }
    }

    /// Bytes of an `MPI_Status`, and where its `MPI_ERROR` is.
    pub fn status(self) -> (usize, usize) {
        match self {
            Family::Mpich => (20, 16),
            Family::OpenMpi => (24, 8),
            Family::Standard => (32, 8),
        }
    }

    /// How a status tells the bytes that were moved; `None`: only MPI knows.
    pub fn status_count(self) -> Option<StatusCount> {
        match self {
            Family::Mpich => Some(StatusCount::LowAndHigh),
            Family::OpenMpi => Some(StatusCount::At16),
            Family::Standard => None,
        }
    }

    /// `MPI_SEEK_SET`, `MPI_SEEK_CUR` and `MPI_SEEK_END`. The libraries of the standard ABI disagree: none is known of it.
    pub fn seeks(self) -> Option<[c_int; 3]> {
        match self {
            Family::Mpich | Family::OpenMpi => Some([600, 602, 604]),
            Family::Standard => None,
        }
    }

    /// The number that the standard ABI gives a class of errors; that of one which concerns no file is 0.
    pub fn standard_error(self, class: c_int) -> u16 {
        let own = |error: &MpiError| match self {
            Family::Mpich => error.mpich,
            Family::OpenMpi => error.open_mpi,
            Family::Standard => error.standard,
        };
        let found = MPI_ERRORS
            .iter()
            .find(|error| c_int::from(own(error)) == class);
        found.map_or(0, |error| error.standard)
    }
}

/// What a constant is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstantValue {
    /// This number.
    Is(isize),
    /// The address of this variable of the MPI.
    At(&'static CStr),
}

/// One constant in each family.
pub struct Row {
    /// As `mpi.h` calls it.
    pub name: &'static str,
    mpich: ConstantValue,
    open_mpi: ConstantValue,
    standard: ConstantValue,
}

impl Row {
    /// What it is in a family.
    pub const fn value(&self, family: Family) -> ConstantValue {
        match family {
            Family::Mpich => self.mpich,
            Family::OpenMpi => self.open_mpi,
            Family::Standard => self.standard,
        }
    }
}

use ConstantValue::{At, Is};

/// One line for each constant: its name here, as `mpi.h` calls it, and what it is in MPICH, Open MPI, the standard ABI.
macro_rules! constants {
    ($($constant:ident $name:literal $mpich:expr, $open_mpi:expr, $standard:expr;)*) => {
        /// The constants that iota needs.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs, reason = "each is called as in mpi.h")]
        pub enum Constant {
            $($constant),*
        }

        impl Constant {
            /// All of them, in their order.
            pub const ALL: &[Constant] = &[$(Constant::$constant),*];

            /// Its row of the table.
            pub const fn row(self) -> Row {
                match self {
                    $(Constant::$constant => Row {
                        name: $name,
                        mpich: $mpich,
                        open_mpi: $open_mpi,
                        standard: $standard,
                    }),*
                }
            }
        }
    };
}

constants! {
    CommWorld "MPI_COMM_WORLD" Is(0x4400_0000), At(c"ompi_mpi_comm_world"), Is(0x101);
    CommSelf "MPI_COMM_SELF" Is(0x4400_0001), At(c"ompi_mpi_comm_self"), Is(0x102);
    InfoNull "MPI_INFO_NULL" Is(0x1c00_0000), At(c"ompi_mpi_info_null"), Is(0x130);
    ErrorsReturn "MPI_ERRORS_RETURN" Is(0x5400_0001), At(c"ompi_mpi_errors_return"), Is(0x143);
    StatusIgnore "MPI_STATUS_IGNORE" Is(1), Is(0), Is(0);
    Uint8 "MPI_UINT8_T" Is(0x4c00_013b), At(c"ompi_mpi_uint8_t"), Is(0x241);
    Uint64 "MPI_UINT64_T" Is(0x4c00_083e), At(c"ompi_mpi_uint64_t"), Is(0x259);
    Max "MPI_MAX" Is(0x5800_0001), At(c"ompi_mpi_op_max"), Is(0x23);
    Min "MPI_MIN" Is(0x5800_0002), At(c"ompi_mpi_op_min"), Is(0x22);
    Sum "MPI_SUM" Is(0x5800_0003), At(c"ompi_mpi_op_sum"), Is(0x21);
    CombinerNamed "MPI_COMBINER_NAMED" Is(1), Is(0), Is(101);
    Byte "MPI_BYTE" Is(0x4c00_010d), At(c"ompi_mpi_byte"), Is(0x247);
    DatatypeNull "MPI_DATATYPE_NULL" Is(0x0c00_0000), At(c"ompi_mpi_datatype_null"), Is(0x200);
    RequestNull "MPI_REQUEST_NULL" Is(0x2c00_0000), At(c"ompi_request_null"), Is(0x180);
    StatusesIgnore "MPI_STATUSES_IGNORE" Is(1), Is(0), Is(0);
    ModeAppend "MPI_MODE_APPEND" Is(128), Is(128), Is(1);
    ModeCreate "MPI_MODE_CREATE" Is(1), Is(1), Is(2);
    ModeDeleteOnClose "MPI_MODE_DELETE_ON_CLOSE" Is(16), Is(16), Is(4);
    ModeExcl "MPI_MODE_EXCL" Is(64), Is(64), Is(8);
    ModeRdonly "MPI_MODE_RDONLY" Is(2), Is(2), Is(16);
    ModeRdwr "MPI_MODE_RDWR" Is(8), Is(8), Is(32);
    ModeSequential "MPI_MODE_SEQUENTIAL" Is(256), Is(256), Is(64);
    ModeUniqueOpen "MPI_MODE_UNIQUE_OPEN" Is(32), Is(32), Is(128);
    ModeWronly "MPI_MODE_WRONLY" Is(4), Is(4), Is(256);
}
