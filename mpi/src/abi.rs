//! What differs between MPIs, as a table. No `mpi.h` is read: one library serves every MPI, and knows at run time which
//! one it is in ([`crate::pmpi`]). A test compares each column with the header of every MPI that it can get.
//!
//! A handle is a word here, whatever it is for the MPI: arguments travel in registers or in slots of eight bytes, so
//! that a function that takes an `int` finds it in the lower half. What an MPI writes as an `int` is read as one, and
//! so is a key.

use core::ffi::{CStr, c_int, c_void};

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

impl Family {
    /// All of them.
    pub const ALL: [Family; 3] = [Family::Mpich, Family::OpenMpi, Family::Standard];

    /// Bytes of a handle in memory.
    pub fn handle_bytes(self) -> usize {
        match self {
            Family::Mpich => size_of::<c_int>(),
            Family::OpenMpi | Family::Standard => size_of::<*const c_void>(),
        }
    }
}

/// What a constant is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// This number.
    Is(isize),
    /// The address of this variable of the MPI.
    At(&'static CStr),
}

/// One constant in each family.
pub struct Row {
    /// As `mpi.h` calls it.
    pub name: &'static str,
    mpich: Value,
    open_mpi: Value,
    standard: Value,
}

impl Row {
    /// What it is in a family.
    pub const fn value(&self, family: Family) -> Value {
        match family {
            Family::Mpich => self.mpich,
            Family::OpenMpi => self.open_mpi,
            Family::Standard => self.standard,
        }
    }
}

use Value::{At, Is};

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
    CommTypeShared "MPI_COMM_TYPE_SHARED" Is(1), Is(0), Is(221);
    Undefined "MPI_UNDEFINED" Is(-32766), Is(-32766), Is(-32766);
    Uint8 "MPI_UINT8_T" Is(0x4c00_013b), At(c"ompi_mpi_uint8_t"), Is(0x241);
    Uint64 "MPI_UINT64_T" Is(0x4c00_083e), At(c"ompi_mpi_uint64_t"), Is(0x259);
    Max "MPI_MAX" Is(0x5800_0001), At(c"ompi_mpi_op_max"), Is(0x23);
    Min "MPI_MIN" Is(0x5800_0002), At(c"ompi_mpi_op_min"), Is(0x22);
    Sum "MPI_SUM" Is(0x5800_0003), At(c"ompi_mpi_op_sum"), Is(0x21);
}
