//! Sums of times and bytes. Those of a damaged trace may be more than a number can be: the greatest number stands for them.

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
