//! A thread's records to one events block, a slice of them at a time: so no call waits for a whole block.

use crate::block::{self, HEADER_SIZE, Header, Ids, kind};
use crate::bytes::Put;
use crate::codec::bits::{BitWriter, Place};
use crate::codec::encoder::{Counts, Encoder, State, Symbols};
use crate::codec::huffman::{self, Work};
use crate::codec::model::Model;
use crate::codec::{COLUMNS, zigzag};
use crate::{Event, OP_MORE, OP_NONE, Record, Step};

mod ahead;

use ahead::{follow, repeat, scatter};

/// Records that one block takes.
pub const MAX_RECORDS: usize = 2048;
/// Bytes that suffice for any block of [`MAX_RECORDS`] records.
pub const MAX_BLOCK: usize = 192 * 1024;
/// Bytes of payload before the raw bits: the encoding, and their length.
const PREFIX: usize = 5;

/// Room to work in, and the block under way: plain data, of which zeroed is a valid value, without a block.
#[repr(C)]
pub struct Scratch {
    symbols: Symbols,
    counts: Counts,
    model: Model,
    work: Work,
    open: Open,
    /// A block was begun.
    is_used: bool,
}

/// How far a block has come.
#[repr(C)]
struct Open {
    begun: bool,
    base: Base,
    count: u32,
    first: i64,
    last: i64,
    state: State,
    raw: Place,
}

impl Scratch {
    /// As good as zeroed memory.
    pub const NEW: Scratch = Scratch {
        symbols: Symbols::NEW,
        counts: Counts::NEW,
        model: Model::NEW,
        work: Work::NEW,
        open: Open::NEW,
        is_used: false,
    };

    /// Forgets the block under way.
    pub fn give_up(&mut self) {
        self.open.begun = false;
    }
}

impl Open {
    const NEW: Open = Open {
        begun: false,
        base: Base {
            time: 0,
            call: 0,
            file: 0,
        },
        count: 0,
        first: i64::MAX,
        last: i64::MIN,
        state: State::NEW,
        raw: Place::NEW,
    };

    #[inline(always)]
    fn count_in(&mut self, count: usize, first: i64, last: i64) {
        self.count = self.count.wrapping_add(count as u32);
        self.first = self.first.min(first);
        self.last = self.last.max(last);
    }
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
    scratch.give_up();
    let records = records.get(..MAX_RECORDS).unwrap_or(records);
    tell(records, step, calls, scratch, out)?;
    finish(ids, scratch, out)
}

/// Goes on with the block under way, or begins one: of both halves of an event both or none are among `records`, and
/// a block takes [`MAX_RECORDS`] in all. `out` is the same for all of a block.
pub fn tell(
    records: &[Record],
    step: &Step,
    calls: u64,
    scratch: &mut Scratch,
    out: &mut [u8],
) -> Option<()> {
    let Scratch {
        symbols,
        counts,
        model,
        open,
        is_used,
        ..
    } = scratch;
    if !open.begun {
        let Some(first) = records.iter().find(|record| is_call(record)) else {
            return Some(());
        };
        let base = Base::of(&Event::of(first, None, step, 0, calls));
        // What is zero already is not written: a short program would pay for each of these pages.
        if *is_used {
            *model = Model::NEW;
            *counts = Counts::NEW;
        }
        *is_used = true;
        model.start(base.time, base.call, base.file);
        *open = Open {
            begun: true,
            base,
            ..Open::NEW
        };
    }
    let room = out.get_mut(HEADER_SIZE.wrapping_add(PREFIX)..)?;
    let mut side = Encoder::resume(symbols, counts, room, (open.state, open.raw));
    collect(records, step, calls, model, &mut side, open);
    (open.state, open.raw) = side.state();
    Some(())
}

/// Ends the block under way; returns as [`events`] does.
pub fn finish(ids: Ids, scratch: &mut Scratch, out: &mut [u8]) -> Option<usize> {
    if !scratch.open.begun {
        return Some(0);
    }
    scratch.give_up();
    let Open {
        base,
        count,
        first,
        last,
        state,
        raw,
        ..
    } = scratch.open;
    let payload = out.get_mut(HEADER_SIZE..)?;
    let room = payload.get_mut(PREFIX..)?;
    let side = Encoder::resume(
        &mut scratch.symbols,
        &mut scratch.counts,
        room,
        (state, raw),
    );
    let header = Header {
        count,
        first,
        last,
        ..Header::new(kind::EVENTS, ids, 0)
    };
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
    open: &mut Open,
) {
    while let [record, rest @ ..] = records {
        if side.foretold()
            && let Some(mut again) = model.repeating()
            && again.key.repeats(record, again.next.id)
        {
            let ahead = records.get(..again.numbers_until(calls)).unwrap_or(records);
            let mut count = repeat(&mut again, ahead, step, side, open);
            count = count.wrapping_add(scatter(
                &mut again,
                ahead.get(count..).unwrap_or(&[]),
                step,
                side,
                open,
            ));
            if count > 0 {
                model.repeated(&again);
                records = records.get(count..).unwrap_or(&[]);
                continue;
            }
        }
        if side.foretold() {
            let count = follow(model, records, calls, step, side, open);
            if count > 0 {
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
            open.count_in(1, start, end);
            records = rest;
            continue;
        }
        if is_call(record) {
            let mut event = Event::of(record, rest.first(), step, 0, calls);
            model.event(side, &mut event);
            open.count_in(1, event.start, event.end);
        }
        records = rest;
    }
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
