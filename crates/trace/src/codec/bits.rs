//! Bit streams, lowest bit first.

/// Writes bits to a slice. A write wants eight bytes of room, whatever its size.
pub struct BitWriter<'a> {
    out: &'a mut [u8],
    at: usize,
    pending: u64,
    fill: u32,
    short: bool,
}

impl<'a> BitWriter<'a> {
    pub fn new(out: &'a mut [u8]) -> Self {
        BitWriter {
            out,
            at: 0,
            pending: 0,
            fill: 0,
            short: false,
        }
    }

    /// The low `n` bits of `v`, at most 56; its other bits are 0.
    #[inline(always)]
    pub fn put(&mut self, v: u64, n: u32) {
        self.pending |= v << (self.fill & 63);
        self.fill = self.fill.wrapping_add(n);
        self.flush();
    }

    /// The same for up to 60 bits.
    #[inline(always)]
    pub fn put_long(&mut self, v: u64, n: u32) {
        if n > 56 {
            self.put(v & 0xFFFF_FFFF, 32);
            self.put(v >> 32, n.wrapping_sub(32));
        } else {
            self.put(v, n);
        }
    }

    #[inline(always)]
    fn flush(&mut self) {
        let rest = self.out.get_mut(self.at..);
        match rest.and_then(|rest| rest.first_chunk_mut::<8>()) {
            Some(place) => *place = self.pending.to_le_bytes(),
            None => self.short = true,
        }
        self.at = self.at.wrapping_add((self.fill >> 3) as usize);
        self.pending >>= self.fill & 56;
        self.fill &= 7;
    }

    /// Bytes written, the last one filled up with zero bits; `None` where they did not fit.
    pub fn finish(self) -> Option<usize> {
        if self.short {
            return None;
        }
        self.at.checked_add(usize::from(self.fill > 0))
    }
}

/// Reads bits from a slice; past its end come zeros, and `exhausted` tells.
pub struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
    fill: u32,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        BitReader {
            bytes,
            at: 0,
            fill: 0,
        }
    }

    /// At least the next 56 bits.
    #[inline(always)]
    pub fn peek(&self) -> u64 {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let word = match rest.first_chunk::<8>() {
            Some(word) => u64::from_le_bytes(*word),
            None => tail(rest),
        };
        word >> (self.fill & 7)
    }

    #[inline(always)]
    pub fn skip(&mut self, n: u32) {
        let fill = self.fill.wrapping_add(n);
        self.at = self.at.wrapping_add((fill >> 3) as usize);
        self.fill = fill & 7;
    }

    /// The next `n` bits, at most 56.
    #[inline(always)]
    fn get(&mut self, n: u32) -> u64 {
        let v = self.peek() & (1u64 << (n & 63)).wrapping_sub(1);
        self.skip(n);
        v
    }

    /// The next `n` bits, at most 60.
    #[inline(always)]
    pub fn get_long(&mut self, n: u32) -> u64 {
        if n > 56 {
            let low = self.get(32);
            low | self.get(n.wrapping_sub(32)) << 32
        } else {
            self.get(n)
        }
    }

    /// Whether more was read than there is.
    pub fn exhausted(&self) -> bool {
        self.at.wrapping_add(usize::from(self.fill > 0)) > self.bytes.len()
    }
}

#[cold]
fn tail(rest: &[u8]) -> u64 {
    rest.iter()
        .rev()
        .fold(0, |word, byte| word << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_and_the_end_is_noticed() {
        let mut out = [0u8; 1024];
        let mut writer = BitWriter::new(&mut out);
        let value = |n: u32| 0x9E37_79B9_7F4A_7C15u64 & ((1u64 << n) - 1);
        (0..=60).for_each(|n| writer.put_long(value(n), n));
        let len = writer.finish().unwrap();
        assert_eq!(len, (60 * 61 / 2usize).div_ceil(8));
        let mut reader = BitReader::new(&out[..len]);
        (0..=60).for_each(|n| assert_eq!(reader.get_long(n), value(n)));
        assert!(!reader.exhausted());
        reader.skip(8);
        assert!(reader.exhausted());
    }

    #[test]
    fn no_room_is_noticed() {
        let mut out = [0u8; 7];
        let mut writer = BitWriter::new(&mut out);
        writer.put(1, 1);
        assert_eq!(writer.finish(), None);
    }
}
