//! How a reader learns a column's code, and looks it up.

use super::{INDEX, MAX_BITS, PerLength, reversed, take};
use crate::bytes::Get;
use crate::codec::token::TOKENS;

/// Entries of a decoding table.
const TABLE: usize = 1 << MAX_BITS;

/// A column's code as a reader uses it, by the next bits.
#[repr(C)]
pub struct Table {
    entries: [Entry; TABLE],
    mask: u64,
}

/// A symbol, and how many bits stand for it: the low ones, so that a shift by them needs no masking.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Entry(u16);

impl Entry {
    const fn new(symbol: u16, length: u32) -> Entry {
        Entry(symbol << 6 | length as u16)
    }

    #[inline(always)]
    pub fn symbol(self) -> u32 {
        u32::from(self.0 >> 6)
    }

    /// At most 15.
    #[inline(always)]
    pub fn length(self) -> u32 {
        u32::from(self.0 & 63)
    }
}

/// Room to work in: symbols with their lengths, the shortest first.
#[repr(C)]
pub struct Sorted([Entry; TOKENS]);

impl Sorted {
    pub const NEW: Sorted = Sorted([Entry(0); TOKENS]);
}

impl Table {
    pub const NEW: Table = Table {
        entries: [Entry(0); TABLE],
        mask: 0,
    };

    #[inline(always)]
    pub fn look_up(&self, bits: u64) -> Entry {
        let entry = self.entries.get((bits & self.mask) as usize);
        entry.copied().unwrap_or(Entry(0))
    }

    /// The table of a column that is not there: every symbol is 0.
    pub fn clear(&mut self) {
        self.mask = 0;
        self.entries[0] = Entry(0);
    }

    /// Learns the table that [`build`](super::build) wrote.
    pub fn read(&mut self, get: &mut Get, sorted: &mut Sorted) -> Option<()> {
        match get.varint()? {
            0 => self.constant(get.varint()?),
            1 => self.uniform(u32::from(get.u8()?)),
            n => self.code(usize::try_from(n).ok()?, get, sorted),
        }
    }

    fn constant(&mut self, symbol: u64) -> Option<()> {
        self.mask = 0;
        self.entries[0] = if symbol < TOKENS as u64 {
            Entry::new(symbol as u16, 0)
        } else {
            return None;
        };
        Some(())
    }

    fn uniform(&mut self, width: u32) -> Option<()> {
        let size = 1usize << if width > 9 { return None } else { width };
        self.mask = size.wrapping_sub(1) as u64;
        for (symbol, entry) in self.entries.iter_mut().take(size).enumerate() {
            *entry = Entry::new(symbol as u16, width);
        }
        Some(())
    }

    fn code(&mut self, n: usize, get: &mut Get, sorted: &mut Sorted) -> Option<()> {
        let mut again = *get;
        let mut per_length: PerLength = [0; 32];
        each_code(n, get, |entry| {
            take(&mut per_length, entry.length());
        })?;
        let longest = complete(per_length)?;
        let mut place = 0u32;
        let mut places = per_length.map(|count| {
            let first = place;
            place = place.wrapping_add(count);
            first
        });
        each_code(n, &mut again, |entry| {
            sorted.0[take(&mut places, entry.length()) as usize & INDEX] = entry;
        })?;
        self.mask = (1u64 << longest).wrapping_sub(1);
        self.fill(&sorted.0, per_length, longest)
    }

    /// Length by length: what the shorter codes have filled stands again behind it, as often as there are bits that do not
    /// matter to them. Longer codes take the places that are left.
    fn fill(&mut self, sorted: &[Entry], per_length: PerLength, longest: u32) -> Option<()> {
        let (mut sorted, mut code) = (sorted.iter(), 0u32);
        for length in 1..=longest {
            let some = per_length[length as usize & 31] as usize;
            for entry in sorted.by_ref().take(some) {
                *self.entries.get_mut(usize::from(reversed(code, length)))? = *entry;
                code = code.wrapping_add(1);
            }
            if length < longest {
                code <<= 1;
                let (from, to) = self.entries.split_at_mut_checked(1 << length)?;
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
        }
        Some(())
    }
}

/// Reads the lengths of so many codes.
fn each_code(n: usize, get: &mut Get, mut each: impl FnMut(Entry)) -> Option<()> {
    let mut expected = 0u64;
    for _ in 0..n {
        let byte = get.u8()?;
        let more = if byte >> 4 == 15 { get.varint()? } else { 0 };
        let symbol = expected
            .checked_add(u64::from(byte >> 4))?
            .checked_add(more)?;
        if symbol >= TOKENS as u64 {
            return None;
        }
        each(Entry::new(symbol as u16, u32::from(byte & 15)));
        expected = symbol.wrapping_add(1);
    }
    Some(())
}

/// The longest code, if the code uses up every bit pattern exactly once.
fn complete(per_length: PerLength) -> Option<u32> {
    let mut left = 1u32;
    for length in 1..=MAX_BITS {
        left = (left << 1).checked_sub(per_length[length as usize & 31])?;
        if left == 0 {
            let longer = length.wrapping_add(1)..16;
            let none =
                per_length[0] == 0 && longer.into_iter().all(|l| per_length[l as usize & 31] == 0);
            return if none { Some(length) } else { None };
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::{Buffers, build};
    use super::*;
    use crate::bytes::Put;

    /// The longest codes, and the bits behind a code, which may be any.
    #[test]
    fn a_table_gives_back_every_symbol() {
        let all: [fn(usize) -> u16; 4] = [
            |n| (n < 13) as u16 * (1 << n.min(12)) / 2,
            |n| [1, 0, 40, 3][n % 4] * (n < 150) as u16,
            |n| (n == 0 || n == 511) as u16,
            |n| (n % 3 == 0) as u16,
        ];
        let mut longest = 0;
        for count in all {
            let mut codes: [u16; TOKENS] = core::array::from_fn(count);
            let (mut out, mut sorted) = ([0; 1024], Sorted::NEW);
            let mut buffers = Buffers::NEW;
            let mut put = Put::new(&mut out);
            build(&mut codes, &mut buffers, &mut put);
            let length = put.done().unwrap();
            let mut table = Box::new(Table::NEW);
            table.entries.fill(Entry::new(1, 7));
            let read = table.read(&mut Get(&out[..length]), &mut sorted);
            read.unwrap();
            longest = longest.max(table.mask.count_ones());
            for (symbol, code) in codes.iter().enumerate().filter(|(n, _)| count(*n) > 0) {
                let (bits, length) = (u64::from(code >> 4), u32::from(code & 15));
                for behind in [0, 1, 0x5A5, u64::MAX >> 16] {
                    let entry = table.look_up(bits | behind << length);
                    assert_eq!((entry.symbol(), entry.length()), (symbol as u32, length));
                }
            }
            let short = table.read(&mut Get(&out[..length - 1]), &mut sorted);
            assert!(short.is_none());
        }
        assert_eq!(longest, MAX_BITS);
    }
}
