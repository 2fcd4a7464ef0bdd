//! Classes of MPI's errors. Each family of MPIs has numbers of its own; traces have those of MPI's standard ABI.

/// A class
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpiError {
    /// As `mpi.h` calls it
    pub name: &'static str,
    /// MPICH's number
    pub mpich: u16,
    /// Open MPI's number
    pub open_mpi: u16,
    /// That of the standard ABI
    pub standard: u16,
}

macro_rules! errors {
    ($($name:ident $mpich:literal $open_mpi:literal $standard:literal;)*) => {
        /// The classes that a call on a file may have
        pub const MPI_ERRORS: &[MpiError] = &[$(MpiError {
            name: stringify!($name),
            mpich: $mpich,
            open_mpi: $open_mpi,
            standard: $standard,
        }),*];
        $(
            /// The class of this name in traces
            pub const $name: u16 = $standard;
        )*
    };
}

errors! {
    MPI_ERR_BUFFER 1 1 1;
    MPI_ERR_COUNT 2 2 2;
    MPI_ERR_TYPE 3 3 3;
    MPI_ERR_COMM 5 5 5;
    MPI_ERR_RANK 6 6 6;
    MPI_ERR_REQUEST 19 7 7;
    MPI_ERR_GROUP 8 9 9;
    MPI_ERR_OP 9 10 10;
    MPI_ERR_ARG 12 13 13;
    MPI_ERR_UNKNOWN 13 14 14;
    MPI_ERR_TRUNCATE 14 15 15;
    MPI_ERR_OTHER 15 16 16;
    MPI_ERR_INTERN 16 17 17;
    MPI_ERR_PENDING 18 19 18;
    MPI_ERR_IN_STATUS 17 18 19;
    MPI_ERR_ACCESS 20 20 20;
    MPI_ERR_AMODE 21 21 21;
    MPI_ERR_BAD_FILE 22 23 23;
    MPI_ERR_CONVERSION 23 25 25;
    MPI_ERR_DUP_DATAREP 24 27 27;
    MPI_ERR_FILE_EXISTS 25 28 28;
    MPI_ERR_FILE_IN_USE 26 29 29;
    MPI_ERR_FILE 27 30 30;
    MPI_ERR_INFO_KEY 29 31 31;
    MPI_ERR_INFO_NOKEY 31 32 32;
    MPI_ERR_INFO_VALUE 30 33 33;
    MPI_ERR_INFO 28 34 34;
    MPI_ERR_IO 32 35 35;
    MPI_ERR_NO_MEM 34 39 39;
    MPI_ERR_NOT_SAME 35 40 40;
    MPI_ERR_NO_SPACE 36 41 41;
    MPI_ERR_NO_SUCH_FILE 37 42 42;
    MPI_ERR_QUOTA 39 44 44;
    MPI_ERR_READ_ONLY 40 45 45;
    MPI_ERR_UNSUPPORTED_DATAREP 43 51 54;
    MPI_ERR_UNSUPPORTED_OPERATION 44 52 55;
}

impl MpiError {
    /// The class of this number in traces
    pub fn of(standard: u16) -> Option<&'static MpiError> {
        MPI_ERRORS.iter().find(|error| error.standard == standard)
    }
}
