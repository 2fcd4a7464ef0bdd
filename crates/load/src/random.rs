//! Numbers that look random and follow from what they are made of: the same load twice is the same load.

/// Mixes a number (the finaliser of SplitMix64).
pub fn mixed(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Of several numbers.
pub fn of<const N: usize>(values: [u64; N]) -> u64 {
    values.iter().fold(0, |sum, value| mixed(sum ^ value))
}

/// Where `n` of `count` stands when all are shuffled by `seed`: four Feistel rounds over the next even number of
/// bits, again until the result is below `count`. Needs no memory, whatever the count.
pub fn shuffled(n: u64, count: u64, seed: u64) -> u64 {
    let bits = (64 - (count - 1).leading_zeros())
        .max(2)
        .next_multiple_of(2);
    let (half, mask) = (bits / 2, (1u64 << (bits / 2)) - 1);
    let mut value = n;
    loop {
        let (mut left, mut right) = (value >> half, value & mask);
        for round in 0..4 {
            (left, right) = (right, left ^ (mixed(seed ^ (round << 60) ^ right) & mask));
        }
        value = left << half | right;
        if value < count {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shuffling_meets_each_once(count in 1u64..3000, seed: u64) {
            let mut seen: Vec<u64> = (0..count).map(|n| shuffled(n, count, seed)).collect();
            seen.sort_unstable();
            prop_assert!(seen.into_iter().eq(0..count));
        }
    }

    #[test]
    fn shuffling_leaves_little_in_its_place() {
        let stays = (0..10_000).filter(|&n| shuffled(n, 10_000, 7) == n).count();
        let next = |&n: &u64| shuffled(n + 1, 10_000, 7) == shuffled(n, 10_000, 7) + 1;
        assert!(stays < 20 && (0..9_999).filter(next).count() < 20);
    }
}
