//! Bit streams, lowest bit first.

/// Writes bits to a slice, eight bytes at a time.
pub struct BitWriter<'a> {
    words: &'a mut [[u8; 8]],
    /// What is behind the last whole word.
    rest: &'a mut [u8],
    place: Position,
}

/// How far a writer has come.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Position {
    /// Words written.
    at: usize,
    pending: u64,
    fill: u32,
}

impl Position {
    /// The start.
    pub const NEW: Position = Position {
        at: 0,
        pending: 0,
        fill: 0,
    };

    /// Bits before it.
    pub fn bits(&self) -> usize {
        self.at.wrapping_mul(64).wrapping_add(self.fill as usize)
    }
}

impl<'a> BitWriter<'a> {
    pub fn new(out: &'a mut [u8]) -> Self {
        let (words, rest) = out.as_chunks_mut::<8>();
        BitWriter {
            words,
            rest,
            place: Position::NEW,
        }
    }

    /// The low `n` bits of `v`, at most 63; its other bits are 0.
    #[inline(always)]
    pub fn put(&mut self, v: u64, n: u32) {
        self.place.pending |= v << (self.place.fill & 63);
        self.place.fill = self.place.fill.wrapping_add(n);
        if self.place.fill >= 64 {
            self.flush(v, n);
        }
    }

    /// Zeros up to where a byte begins.
    pub fn fill_byte(&mut self) {
        self.put(0, self.place.fill.wrapping_neg() & 7);
    }

    /// The same writer for a while; the place that it comes to is to be given back.
    pub fn part(&mut self) -> BitWriter<'_> {
        BitWriter {
            words: self.words,
            rest: self.rest,
            place: self.place,
        }
    }

    pub fn place(&self) -> Position {
        self.place
    }

    /// Goes on from a place that another came to.
    pub fn go_on(&mut self, place: Position) {
        self.place = place;
    }

    #[inline(always)]
    fn flush(&mut self, v: u64, n: u32) {
        if let Some(place) = self.words.get_mut(self.place.at) {
            *place = self.place.pending.to_le_bytes();
        }
        self.place.at = self.place.at.wrapping_add(1);
        self.place.fill = self.place.fill.wrapping_sub(64);
        // Of v, what had no room; all of it had where fill is 0, as n is below 64.
        let kept = n.wrapping_sub(self.place.fill);
        self.place.pending = v >> (kept & 63);
    }

    /// Bytes written, the last one filled up with zero bits; `None` where they did not fit.
    pub fn finish(self) -> Option<usize> {
        let tail = (self.place.fill as usize).div_ceil(8);
        let bytes = self.place.pending.to_le_bytes();
        let behind = self.place.at == self.words.len();
        let place = match self.words.get_mut(self.place.at) {
            Some(word) => word.as_mut_slice(),
            None if behind => self.rest,
            None => return None,
        };
        for (to, from) in place.get_mut(..tail)?.iter_mut().zip(bytes) {
            *to = from;
        }
        self.place.at.checked_mul(8)?.checked_add(tail)
    }
}

/// Reads bits from a slice; past its end come zeros.
#[derive(Clone, Copy)]
pub struct BitReader<'a> {
    bytes: &'a [u8],
    /// How many bits were read.
    place: usize,
}

impl<'a> BitReader<'a> {
    /// Bits that [`BitReader::peek`] gives at least.
    pub const PEEKED: u32 = 57;

    pub fn new(bytes: &'a [u8]) -> Self {
        BitReader { bytes, place: 0 }
    }

    /// The next bits.
    #[inline(always)]
    pub fn peek(&self) -> u64 {
        let word = word(self.bytes, self.place >> 3);
        word >> (self.place & 7)
    }

    /// Goes on by `n` bits.
    #[inline(always)]
    pub fn skip(&mut self, n: u32) {
        self.place = self.place.wrapping_add(n as usize);
    }

    /// The next `n` bits, at most 57.
    #[inline(always)]
    fn get(&mut self, n: u32) -> u64 {
        let v = low(self.peek(), n);
        self.skip(n);
        v
    }

    /// The next `n` bits, at most 63.
    #[inline(always)]
    pub fn get_long(&mut self, n: u32) -> u64 {
        if n > BitReader::PEEKED {
            let low = self.get(32);
            low | self.get(n.wrapping_sub(32)) << 32
        } else {
            self.get(n)
        }
    }
}

/// Eight bytes from a place on; behind the end are zeros.
#[inline(always)]
pub fn word(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at.wrapping_add(8)) {
        Some(&[a, b, c, d, e, f, g, h]) => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        _ => last_word(bytes, at),
    }
}

/// Eight bytes of which the last are not there: these are zeros.
#[cold]
#[inline(never)]
fn last_word(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    let places = rest.iter().zip((0..64).step_by(8));
    places.fold(0, |word, (byte, shift)| word | u64::from(*byte) << shift)
}

/// The low `n` bits, at most 63.
#[inline(always)]
pub fn low(v: u64, n: u32) -> u64 {
    v & (1u64 << (n & 63)).wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back() {
        let mut out = [0u8; 1024];
        let mut writer = BitWriter::new(&mut out);
        let value = |n: u32| 0x9E37_79B9_7F4A_7C15u64 & ((1u64 << n) - 1);
        (0..=60).for_each(|n| writer.put(value(n), n));
        writer.put(value(32), 32);
        writer.put(value(63) >> 32, 31);
        let len = writer.finish().unwrap();
        assert_eq!(len, (60 * 61 / 2 + 63usize).div_ceil(8));
        let mut reader = BitReader::new(&out[..len]);
        (0..=60).for_each(|n| assert_eq!(reader.get_long(n), value(n)));
        assert_eq!(reader.get_long(63), value(63));
    }

    #[test]
    fn no_room_is_noticed() {
        for (room, bits) in [(0, 1), (1, 9), (8, 65), (9, 73), (16, 129)] {
            let put = |room: usize| {
                let mut out = vec![0; room];
                let mut writer = BitWriter::new(&mut out);
                (0..bits).for_each(|_| writer.put(1, 1));
                writer.finish()
            };
            assert_eq!((put(room), put(room + 1)), (None, Some(room + 1)));
        }
    }
}
