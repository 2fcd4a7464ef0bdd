//! Texts of fixed room: what a guest that may not allocate builds paths and messages in.

use core::ffi::CStr;

/// At most `N - 1` bytes, always followed by a NUL. What does not fit is left out, and [`Text::is_whole`] says so.
#[repr(C)]
pub struct Text<const N: usize> {
    // First, so that a short text lies in one page.
    length: usize,
    cut: bool,
    bytes: [u8; N],
}

impl<const N: usize> Text<N> {
    /// No text.
    pub const EMPTY: Self = Self {
        bytes: [0; N],
        length: 0,
        cut: false,
    };

    /// Adds bytes.
    pub fn push(&mut self, more: &[u8]) -> &mut Self {
        if more.is_empty() {
            return self;
        }
        let room = N.saturating_sub(1).saturating_sub(self.length);
        let fits = more.len().min(room);
        self.cut |= fits != more.len();
        if let (Some(to), Some(from)) = (
            self.bytes
                .get_mut(self.length..self.length.wrapping_add(fits)),
            more.get(..fits),
        ) {
            to.copy_from_slice(from);
            self.length = self.length.wrapping_add(fits);
        }
        if let Some(end) = self.bytes.get_mut(self.length) {
            *end = 0;
        }
        self
    }

    /// Adds a number in decimal.
    pub fn push_number(&mut self, mut number: u64) -> &mut Self {
        let mut digits = [0u8; 20];
        let mut used = 0usize;
        for digit in digits.iter_mut().rev() {
            *digit = b'0'.wrapping_add((number % 10) as u8);
            number /= 10;
            used = used.wrapping_add(1);
            if number == 0 {
                break;
            }
        }
        let from = digits.len().saturating_sub(used);
        self.push(digits.get(from..).unwrap_or_default())
    }

    /// The bytes, without NUL.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// As a C string, up to the first NUL.
    pub fn c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or(c"")
    }

    /// The same of what begins at `at`.
    pub fn c_str_from(&self, at: usize) -> &CStr {
        let rest = self.bytes.get(at..).unwrap_or_default();
        CStr::from_bytes_until_nul(rest).unwrap_or(c"")
    }

    /// What `work` makes of the first `length` bytes as a C string. No copy: a thread's stack may be small.
    pub fn with_start<R>(&mut self, length: usize, work: impl FnOnce(&CStr) -> R) -> R {
        let length = length.min(self.length);
        let byte = self.bytes.get(length).copied();
        let end = |text: &mut Self, byte| {
            text.bytes
                .get_mut(length)
                .into_iter()
                .for_each(|end| *end = byte)
        };
        end(self, 0);
        let made = work(self.c_str());
        end(self, byte.unwrap_or(0));
        made
    }

    /// Has the bytes behind the text filled, at most so many, and takes those that were.
    pub fn fill(&mut self, most: usize, fill: impl FnOnce(&mut [u8]) -> usize) {
        let end = self.length.saturating_add(most).min(N.saturating_sub(1));
        let room = self.bytes.get_mut(self.length..end).unwrap_or_default();
        let filled = fill(&mut *room).min(room.len());
        self.length = self.length.wrapping_add(filled);
        if let Some(end) = self.bytes.get_mut(self.length) {
            *end = 0;
        }
    }

    /// False when something did not fit.
    pub fn is_whole(&self) -> bool {
        !self.cut
    }

    /// True when no byte more fits.
    pub fn is_full(&self) -> bool {
        self.length.wrapping_add(1) >= N
    }

    /// True when there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Takes all away; something is to follow.
    pub fn clear(&mut self) {
        self.length = 0;
        self.bytes[0] = 0;
    }

    /// Takes everything from `length` on away. Where nothing is there, nothing is written: the memory may not be in use yet.
    pub fn truncate(&mut self, length: usize) {
        if length >= self.length {
            return;
        }
        self.length = length;
        if let Some(end) = self.bytes.get_mut(self.length) {
            *end = 0;
        }
    }
}

/// Copies `length` bytes from `from` to `to`, the first one first.
pub fn move_within(bytes: &mut [u8], from: usize, to: usize, length: usize) {
    for n in 0..length {
        let byte = bytes.get(from.wrapping_add(n)).copied().unwrap_or(0);
        if let Some(place) = bytes.get_mut(to.wrapping_add(n)) {
            *place = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_end_with_nul_and_say_when_they_are_cut() {
        let mut text = Text::<6>::EMPTY;
        text.push(b"ab").push_number(70);
        assert_eq!((text.c_str(), text.is_whole()), (c"ab70", true));
        text.push(b"xyz");
        assert_eq!((text.c_str(), text.is_whole()), (c"ab70x", false));
        let mut large = Text::<30>::EMPTY;
        assert_eq!(large.push_number(u64::MAX).bytes(), b"18446744073709551615");
        let mut zero = Text::<3>::EMPTY;
        assert_eq!(zero.push_number(0).bytes(), b"0");
    }
}
