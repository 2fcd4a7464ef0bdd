//! What an encoder collects of a block: its symbols, and how often each came.

use super::plain::{LONGEST, Notes};
use super::symbols::column;
use super::token::TOKENS;
use crate::block::MAX_RECORDS;

/// Symbols of one record at most: two masks, three for op and descriptor, eleven fields.
const OF_RECORD: usize = 16;
/// Places by any number of 16 bits, so that none is out of bounds.
const PLACES: usize = 1 << 16;
const _: () = assert!(OF_RECORD * MAX_RECORDS <= PLACES);

/// Symbols as they come, each two bytes: column * TOKENS + token. Or, in plain numbers, notes.
#[repr(C)]
pub struct Symbols(pub(super) [Symbol; PLACES]);

pub type Symbol = [u8; 2];

/// Where there are more bytes of notes than this, a block has to end: 256 records may need the others.
pub(super) const FULL: usize = size_of::<Symbols>() - 256 * OF_RECORD * LONGEST;

impl Symbols {
    pub const NEW: Symbols = Symbols([[0; 2]; PLACES]);

    pub fn get(&self, count: usize) -> Option<&[Symbol]> {
        self.0.get(..count)
    }

    pub fn notes(&self, length: usize) -> Option<Notes<'_>> {
        self.0.as_flattened().get(..length).map(Notes)
    }
}

/// A bit for each column that any of the symbols is of.
pub fn columns_of(symbols: &[Symbol]) -> u32 {
    symbols.iter().fold(0, |columns, symbol| {
        columns | 1 << ((usize::from(u16::from_le_bytes(*symbol)) / TOKENS) & 31)
    })
}

/// Columns with room to spare, so that any index can be cut to one that is there.
const ROOM: usize = 32 * TOKENS;
const _: () = assert!(column::COUNT <= 32);

/// How often each symbol came; later, its code. Aligned, so that no column lies in two pages.
#[repr(C, align(1024))]
pub struct Counts([u16; ROOM]);

impl Counts {
    pub const NEW: Counts = Counts([0; ROOM]);

    /// The columns of these bits. No other is looked at: most programs use few, and each has a page of memory, or half one.
    pub fn columns(&mut self, bits: u32) -> impl Iterator<Item = &mut [u16; TOKENS]> {
        let all = self.0.as_chunks_mut::<TOKENS>().0.iter_mut();
        (0u32..)
            .zip(all)
            .filter(move |(nth, _)| bits >> (nth & 31) & 1 != 0)
            .map(|(_, column)| column)
    }

    #[inline(always)]
    pub(super) fn add(&mut self, symbol: usize) {
        let count = &mut self.0[symbol & (ROOM - 1)];
        *count = count.wrapping_add(1);
    }

    /// Bits and number of bits.
    #[inline(always)]
    pub fn code(&self, symbol: Symbol) -> (u64, u32) {
        let code = self.0[usize::from(u16::from_le_bytes(symbol)) & (ROOM - 1)];
        (u64::from(code >> 4), u32::from(code & 15))
    }
}
