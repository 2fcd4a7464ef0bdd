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

/// What a block's columns will have. Plain data, of which zeroed is a valid value.
#[repr(C)]
pub struct Notes {
    /// Numbers as they came: column, then varint.
    numbers: [u8; NUMBERS],
    noted: usize,
    /// Bytes of the numbers of each.
    lengths: [usize; COUNT],
    times: [u8; TIMES],
    place: Position,
    is_short: bool,
}

/// A block of more is none that goes into a pack.
const NUMBERS: usize = 2 * SMALL;
const TIMES: usize = SMALL;

impl Notes {
    pub const NEW: Notes = Notes {
        numbers: [0; NUMBERS],
        noted: 0,
        lengths: [0; COUNT],
        times: [0; TIMES],
        place: Position::NEW,
        is_short: false,
    };

    /// Nothing is noted.
    pub fn clear(&mut self) {
        (self.noted, self.lengths) = (0, [0; COUNT]);
        (self.place, self.is_short) = (Position::NEW, false);
    }

    /// Whether all of it found room.
    pub fn are_whole(&mut self) -> bool {
        let mut times = BitWriter::new(&mut self.times);
        times.go_on(self.place);
        times.finish().is_some() && !self.is_short
    }

    /// Bytes of the times.
    pub fn times(&self) -> &[u8] {
        let length = self.place.bits().div_ceil(8);
        self.times.get(..length).unwrap_or_default()
    }

    /// A bit for each column that is there.
    pub fn present(&self) -> u32 {
        let columns = (0u32..).zip(self.lengths);
        let present = columns.filter(|(_, length)| *length > 0);
        present.fold(0, |bits, (nth, _)| bits | 1 << (nth & 31))
    }

    /// The lengths of the columns that are there.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        self.lengths.iter().copied().filter(|length| *length > 0)
    }

    /// Writes the columns, one after the other, to as many bytes as they have.
    pub fn write(&self, out: &mut [u8]) -> Option<()> {
        let mut end = 0usize;
        let mut places = self.lengths.map(|length| {
            let begin = end;
            end = end.wrapping_add(length);
            begin
        });
        let mut rest = self.numbers.get(..self.noted)?;
        while let [column, numbers @ ..] = rest {
            let length = numbers.iter().position(|byte| *byte < 0x80)?;
            let (number, behind) = numbers.split_at_checked(length.wrapping_add(1))?;
            let place = places.get_mut(usize::from(*column))?;
            let to = out.get_mut(*place..)?.get_mut(..number.len())?;
            to.iter_mut().zip(number).for_each(|(to, from)| *to = *from);
            *place = place.wrapping_add(number.len());
            rest = behind;
        }
        Some(())
    }
}

impl Sink for Notes {
    fn symbol(&mut self, column: usize, symbol: u32) {
        self.number(column, symbol.into());
    }

    #[inline(always)]
    fn number(&mut self, column: usize, number: u64) {
        let room = self.numbers.get_mut(self.noted..).unwrap_or_default();
        let mut put = Put::new(room);
        put.u8(column as u8);
        put.varint(number);
        let length = put.at();
        self.is_short |= put.short();
        self.noted = self.noted.wrapping_add(length);
        if let Some(all) = self.lengths.get_mut(column) {
            *all = all.wrapping_add(length.wrapping_sub(1));
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
pub fn length_of(number: u64) -> usize {
    let bits = (number | 1).leading_zeros() ^ 63;
    (bits / 7) as usize + 1
}
