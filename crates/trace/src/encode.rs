//! A thread's records to one events block, a slice of them at a time: so no call waits for a whole block.

use crate::block::{self, HEADER_SIZE, Header, Ids, PREFIX, kind};
use crate::codec::collected::{Counts, Symbols};
use crate::codec::encoder::{Encoder, State};
use crate::codec::huffman::Buffers;
use crate::codec::model::Model;
use crate::{Event, OP_DETAILS, OP_MORE, OP_NONE, Record, Step};

mod details;
mod loops;
mod payload;
mod progress;

pub use crate::block::MAX_RECORDS;

use details::Following;
use loops::{repeat, scatter};
pub(crate) use payload::payload_of;
use payload::plain_payload_of;
pub(crate) use progress::Base;
use progress::Progress;

/// Bytes that suffice for any block of [`MAX_RECORDS`] records.
pub const MAX_BLOCK: usize = 192 * 1024;

/// Room to work in, and the block under way: plain data, of which zeroed is a valid value, without a block. What a short
/// block uses lies together, because the kernel makes each page when it is first used.
#[repr(C)]
pub struct Scratch {
    /// A block was begun.
    is_used: bool,
    /// The next block is told in plain numbers.
    is_plain: bool,
    progress: Progress,
    huffman: Buffers,
    symbols: Symbols,
    counts: Counts,
    model: Model,
    details: Following,
}

impl Scratch {
    /// As good as zeroed memory.
    pub const NEW: Scratch = Scratch {
        is_used: false,
        is_plain: false,
        progress: Progress::NEW,
        huffman: Buffers::NEW,
        symbols: Symbols::NEW,
        counts: Counts::NEW,
        model: Model::NEW,
        details: Following::NEW,
    };

    /// Forgets the block under way.
    pub fn give_up(&mut self) {
        self.progress.begun = false;
    }

    /// Tells the blocks that are begun from now on in plain numbers, which are written and read sooner, and with which a
    /// pack is shorter; or in codes, with which a block is shorter. In plain numbers a block takes at most 128 records at
    /// once, and none any more when it [is full](Scratch::is_full).
    pub fn tell_plainly(&mut self, is_plain: bool) {
        self.is_plain = is_plain;
    }

    /// Whether the block under way has to end.
    pub fn is_full(&self) -> bool {
        self.progress.begun && self.progress.state.is_full()
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
    add(records, step, calls, scratch, out)?;
    finish(ids, scratch, out)
}

/// Goes on with the block under way, or begins one: of both halves of an event both or none are among `records`, and
/// a block takes [`MAX_RECORDS`] in all. `out` is the same for all of a block.
pub fn add(
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
        progress,
        details,
        is_used,
        is_plain,
        ..
    } = scratch;
    if !progress.begun {
        let Some(first) = records.iter().find(|record| is_call(record)) else {
            return Some(());
        };
        let base = Base::of(&Event::of(first, None, step, 0, calls));
        // Each page of the model is used, and the kernel makes a page twice if it is read before it is written. Of the counts
        // few pages are used: what is zero already is not written.
        *model = Model::NEW;
        if *is_used && !*is_plain {
            *counts = Counts::NEW;
        }
        *is_used = true;
        details.clear();
        model.start(base.time, base.call, base.file);
        *progress = Progress {
            begun: true,
            base,
            state: State::of(*is_plain),
            ..Progress::NEW
        };
    }
    let room = out.get_mut(HEADER_SIZE.wrapping_add(PREFIX)..)?;
    let mut side = Encoder::resume(symbols, counts, room, (progress.state, progress.raw));
    collect(records, step, calls, model, &mut side, progress, details);
    details.pass(records);
    (progress.state, progress.raw) = side.state();
    Some(())
}

/// Ends the block under way; returns as [`events`] does.
pub fn finish(ids: Ids, scratch: &mut Scratch, out: &mut [u8]) -> Option<usize> {
    if !scratch.progress.begun {
        return Some(0);
    }
    scratch.give_up();
    let Progress {
        base,
        count,
        first,
        last,
        state,
        raw,
        ..
    } = scratch.progress;
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
    let payload_len = if state.is_plain {
        plain_payload_of(base, raw, scratch.symbols.notes(count)?, payload)?
    } else {
        payload_of(
            base,
            raw,
            scratch.symbols.get(count)?,
            &mut scratch.counts,
            &mut scratch.huffman,
            payload,
        )?
    };
    match scratch.details.written.finish() {
        [] => block::seal(header, payload_len, out),
        details => block::seal_with_details(header, payload_len, details, out),
    }
}

/// Records in pieces of which each makes a block: what follows a call stays with it.
pub fn blocks(records: &[Record]) -> impl Iterator<Item = &[Record]> {
    let mut rest = records;
    core::iter::from_fn(move || {
        let end = match rest.get(..=MAX_RECORDS) {
            // From the last call on, the next block.
            Some(more) => more.iter().rposition(is_call).filter(|end| *end > 0)?,
            None => rest.len(),
        };
        let (piece, others) = rest.split_at_checked(end)?;
        rest = others;
        (end > 0).then_some(piece)
    })
}

fn is_call(record: &Record) -> bool {
    !matches!(record.op, OP_NONE | OP_MORE | OP_DETAILS)
}

/// Tells all records to `side`, and details to `details`.
fn collect(
    all: &[Record],
    step: &Step,
    calls: u64,
    model: &mut Model,
    side: &mut Encoder,
    progress: &mut Progress,
    details: &mut Following,
) {
    let mut records = all;
    while let [record, rest @ ..] = records {
        if side.foretold()
            && let Some(mut again) = model.repeating()
            && again.young == 0
            && again.key.repeats(record, again.next.id)
        {
            let ahead = records.get(..again.numbers_until(calls)).unwrap_or(records);
            let mut count = repeat(&mut again, ahead, step, side, progress);
            count = count.wrapping_add(scatter(
                &mut again,
                ahead.get(count..).unwrap_or(&[]),
                step,
                side,
                progress,
            ));
            if count > 0 {
                model.leave_loop(&again);
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
            progress.count_in(1, start, end);
            records = rest;
            continue;
        }
        if is_call(record) {
            let mut event = Event::of(record, rest.first(), step, 0, calls);
            model.event(side, &mut event);
            progress.count_in(1, event.start, event.end);
        } else if record.op == OP_DETAILS {
            let before = all.len().wrapping_sub(records.len());
            let before = all.get(..before).unwrap_or_default();
            details.add(record, before, progress.count.wrapping_sub(1));
        }
        records = rest;
    }
}
