//! DEFLATE, as RFC 1951 has it, for packs. Without allocation: where it works, and where it writes, is the caller's.

mod codes;
mod huffman;
mod matches;

use crate::columns::bits::BitWriter;
use codes::{CodedNumber, END, Runs, distance, length};
use huffman::{CodeBuffers, MAX_BITS, SYMBOLS};
use matches::{Match, MatchFinder};

pub use matches::WINDOW;

/// What ends a stream: an empty block, the last one.
pub const LAST: [u8; 2] = [3, 0];
/// Bytes to work in.
pub const ROOM: usize = matches::ROOM + BLOCK * 4;
/// Symbols of a block, its end among them; no more are counted for one code.
const BLOCK: usize = 4095;
/// So many symbols are worth a block, which begins with its codes.
const MANY: usize = 256;
/// Bits before a block that is stored, at most.
const STORED: usize = 3 + 7 + 32;
/// Bits of a code for the lengths of codes.
const LONGEST_OF_LENGTHS: u32 = 7;

/// Bytes of a kind. Plain data, of which zeroed is a valid value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeflateSegment {
    /// Where they end.
    pub end: usize,
    /// What stood before is not looked for in them.
    pub is_noise: bool,
}

impl DeflateSegment {
    /// Of no bytes.
    pub const NONE: DeflateSegment = DeflateSegment {
        end: 0,
        is_noise: false,
    };
}

/// Compresses the bytes from `from` on; those before it are known already to who reads. Behind each of `stretches`, whose
/// ends ascend and are counted from `from` on, other bytes may begin, to which another code is better. What it writes is
/// whole bytes, not the end of a stream: more may follow, then [`LAST`]. `None`: there is not enough room.
pub fn deflate(
    bytes: &[u8],
    from: usize,
    stretches: &[DeflateSegment],
    room: &mut [u8],
    out: &mut [u8],
) -> Option<usize> {
    let (tables, tokens) = room.split_at_mut_checked(matches::ROOM)?;
    let mut finder = MatchFinder::new(bytes, tables)?;
    let mut blocks = BlockWriter::new(bytes.get(from..)?, tokens, &mut *out);
    let (mut at, mut stretches) = (from, stretches);
    while at < bytes.len() {
        while let [stretch, later @ ..] = stretches
            && from.saturating_add(stretch.end) <= at
        {
            blocks.end_kind();
            stretches = later;
        }
        if let [noise, ..] = stretches
            && noise.is_noise
        {
            let end = from.saturating_add(noise.end).min(bytes.len());
            bytes
                .get(at..end)?
                .iter()
                .for_each(|byte| blocks.literal(*byte));
            finder.pass_over(at, end);
            at = end;
            continue;
        }
        let mut found = finder.find(at);
        while found.is_worth_a_look() {
            let next = finder.find(at.wrapping_add(1));
            if next.length <= found.length {
                break;
            }
            blocks.literal(*bytes.get(at)?);
            (at, found) = (at.wrapping_add(1), next);
        }
        if found.length == 0 {
            blocks.literal(*bytes.get(at)?);
            at = at.wrapping_add(1);
        } else {
            blocks.repeat(found);
            at = at.wrapping_add(found.length);
        }
    }
    // A stored block of no bytes, which begins where a byte does.
    let end = blocks.finish()?;
    *out.get_mut(end..)?.first_chunk_mut()? = [0, 0, 0xff, 0xff];
    end.checked_add(4)
}

/// Symbols on their way into blocks.
struct BlockWriter<'a> {
    /// What is not in a block yet, and how much of it the symbols stand for.
    bytes: &'a [u8],
    covered: usize,
    /// Of each a literal, or a length less 3, << 16, and a distance; that of a literal is 0.
    tokens: &'a mut [[u8; 4]],
    held: usize,
    /// How often each occurs; then its code.
    literals: [u16; SYMBOLS],
    distances: [u16; SYMBOLS],
    buffers: CodeBuffers,
    bits: BitWriter<'a>,
}

impl<'a> BlockWriter<'a> {
    fn new(bytes: &'a [u8], tokens: &'a mut [u8], out: &'a mut [u8]) -> Self {
        BlockWriter {
            bytes,
            covered: 0,
            tokens: tokens.as_chunks_mut().0,
            held: 0,
            literals: [0; SYMBOLS],
            distances: [0; SYMBOLS],
            buffers: CodeBuffers::NEW,
            bits: BitWriter::new(out),
        }
    }

    fn literal(&mut self, byte: u8) {
        count(&mut self.literals, u32::from(byte));
        self.covered = self.covered.wrapping_add(1);
        self.push(u32::from(byte) << 16);
    }

    fn repeat(&mut self, found: Match) {
        let (of_length, of_distance) = (found.length as u32, found.distance as u32);
        count(&mut self.literals, length(of_length).symbol);
        count(&mut self.distances, distance(of_distance).symbol);
        self.covered = self.covered.wrapping_add(found.length);
        self.push(of_length.wrapping_sub(3) << 16 | of_distance);
    }

    fn push(&mut self, token: u32) {
        if let Some(place) = self.tokens.get_mut(self.held) {
            *place = token.to_le_bytes();
        }
        self.held = self.held.wrapping_add(1);
        if self.held >= BLOCK.wrapping_sub(1) {
            self.flush();
        }
    }

    /// What follows is of another kind.
    fn end_kind(&mut self) {
        if self.held >= MANY {
            self.flush();
        }
    }

    /// Writes a block of what is held, in the form that is shorter.
    fn flush(&mut self) {
        let before = self.bits.place();
        self.coded();
        let (bytes, rest) = self
            .bytes
            .split_at_checked(self.covered)
            .unwrap_or_default();
        let stored = bytes.len().wrapping_mul(8).wrapping_add(STORED);
        if self.bits.place().bits().wrapping_sub(before.bits()) > stored {
            self.bits.go_on(before);
            self.stored(bytes);
        }
        (self.bytes, self.covered, self.held) = (rest, 0, 0);
        (self.literals, self.distances) = ([0; SYMBOLS], [0; SYMBOLS]);
    }

    /// Noise, which no code makes shorter.
    fn stored(&mut self, bytes: &[u8]) {
        self.bits.put(0, 3);
        self.bits.fill_byte();
        let length = bytes.len() as u16;
        self.bits.put(length.into(), 16);
        self.bits.put((!length).into(), 16);
        for byte in bytes {
            self.bits.put(u64::from(*byte), 8);
        }
    }

    /// With codes of its own.
    fn coded(&mut self) {
        count(&mut self.literals, END);
        for counts in [&mut self.literals, &mut self.distances] {
            at_least_two(counts);
            huffman::code(counts, &mut self.buffers, MAX_BITS);
        }
        // Not the last one.
        self.bits.put(0b100, 3);
        self.codes();
        for token in self.tokens.iter().take(self.held) {
            let (of, codes) = (&mut self.bits, (&self.literals, &self.distances));
            put_token(of, codes, u32::from_le_bytes(*token));
        }
        put(&mut self.bits, &self.literals, END);
    }

    /// What a reader makes both codes of: the lengths of their codes, in a code of their own.
    fn codes(&mut self) {
        let (literals, distances) = (used(&self.literals, 257), used(&self.distances, 1));
        let mut of_lengths = [0; SYMBOLS];
        for part in Runs::new(literals).chain(Runs::new(distances)) {
            count(&mut of_lengths, part.symbol);
        }
        at_least_two(&mut of_lengths);
        huffman::code(&mut of_lengths, &mut self.buffers, LONGEST_OF_LENGTHS);
        let order = codes::in_order(&of_lengths);
        self.bits.put((literals.len() as u64).wrapping_sub(257), 5);
        self.bits.put((distances.len() as u64).wrapping_sub(1), 5);
        self.bits.put((order.len() as u64).wrapping_sub(4), 4);
        for symbol in order {
            let code = of_lengths.get(*symbol).copied().unwrap_or(0);
            self.bits.put(u64::from(code & 15), 3);
        }
        for part in Runs::new(literals).chain(Runs::new(distances)) {
            put_part(&mut self.bits, &of_lengths, part);
        }
    }

    /// Bytes written, the last of them the rest of the head of a stored block.
    fn finish(mut self) -> Option<usize> {
        if self.held > 0 {
            self.flush();
        }
        self.bits.put(0, 3);
        self.bits.finish()
    }
}

fn count(counts: &mut [u16; SYMBOLS], symbol: u32) {
    if let Some(count) = counts.get_mut(symbol as usize) {
        *count = count.wrapping_add(1);
    }
}

/// A code of one symbol would have no bits.
fn at_least_two(counts: &mut [u16; SYMBOLS]) {
    let missing = 2usize.saturating_sub(counts.iter().filter(|count| **count > 0).count());
    for count in counts.iter_mut().filter(|count| **count == 0).take(missing) {
        *count = 1;
    }
}

/// The codes up to the last that is used, and at least so many.
fn used(codes: &[u16; SYMBOLS], least: usize) -> &[u16] {
    let last = codes.iter().rposition(|code| *code != 0).unwrap_or(0);
    codes.get(..last.wrapping_add(1).max(least)).unwrap_or(&[])
}

fn put(bits: &mut BitWriter, codes: &[u16; SYMBOLS], symbol: u32) {
    let code = codes.get(symbol as usize).copied().unwrap_or(0);
    bits.put(u64::from(code >> 4), u32::from(code & 15));
}

fn put_part(bits: &mut BitWriter, codes: &[u16; SYMBOLS], part: CodedNumber) {
    put(bits, codes, part.symbol);
    bits.put(u64::from(part.rest), part.bits);
}

fn put_token(
    bits: &mut BitWriter,
    (literals, distances): (&[u16; SYMBOLS], &[u16; SYMBOLS]),
    token: u32,
) {
    let (value, far) = (token >> 16, token & 0xffff);
    if far == 0 {
        return put(bits, literals, value);
    }
    put_part(bits, literals, length(value.wrapping_add(3)));
    put_part(bits, distances, distance(far));
}

#[cfg(test)]
mod tests;
