//! The code of a function, and what of it is to be done elsewhere; why it cannot be.

use super::image::{Image, Symbol};
use iota_trace::patches::Fixup;

pub const SHORT: &str = "it is shorter than a jump";
pub const INSIDE: &str = "a jump leads into its first instructions";
pub const LOOP: &str = "it jumps back to its first instruction";
pub const TABLE: &str = "a table of jumps may lead into its first instructions";
pub const UNKNOWN: &str = "its instructions cannot be decoded";
pub const CALLER: &str = "it looks at its caller";
pub const PLACE: &str = "its first instructions depend on where they are";
pub const POPS: &str = "it returns in another way than C functions";

/// A function's code, and what leads to its beginning
pub struct Body<'a> {
    pub entry: u64,
    /// All of it
    pub bytes: &'a [u8],
    /// What follows, up to the next function
    pub rest: &'a [u8],
    /// Where jumps inside its beginning lead, and whether they are its own
    pub jumps: Vec<(u64, bool)>,
    pub image: &'a Image,
}

/// What is to be done in another place
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Displaced {
    /// So many bytes of the function stay
    pub at: usize,
    /// So many of them are displaced or overwritten, with those that stay
    pub end: usize,
    pub code: Vec<u8>,
    pub fixups: Vec<Fixup>,
}

impl<'a> Body<'a> {
    pub fn new(image: &'a Image, jumps: Vec<(u64, bool)>, symbol: &Symbol) -> Option<Body<'a>> {
        let next = image.next_symbol(symbol.address);
        let end = symbol.address.checked_add(symbol.size)?;
        Some(Body {
            entry: symbol.address,
            bytes: image.code_at(symbol.address, end)?,
            rest: image.code_at(end, next.max(end)).unwrap_or_default(),
            jumps,
            image,
        })
    }

    /// Nothing may lead behind the first of the bytes that are displaced, nor to that one from the function itself: that
    /// would be taken for a call.
    pub fn check(&self, at: usize, end: usize) -> Result<(), &'static str> {
        let (start, end) = (self.entry + at as u64, self.entry + end as u64);
        for &(to, is_own) in &self.jumps {
            if to == start && to != self.entry || to == self.entry && is_own {
                return Err(LOOP);
            }
            if self.entry < to && to < end {
                return Err(INSIDE);
            }
        }
        let behind = self.entry + 1..end;
        match self.image.pointers.range(behind).next() {
            Some(_) => Err(TABLE),
            None => Ok(()),
        }
    }

    /// The bytes from a place on, with those that follow the function
    pub fn from(&self, at: usize) -> Vec<u8> {
        let all = self.bytes.iter().chain(self.rest);
        all.skip(at).take(40).copied().collect()
    }
}
