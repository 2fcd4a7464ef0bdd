//! CRC-32C (Castagnoli), eight bytes a step.

const POLYNOMIAL: u32 = 0x82F6_3B78;
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0u32; 256]; 8];
    let mut i = 0;
    while i < 256 {
        let (mut crc, mut bit) = (i as u32, 0);
        while bit < 8 {
            crc = (crc >> 1) ^ (POLYNOMIAL & (crc & 1).wrapping_neg());
            bit += 1;
        }
        tables[0][i] = crc;
        i += 1;
    }
    let mut t = 1;
    while t < 8 {
        let mut i = 0;
        while i < 256 {
            let before = tables[t - 1][i];
            tables[t][i] = (before >> 8) ^ tables[0][(before & 0xFF) as usize];
            i += 1;
        }
        t += 1;
    }
    tables
}

/// A checksum in the making; `Crc::new().with(a).with(b).sum()` is that of `a` followed by `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crc(u32);

impl Default for Crc {
    fn default() -> Self {
        Crc::new()
    }
}

impl Crc {
    /// The checksum of nothing.
    pub const fn new() -> Crc {
        Crc(!0)
    }

    /// The same with `bytes` after it.
    #[must_use]
    pub fn with(self, bytes: &[u8]) -> Crc {
        #[cfg(target_arch = "x86_64")]
        if instruction::is_there() {
            // SAFETY: the processor has it.
            return unsafe { self.with_instruction(bytes) };
        }
        self.with_tables(bytes)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "sse4.2")]
    fn with_instruction(self, bytes: &[u8]) -> Crc {
        use core::arch::x86_64::{_mm_crc32_u8, _mm_crc32_u64};
        let (words, rest) = bytes.as_chunks::<8>();
        let crc = words.iter().fold(u64::from(self.0), |crc, word| {
            _mm_crc32_u64(crc, u64::from_le_bytes(*word))
        });
        let crc = rest
            .iter()
            .fold(crc as u32, |crc, byte| _mm_crc32_u8(crc, *byte));
        Crc(crc)
    }

    fn with_tables(self, bytes: &[u8]) -> Crc {
        let (words, rest) = bytes.as_chunks::<8>();
        let crc = words
            .iter()
            .fold(self.0, |crc, word| eight(crc, u64::from_le_bytes(*word)));
        Crc(rest.iter().fold(crc, |crc, byte| {
            (crc >> 8) ^ table(0, crc ^ u32::from(*byte))
        }))
    }

    /// The same with so many bytes after it, of which only the checksum is known.
    #[must_use]
    pub fn followed_by(self, sum: u32, mut length: u64) -> Crc {
        let (mut shifted, mut power) = (self.sum(), BYTE);
        while length != 0 {
            if length & 1 != 0 {
                shifted = product(shifted, power);
            }
            power = product(power, power);
            length >>= 1;
        }
        Crc(!(shifted ^ sum))
    }

    /// What stands in the block.
    pub const fn sum(self) -> u32 {
        !self.0
    }
}

/// Whether the processor has an instruction for it. Readers ask the processor; the tracer is given the answer, because in a
/// virtual machine the question takes longer than the tables.
#[cfg(target_arch = "x86_64")]
pub mod instruction {
    #[cfg(not(feature = "std"))]
    static IS_THERE: core::sync::atomic::AtomicBool = core::sync::atomic::AtomicBool::new(false);

    #[inline(always)]
    pub(super) fn is_there() -> bool {
        #[cfg(feature = "std")]
        return std::arch::is_x86_feature_detected!("sse4.2");
        #[cfg(not(feature = "std"))]
        IS_THERE.load(core::sync::atomic::Ordering::Relaxed)
    }

    /// It is there: from now on it is used.
    ///
    /// # Safety
    /// The processor has SSE 4.2.
    pub unsafe fn set_there() {
        #[cfg(not(feature = "std"))]
        IS_THERE.store(true, core::sync::atomic::Ordering::Relaxed);
    }
}

/// x to the 8th: what a byte of zeros multiplies a checksum by. The highest power is the lowest bit.
const BYTE: u32 = 1 << (31 - 8);

/// Of two polynomials, modulo the checksum's.
fn product(a: u32, mut b: u32) -> u32 {
    let mut product = 0;
    for bit in (0..32).rev() {
        product ^= b & (a >> bit & 1).wrapping_neg();
        b = (b >> 1) ^ (POLYNOMIAL & (b & 1).wrapping_neg());
    }
    product
}

#[inline(always)]
fn table(n: usize, byte: u32) -> u32 {
    TABLES[n & 7][(byte & 0xFF) as usize]
}

#[inline(always)]
fn eight(crc: u32, word: u64) -> u32 {
    let (low, high) = (word as u32 ^ crc, (word >> 32) as u32);
    table(7, low)
        ^ table(6, low >> 8)
        ^ table(5, low >> 16)
        ^ table(4, low >> 24)
        ^ table(3, high)
        ^ table(2, high >> 8)
        ^ table(1, high >> 16)
        ^ table(0, high >> 24)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert_eq!(Crc::new().with(b"123456789").sum(), 0xE306_9283);
        assert_eq!(Crc::new().with(&[0; 32]).sum(), 0x8A91_36AA);
        assert_eq!(Crc::new().with(&[0xFF; 32]).sum(), 0x62A8_AB43);
    }

    #[test]
    fn tables_and_instruction_agree() {
        let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for length in (0..40).chain([999, 1000]) {
            let bytes = &bytes[..length];
            assert_eq!(Crc::new().with(bytes), Crc::new().with_tables(bytes));
        }
    }

    #[test]
    fn pieces_add_up() {
        let bytes: Vec<u8> = (0..100).collect();
        for cut in 0..=bytes.len() {
            let (a, b) = bytes.split_at(cut);
            assert_eq!(
                Crc::new().with(a).with(b).sum(),
                Crc::new().with(&bytes).sum()
            );
            let (sum, length) = (Crc::new().with(b).sum(), b.len() as u64);
            let joined = Crc::new().with(a).followed_by(sum, length);
            assert_eq!(joined.sum(), Crc::new().with(&bytes).sum());
        }
    }
}
