//! Where a system call has its arguments.

/// Where in a call's arguments what is recorded stands. In a shape, places are those of the arguments that the shape's
/// function is given; in a system call, those of its own arguments
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// Opens a path, below a directory if there is one: directory, path, flags
    Open(Option<usize>, usize, Option<usize>),
    /// Ends a descriptor
    Close,
    /// First and last descriptor
    CloseRange,
    /// Moves bytes
    Transfer(Transfer),
    /// Moves the position
    Seek,
    /// Makes the same descriptor again
    Dup,
    /// Which may do so
    Fcntl,
    /// On a descriptor, whose offset and length stand there
    Descriptor(Option<usize>, Option<usize>),
    /// On a path, below a directory if there is one
    Path(Option<usize>, usize),
    /// On two paths
    Paths((Option<usize>, usize), (Option<usize>, usize)),
    /// From a descriptor to another: from, its offset, to, its offset, length
    Between(usize, Option<usize>, usize, Option<usize>, usize),
    /// Maps a descriptor
    Map,
    /// Returns a descriptor of no file
    Made,
    /// Fills in two
    Pair,
    /// Becomes another program: a path, below a directory if there is one
    Exec(Option<usize>, usize),
    /// Makes a process or thread
    Clone,
    /// On nothing that is named
    Global,
}

/// How bytes are moved
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Where the offset stands, if not at the position
    pub offset: Option<usize>,
    /// Whether there are several buffers
    pub is_vector: bool,
    /// From memory to the file
    pub is_write: bool,
}

impl Arguments {
    /// For shapes: bytes at an offset; the call's kind says whether it writes
    pub(crate) const fn transfer(offset: Option<usize>, is_vector: bool) -> Arguments {
        Arguments::Transfer(Transfer {
            offset,
            is_vector,
            is_write: false,
        })
    }
}
