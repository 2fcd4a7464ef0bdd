//! The column code of events blocks: one model predicts every field of the next event on both sides,
//! and only what it got wrong is written, as tokens under a Huffman code for each column and raw bits beside them.

pub mod bits;
pub mod decoder;
pub mod encoder;
pub mod first;
pub mod huffman;
pub mod model;
pub mod pace;
mod rice;
pub mod token;

use model::{KEYS, Key, Keys};

use crate::Event;
use pace::Pace;

/// The encoding of an events payload that this is; [`first::COLUMNS`] is read as well.
pub const COLUMNS: u8 = 2;

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
    use super::KEYS;
    /// The expected key's op on the descriptor of the event before.
    pub const SAME_FD: u32 = KEYS as u32;
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

/// One direction of the code: the encoder takes `actual` and writes it, the decoder ignores it and returns what was written.
pub trait Side {
    /// An event begins: its main mask comes first.
    fn begin(&mut self);
    /// Op and descriptor, if they are not those of the key at `expected`: another that is known, or a new one.
    fn key(&mut self, keys: &Keys, expected: u8, fd: i32, actual: (u16, i32))
    -> Option<(u16, i32)>;
    /// Whether a call is as the key's last one, which it is not if any of the fields that the key tells is unexpected.
    fn as_before(&mut self, key: &Key, e: &mut Event) -> bool;
    /// A field; written as the difference to `base` where it is not as `expected`.
    fn field(&mut self, bit: u32, column: usize, expected: i64, base: i64, actual: i64) -> i64;
    /// The offset, which is often off by a multiple of the length.
    fn offset(&mut self, expected: i64, length: u64, actual: i64) -> i64;
    /// The rare fields begin: their mask comes first, if any of them is not as expected.
    fn begin_rare(&mut self);
    /// A rare field.
    fn rare(&mut self, bit: u32, column: usize, expected: i64, base: i64, actual: i64) -> i64;
    /// The rare fields are done.
    fn end_rare(&mut self);
    /// All fields but the times are done.
    fn end(&mut self);
    /// A time, which is always written; negative ones are so rare that they may cost.
    fn always(&mut self, column: usize, actual: i64) -> i64;
    /// Two of them, the gap and the duration, as they are expected by `pace`, which learns of them.
    fn times(&mut self, pace: &mut Pace, gap: i64, time: i64) -> (i64, i64);
}

/// Small numbers of either sign as small numbers.
#[inline(always)]
pub fn zigzag(v: i64) -> u64 {
    ((v << 1) ^ (v >> 63)) as u64
}

#[inline(always)]
pub fn unzigzag(v: u64) -> i64 {
    ((v >> 1) as i64) ^ ((v & 1) as i64).wrapping_neg()
}
