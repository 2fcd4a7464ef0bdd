//! A thread's records to one events block, a slice of them at a time: so no call waits for a whole block.

use crate::block::{self, HEADER_SIZE, Header, Ids, kind};
use crate::columns::encoder::Encoder;
use crate::{OP_DETAILS, OP_MORE, OP_NONE, Record, Step};

pub use crate::block::MAX_RECORDS;

/// Bytes that suffice for any block of [`MAX_RECORDS`] records.
pub const MAX_BLOCK: usize = 256 * 1024;

/// Room to work in, and the block under way: plain data, of which zeroed is a valid value, without a block. What a short
/// block uses lies together, because the kernel makes each page when it is first used.
#[repr(C)]
pub struct Scratch {
    /// A block was begun.
    has_begun: bool,
    encoder: Encoder,
}

impl Scratch {
    /// As good as zeroed memory.
    pub const NEW: Scratch = Scratch {
        has_begun: false,
        encoder: Encoder::NEW,
    };

    /// Forgets the block under way.
    pub fn give_up(&mut self) {
        self.has_begun = false;
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
    add(records, step, calls, scratch);
    finish(ids, scratch, out)
}

/// Goes on with the block under way, or begins one: of both halves of an event both or none are among `records`, and
/// a block takes [`MAX_RECORDS`] in all.
pub fn add(records: &[Record], step: &Step, calls: u64, scratch: &mut Scratch) {
    if !scratch.has_begun {
        let Some(first) = records.iter().find(|record| is_call(record)) else {
            return;
        };
        scratch.encoder.begin(first, step, calls);
        scratch.has_begun = true;
    }
    scratch.encoder.add(records, step, calls);
}

/// Ends the block under way; returns as [`events`] does.
pub fn finish(ids: Ids, scratch: &mut Scratch, out: &mut [u8]) -> Option<usize> {
    if !scratch.has_begun {
        return Some(0);
    }
    scratch.give_up();
    let encoder = &mut scratch.encoder;
    let length = encoder.finish(out.get_mut(HEADER_SIZE..)?)?;
    let header = Header {
        count: encoder.count() as u32,
        first: encoder.first,
        last: encoder.last,
        ..Header::new(kind::EVENTS, ids, 0)
    };
    block::seal(header, length, out)
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
