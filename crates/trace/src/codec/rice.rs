//! Times among the raw bits: how far each is from the usual, in a Rice code. The rest above the low bits comes first, as so
//! many zeros and a one. What has no room there is an outlier: the zeros, the size of the number, and its bits.

use super::bits::{BitReader, BitWriter, Position, low};
use super::pace::{Deviation, Estimate, LIMIT, Pace};

/// Bits of an outlier's size.
const SIZE: u32 = 6;
/// So many low bits, and both codes have room in a word.
const BOTH: u32 = 46;

impl BitWriter<'_> {
    /// Gap and duration of a call.
    #[inline(always)]
    pub fn times(&mut self, pace: &mut Pace, gap: i64, time: i64) {
        let (gap, time) = (pace.gap.far(gap), pace.time.far(time));
        let (gap_low, low) = (pace.gap.low(), pace.time.low());
        let (gap_high, high) = (gap.zigzag >> gap_low, time.zigzag >> low);
        if gap_high | high < u64::from(LIMIT) && gap_low.wrapping_add(low) <= BOTH {
            let (gap_code, gap_length) = rice(gap.zigzag, gap_high, gap_low);
            let (code, length) = rice(time.zigzag, high, low);
            let both = gap_code | code << (gap_length & 63);
            self.put(both, gap_length.wrapping_add(length));
            pace.gap.learn(gap);
            pace.time.learn(time);
        } else {
            // By value, so that the hot fields stay in registers.
            let (now, place) = self.part().each(*pace, gap, time);
            *pace = now;
            self.go_on(place);
        }
    }

    /// One after the other: either may be an outlier.
    #[cold]
    #[inline(never)]
    fn each(mut self, mut pace: Pace, gap: Deviation, time: Deviation) -> (Pace, Position) {
        self.any(&mut pace.gap, gap);
        self.any(&mut pace.time, time);
        (pace, self.place())
    }

    fn any(&mut self, usual: &mut Estimate, far: Deviation) {
        let low = usual.low();
        let high = far.zigzag >> low;
        if high < u64::from(LIMIT) {
            let (code, length) = rice(far.zigzag, high, low);
            self.put(code, length);
            usual.learn(far);
        } else {
            let size = (far.zigzag | 1).leading_zeros() ^ 63;
            self.put(u64::from(size) << LIMIT, LIMIT.wrapping_add(SIZE));
            self.put(far.zigzag ^ 1 << size, size);
            usual.learn_outlier(far);
        }
    }
}

/// The code of what has `high` above its low bits, and its length.
#[inline(always)]
fn rice(far: u64, high: u64, low: u32) -> (u64, u32) {
    let rest = far.wrapping_sub(high << (low & 63));
    let code = (rest << 1 | 1) << (high & 63);
    (code, low.wrapping_add(high as u32).wrapping_add(1))
}

impl<'a> BitReader<'a> {
    /// What [`BitWriter::times`] wrote.
    #[inline(always)]
    pub fn times(&mut self, pace: &mut Pace) -> (i64, i64) {
        let word = self.peek();
        let (gap_low, low) = (pace.gap.low(), pace.time.low());
        let (gap_high, gap_length) = length(word, gap_low);
        let behind = word >> (gap_length & 63);
        let (high, length) = length(behind, low);
        let both = gap_length.wrapping_add(length);
        if gap_high >= LIMIT || high >= LIMIT || both > BitReader::PEEKED {
            let (reader, now, times) = self.times_one_by_one(*pace);
            (*self, *pace) = (reader, now);
            return times;
        }
        self.skip(both);
        (
            told(word, gap_high, gap_low, &mut pace.gap),
            told(behind, high, low, &mut pace.time),
        )
    }

    /// By value, so that the hot fields stay in registers.
    #[cold]
    #[inline(never)]
    fn times_one_by_one(mut self, mut pace: Pace) -> (Self, Pace, (i64, i64)) {
        let times = (self.time(&mut pace.gap), self.time(&mut pace.time));
        (self, pace, times)
    }

    fn time(&mut self, usual: &mut Estimate) -> i64 {
        let (word, low) = (self.peek(), usual.low());
        let (high, length) = length(word, low);
        if high >= LIMIT {
            return self.outlier(usual);
        }
        self.skip(length);
        told(word, high, low, usual)
    }

    fn outlier(&mut self, usual: &mut Estimate) -> i64 {
        self.skip(LIMIT);
        let size = self.get_long(SIZE) as u32;
        let far = Deviation::from_zigzag(1 << size | self.get_long(size));
        let actual = usual.actual(far);
        usual.learn_outlier(far);
        actual
    }
}

/// What a code has above its low bits, and its length.
#[inline(always)]
fn length(word: u64, low: u32) -> (u32, u32) {
    let high = word.trailing_zeros();
    (high, high.wrapping_add(1).wrapping_add(low))
}

/// The time that a code tells.
#[inline(always)]
fn told(word: u64, high: u32, bits: u32, usual: &mut Estimate) -> i64 {
    let rest = low(word >> (high.wrapping_add(1) & 63), bits);
    let far = Deviation::from_zigzag(u64::from(high) << (bits & 63) | rest);
    let actual = usual.actual(far);
    usual.learn(far);
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
        let mut out = [0u8; 1 << 13];
        let (mut writer, mut pace) = (BitWriter::new(&mut out), Pace::NEW);
        for (gap, time) in &times {
            writer.times(&mut pace, *gap, *time);
        }
        let length = writer.finish().unwrap();
        let (mut reader, mut pace) = (BitReader::new(&out[..length]), Pace::NEW);
        for expected in times {
            assert_eq!(reader.times(&mut pace), expected);
        }
        assert!(!reader.exhausted());
    }
}
