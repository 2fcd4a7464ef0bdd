//! Sums of times and bytes, and parts of them. Those of a damaged trace may be more than a number can be: the greatest number stands for them.

/// Adds to a sum.
#[inline(always)]
pub fn add(to: &mut u64, more: u64) {
    *to = to.saturating_add(more);
}

/// Adds to each sum.
pub fn add_each(to: &mut [u64], more: &[u64]) {
    to.iter_mut()
        .zip(more)
        .for_each(|(to, more)| add(to, *more));
}

/// All of them.
pub fn sum(of: impl IntoIterator<Item = u64>) -> u64 {
    of.into_iter().fold(0, u64::saturating_add)
}

/// The part of a time that falls to some of all; no more than the time, where all are at least some.
pub fn portion(time: u64, some: u64, all: u64) -> u64 {
    // A division of 128 bits takes several times as long.
    match time.checked_mul(some) {
        Some(product) => product / all.max(1),
        None => (u128::from(time) * u128::from(some) / u128::from(all.max(1))) as u64,
    }
}

/// A time, as much shorter as `part` is than `whole`.
pub fn scaled(time: u64, part: u64, whole: u64) -> u64 {
    match whole {
        0 => time,
        _ => portion(time, part.min(whole), whole),
    }
}

/// Bytes a second; 0 where there was no time.
pub fn per_second(bytes: u64, nanos: u64) -> u64 {
    match nanos {
        0 => 0,
        _ => {
            let rate = u128::from(bytes) * 1_000_000_000 / u128::from(nanos);
            rate.try_into().unwrap_or(u64::MAX)
        }
    }
}
