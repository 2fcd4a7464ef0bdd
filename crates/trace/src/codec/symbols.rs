//! What the symbols of an events payload say: its columns, the bits of its masks, and the symbols of keys and runs.

/// The encoding of an events payload that this is.
pub const ENCODING: u8 = 3;
/// One that readers know as well: the same, but no key is ever young.
pub const EARLY: u8 = 2;
/// The same as [`ENCODING`] with numbers as they are, for packs.
pub const PLAIN: u8 = 4;

/// The columns, in the order of their code tables.
pub mod column {
    /// Which of an event's main fields are not as expected, or how many events are all as expected.
    pub const MASK: usize = 0;
    /// Which of the rare fields are not as expected.
    pub const RARE: usize = 1;
    /// The key, or how op and descriptor are told.
    pub const KEY: usize = 2;
    pub const OP: usize = 3;
    pub const FD: usize = 4;
    pub const LENGTH: usize = 5;
    pub const FILE: usize = 6;
    /// Offset, less the one expected.
    pub const OFFSET: usize = 7;
    /// The same, where it is a multiple of the length.
    pub const EXTENTS: usize = 8;
    pub const RET: usize = 9;
    pub const ID: usize = 10;
    pub const ERRNO: usize = 11;
    pub const FLAGS: usize = 12;
    pub const WHENCE: usize = 13;
    pub const PARENT: usize = 14;
    pub const SECOND_FILE: usize = 15;
    pub const SECOND_FD: usize = 16;
    pub const SECOND_OFFSET: usize = 17;
    pub const ARG: usize = 18;
    /// From an enclosing call's start to that of the first call in it.
    pub const LEAD: usize = 19;
    /// From the end of the last call in it to an enclosing call's end.
    pub const TAIL: usize = 20;
    pub const COUNT: usize = 21;
}

/// Bits of the main mask.
pub mod main {
    pub const KEY: u32 = 1;
    pub const LENGTH: u32 = 2;
    pub const OFFSET: u32 = 4;
    pub const EXTENTS: u32 = 8;
    pub const RET: u32 = 16;
    pub const ID: u32 = 32;
    pub const PARENT: u32 = 64;
    pub const RARE: u32 = 128;
    /// What a key tells of a call.
    pub const AS_BEFORE: u32 = LENGTH | RET | RARE;
}

/// Bits of the rare mask.
pub mod rare {
    pub const FILE: u32 = 1;
    pub const ERRNO: u32 = 2;
    pub const FLAGS: u32 = 4;
    pub const WHENCE: u32 = 8;
    pub const SECOND_FILE: u32 = 16;
    pub const SECOND_FD: u32 = 32;
    pub const SECOND_OFFSET: u32 = 64;
    pub const ARG: u32 = 128;
}

/// What the KEY column says besides the places of keys.
pub mod key {
    /// Keys that are remembered; each is told by its place.
    pub const COUNT: usize = 128;
    /// The expected key's op on the descriptor of the event before.
    pub const SAME_FD: u32 = COUNT as u32;
    /// The expected key's op; the descriptor follows.
    pub const SAME_OP: u32 = SAME_FD + 1;
    /// Op and descriptor follow.
    pub const NEW: u32 = SAME_OP + 1;
}

/// What a MASK symbol says: the main mask of an event, or this and how many events are all as expected.
pub mod mask {
    pub const RUN: u32 = 256;
    /// No more events at once.
    pub const LONGEST: u32 = 255;
}
