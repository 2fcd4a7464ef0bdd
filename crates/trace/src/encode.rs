//! A thread's records to one events block.

use crate::block::{self, HEADER_SIZE, Header, Ids, kind};
use crate::bytes::Put;
use crate::codec::bits::BitWriter;
use crate::codec::encoder::{Counts, Encoder, Symbols};
use crate::codec::huffman::{self, Work};
use crate::codec::model::{Loop, Model};
use crate::codec::{COLUMNS, Side, zigzag};
use crate::{Event, OP_MORE, OP_NONE, Record, Step};

/// Records that one block takes.
pub const MAX_RECORDS: usize = 2048;
/// Bytes that suffice for any block of [`MAX_RECORDS`] records.
pub const MAX_BLOCK: usize = 192 * 1024;
/// Bytes of payload before the raw bits: the encoding, and their length.
const PREFIX: usize = 5;

/// Room to work in: plain data, of which zeroed is a valid value, and which needs no care between blocks.
#[repr(C)]
pub struct Scratch {
    symbols: Symbols,
    counts: Counts,
    model: Model,
    work: Work,
}

impl Scratch {
    /// As good as zeroed memory.
    pub const NEW: Scratch = Scratch {
        symbols: Symbols::NEW,
        counts: Counts::NEW,
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
    scratch.counts = Counts::NEW;
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
    collect(
        records,
        step,
        calls,
        &mut scratch.model,
        &mut side,
        &mut header,
    );
    let (count, raw) = side.finish()?;
    let symbols = scratch.symbols.get(count)?;
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

/// Tells all records to `side`.
fn collect(
    mut records: &[Record],
    step: &Step,
    calls: u64,
    model: &mut Model,
    side: &mut Encoder,
    header: &mut Header,
) {
    while let [record, rest @ ..] = records {
        if side.foretold()
            && let Some(mut again) = model.repeating()
            && again.key.repeats(record, &again.next)
        {
            let ahead = records.get(..again.numbers_until(calls)).unwrap_or(records);
            let mut count = repeat(&mut again, ahead, step, side, header);
            count = count.wrapping_add(scatter(
                &mut again,
                ahead.get(count..).unwrap_or(&[]),
                step,
                side,
                header,
            ));
            if count > 0 {
                model.repeated(&again);
                records = records.get(count..).unwrap_or(&[]);
                continue;
            }
        }
        if let Some(foretold) = model.foretells(record, calls) {
            let (start, end) = (step.steps(record.start), step.steps(record.end));
            side.pass();
            model.pass(
                side,
                foretold,
                &mut Event {
                    start,
                    end,
                    ..Event::default()
                },
            );
            count_in(header, 1, start, end);
            records = rest;
            continue;
        }
        if is_call(record) {
            let mut event = Event::of(record, rest.first(), step, 0, calls);
            model.event(side, &mut event);
            count_in(header, 1, event.start, event.end);
        }
        records = rest;
    }
}

fn count_in(header: &mut Header, count: usize, first: i64, last: i64) {
    header.count = header.count.wrapping_add(count as u32);
    header.first = header.first.min(first);
    header.last = header.last.max(last);
}

/// Goes on with a loop as long as the records do; returns how many did. On its own, and on copies of all
/// state that it changes, for the registers that it needs.
#[inline(never)]
fn repeat(
    again: &mut Loop,
    records: &[Record],
    step: &Step,
    side: &mut Encoder,
    header: &mut Header,
) -> usize {
    let room = side.begin_run();
    let (mut part, mut next, mut class) = (side.part(), again.next, again.class);
    let (mut first, mut last, mut count) = (i64::MAX, i64::MIN, 0usize);
    for record in records.get(..room).unwrap_or(records) {
        if !again.key.repeats(record, &next) || record.offset != next.offset {
            break;
        }
        let (start, end) = (step.steps(record.start), step.steps(record.end));
        part.times(
            &mut class,
            start.wrapping_sub(next.end),
            end.wrapping_sub(start),
        );
        next.advance(end);
        (first, last) = (first.min(start), last.max(end));
        count = count.wrapping_add(1);
    }
    part.lengthen_run(count);
    let state = part.state();
    side.go_on(state);
    (again.next, again.class) = (next, class);
    count_in(header, count, first, last);
    count
}

/// The same for calls that are as before but for their offsets.
#[inline(never)]
fn scatter(
    again: &mut Loop,
    records: &[Record],
    step: &Step,
    side: &mut Encoder,
    header: &mut Header,
) -> usize {
    let (mut part, mut next, mut class) = (side.part(), again.next, again.class);
    let (mut first, mut last, mut count) = (i64::MAX, i64::MIN, 0usize);
    for record in records {
        if !again.key.repeats(record, &next) || !again.key.moves(record, &next) {
            break;
        }
        let (start, end) = (step.steps(record.start), step.steps(record.end));
        part.begin();
        part.offset(next.offset, again.key.length, record.offset);
        part.end();
        part.times(
            &mut class,
            start.wrapping_sub(next.end),
            end.wrapping_sub(start),
        );
        next.move_to(record.offset);
        next.advance(end);
        (first, last) = (first.min(start), last.max(end));
        count = count.wrapping_add(1);
    }
    let state = part.state();
    side.go_on(state);
    (again.next, again.class) = (next, class);
    count_in(header, count, first, last);
    count
}

/// What a block's first event is told against.
#[derive(Clone, Copy)]
struct Base {
    time: i64,
    call: u64,
    file: u32,
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
    counts: &mut Counts,
    work: &mut Work,
    payload: &mut [u8],
) -> Option<usize> {
    let (prefix, rest) = payload.split_at_mut_checked(PREFIX.checked_add(raw)?)?;
    let mut put = Put::new(prefix);
    put.u8(COLUMNS);
    put.u32(raw as u32);
    let (present, rest) = rest.split_first_chunk_mut::<4>()?;
    let mut put = Put::new(rest);
    put.varint(zigzag(base.time));
    put.varint(base.call);
    put.varint(u64::from(base.file));
    *present = tables(counts, work, &mut put).to_le_bytes();
    let head = put.done()?;
    let coded = code(symbols, counts, rest.get_mut(head..)?)?;
    PREFIX
        .checked_add(raw)?
        .checked_add(4)?
        .checked_add(head)?
        .checked_add(coded)
}

/// The code of each column, which takes the place of its counts. Returns a bit for each column that there is.
fn tables(counts: &mut Counts, work: &mut Work, put: &mut Put) -> u32 {
    let mut present = 0u32;
    for (i, column) in counts.columns().enumerate() {
        present |= u32::from(huffman::build(column, work, put)) << (i & 31);
    }
    present
}

/// The symbols' codes, one after another.
fn code(symbols: &[u16], codes: &Counts, out: &mut [u8]) -> Option<usize> {
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
