//! The fields of Process and End blocks in a pack. Clocks are differences to what is known already, and a process id in text
//! is left out: compression finds nothing in them, and without this they would be most of a small part.

use crate::block::{Header, kind};
use crate::bytes::Put;
use crate::clock::Anchor;
use crate::columns::zigzag;
use crate::decimal;
use crate::part::{Process, as_anchor, fields, tag, word};

/// With the kind of a block in a pack: its fields are written like this.
pub const SHORT: u8 = 0x80;
/// Stands for the process id at the end of a text, which has no NUL of its own.
pub const OWN_ID: u8 = 0;
/// Nanoseconds.
const SECOND: u64 = 1_000_000_000;
/// A rate that ticks are expected to have: a second of it, times [`SECOND`], fits into 64 bits.
const HIGHEST: u64 = 10_000_000_000;

/// What the clocks of a part are derived from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clocks {
    /// The start anchor.
    pub start: Anchor,
    /// Ticks per second.
    pub rate: u64,
}

impl Clocks {
    /// Those of a part, from the payload of its Process block.
    pub fn of(payload: &[u8]) -> Clocks {
        let Process { start, rate, .. } = Process::parse(payload);
        Clocks { start, rate }
    }

    /// Those of a part that begins with its Process block.
    pub fn of_part(part: &[u8]) -> Option<Clocks> {
        let header = Header::parse(part)?;
        let block = part.get(..header.block_len() as usize)?;
        let payload = block.get(header.header_len.into()..)?;
        Some(Clocks::of(payload))
    }

    /// What CLOCK_MONOTONIC should say when the ticks have gone on by so many.
    fn monotonic_after(&self, ticks: i64) -> u64 {
        let ago = self.nanos(ticks.unsigned_abs()).unwrap_or(0);
        match ticks < 0 {
            true => self.start.monotonic.wrapping_sub(ago),
            false => self.start.monotonic.wrapping_add(ago),
        }
    }

    /// Ticks as nanoseconds, in 64 bits: the runtime has no division of 128.
    fn nanos(&self, ticks: u64) -> Option<u64> {
        let rate = Some(self.rate).filter(|rate| *rate <= HIGHEST)?;
        let rest = ticks.checked_rem(rate)?.wrapping_mul(SECOND);
        let seconds = ticks.checked_div(rate)?.wrapping_mul(SECOND);
        Some(seconds.wrapping_add(rest.checked_div(rate)?))
    }

    /// Three differences: of the ticks; of CLOCK_MONOTONIC to what these let expect; of the distance between the other two.
    fn differences(&self, to: Anchor) -> [i64; 3] {
        let ticks = to.ticks.wrapping_sub(self.start.ticks) as i64;
        let expected = self.monotonic_after(ticks);
        let distance = |anchor: Anchor| anchor.realtime.wrapping_sub(anchor.monotonic);
        [
            ticks,
            to.monotonic.wrapping_sub(expected) as i64,
            distance(to).wrapping_sub(distance(self.start)) as i64,
        ]
    }

    /// The anchor with these differences.
    pub fn anchor(&self, [ticks, monotonic, distance]: [i64; 3]) -> Anchor {
        let monotonic = self.monotonic_after(ticks).wrapping_add(monotonic as u64);
        let before = self.start.realtime.wrapping_sub(self.start.monotonic);
        Anchor {
            ticks: self.start.ticks.wrapping_add(ticks as u64),
            monotonic,
            realtime: before.wrapping_add(distance as u64).wrapping_add(monotonic),
        }
    }

    /// Writes the payload of a block of this process.
    pub fn write(&self, payload: &[u8], pid: u32, put: &mut Put) {
        for (tag, bytes) in fields(payload) {
            put.u16(tag);
            match tag {
                tag::START | tag::END => {
                    for one in self.differences(as_anchor(bytes)) {
                        put.varint(zigzag(one));
                    }
                }
                tag::RATE => {
                    let more = word(bytes, 0).wrapping_sub(self.rate);
                    put.varint(zigzag(more as i64));
                }
                _ => {
                    let before = Some(tag)
                        .filter(has_own_id)
                        .and_then(|_| without(bytes, pid));
                    let (text, end) = before.map_or((bytes, &[][..]), |text| (text, &[OWN_ID]));
                    put.u16(text.len().wrapping_add(end.len()) as u16);
                    put.bytes(text);
                    put.bytes(end);
                }
            }
        }
    }
}

/// Texts of which a process id can be left out
pub fn has_own_id(tag: &u16) -> bool {
    matches!(*tag, tag::OUTPUT | tag::JOB)
}

/// What stands before the process id at the end of a text
fn without(text: &[u8], pid: u32) -> Option<&[u8]> {
    let mut digits = [0; 10];
    let mut put = Put::new(&mut digits);
    decimal::unsigned(&mut put, pid.into());
    let length = put.done()?;
    text.strip_suffix(digits.get(..length)?)
}

/// Whether the payload of a block comes back as it was: it is fields and nothing else, its clocks are as long as clocks are,
/// and a text has no NUL.
pub fn are_short(kind: u8, payload: &[u8]) -> bool {
    let mut length = 0_usize;
    let are_right = fields(payload).all(|(tag, bytes)| {
        length = length.wrapping_add(4).wrapping_add(bytes.len());
        match tag {
            tag::START | tag::END => bytes.len() == 24,
            tag::RATE => bytes.len() == 8,
            _ => !has_own_id(&tag) || !bytes.contains(&OWN_ID),
        }
    });
    matches!(kind, kind::PROCESS | kind::END) && are_right && length == payload.len()
}
