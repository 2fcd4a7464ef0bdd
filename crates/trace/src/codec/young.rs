//! Times of keys that are young, among the raw bits: zeros and a one say by how many bits the distance from the usual is
//! longer than is likely, then come its bits. So one that is twice as far off takes two bits more, however far it is.

use super::bits::{BitReader, BitWriter, low};
use super::pace::{Deviation, Estimate, Pace};

impl BitWriter<'_> {
    /// Gap and duration of a call.
    #[inline(never)]
    pub fn young_times(&mut self, pace: &mut Pace, gap: i64, time: i64) {
        self.young_time(&mut pace.gap, gap);
        self.young_time(&mut pace.time, time);
    }

    #[inline(always)]
    fn young_time(&mut self, usual: &mut Estimate, actual: i64) {
        let (far, likely) = (usual.far(actual), usual.low());
        let least = 1u64 << (likely & 63);
        let size = (far.zigzag | least).leading_zeros() ^ 63;
        let over = u32::from(far.zigzag >= least);
        let zeros = size.wrapping_sub(likely).wrapping_add(over);
        // The highest bit is known, if there are zeros.
        let bits = low(far.zigzag, size);
        let length = zeros.wrapping_add(size);
        if length < 63 {
            let code = (bits << 1 | 1) << (zeros & 63);
            self.put(code, length.wrapping_add(1));
        } else {
            self.put(0, zeros >> 1);
            self.put(0, zeros.wrapping_sub(zeros >> 1));
            self.put(1, 1);
            self.put(bits, size);
        }
        usual.learn_young(far);
    }
}

impl<'a> BitReader<'a> {
    /// What [`BitWriter::young_times`] wrote.
    #[inline(always)]
    pub fn young_times(&mut self, pace: &mut Pace) -> (i64, i64) {
        let word = self.peek();
        let (gap_low, low) = (pace.gap.low(), pace.time.low());
        let (mut gap, gap_length) = distance(word, gap_low);
        let (mut time, length) = distance(word >> (gap_length & 63), low);
        let both = gap_length.wrapping_add(length);
        if both <= BitReader::PEEKED {
            self.skip(both);
        } else {
            (*self, gap, time) = self.long_distances(gap_low, low);
        }
        (learnt(gap, &mut pace.gap), learnt(time, &mut pace.time))
    }

    /// Distances that are longer than what was peeked. By value, so that the hot fields stay in registers.
    #[cold]
    #[inline(never)]
    fn long_distances(mut self, gap: u32, time: u32) -> (Self, u64, u64) {
        let (gap, time) = (self.long(gap), self.long(time));
        (self, gap, time)
    }

    /// There are at most 64 zeros.
    fn long(&mut self, likely: u32) -> u64 {
        let first = self.peek().trailing_zeros().min(32);
        self.skip(first);
        let zeros = first.wrapping_add(self.peek().trailing_zeros().min(32));
        self.skip(zeros.wrapping_sub(first).wrapping_add(1));
        let over = zeros.min(1);
        let size = likely.wrapping_add(zeros).wrapping_sub(over).min(63);
        self.get_long(size) | u64::from(over) << (size & 63)
    }
}

/// A distance, and the length of its code; one that reaches beyond the word is longer than that.
#[inline(always)]
fn distance(word: u64, likely: u32) -> (u64, u32) {
    let zeros = word.trailing_zeros();
    let over = zeros.min(1);
    let size = likely.wrapping_add(zeros).wrapping_sub(over);
    let bits = low(word >> (zeros.wrapping_add(1) & 63), size);
    let length = zeros.wrapping_add(1).wrapping_add(size);
    (bits | u64::from(over) << (size & 63), length)
}

#[inline(always)]
fn learnt(zigzag: u64, usual: &mut Estimate) -> i64 {
    let far = Deviation::from_zigzag(zigzag);
    let actual = usual.actual(far);
    usual.learn_young(far);
    actual
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_any_size_come_back() {
        let edges = [0, 1, -1, 7, 900, 901, 1 << 31, 1 << 40, i64::MAX, i64::MIN];
        let pairs = edges.iter().flat_map(|gap| edges.map(|time| (*gap, time)));
        let times: Vec<_> = (0..50)
            .map(|n| (44 + n % 3, 450 + n % 9))
            .chain(pairs)
            .collect();
        for first in [Pace::NEW, Pace::FIRST] {
            let mut out = [0u8; 1 << 13];
            let (mut writer, mut pace) = (BitWriter::new(&mut out), first);
            for (gap, time) in &times {
                writer.young_times(&mut pace, *gap, *time);
            }
            let length = writer.finish().unwrap();
            let (mut reader, mut pace) = (BitReader::new(&out[..length]), first);
            for expected in &times {
                assert_eq!(reader.young_times(&mut pace), *expected);
            }
            assert!(!reader.exhausted());
        }
    }
}
