//! A thread's records to one events block.

use crate::block::{self, HEADER_SIZE, Header, Ids, kind};
use crate::bytes::Put;
use crate::codec::bits::BitWriter;
use crate::codec::huffman::{self, Work};
use crate::codec::model::Model;
use crate::codec::token::{TOKENS, split};
use crate::codec::{COLUMNS, Seen, Side, column, main, zigzag};
use crate::{Event, OP_MORE, OP_NONE, Record, Step};

/// Records that one block takes.
pub const MAX_RECORDS: usize = 2048;
/// Bytes that suffice for any block of [`MAX_RECORDS`] records.
pub const MAX_BLOCK: usize = 192 * 1024;
/// Symbols of one record at most: two masks, two of the op, two times, ten other fields.
const SYMBOLS: usize = 16 * MAX_RECORDS;
/// Bytes of payload before the raw bits: the encoding, and their length.
pub(crate) const PREFIX: usize = 5;

/// Room to work in: plain data, of which zeroed is a valid value, and which needs no care between blocks.
#[repr(C)]
pub struct Scratch {
    symbols: [u16; SYMBOLS],
    counts: [[u16; TOKENS]; column::COUNT],
    model: Model,
    work: Work,
}

impl Scratch {
    /// As good as zeroed memory.
    pub const NEW: Scratch = Scratch {
        symbols: [0; SYMBOLS],
        counts: [[0; TOKENS]; column::COUNT],
        model: Model::NEW,
        work: Work::NEW,
    };
}

/// Encodes `records` (the first [`MAX_RECORDS`], in completion order) to a whole block in `out`.
///
/// Slots that are not filled are skipped. `calls` is the thread's full call number now, `step` counts
/// the ticks. Returns the block's length, 0 where no record was filled, `None` where `out` is too small.
/// The block's header is found by [`Header::parse`].
pub fn events(
    records: &[Record],
    step: &Step,
    calls: u64,
    ids: Ids,
    scratch: &mut Scratch,
    out: &mut [u8],
) -> Option<usize> {
    let records = records.get(..MAX_RECORDS).unwrap_or(records);
    let Some(first) = records.iter().find(|record| is_call(record)) else {
        return Some(0);
    };
    let base = Base::of(&Event::of(first, None, step, 0, calls));
    scratch.model.start(base.time, base.call, base.file);
    scratch.counts = [[0; TOKENS]; column::COUNT];
    let payload = out.get_mut(HEADER_SIZE..)?;
    let mut side = Encoder::new(
        &mut scratch.symbols,
        &mut scratch.counts,
        payload.get_mut(PREFIX..)?,
    );
    let mut header = Header {
        first: i64::MAX,
        last: i64::MIN,
        ..Header::new(kind::EVENTS, ids, 0)
    };
    for (record, next) in pairs(records) {
        let mut event = Event::of(record, next, step, ids.thread, calls);
        header.first = header.first.min(event.start);
        header.last = header.last.max(event.end);
        header.count = header.count.wrapping_add(1);
        scratch.model.event(&mut side, &mut event);
    }
    let (count, raw) = side.finish()?;
    let symbols = scratch.symbols.get(..count)?;
    let payload_len = payload_of(
        base,
        raw,
        symbols,
        &mut scratch.counts,
        &mut scratch.work,
        payload,
    )?;
    block::seal(header, payload_len, out)
}

fn is_call(record: &Record) -> bool {
    record.op != OP_NONE && record.op != OP_MORE
}

/// Each call's record with the record after it.
fn pairs(records: &[Record]) -> impl Iterator<Item = (&Record, Option<&Record>)> {
    let nexts = records.iter().skip(1).map(Some).chain([None]);
    records
        .iter()
        .zip(nexts)
        .filter(|(record, _)| is_call(record))
}

/// What a block's first event is told against.
#[derive(Clone, Copy)]
pub(crate) struct Base {
    pub time: i64,
    pub call: u64,
    pub file: u32,
}

impl Base {
    fn of(first: &Event) -> Base {
        Base {
            time: first.start,
            call: first.id.wrapping_sub(1),
            file: first.file,
        }
    }
}

/// The payload around the raw bits, which stand in their place already.
fn payload_of(
    base: Base,
    raw: usize,
    symbols: &[u16],
    counts: &mut [[u16; TOKENS]; column::COUNT],
    work: &mut Work,
    payload: &mut [u8],
) -> Option<usize> {
    let (prefix, rest) = payload.split_at_mut_checked(PREFIX.checked_add(raw)?)?;
    let mut put = Put::new(prefix);
    put.u8(COLUMNS);
    put.u32(raw as u32);
    let mut put = Put::new(rest);
    put.varint(zigzag(base.time));
    put.varint(base.call);
    put.varint(u64::from(base.file));
    tables(counts, work, &mut put);
    let head = put.done()?;
    let coded = code(symbols, counts.as_flattened(), rest.get_mut(head..)?)?;
    PREFIX
        .checked_add(raw)?
        .checked_add(head)?
        .checked_add(coded)
}

/// Which columns there are, and the code of each, which takes the place of its counts.
fn tables(counts: &mut [[u16; TOKENS]; column::COUNT], work: &mut Work, put: &mut Put) {
    let used = |column: &[u16; TOKENS]| column.iter().fold(0, |any, count| any | count) != 0;
    let mut present = 0u64;
    for (i, column) in counts.iter().enumerate() {
        present |= u64::from(used(column)) << (i & 63);
    }
    put.varint(present);
    for (i, column) in counts.iter_mut().enumerate() {
        if present >> (i & 63) & 1 != 0 {
            huffman::build(column, work, put);
        }
    }
}

/// The symbols' codes, one after another.
fn code(symbols: &[u16], codes: &[u16], out: &mut [u8]) -> Option<usize> {
    let look_up = |symbol: &u16| {
        let code = codes.get(usize::from(*symbol)).copied().unwrap_or(0);
        (u64::from(code >> 4), u32::from(code & 15))
    };
    let mut bits = BitWriter::new(out);
    let (fours, rest) = symbols.as_chunks::<4>();
    for four in fours {
        // Four codes of up to 11 bits go in one write.
        let (mut word, mut width) = (0u64, 0u32);
        for symbol in four {
            let (code, length) = look_up(symbol);
            word |= code << (width & 63);
            width = width.wrapping_add(length);
        }
        bits.put(word, width);
    }
    for symbol in rest {
        let (code, length) = look_up(symbol);
        bits.put(code, length);
    }
    bits.finish()
}

/// Collects the symbols of all columns in the order in which a decoder wants them, and the raw bits beside them.
struct Encoder<'a> {
    symbols: &'a mut [u16; SYMBOLS],
    count: usize,
    counts: &'a mut [[u16; TOKENS]; column::COUNT],
    raw: BitWriter<'a>,
    main: u32,
    main_at: usize,
    rare: u32,
    rare_at: usize,
}

impl<'a> Encoder<'a> {
    fn new(
        symbols: &'a mut [u16; SYMBOLS],
        counts: &'a mut [[u16; TOKENS]; column::COUNT],
        raw: &'a mut [u8],
    ) -> Self {
        Encoder {
            symbols,
            count: 0,
            counts,
            raw: BitWriter::new(raw),
            main: 0,
            main_at: 0,
            rare: 0,
            rare_at: 0,
        }
    }

    /// Number of symbols, bytes of raw bits.
    fn finish(self) -> Option<(usize, usize)> {
        Some((self.count, self.raw.finish()?))
    }

    #[inline(always)]
    fn reserve(&mut self) -> usize {
        let at = self.count;
        self.count = at.wrapping_add(1);
        at
    }

    #[inline(always)]
    fn set(&mut self, at: usize, column: usize, token: u32) {
        let symbol = column.wrapping_mul(TOKENS).wrapping_add(token as usize);
        if let Some(place) = self.symbols.get_mut(at) {
            *place = symbol as u16;
        }
        if let Some(count) = self.counts.as_flattened_mut().get_mut(symbol) {
            *count = count.wrapping_add(1);
        }
    }

    #[inline(always)]
    fn number(&mut self, column: usize, v: u64) {
        let (token, bits, raw) = split(v);
        let at = self.reserve();
        self.set(at, column, token);
        if bits != 0 {
            self.raw.put_long(raw, bits);
        }
    }
}

impl Side for Encoder<'_> {
    #[inline(always)]
    fn begin(&mut self) {
        self.main = 0;
        self.main_at = self.reserve();
    }

    #[inline(always)]
    fn field(&mut self, bit: u32, column: usize, expected: i64, base: i64, actual: i64) -> i64 {
        if actual != expected {
            self.main |= bit;
            self.number(column, zigzag(actual.wrapping_sub(base)));
        }
        actual
    }

    #[inline(always)]
    fn op(&mut self, expected: u16, seen: &mut Seen, actual: u16) -> u16 {
        if actual != expected {
            self.main |= main::OP;
            match seen.place(actual) {
                Some(place) => self.number(column::OP, (place as u64).wrapping_add(1)),
                None => {
                    self.number(column::OP, 0);
                    self.number(column::NEW_OP, u64::from(actual));
                    seen.add(actual);
                }
            }
        }
        actual
    }

    #[inline(always)]
    fn offset(&mut self, expected: i64, length: u64, actual: i64) -> i64 {
        if actual != expected {
            let off = actual.wrapping_sub(expected);
            let extents = off.checked_div(length as i64).unwrap_or(0);
            if extents.wrapping_mul(length as i64) == off {
                self.main |= main::EXTENTS;
                self.number(column::EXTENTS, zigzag(extents));
            } else {
                self.main |= main::OFFSET;
                self.number(column::OFFSET, zigzag(off));
            }
        }
        actual
    }

    #[inline(always)]
    fn begin_rare(&mut self) {
        self.rare = 0;
        self.rare_at = self.reserve();
    }

    #[inline(always)]
    fn rare(&mut self, bit: u32, column: usize, expected: i64, actual: i64) -> i64 {
        if actual != expected {
            self.rare |= bit;
            self.number(column, zigzag(actual.wrapping_sub(expected)));
        }
        actual
    }

    #[inline(always)]
    fn end_rare(&mut self) {
        if self.rare == 0 {
            self.count = self.rare_at;
        } else {
            self.main |= main::RARE;
            self.set(self.rare_at, column::RARE, self.rare);
        }
    }

    #[inline(always)]
    fn always(&mut self, column: usize, actual: i64) -> i64 {
        self.number(column, actual as u64);
        actual
    }

    #[inline(always)]
    fn end(&mut self) {
        self.set(self.main_at, column::MASK, self.main);
    }
}
