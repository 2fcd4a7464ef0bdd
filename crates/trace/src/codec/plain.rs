//! Events whose numbers stand as they are, a column after the other, and whose raw bits are times alone: what a pack
//! compresses as a whole needs no codes, and says again what another process has said.

use super::bits::{BitReader, BitWriter, Position};
use super::decoder::{Source, Times};
use super::error::Error;
use super::pace::Pace;
use super::symbols::column::COUNT;
use super::token::TOKENS;
use super::told::Sink;
use crate::block::SMALL;
use crate::bytes::{Get, Put};

/// Reads such events.
pub struct Plain<'a> {
    columns: [Get<'a>; COUNT],
    raw: BitReader<'a>,
    short: bool,
}

impl<'a> Plain<'a> {
    /// The lengths of the columns that are there, then these.
    pub fn new(present: u32, mut get: Get<'a>, raw: &'a [u8]) -> Result<Self, Error> {
        if present >> COUNT != 0 {
            return Err(Error::Table);
        }
        let mut lengths = [0; COUNT];
        for (nth, length) in (0u32..).zip(&mut lengths) {
            if present >> (nth & 31) & 1 != 0 {
                *length = get.varint().ok_or(Error::Table)?;
            }
        }
        let mut columns = [Get(&[]); COUNT];
        for (column, length) in columns.iter_mut().zip(lengths) {
            let bytes = get.bytes(usize::try_from(length).unwrap_or(usize::MAX));
            *column = Get(bytes.ok_or(Error::Short)?);
        }
        Ok(Plain {
            columns,
            raw: BitReader::new(raw),
            short: false,
        })
    }
}

impl Source for Plain<'_> {
    fn place(&self) -> usize {
        self.raw.place()
    }

    fn symbol(&mut self, column: usize) -> u32 {
        self.number(column) as u32 % TOKENS as u32
    }

    fn number(&mut self, column: usize) -> u64 {
        let column = self.columns.get_mut(column);
        let number = column.and_then(Get::varint);
        self.short |= number.is_none();
        number.unwrap_or(0)
    }

    fn times(&mut self, pace: &mut Pace) -> Times {
        self.raw.times(pace)
    }

    fn young_times(&mut self, pace: &mut Pace) -> Times {
        self.raw.young_times(pace)
    }

    fn exhausted(&self) -> bool {
        self.short || self.raw.exhausted()
    }
}

/// Numbers as they come: each a column, and a varint, which may be longer than it need be.
#[derive(Clone, Copy)]
pub struct Notes<'a>(pub &'a [u8]);

/// Bytes of a note of a symbol: so many whatever it says, for what is to be told later.
pub const SYMBOL: usize = 3;

/// Of no number takes a note more bytes.
pub const LONGEST: usize = 1 + 10;

/// Notes a symbol in its place.
#[inline(always)]
pub fn note_symbol(notes: &mut [u8], at: usize, column: usize, symbol: u32) {
    let place = notes.get_mut(at..).and_then(<[u8]>::first_chunk_mut);
    if let Some(place) = place {
        *place = [column as u8, symbol as u8 | 0x80, (symbol >> 7) as u8];
    }
}

/// Notes a number, and returns how many bytes that takes; `None`: they found no room.
#[inline(always)]
pub fn note_number(notes: &mut [u8], at: usize, column: usize, number: u64) -> Option<usize> {
    let mut put = Put::new(notes.get_mut(at..)?);
    put.u8(column as u8);
    put.varint(number);
    put.done()
}

impl<'a> Notes<'a> {
    /// Columns and numbers; the varint of each is as it was noted.
    fn each(self) -> impl Iterator<Item = (usize, &'a [u8])> {
        let mut rest = self.0;
        core::iter::from_fn(move || {
            let [column, numbers @ ..] = rest else {
                return None;
            };
            let length = numbers.iter().position(|byte| *byte < 0x80)?;
            let (number, behind) = numbers.split_at_checked(length.wrapping_add(1))?;
            rest = behind;
            Some((usize::from(*column), number))
        })
    }

    /// The bytes of each column.
    pub fn lengths(self) -> Lengths {
        let mut lengths = [0usize; COUNT];
        for (column, number) in self.each() {
            if let Some(length) = lengths.get_mut(column) {
                *length = length.wrapping_add(shortest(number).0.len());
            }
        }
        Lengths(lengths)
    }

    /// Writes the columns, one after the other, to as many bytes as they have.
    fn write(self, lengths: Lengths, out: &mut [u8]) -> Option<()> {
        let mut end = 0usize;
        let mut places = lengths.0.map(|length| {
            let begin = end;
            end = end.wrapping_add(length);
            begin
        });
        for (column, number) in self.each() {
            let place = places.get_mut(column)?;
            let (number, last) = shortest(number);
            let to = out.get_mut(*place..)?.get_mut(..number.len())?;
            to.iter_mut().zip(number).for_each(|(to, from)| *to = *from);
            *to.last_mut()? &= last;
            *place = place.wrapping_add(number.len());
        }
        Some(())
    }
}

/// A noted varint without the zeros behind it: its bytes, and the bits that count of the last of them.
#[inline(always)]
fn shortest(number: &[u8]) -> (&[u8], u8) {
    match number {
        [low, 0] => (core::slice::from_ref(low), 0x7f),
        _ => (number, 0xff),
    }
}

/// How many bytes each column has.
#[derive(Clone, Copy)]
pub struct Lengths([usize; COUNT]);

impl Lengths {
    /// A bit for each column that is there.
    fn present(&self) -> u32 {
        let columns = (0u32..).zip(self.0);
        let present = columns.filter(|(_, length)| *length > 0);
        present.fold(0, |bits, (nth, _)| bits | 1 << (nth & 31))
    }

    /// Those of the columns that are there.
    fn each(&self) -> impl Iterator<Item = usize> {
        self.0.iter().copied().filter(|length| *length > 0)
    }

    /// Bytes of a payload with so many before the columns' lengths.
    pub fn payload(&self, before: usize) -> usize {
        self.each().fold(before.wrapping_add(4), |all, length| {
            all.wrapping_add(length_of(length as u64))
                .wrapping_add(length)
        })
    }
}

/// Writes what stands behind the times in a payload; returns how many bytes that are.
pub fn write_behind(base: &[u8], notes: Notes, lengths: Lengths, out: &mut [u8]) -> Option<usize> {
    let mut put = Put::new(&mut *out);
    put.u32(lengths.present());
    put.bytes(base);
    for length in lengths.each() {
        put.varint(length as u64);
    }
    let head = put.done()?;
    let columns = lengths
        .0
        .iter()
        .fold(0usize, |all, length| all.wrapping_add(*length));
    let end = head.checked_add(columns)?;
    notes.write(lengths, out.get_mut(head..end)?)?;
    Some(end)
}

/// What a block's columns will have, and its times. Plain data, of which zeroed is a valid value.
#[repr(C)]
pub struct Retelling {
    notes: [u8; NUMBERS],
    noted: usize,
    times: [u8; TIMES],
    place: Position,
    is_short: bool,
}

/// A block of more is none that goes into a pack.
const NUMBERS: usize = 2 * SMALL;
const TIMES: usize = SMALL;

impl Retelling {
    pub const NEW: Retelling = Retelling {
        notes: [0; NUMBERS],
        noted: 0,
        times: [0; TIMES],
        place: Position::NEW,
        is_short: false,
    };

    /// Nothing is noted.
    pub fn clear(&mut self) {
        (self.noted, self.place, self.is_short) = (0, Position::NEW, false);
    }

    /// Whether all of it found room.
    pub fn is_whole(&mut self) -> bool {
        let mut times = BitWriter::new(&mut self.times);
        times.go_on(self.place);
        times.finish().is_some() && !self.is_short
    }

    pub fn notes(&self) -> Notes<'_> {
        Notes(self.notes.get(..self.noted).unwrap_or_default())
    }

    /// Bytes of the times.
    pub fn times(&self) -> &[u8] {
        let length = self.place.bits().div_ceil(8);
        self.times.get(..length).unwrap_or_default()
    }
}

impl Sink for Retelling {
    fn symbol(&mut self, column: usize, symbol: u32) {
        self.number(column, symbol.into());
    }

    #[inline(always)]
    fn number(&mut self, column: usize, number: u64) {
        match note_number(&mut self.notes, self.noted, column, number) {
            Some(length) => self.noted = self.noted.wrapping_add(length),
            None => self.is_short = true,
        }
    }

    #[inline(always)]
    fn times(&mut self, raw: &mut BitReader, bits: u32) {
        let mut times = BitWriter::new(&mut self.times);
        times.go_on(self.place);
        times.copy(raw, bits);
        self.place = times.place();
    }
}

/// Bytes of a varint.
fn length_of(number: u64) -> usize {
    let bits = (number | 1).leading_zeros() ^ 63;
    (bits / 7) as usize + 1
}
