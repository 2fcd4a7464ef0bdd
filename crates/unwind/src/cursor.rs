//! Bytes read one after the other.

use crate::Memory;

/// Bytes that are fetched at once: few, because they lie on the program's stack.
const WINDOW: usize = 32;

/// A place in memory, up to an end.
pub struct Cursor<'m, M> {
    memory: &'m M,
    window: [u8; WINDOW],
    /// Where the window begins, and how many bytes of it there are.
    fetched: (usize, usize),
    /// The next byte.
    pub at: usize,
    /// The first byte that is not to be read.
    pub end: usize,
}

impl<'m, M: Memory> Cursor<'m, M> {
    /// From one address to another.
    pub fn new(memory: &'m M, at: usize, end: usize) -> Cursor<'m, M> {
        Cursor {
            memory,
            window: [0; WINDOW],
            fetched: (0, 0),
            at,
            end,
        }
    }

    /// Whether all is read.
    pub fn is_done(&self) -> bool {
        self.at >= self.end
    }

    /// The next byte.
    pub fn byte(&mut self) -> Option<u8> {
        if self.is_done() {
            return None;
        }
        let (start, length) = self.fetched;
        if self.at.wrapping_sub(start) >= length {
            self.fetch()?;
        }
        let byte = self.window.get(self.at.wrapping_sub(self.fetched.0));
        self.at = self.at.wrapping_add(1);
        byte.copied()
    }

    /// No more than a page's end, behind which nothing may be.
    fn fetch(&mut self) -> Option<()> {
        const PAGE: usize = 4096;
        let rest = PAGE.wrapping_sub(self.at & (PAGE - 1));
        let length = WINDOW.min(rest).min(self.end.wrapping_sub(self.at));
        let to = self.window.get_mut(..length)?;
        self.fetched = (self.at, length);
        self.memory.read(self.at, to).then_some(())
    }

    /// The next `N` bytes as a number, the lowest first.
    pub fn fixed<const N: usize>(&mut self) -> Option<u64> {
        const { assert!(N <= 8) };
        let mut number = 0;
        for at in 0..N {
            number |= u64::from(self.byte()?) << (8 * at);
        }
        Some(number)
    }

    /// A number without a sign, in seven bits a byte.
    pub fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number with a sign, in seven bits a byte.
    pub fn signed(&mut self) -> Option<i64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= i64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                let sign = 64u32.saturating_sub(shift + 7);
                return Some(number << sign >> sign);
            }
        }
        None
    }

    /// Passes so many bytes over.
    pub fn skip(&mut self, bytes: u64) -> Option<()> {
        let to = self.at.checked_add(usize::try_from(bytes).ok()?)?;
        (to <= self.end).then(|| self.at = to)
    }

    /// An address in one of the encodings of exception frames (`DW_EH_PE_*`).
    pub fn encoded(&mut self, encoding: u8) -> Option<usize> {
        const OMITTED: u8 = 0xff;
        const RELATIVE: u8 = 0x10;
        if encoding == OMITTED {
            return None;
        }
        let own = self.at;
        let value = match encoding & 0x0f {
            0x00 | 0x04 | 0x0c => self.fixed::<8>()? as usize,
            0x01 => self.unsigned()? as usize,
            0x02 => self.fixed::<2>()? as usize,
            0x03 => self.fixed::<4>()? as usize,
            0x09 => self.signed()? as usize,
            0x0a => self.fixed::<2>()? as i16 as usize,
            0x0b => self.fixed::<4>()? as i32 as usize,
            _ => return None,
        };
        match encoding & 0x70 {
            0 => Some(value),
            RELATIVE => Some(own.wrapping_add(value)),
            _ => None,
        }
    }
}
