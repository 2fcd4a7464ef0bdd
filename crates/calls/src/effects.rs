//! What the readers of a trace must know of a function to read its calls: traces say it, because a reader may be older
//! than the function. Numbers are those of the trace format.

use crate::Kind;

/// How many bytes a call moved that did not fail
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Counts {
    /// None
    Nothing = 0,
    /// As many as it returned
    Bytes = 1,
    /// It returned a number of items, whose size stands in `whence`
    Items = 2,
    /// As many as were asked for
    Asked = 3,
}

/// What a call does to handles: descriptors and streams
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Handles {
    /// None comes, goes or moves by more than a transfer
    Keeps = 0,
    /// Returns a descriptor, or makes a stream of one
    Opens = 1,
    /// The same; flags and mode stand in `length`
    OpensByFlags = 2,
    /// Makes two: the descriptors of both halves
    OpensTwo = 3,
    /// Ends its descriptor
    Closes = 4,
    /// Ends a stream and its descriptor
    ClosesStream = 5,
    /// Makes a second descriptor, that of the second half, of one
    Duplicates = 6,
    /// The same if there is a second half
    MayDuplicate = 7,
    /// Moves the position to what it returned
    Seeks = 8,
    /// Moves the position of a stream, and does not return it
    SeeksStream = 9,
    /// Reads the first descriptor and writes the second, so many bytes each
    Copies = 10,
}

/// Both
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Effects {
    /// How the result counts
    pub counts: Counts,
    /// What becomes of handles
    pub handles: Handles,
}

impl Effects {
    /// Of a function of which nothing is known
    pub const NONE: Effects = Effects {
        counts: Counts::Nothing,
        handles: Handles::Keeps,
    };

    /// Of a function that no table has
    pub const fn of_kind(kind: Kind) -> Effects {
        let (counts, handles) = match kind {
            Kind::Read | Kind::Write => (Counts::Bytes, Handles::Keeps),
            Kind::Open => (Counts::Nothing, Handles::Opens),
            Kind::Close => (Counts::Nothing, Handles::Closes),
            Kind::Other
            | Kind::Seek
            | Kind::Sync
            | Kind::Meta
            | Kind::Map
            | Kind::Process
            | Kind::Wait => (Counts::Nothing, Handles::Keeps),
        };
        Effects { counts, handles }
    }

    /// As traces have it: the counts in the low four bits, the handles in the others
    pub const fn byte(self) -> u8 {
        self.counts as u8 | (self.handles as u8) << 4
    }

    /// That of a byte in a trace; what this version does not know is nothing
    pub const fn of_byte(byte: u8) -> Effects {
        let counts = match byte & 15 {
            1 => Counts::Bytes,
            2 => Counts::Items,
            3 => Counts::Asked,
            _ => Counts::Nothing,
        };
        let handles = match byte >> 4 {
            1 => Handles::Opens,
            2 => Handles::OpensByFlags,
            3 => Handles::OpensTwo,
            4 => Handles::Closes,
            5 => Handles::ClosesStream,
            6 => Handles::Duplicates,
            7 => Handles::MayDuplicate,
            8 => Handles::Seeks,
            9 => Handles::SeeksStream,
            10 => Handles::Copies,
            _ => Handles::Keeps,
        };
        Effects { counts, handles }
    }
}
