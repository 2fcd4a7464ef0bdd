//! Small parts on their way into a pack.

use crate::crc::Crc;
use crate::deflate::{LAST, ROOM, deflate};
use crate::pack::{Clocks, Packed, raw};

/// So many bytes make a pack: who loses a byte of it loses them all.
const FULL: usize = 1 << 18;

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
    pub fn block(&mut self) -> Vec<u8> {
        let Packer { raw, parts, .. } = std::mem::take(self);
        // Three bytes may take five.
        let (mut room, mut packed) = (vec![0; ROOM], vec![0; 2 * raw.len() + 1024]);
        let length = deflate(&raw, 0, &mut room, &mut packed).unwrap_or_default();
        packed.truncate(length);
        let sum = Crc::new().with(&packed).sum();
        let all = Packed::default().with(parts, raw.len() as u32, length as u64, sum);
        [&all.head()[..], &packed, &LAST].concat()
    }
}
