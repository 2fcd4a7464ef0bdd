//! The first encoding, which is only read: times are symbols, in a column by the size of the last one.

use super::symbols::column;

/// The number of this encoding.
pub const COLUMNS: u8 = 1;

/// From the end of the event before to the start, where it is not told by the duration's symbol.
pub const GAP: usize = 21;
/// From start to end, where it is too long for the symbol below.
pub const LONG: usize = 22;
/// Gap and duration; one column for each size of the last duration of the same key.
pub const TIME: usize = 23;
/// All columns.
pub const COUNT: usize = TIME + 4;
const _: () = assert!(GAP == column::COUNT && COUNT <= 32);

/// What a TIME symbol holds: a duration's token below `LONG`, or that, and `TOKENS` times the gap, or `GAP`.
pub mod time {
    /// The duration's token stands in the LONG column.
    pub const LONG: u32 = 63;
    pub const TOKENS: u32 = 64;
    /// The gap stands in the GAP column.
    pub const GAP: u32 = 7;
}

/// The column of a duration, by the token of the last.
#[inline(always)]
pub fn class_of(token: u32) -> u8 {
    u8::from(token >= 8)
        .wrapping_add(u8::from(token >= 32))
        .wrapping_add(u8::from(token >= 56))
}
