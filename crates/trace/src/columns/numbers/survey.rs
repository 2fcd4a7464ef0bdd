//! What is seen of numbers before it is chosen how they are written.

/// Numbers that are looked at.
pub const SAMPLE: usize = 256;
/// What an exception costs beside its bits.
const EXCEPTION: u32 = 14;

/// Between which numbers those of a column are.
pub struct ValueRange {
    pub least: i64,
    pub most: i64,
    /// The least that is not negative, and how many are.
    above: i64,
    below: usize,
}

impl ValueRange {
    pub fn of(numbers: impl Iterator<Item = i64>) -> ValueRange {
        let (mut least, mut most, mut above, mut below) = (i64::MAX, i64::MIN, i64::MAX, 0usize);
        for number in numbers {
            (least, most) = (least.min(number), most.max(number));
            let is_below = number < 0;
            above = above.min(if is_below { i64::MAX } else { number });
            below = below.wrapping_add(usize::from(is_below));
        }
        ValueRange {
            least,
            most,
            above,
            below,
        }
    }

    pub fn bits(&self) -> u32 {
        let apart = self.most.wrapping_sub(self.least) as u64;
        64u32.wrapping_sub(apart.leading_zeros())
    }

    /// What all but a few are above: a few times that go backwards are exceptions.
    pub fn base(&self, count: usize) -> i64 {
        if self.below > 0 && self.below < count / 16 {
            self.above
        } else {
            self.least
        }
    }
}

/// How many numbers of a sample have how many bits.
pub struct Sizes {
    counts: [u16; 65],
    all: u32,
}

impl Sizes {
    pub fn of(numbers: &[i64]) -> Sizes {
        let mut sizes = Sizes {
            counts: [0; 65],
            all: 0,
        };
        for number in sample(numbers) {
            let size = 64u32.wrapping_sub((*number as u64).leading_zeros());
            let count = &mut sizes.counts[(size & 127).min(64) as usize];
            *count = count.wrapping_add(1);
            sizes.all = sizes.all.wrapping_add(1);
        }
        sizes
    }

    /// The width with which a column takes the fewest bits, if the greatest number has so many.
    pub fn best_width(&self, shift: u32, greatest: u32) -> u32 {
        let of_size = |size: u32| {
            self.counts
                .get(size.wrapping_add(shift) as usize)
                .map_or(0, |count| u32::from(*count))
        };
        let (mut best, mut least) = (greatest, greatest.wrapping_mul(self.all));
        let (mut above, mut high) = (0u32, 0u32);
        for width in (0..greatest).rev() {
            // Those of one bit more become exceptions, and all that are have a bit more above.
            let more = of_size(width.wrapping_add(1));
            above = above.wrapping_add(more);
            high = high
                .wrapping_add(above)
                .wrapping_add(more.wrapping_mul(EXCEPTION));
            let all = high.wrapping_add(width.wrapping_mul(self.all));
            if all < least {
                (best, least) = (width, all);
            }
        }
        best
    }
}

/// Some numbers, from everywhere among them.
pub fn sample(numbers: &[i64]) -> impl Iterator<Item = &i64> {
    let pieces = if numbers.len() > SAMPLE { 4 } else { 1 };
    let step = (numbers.len() / pieces).max(1);
    let each = SAMPLE.checked_div(pieces).unwrap_or(SAMPLE);
    numbers
        .chunks(step)
        .take(pieces)
        .flat_map(move |piece| piece.iter().take(each))
}
