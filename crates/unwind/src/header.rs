//! `.eh_frame_hdr`: the table by which the entry of a function is found.

use crate::Memory;

/// The version, and the encodings that linkers write: a count of four bytes, and pairs of four bytes from the header.
const VERSION: u8 = 1;
const COUNT_ENCODING: u8 = 0x03;
const TABLE_ENCODING: u8 = 0x3b;
/// Bytes before the table.
const HEAD: usize = 12;
/// Bytes of a pair: where a function begins, and where its entry is.
const PAIR: usize = 8;

/// The entry for the function in which an instruction is, if the object with this header has one that begins before it.
pub fn find(memory: &impl Memory, header: usize, place: usize) -> Option<usize> {
    let mut head = [0; HEAD];
    let [version, _, count, table, .., a, b, c, d] =
        (memory.read(header, &mut head)).then_some(head)?;
    if (version, count, table) != (VERSION, COUNT_ENCODING, TABLE_ENCODING) {
        return None;
    }
    let all = u32::from_le_bytes([a, b, c, d]) as usize;
    let first = header.wrapping_add(HEAD);
    let pair = |at: usize| {
        let mut pair = [0; PAIR];
        let [a, b, c, d, e, f, g, h] = memory
            .read(first.wrapping_add(at.wrapping_mul(PAIR)), &mut pair)
            .then_some(pair)?;
        let address = |bytes| header.wrapping_add(i32::from_le_bytes(bytes) as usize);
        Some((address([a, b, c, d]), address([e, f, g, h])))
    };
    let (mut low, mut high, mut found) = (0, all, None);
    while low < high {
        let middle = low.wrapping_add(high) / 2;
        let (begin, entry) = pair(middle)?;
        if begin <= place {
            (low, found) = (middle.wrapping_add(1), Some(entry));
        } else {
            high = middle;
        }
    }
    found
}
