//! What the model asks of an encoder, and of a decoder, alike.

use super::model::{Key, Keys};
use super::pace::Pace;
use crate::Event;

/// One direction of the code: the encoder takes `actual` and writes it, the decoder ignores it and returns what was written.
pub trait Side {
    /// Whether keys and descriptors are found without branches. Irregular calls mispredict these, which dominates decoding. The
    /// branchless form takes more instructions, so the encoder does not use it.
    const BRANCHLESS: bool;

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
    /// What is to be written, where it has to be looked for: a decoder does not look.
    fn actual(&self, find: impl FnOnce() -> i64) -> i64;
    /// All fields but the times are done.
    fn end(&mut self);
    /// A time, which is always written; negative ones are so rare that they may cost.
    fn always(&mut self, column: usize, actual: i64) -> i64;
    /// Two of them, the gap and the duration, as they are expected by `pace`, which learns of them.
    fn times(&mut self, pace: &mut Pace, gap: i64, time: i64) -> (i64, i64);
    /// The same for a key that is young.
    fn young_times(&mut self, pace: &mut Pace, gap: i64, time: i64) -> (i64, i64);
}
