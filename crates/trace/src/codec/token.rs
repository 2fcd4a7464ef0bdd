//! A number as a token and raw bits: the token holds its size and top bits and is worth coding, the rest is noise.

/// More than any token or mask.
pub const TOKENS: usize = 512;

/// Numbers below 16 are their own token; of others it holds the three bits after the leading one.
/// Returns token, number of raw bits (at most 60), raw bits.
#[inline(always)]
pub fn split(v: u64) -> (u32, u32, u64) {
    let shift = 60u32.wrapping_sub((v | 8).leading_zeros());
    let top = v >> (shift & 63);
    let token = (shift << 3).wrapping_add(top as u32);
    (token, shift, v ^ top << (shift & 63))
}

/// How many raw bits go with a token.
#[inline(always)]
pub fn raw_bits(token: u32) -> u32 {
    (token >> 3).saturating_sub(1).min(60)
}

/// Smaller tokens have no raw bits.
pub const WITH_RAW: u32 = 16;
/// Smaller tokens have at most 56 raw bits.
pub const LONG: u32 = 58 << 3;

/// Of a token between these: the number's highest bits, and how many raw bits go with them.
#[inline(always)]
pub fn known(token: u32) -> (u64, u32) {
    (u64::from(token & 7 | 8), (token >> 3).wrapping_sub(1))
}

/// The number again.
#[inline(always)]
pub fn join(token: u32, raw: u64) -> u64 {
    let shift = raw_bits(token);
    let top = token.wrapping_sub(shift << 3) as u64;
    (top << (shift & 63)) | raw
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back() {
        let edges = (0..64)
            .flat_map(|e| [-9i64, -2, -1, 0, 1, 2, 7].map(|d| (1u64 << e).wrapping_add(d as u64)));
        for v in (0..5000).chain(edges) {
            let (token, bits, raw) = split(v);
            assert!((token as usize) < TOKENS && bits <= 60 && raw < 1 << bits);
            assert_eq!((raw_bits(token), join(token, raw)), (bits, v));
        }
    }
}
