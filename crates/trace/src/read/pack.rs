//! Small parts on their way into a pack.

use crate::crc::Crc;
use crate::deflate::{LAST, ROOM, WINDOW, deflate};
use crate::pack::{Clocks, Packed, raw};
use std::io;
use std::thread::{self, Builder};

/// So many bytes make a pack: who loses a byte of it loses them all.
const FULL: usize = 1 << 18;
/// Pieces of so many bytes are compressed at the same time.
const PIECE: usize = 1 << 16;

/// Parts on their way into a pack.
#[derive(Default)]
pub struct Packer {
    raw: Vec<u8>,
    /// Of the last part.
    clocks: Clocks,
    pub parts: u32,
    pub events: u64,
}

impl Packer {
    /// Takes a whole part; `false`: it is none that comes back as it was.
    pub fn add(&mut self, part: &[u8]) -> bool {
        let before = self.raw.len();
        self.raw.resize(before + part.len(), 0);
        let room = self.raw.get_mut(before..);
        let packed = room.and_then(|room| raw(part, Some(&mut self.clocks), room));
        let (length, events) = packed.unwrap_or_default();
        self.raw.truncate(before + length);
        self.parts += u32::from(packed.is_some());
        self.events += events;
        packed.is_some()
    }

    pub fn is_full(&self) -> bool {
        self.raw.len() >= FULL
    }

    /// The block; nothing waits afterwards.
    ///
    /// # Errors
    /// What is compressed is longer than it can be.
    pub fn block(&mut self) -> io::Result<Vec<u8>> {
        let Packer { raw, parts, .. } = std::mem::take(self);
        let packed = compressed(&raw);
        let packed =
            packed.ok_or_else(|| io::Error::other("a pack is longer than it was to be"))?;
        let sum = Crc::new().with(&packed).sum();
        let all = Packed::default().with(parts, raw.len() as u32, packed.len() as u64, sum);
        Ok([&all.head()[..], &packed, &LAST].concat())
    }
}

/// In pieces, which are the same however many threads there are. `None`: one of them found no room.
fn compressed(raw: &[u8]) -> Option<Vec<u8>> {
    let starts = (0..raw.len()).step_by(PIECE);
    thread::scope(|scope| {
        let begin = |start| match start {
            0 => Err(start),
            // Where no thread can be had, this one does it.
            _ => Builder::new()
                .spawn_scoped(scope, move || piece(raw, start))
                .map_err(|_| start),
        };
        let begun: Vec<_> = starts.map(begin).collect();
        let ended = begun.into_iter().map(|piece_of| match piece_of {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(start) => piece(raw, start),
        });
        Some(ended.collect::<Option<Vec<_>>>()?.concat())
    })
}

/// Refers to what stands before it.
fn piece(raw: &[u8], start: usize) -> Option<Vec<u8>> {
    let (before, end) = (start.min(WINDOW), raw.len().min(start + PIECE));
    let bytes = raw.get(start - before..end).unwrap_or_default();
    // Three bytes may take five.
    let (mut room, mut packed) = (vec![0; ROOM], vec![0; 2 * (end - start) + 1024]);
    let length = deflate(bytes, before, &mut room, &mut packed)?;
    packed.truncate(length);
    Some(packed)
}
