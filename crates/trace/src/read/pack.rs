//! Small parts on their way into a pack.

use crate::bytes::Put;
use crate::crc::Crc;
use crate::deflate::{LAST, ROOM, WINDOW, deflate};
use crate::pack::{Clocks, IN_COLUMNS, Packed, Room, column, raw};
use std::io;
use std::thread::{self, Builder};

/// So many bytes make a pack: who loses a byte of it loses them all.
const FULL: usize = 1 << 18;
/// Pieces of so many bytes are compressed at the same time.
const PIECE: usize = 1 << 16;

/// Parts on their way into a pack.
pub struct Packer {
    columns: [Vec<u8>; column::COUNT],
    /// Of the last part.
    clocks: Clocks,
    room: Box<Room>,
    pub parts: u32,
    pub events: u64,
}

impl Default for Packer {
    fn default() -> Self {
        Packer {
            columns: Default::default(),
            clocks: Clocks::default(),
            room: Box::new(Room::NEW),
            parts: 0,
            events: 0,
        }
    }
}

impl Packer {
    /// Takes a whole part; `false`: it is none that comes back as it was.
    pub fn add(&mut self, part: &[u8]) -> bool {
        // Plain numbers take more than those that are coded.
        let (mut rows, mut pieces) = (vec![0; 2 * part.len()], Vec::new());
        let (clocks, room) = (Some(&mut self.clocks), &mut self.room);
        let packed = raw(part, clocks, room, &mut rows, |column, end| {
            pieces.push((column, end));
        });
        let Some((_, events)) = packed else {
            return false;
        };
        let mut from = 0;
        for (column, end) in pieces {
            self.columns[column].extend(&rows[from..end]);
            from = end;
        }
        self.parts += 1;
        self.events += events;
        true
    }

    pub fn is_full(&self) -> bool {
        self.columns.iter().map(Vec::len).sum::<usize>() >= FULL
    }

    /// The block; nothing waits afterwards.
    ///
    /// # Errors
    /// What is compressed is longer than it can be.
    pub fn block(&mut self) -> io::Result<Vec<u8>> {
        let columns = std::mem::take(&mut self.columns);
        let parts = std::mem::take(&mut self.parts);
        (self.clocks, self.events) = (Clocks::default(), 0);
        let raw = [lengths(&columns), columns.concat()].concat();
        let packed = compressed(&raw, &ends(&columns, raw.len()));
        let packed =
            packed.ok_or_else(|| io::Error::other("a pack is longer than it was to be"))?;
        let sum = Crc::new().with(&packed).sum();
        let length = raw.len() as u32 | IN_COLUMNS;
        let all = Packed::default().with(parts, length, packed.len() as u64, sum);
        Ok([&all.head()[..], &packed, &LAST].concat())
    }
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
    thread::scope(|scope| {
        let begin = |start| match start {
            0 => Err(start),
            // Where no thread can be had, this one does it.
            _ => Builder::new()
                .spawn_scoped(scope, move || piece(raw, start, ends))
                .map_err(|_| start),
        };
        let begun: Vec<_> = starts.map(begin).collect();
        let ended = begun.into_iter().map(|piece_of| match piece_of {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(start) => piece(raw, start, ends),
        });
        Some(ended.collect::<Option<Vec<_>>>()?.concat())
    })
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
