//! Places in the model's tables.

/// A place in a table of at most 65536.
#[inline(always)]
pub fn hash(a: u32, b: u32) -> usize {
    let mixed = a.wrapping_mul(0x9E37_79B1) ^ b.wrapping_mul(0x85EB_CA77);
    (mixed.wrapping_mul(0xC2B2_AE3D) >> 16) as usize
}

/// A place in a table of 256 for a pair of keys.
#[inline(always)]
pub fn pair(a: u8, b: u8) -> usize {
    usize::from(a.wrapping_mul(37) ^ b)
}
