//! Which symbols stand for lengths, distances, and the lengths of codes.

use super::huffman::SYMBOLS;

/// The symbol that ends a block.
pub const END: u32 = 256;
/// The order in which the lengths of the codes for lengths stand.
const ORDER: [usize; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

/// A symbol and what else is written of a number, in so many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodedNumber {
    pub symbol: u32,
    pub rest: u32,
    pub bits: u32,
}

/// From this number on two symbols, or four, share the bits that they have besides.
fn part(number: u32, shared: u32) -> CodedNumber {
    let log = 31u32.wrapping_sub((number | 1).leading_zeros());
    let bits = log.saturating_sub(shared);
    CodedNumber {
        symbol: (bits << shared).wrapping_add(number >> bits),
        rest: number & (1u32 << bits).wrapping_sub(1),
        bits,
    }
}

/// From 3 to 258.
pub fn length(length: u32) -> CodedNumber {
    let mut part = part(length.wrapping_sub(3), 2);
    if length == 258 {
        (part.symbol, part.rest, part.bits) = (28, 0, 0);
    }
    part.symbol = part.symbol.wrapping_add(257);
    part
}

/// From 1 on.
pub fn distance(distance: u32) -> CodedNumber {
    part(distance.wrapping_sub(1), 1)
}

/// The symbols of the lengths' code in their order, up to the last that has one.
pub fn in_order(codes: &[u16; SYMBOLS]) -> &'static [usize] {
    let is_used = |symbol: &usize| codes.get(*symbol).is_some_and(|code| *code != 0);
    let last = ORDER.iter().rposition(is_used).unwrap_or(0);
    ORDER.get(..last.wrapping_add(1).max(4)).unwrap_or(&ORDER)
}

/// The lengths of codes, those that are the same together.
pub struct Runs<'a> {
    codes: &'a [u16],
    before: Option<u16>,
}

impl<'a> Runs<'a> {
    pub fn new(codes: &'a [u16]) -> Self {
        Runs {
            codes,
            before: None,
        }
    }
}

impl Iterator for Runs<'_> {
    type Item = CodedNumber;

    fn next(&mut self) -> Option<CodedNumber> {
        let first = self.codes.first()? & 15;
        let same = self.codes.iter().take_while(|code| *code & 15 == first);
        let (symbol, most, least, bits) = match (first, same.count()) {
            (0, 11..) => (18, 138, 11, 7),
            (0, 3..) => (17, 10, 3, 3),
            (_, 3..) if self.before == Some(first) => (16, 6, 3, 2),
            _ => (u32::from(first), 1, 1, 0),
        };
        let taken = self.codes.iter().take(most);
        let taken = taken.take_while(|code| *code & 15 == first).count();
        (self.codes, self.before) = (self.codes.get(taken..)?, Some(first));
        Some(CodedNumber {
            symbol,
            rest: taken.wrapping_sub(least) as u32,
            bits,
        })
    }
}
