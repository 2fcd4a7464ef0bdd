//! Cursors over byte slices that cannot overrun and cannot panic: they remember that they fell short.

/// Writes to a slice; once something did not fit, nothing more is written and `done` says so.
pub struct Put<'a> {
    out: &'a mut [u8],
    at: usize,
    short: bool,
}

impl<'a> Put<'a> {
    pub fn new(out: &'a mut [u8]) -> Self {
        Put {
            out,
            at: 0,
            short: false,
        }
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        match self
            .out
            .get_mut(self.at..)
            .and_then(|rest| rest.get_mut(..bytes.len()))
        {
            Some(place) if !self.short => {
                for (to, from) in place.iter_mut().zip(bytes) {
                    *to = *from;
                }
                self.at = self.at.wrapping_add(bytes.len());
            }
            _ => self.short = true,
        }
    }

    pub fn u8(&mut self, v: u8) {
        self.bytes(&[v]);
    }

    pub fn u16(&mut self, v: u16) {
        self.bytes(&v.to_le_bytes());
    }

    pub fn u32(&mut self, v: u32) {
        self.bytes(&v.to_le_bytes());
    }

    pub fn u64(&mut self, v: u64) {
        self.bytes(&v.to_le_bytes());
    }

    /// LEB128: seven bits a byte, lowest first, the top bit set on all but the last.
    pub fn varint(&mut self, mut v: u64) {
        while v >= 0x80 {
            self.u8(v as u8 | 0x80);
            v >>= 7;
        }
        self.u8(v as u8);
    }

    /// The next bytes, to be filled by the caller.
    pub fn place(&mut self, length: usize) -> &mut [u8] {
        let from = self.at;
        match from.checked_add(length) {
            Some(end) if end <= self.out.len() && !self.short => self.at = end,
            _ => self.short = true,
        }
        self.out.get_mut(from..self.at).unwrap_or_default()
    }

    pub fn at(&self) -> usize {
        self.at
    }

    /// Back to an earlier position, forgetting that something did not fit after it.
    pub fn back(&mut self, at: usize) {
        self.at = at.min(self.at);
        self.short = false;
    }

    pub fn short(&self) -> bool {
        self.short
    }

    /// The whole slice again.
    pub fn into_inner(self) -> &'a mut [u8] {
        self.out
    }

    /// How many bytes were written, if all of them fitted.
    pub fn done(&self) -> Option<usize> {
        if self.short { None } else { Some(self.at) }
    }
}

/// Reads from a slice; `None` where it ends too early.
#[derive(Clone, Copy)]
pub struct Get<'a>(pub &'a [u8]);

impl<'a> Get<'a> {
    pub fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(head)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn varint(&mut self) -> Option<u64> {
        let (mut v, mut shift) = (0u64, 0u32);
        loop {
            let byte = self.u8()?;
            if shift > 63 || (shift == 63 && byte > 1) {
                return None;
            }
            v |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(v);
            }
            shift = shift.wrapping_add(7);
        }
    }
}
