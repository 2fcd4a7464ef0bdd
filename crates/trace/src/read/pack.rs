//! Small parts on their way into a pack.

use crate::block::Ids;
use crate::bytes::Put;
use crate::crc::Crc;
use crate::deflate::{DeflateSegment, LAST, ROOM, WINDOW, deflate};
use crate::pack::{Clocks, IN_COLUMNS, MOST, Packed, SMALL, column, raw};
use std::io;
use std::thread::{self, Builder};

/// Parts of so many bytes make a pack: one damaged byte loses the whole pack.
const FULL: usize = 5 << 16;
/// Parts of so many bytes are worked at at the same time.
const SHARE: usize = 1 << 17;
/// Columns of so many bytes are compressed at the same time.
const PIECE: usize = 3 << 15;

/// A small part.
pub struct Small {
    pub bytes: Vec<u8>,
    pub ids: Ids,
    pub events: u64,
}

/// Parts on their way into a pack.
#[derive(Default)]
pub struct Packer {
    parts: Vec<Small>,
    bytes: usize,
}

/// What they become, in their order.
pub enum PackOutcome {
    /// A block of so many parts with so many events.
    Pack {
        block: Vec<u8>,
        parts: u32,
        events: u64,
    },
    /// A part that would not come back as it was.
    Alone(Small),
}

/// What is compressed is little longer than the parts, and no longer than a reader takes.
const _: () = assert!(FULL + 2 * SMALL < MOST as usize);

type Columns = [Vec<u8>; column::COUNT];

impl Packer {
    /// Takes a whole part.
    pub fn add(&mut self, part: Small) {
        self.bytes += part.bytes.len();
        self.parts.push(part);
    }

    pub fn is_full(&self) -> bool {
        self.bytes >= FULL
    }

    /// What they become; nothing waits afterwards.
    ///
    /// # Errors
    /// What is compressed is longer than it can be.
    pub fn make(&mut self) -> io::Result<Vec<PackOutcome>> {
        let (mut made, mut waiting) = (Vec::new(), vec![std::mem::take(self).parts]);
        while let Some(mut parts) = waiting.pop() {
            let end = match fitting(&parts) {
                Ok(raw) => {
                    made.extend(block(&parts, raw)?);
                    continue;
                }
                Err(end) => end,
            };
            if parts.len() == 1 {
                made.extend(parts.into_iter().map(PackOutcome::Alone));
            } else {
                waiting.push(parts.split_off(end.max(1)));
                waiting.push(parts);
            }
        }
        Ok(made)
    }
}

/// The pack of these parts, if there are any.
fn block(
    parts: &[Small],
    UnpackedBlock { bytes, stretches }: UnpackedBlock,
) -> io::Result<Option<PackOutcome>> {
    if parts.is_empty() {
        return Ok(None);
    }
    let packed = compressed(&bytes, &stretches);
    let packed = packed.ok_or_else(|| io::Error::other("a pack is longer than it was to be"))?;
    let sum = Crc::new().with(&packed).sum();
    let (count, length) = (parts.len() as u32, bytes.len() as u32 | IN_COLUMNS);
    let all = Packed::default().with(count, length, packed.len() as u64, sum);
    Ok(Some(PackOutcome::Pack {
        block: [&all.head()[..], &packed, &LAST].concat(),
        parts: count,
        events: parts.iter().map(|part| part.events).sum(),
    }))
}

/// What is to be compressed, and its columns.
struct UnpackedBlock {
    bytes: Vec<u8>,
    stretches: Vec<DeflateSegment>,
}

/// All of them in columns; where that cannot be, how many of them may be together.
fn fitting(parts: &[Small]) -> Result<UnpackedBlock, usize> {
    let columns = columns(parts)?;
    let bytes = [lengths(&columns), columns.concat()].concat();
    let stretches = stretches(&columns, bytes.len());
    Ok(UnpackedBlock { bytes, stretches })
}

/// Those of all parts, or how many are before the first that is none that comes back as it was.
fn columns(parts: &[Small]) -> Result<Columns, usize> {
    let bytes = parts.iter().map(|part| part.bytes.len()).sum::<usize>();
    let each = (SHARE / (bytes / parts.len().max(1)).max(1)).max(1);
    let shares = (0..parts.len()).step_by(each);
    let mut all = Columns::default();
    for columns in at_once(shares, |start| columns_of(parts, start, each)) {
        all.iter_mut()
            .zip(columns?)
            .for_each(|(all, own)| all.extend(own));
    }
    Ok(all)
}

/// Those of some.
fn columns_of(parts: &[Small], start: usize, count: usize) -> Result<Columns, usize> {
    let (mut columns, mut rows) = (Columns::default(), vec![0; 2 * SMALL]);
    let before = start.checked_sub(1).and_then(|before| parts.get(before));
    let mut clocks = before
        .and_then(|part| Clocks::of_part(&part.bytes))
        .unwrap_or_default();
    for (nth, part) in parts.iter().enumerate().skip(start).take(count) {
        let mut pieces = Vec::new();
        raw(&part.bytes, Some(&mut clocks), &mut rows, |column, end| {
            pieces.push((column, end));
        })
        .ok_or(nth)?;
        let mut from = 0;
        for (column, end) in pieces {
            columns[column].extend(&rows[from..end]);
            from = end;
        }
    }
    Ok(columns)
}

/// What comes of each piece, in their order. The first is this thread's.
fn at_once<P: Copy + Send, O: Send>(
    pieces: impl Iterator<Item = P>,
    work: impl Fn(P) -> O + Sync,
) -> Vec<O> {
    let work = &work;
    thread::scope(|scope| {
        let begin = |(nth, piece)| match nth {
            0 => Err(piece),
            // Where no thread can be had, this one does it.
            _ => Builder::new()
                .spawn_scoped(scope, move || work(piece))
                .map_err(|_| piece),
        };
        let begun: Vec<_> = pieces.enumerate().map(begin).collect();
        let ended = begun.into_iter().map(|piece| match piece {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(piece) => work(piece),
        });
        ended.collect()
    })
}

/// Those of all columns but the last, whose end is that of the pack.
fn lengths(columns: &[Vec<u8>]) -> Vec<u8> {
    let mut lengths = vec![0; 10 * column::COUNT];
    let mut put = Put::new(&mut lengths);
    for column in columns.iter().take(column::COUNT - 1) {
        put.varint(column.len() as u64);
    }
    let length = put.at();
    lengths.truncate(length);
    lengths
}

/// The columns, the last of which ends here.
fn stretches(columns: &[Vec<u8>], mut end: usize) -> Vec<DeflateSegment> {
    let mut stretches: Vec<_> = columns
        .iter()
        .enumerate()
        .rev()
        .map(|(nth, column)| {
            let own = DeflateSegment {
                end,
                is_noise: column::is_noise(nth),
            };
            end -= column.len();
            own
        })
        .collect();
    stretches.reverse();
    stretches
}

/// In pieces, which are the same however many threads there are. `None`: one of them found no room.
fn compressed(raw: &[u8], stretches: &[DeflateSegment]) -> Option<Vec<u8>> {
    let starts = (0..raw.len()).step_by(PIECE);
    let pieces = at_once(starts, |start| piece(raw, start, stretches));
    Some(pieces.into_iter().collect::<Option<Vec<_>>>()?.concat())
}

/// Refers to what stands before it.
fn piece(raw: &[u8], start: usize, stretches: &[DeflateSegment]) -> Option<Vec<u8>> {
    let (before, end) = (start.min(WINDOW), raw.len().min(start + PIECE));
    let bytes = raw.get(start - before..end).unwrap_or_default();
    // Three bytes may take five.
    let (mut room, mut packed) = (vec![0; ROOM], vec![0; 2 * (end - start) + 1024]);
    let ahead = |stretch: &DeflateSegment| {
        let end = stretch.end.checked_sub(start)?;
        Some(DeflateSegment { end, ..*stretch })
    };
    let stretches: Vec<_> = stretches.iter().filter_map(ahead).collect();
    let length = deflate(bytes, before, &stretches, &mut room, &mut packed)?;
    packed.truncate(length);
    Some(packed)
}
