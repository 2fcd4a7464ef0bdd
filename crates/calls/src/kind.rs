//! Layers, kinds and libraries of functions.

/// The level of software that a call belongs to; numbers are those of the trace format
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Layer {
    /// Functions that the user named
    User = 0,
    /// HDF5
    Hdf5 = 1,
    /// PnetCDF
    Pnetcdf = 2,
    /// MPI-IO
    MpiIo = 3,
    /// C streams
    Stdio = 4,
    /// Descriptors, paths and mappings
    Posix = 5,
    /// A file server
    Server = 6,
    /// NetCDF
    Netcdf = 7,
}

impl Layer {
    /// That of a number in a trace, if this version knows it
    pub const fn of(number: u8) -> Option<Layer> {
        match number {
            0 => Some(Layer::User),
            1 => Some(Layer::Hdf5),
            2 => Some(Layer::Pnetcdf),
            3 => Some(Layer::MpiIo),
            4 => Some(Layer::Stdio),
            5 => Some(Layer::Posix),
            6 => Some(Layer::Server),
            7 => Some(Layer::Netcdf),
            _ => None,
        }
    }

    /// Its functions call those of descriptors and streams for what they do
    pub const fn is_library(self) -> bool {
        match self {
            Layer::User | Layer::Hdf5 | Layer::Pnetcdf | Layer::Netcdf | Layer::MpiIo => true,
            Layer::Stdio | Layer::Posix | Layer::Server => false,
        }
    }
}

/// What a call does; numbers are those of the trace format
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Nothing of the below
    Other = 0,
    /// Makes a descriptor or stream
    Open = 1,
    /// Ends one
    Close = 2,
    /// Moves bytes from a file
    Read = 3,
    /// Moves bytes to a file
    Write = 4,
    /// Moves or asks for the position
    Seek = 5,
    /// Waits for storage
    Sync = 6,
    /// Names, attributes, directories, sizes
    Meta = 7,
    /// Maps or unmaps memory
    Map = 8,
    /// Starts or ends a process
    Process = 9,
    /// Starts asynchronous transfers, or waits for them
    Wait = 10,
}

impl Kind {
    /// That of a number in a trace; of one that this version does not know, `Other`
    pub const fn of(number: u8) -> Kind {
        match number {
            1 => Kind::Open,
            2 => Kind::Close,
            3 => Kind::Read,
            4 => Kind::Write,
            5 => Kind::Seek,
            6 => Kind::Sync,
            7 => Kind::Meta,
            8 => Kind::Map,
            9 => Kind::Process,
            10 => Kind::Wait,
            _ => Kind::Other,
        }
    }

    /// As people call it
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Other => "other",
            Kind::Open => "open",
            Kind::Close => "close",
            Kind::Read => "read",
            Kind::Write => "write",
            Kind::Seek => "seek",
            Kind::Sync => "sync",
            Kind::Meta => "meta",
            Kind::Map => "map",
            Kind::Process => "process",
            Kind::Wait => "wait",
        }
    }
}

/// Where a function is defined
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Library {
    /// The C library
    Libc,
    /// An MPI library; its hooks call `PMPI_` names
    Mpi,
    /// libaio, which a program may or may not bring along
    Aio,
    /// liburing, likewise
    Uring,
    /// HDF5, serial or parallel, of any version
    Hdf5,
    /// NetCDF, likewise
    Netcdf,
    /// PnetCDF
    Pnetcdf,
}

impl Library {
    /// Above MPI-IO. A program may have several of one, or none; a row is for every version
    pub const fn is_above(self) -> bool {
        match self {
            Library::Hdf5 | Library::Netcdf | Library::Pnetcdf => true,
            Library::Libc | Library::Mpi | Library::Aio | Library::Uring => false,
        }
    }
}
