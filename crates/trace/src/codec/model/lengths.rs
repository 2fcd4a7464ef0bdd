//! Which lengths follow which.

use super::hash::hash;
use super::key::Key;
use crate::Event;
use crate::codec::side::Side;
use crate::codec::symbols::{column, main};

/// The length (+1) that last followed two lengths of a key, by a hash.
#[repr(C)]
pub struct Lengths([u64; 128]);

impl Lengths {
    pub const NEW: Lengths = Lengths([0; 128]);

    #[inline(always)]
    pub fn length<S: Side>(&mut self, side: &mut S, e: &mut Event, key: &mut Key, at: u8) {
        let pair = (key.length as u32) ^ (key.length_before as u32).rotate_left(16);
        let slot = &mut self.0[hash(pair, at.into()) & 127];
        let known = *slot != 0 && !key.steady;
        let expected = if known {
            slot.wrapping_sub(1)
        } else {
            key.length
        } as i64;
        e.length = side.field(
            main::LENGTH,
            column::LENGTH,
            expected,
            expected,
            e.length as i64,
        ) as u64;
        *slot = e.length.wrapping_add(1);
    }
}
