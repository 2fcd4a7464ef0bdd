//! The column code of events blocks: one model predicts every field of the next event on both sides,
//! and only what it got wrong is written, as tokens under a Huffman code for each column and raw bits beside them.

pub mod bits;
pub mod huffman;
pub mod model;
pub mod token;

/// The encoding of an events payload that this is; there is no other so far.
pub const COLUMNS: u8 = 1;

/// The columns, in the order of their code tables.
pub mod column {
    /// Which of an event's main fields are not as expected.
    pub const MASK: usize = 0;
    /// Which of the rare fields are not.
    pub const RARE: usize = 1;
    pub const OP: usize = 2;
    pub const NEW_OP: usize = 3;
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
    /// From the end of the event before to the start.
    pub const GAP: usize = 21;
    /// From start to end; one column for each size of the last duration of the same call.
    pub const TIME: usize = 22;
    pub const TIMES: usize = 4;
    pub const COUNT: usize = TIME + TIMES;
}

/// Bits of the main mask.
pub mod main {
    pub const OP: u32 = 1;
    pub const FD: u32 = 2;
    pub const LENGTH: u32 = 4;
    pub const FILE: u32 = 8;
    pub const OFFSET: u32 = 16;
    pub const EXTENTS: u32 = 32;
    pub const RET: u32 = 64;
    pub const ID: u32 = 128;
    pub const RARE: u32 = 256;
}

/// Bits of the rare mask.
pub mod rare {
    pub const ERRNO: u32 = 1;
    pub const FLAGS: u32 = 2;
    pub const WHENCE: u32 = 4;
    pub const PARENT: u32 = 8;
    pub const FILE: u32 = 16;
    pub const FD: u32 = 32;
    pub const OFFSET: u32 = 64;
    pub const ARG: u32 = 128;
}

/// One direction of the code: the encoder takes `actual` and writes it, the decoder ignores it and returns what was written.
pub trait Side {
    /// An event begins: its main mask comes first.
    fn begin(&mut self);
    /// A field; written as the difference to `base` where it is not as `expected`.
    fn field(&mut self, bit: u32, column: usize, expected: i64, base: i64, actual: i64) -> i64;
    /// The op, given its expected value and, for another, its place among those seen.
    fn op(&mut self, expected: u16, seen: &mut Seen, actual: u16) -> u16;
    /// The offset, which is often off by a multiple of the length.
    fn offset(&mut self, expected: i64, length: u64, actual: i64) -> i64;
    /// The rare fields begin: their mask comes first, if any of them is not as expected.
    fn begin_rare(&mut self);
    /// A rare field.
    fn rare(&mut self, bit: u32, column: usize, expected: i64, actual: i64) -> i64;
    /// The rare fields are done.
    fn end_rare(&mut self);
    /// A time, which is always written; negative ones are so rare that they may cost.
    fn always(&mut self, column: usize, actual: i64) -> i64;
    /// The event is done.
    fn end(&mut self);
}

/// The ops of a block in the order of their first unexpected appearance.
#[repr(C)]
pub struct Seen {
    ops: [u16; 64],
    count: usize,
}

impl Seen {
    pub const NEW: Seen = Seen {
        ops: [0; 64],
        count: 0,
    };

    pub fn place(&self, op: u16) -> Option<usize> {
        self.ops
            .iter()
            .take(self.count)
            .position(|seen| *seen == op)
    }

    pub fn at(&self, place: usize) -> Option<u16> {
        self.ops.get(..self.count)?.get(place).copied()
    }

    pub fn add(&mut self, op: u16) {
        if let Some(slot) = self.ops.get_mut(self.count) {
            *slot = op;
            self.count = self.count.wrapping_add(1);
        }
    }
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
