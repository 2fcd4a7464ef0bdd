//! FNV-1a, a hash that is quick to compute, in 64 bits: for what nobody forges.

/// The hash of some bytes.
#[derive(Clone, Copy)]
pub struct Fnv(u64);

impl Fnv {
    /// Of nothing.
    pub const START: Fnv = Fnv(0xcbf2_9ce4_8422_2325);

    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> u64 {
        Fnv::START.and(bytes).number()
    }

    /// With these bytes behind what there was.
    pub fn and(self, bytes: &[u8]) -> Fnv {
        let mixed = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Fnv(bytes.iter().fold(self.0, mixed))
    }

    /// As a number.
    pub fn number(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Fnv;

    /// Values of the algorithm's authors.
    #[test]
    fn it_is_fnv_1a() {
        assert_eq!(Fnv::of(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fnv::of(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fnv::of(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(
            Fnv::START.and(b"foo").and(b"bar").number(),
            Fnv::of(b"foobar")
        );
    }
}
