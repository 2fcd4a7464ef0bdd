//! The payload of a block: what stands around the raw bits, which an encoder has put in their place already.

use super::progress::Base;
use crate::block::PREFIX;
use crate::bytes::Put;
use crate::codec::bits::BitWriter;
use crate::codec::collected::{Counts, Symbol, columns_of};
use crate::codec::huffman::{self, Buffers};
use crate::codec::plain::{Notes, write_behind};
use crate::codec::{ENCODING, PLAIN};

/// The payload around the raw bits, which stand in their place already.
pub fn payload_of(
    base: Base,
    raw: usize,
    symbols: &[Symbol],
    counts: &mut Counts,
    buffers: &mut Buffers,
    payload: &mut [u8],
) -> Option<usize> {
    let (prefix, rest) = payload.split_at_mut_checked(PREFIX.checked_add(raw)?)?;
    let mut put = Put::new(prefix);
    put.u8(ENCODING);
    put.u32(raw as u32);
    let (present, rest) = rest.split_first_chunk_mut::<4>()?;
    let mut put = Put::new(rest);
    base.put(&mut put);
    let columns = columns_of(symbols);
    *present = columns.to_le_bytes();
    for column in counts.columns(columns) {
        huffman::build(column, buffers, &mut put);
    }
    let head = put.done()?;
    let coded = code(symbols, counts, rest.get_mut(head..)?)?;
    PREFIX
        .checked_add(raw)?
        .checked_add(4)?
        .checked_add(head)?
        .checked_add(coded)
}

/// The same in plain numbers.
pub fn plain_payload_of(base: Base, raw: usize, notes: Notes, payload: &mut [u8]) -> Option<usize> {
    let (prefix, rest) = payload.split_at_mut_checked(PREFIX.checked_add(raw)?)?;
    let mut put = Put::new(prefix);
    put.u8(PLAIN);
    put.u32(raw as u32);
    let mut room = [0; Base::LONGEST];
    let mut put = Put::new(&mut room);
    base.put(&mut put);
    let length = put.done()?;
    let base = room.get(..length)?;
    let behind = write_behind(base, notes, notes.lengths(), rest)?;
    PREFIX.checked_add(raw)?.checked_add(behind)
}

/// The symbols' codes, one after another.
fn code(symbols: &[Symbol], codes: &Counts, out: &mut [u8]) -> Option<usize> {
    let mut bits = BitWriter::new(out);
    let (fours, rest) = symbols.as_chunks::<4>();
    for four in fours {
        // Four codes of up to 11 bits go in one write.
        let (mut word, mut width) = (0u64, 0u32);
        for symbol in four {
            let (code, length) = codes.code(*symbol);
            word |= code << (width & 63);
            width = width.wrapping_add(length);
        }
        bits.put(word, width);
    }
    for symbol in rest {
        let (code, length) = codes.code(*symbol);
        bits.put(code, length);
    }
    bits.finish()
}
