//! Numbers as decimal digits.

use crate::bytes::Put;

pub fn signed(put: &mut Put, v: i64) {
    if v < 0 {
        put.u8(b'-');
    }
    unsigned(put, v.unsigned_abs());
}

pub fn unsigned(put: &mut Put, mut v: u64) {
    let mut digits = [0u8; 20];
    let mut used = 0usize;
    for digit in digits.iter_mut().rev() {
        *digit = b'0'.wrapping_add((v % 10) as u8);
        v /= 10;
        used = used.wrapping_add(1);
        if v == 0 {
            break;
        }
    }
    put.bytes(digits.get(digits.len().wrapping_sub(used)..).unwrap_or(&[]));
}
