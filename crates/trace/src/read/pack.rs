//! Small parts on their way into a pack.

use crate::bytes::Put;
use crate::crc::Crc;
use crate::deflate::{LAST, ROOM, WINDOW, deflate};
use crate::pack::{Clocks, IN_COLUMNS, Packed, Room, SMALL, column, raw};
use std::io;
use std::thread::{self, Builder};

/// So many bytes make a pack: who loses a byte of it loses them all.
const FULL: usize = 1 << 18;
/// Pieces of so many bytes are worked at at the same time.
const PIECE: usize = 1 << 16;

/// Parts on their way into a pack.
#[derive(Default)]
pub struct Packer {
    parts: Vec<Part>,
    /// Of the last part.
    clocks: Clocks,
    bytes: usize,
    events: u64,
}

/// A part, and the clocks of the one before.
struct Part {
    bytes: Vec<u8>,
    before: Clocks,
}

type Columns = [Vec<u8>; column::COUNT];

impl Packer {
    /// Takes a whole part, or gives it back: it is none that comes back as it was.
    pub fn add(&mut self, bytes: Vec<u8>) -> Result<(), Vec<u8>> {
        let (before, mut rows) = (self.clocks, vec![0; bytes.len()]);
        let packed = raw(&bytes, Some(&mut self.clocks), None, &mut rows, |_, _| ());
        let Some((length, events)) = packed else {
            return Err(bytes);
        };
        self.bytes += length;
        self.events += events;
        self.parts.push(Part { bytes, before });
        Ok(())
    }

    /// How many parts wait, and the events in them.
    pub fn holds(&self) -> (u32, u64) {
        (self.parts.len() as u32, self.events)
    }

    pub fn is_full(&self) -> bool {
        self.bytes >= FULL
    }

    /// The block; nothing waits afterwards.
    ///
    /// # Errors
    /// What is compressed is longer than it can be.
    pub fn block(&mut self) -> io::Result<Vec<u8>> {
        let parts = std::mem::take(self).parts;
        let packed = columns(&parts).and_then(|columns| {
            let raw = [lengths(&columns), columns.concat()].concat();
            let packed = compressed(&raw, &ends(&columns, raw.len()))?;
            let sum = Crc::new().with(&packed).sum();
            let length = raw.len() as u32 | IN_COLUMNS;
            let count = parts.len() as u32;
            let all = Packed::default().with(count, length, packed.len() as u64, sum);
            Some([&all.head()[..], &packed, &LAST].concat())
        });
        packed.ok_or_else(|| io::Error::other("a pack is longer than it was to be"))
    }
}

/// Those of all parts.
fn columns(parts: &[Part]) -> Option<Columns> {
    let bytes = |part: &Part| part.bytes.len();
    let each = parts.iter().map(bytes).sum::<usize>() / parts.len().max(1);
    let pieces = parts.chunks((PIECE / each.max(1)).max(1));
    let mut all = Columns::default();
    for columns in at_once(pieces, columns_of)? {
        all.iter_mut()
            .zip(columns)
            .for_each(|(all, own)| all.extend(own));
    }
    Some(all)
}

/// Those of some, with events in plain numbers.
fn columns_of(parts: &[Part]) -> Option<Columns> {
    let (mut columns, mut room) = (Columns::default(), Box::new(Room::NEW));
    let mut rows = vec![0; SMALL];
    for Part { bytes, before } in parts {
        let (before, room, mut pieces) = (&mut { *before }, &mut room, Vec::new());
        raw(bytes, Some(before), Some(room), &mut rows, |column, end| {
            pieces.push((column, end));
        })?;
        let mut from = 0;
        for (column, end) in pieces {
            columns[column].extend(&rows[from..end]);
            from = end;
        }
    }
    Some(columns)
}

/// What comes of each piece, in their order; `None` if nothing comes of one. The first is this thread's.
fn at_once<P: Copy + Send, O: Send>(
    pieces: impl Iterator<Item = P>,
    work: impl Fn(P) -> Option<O> + Sync,
) -> Option<Vec<O>> {
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

/// Where the columns end, the last of them here.
fn ends(columns: &[Vec<u8>], mut end: usize) -> Vec<usize> {
    let mut ends: Vec<_> = columns
        .iter()
        .rev()
        .map(|column| {
            let own = end;
            end -= column.len();
            own
        })
        .collect();
    ends.reverse();
    ends
}

/// In pieces, which are the same however many threads there are. `None`: one of them found no room.
fn compressed(raw: &[u8], ends: &[usize]) -> Option<Vec<u8>> {
    let starts = (0..raw.len()).step_by(PIECE);
    Some(at_once(starts, |start| piece(raw, start, ends))?.concat())
}

/// Refers to what stands before it.
fn piece(raw: &[u8], start: usize, ends: &[usize]) -> Option<Vec<u8>> {
    let (before, end) = (start.min(WINDOW), raw.len().min(start + PIECE));
    let bytes = raw.get(start - before..end).unwrap_or_default();
    // Three bytes may take five.
    let (mut room, mut packed) = (vec![0; ROOM], vec![0; 2 * (end - start) + 1024]);
    let ends = ends.iter().filter_map(|end| end.checked_sub(start));
    let ends = ends.collect::<Vec<_>>();
    let length = deflate(bytes, before, &ends, &mut room, &mut packed)?;
    packed.truncate(length);
    Some(packed)
}
