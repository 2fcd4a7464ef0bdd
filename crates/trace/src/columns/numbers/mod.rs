//! A column: the numbers that one field has in calls of a kind. It says first how they are written.

mod dictionary;
mod read;
mod survey;
#[cfg(test)]
mod tests;
mod write;

pub use dictionary::Dictionary;
pub use read::Reader;
pub use write::ColumnWriter;

/// How the numbers of a column are written.
mod form {
    /// All are 0.
    pub const ZERO: u8 = 0;
    /// All are the same.
    pub const CONSTANT: u8 = 1;
    /// Each by as many bits as most need, above the least of them, and the others as exceptions.
    pub const PACKED: u8 = 2;
    /// Each by its place among a few.
    pub const DICTIONARY: u8 = 3;
    /// Each in as many bytes as it needs.
    pub const BYTES: u8 = 4;
    /// How many bits each has as a byte, and then these bits: for noise of all sizes.
    pub const SIZES: u8 = 5;
    /// With one of those above: they are the differences from each number to the next.
    pub const DIFFERENCES: u8 = 8;
    /// With one of those above: the first number stands apart, and they are the others.
    pub const FIRST: u8 = 16;
}
