//! Events whose numbers stand as they are, a column after the other, and whose raw bits are times alone: what a pack
//! compresses as a whole needs no codes, and says again what another process has said.

use super::bits::{BitReader, BitWriter};
use super::decoder::{Coded, Source, Times};
use super::error::Error;
use super::pace::Pace;
use super::symbols::column::COUNT;
use super::token::TOKENS;
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

/// Takes what is read of coded events.
pub trait Sink {
    fn number(&mut self, column: usize, number: u64);
    /// So many bits of times, which come next in `raw`.
    fn bits(&mut self, raw: BitReader, count: usize);
}

/// Coded events, of which `to` is told all that is read.
pub struct Told<'a, 's, S> {
    from: Coded<'a>,
    to: &'s mut S,
}

impl<'a, 's, S: Sink> Told<'a, 's, S> {
    pub fn new(from: Coded<'a>, to: &'s mut S) -> Self {
        Told { from, to }
    }

    fn tell_times(&mut self, times: impl FnOnce(&mut Coded<'a>) -> Times) -> Times {
        let before = self.from.raw();
        let read = times(&mut self.from);
        let count = self.from.raw().place().wrapping_sub(before.place());
        self.to.bits(before, count);
        read
    }
}

impl<S: Sink> Source for Told<'_, '_, S> {
    fn symbol(&mut self, column: usize) -> u32 {
        let symbol = self.from.symbol(column);
        self.to.number(column, symbol.into());
        symbol
    }

    fn number(&mut self, column: usize) -> u64 {
        let number = self.from.number(column);
        self.to.number(column, number);
        number
    }

    fn times(&mut self, pace: &mut Pace) -> Times {
        self.tell_times(|from| from.times(pace))
    }

    fn young_times(&mut self, pace: &mut Pace) -> Times {
        self.tell_times(|from| from.young_times(pace))
    }

    fn exhausted(&self) -> bool {
        self.from.exhausted()
    }
}

/// What plain events take.
#[derive(Clone, Copy, Default)]
pub struct Lengths {
    columns: [usize; COUNT],
    bits: usize,
}

impl Lengths {
    /// Bytes of the raw bits.
    pub fn raw(&self) -> usize {
        self.bits.div_ceil(8)
    }

    /// A bit for each column that is there.
    pub fn present(&self) -> u32 {
        let columns = (0u32..).zip(self.columns);
        let present = columns.filter(|(_, length)| *length > 0);
        present.fold(0, |bits, (nth, _)| bits | 1 << (nth & 31))
    }

    /// Those of the columns that are there.
    pub fn of_columns(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().copied().filter(|length| *length > 0)
    }
}

impl Sink for Lengths {
    fn number(&mut self, column: usize, number: u64) {
        if let Some(length) = self.columns.get_mut(column) {
            *length = length.wrapping_add(length_of(number));
        }
    }

    fn bits(&mut self, _: BitReader, count: usize) {
        self.bits = self.bits.wrapping_add(count);
    }
}

/// Bytes of a varint.
pub fn length_of(number: u64) -> usize {
    let bits = (number | 1).leading_zeros() ^ 63;
    (bits / 7) as usize + 1
}

/// Writes plain events to places that are as long as they are.
pub struct Written<'a> {
    columns: [Put<'a>; COUNT],
    raw: BitWriter<'a>,
}

impl<'a> Written<'a> {
    /// Columns and raw bits of these lengths.
    pub fn new(lengths: &Lengths, mut columns: &'a mut [u8], raw: &'a mut [u8]) -> Self {
        let columns = lengths.columns.map(|length| {
            let all = core::mem::take(&mut columns);
            let (own, behind) = all.split_at_mut_checked(length).unwrap_or_default();
            columns = behind;
            Put::new(own)
        });
        Written {
            columns,
            raw: BitWriter::new(raw),
        }
    }

    /// Whether all found its place.
    pub fn finish(self) -> bool {
        let has_raw = self.raw.finish().is_some();
        has_raw && self.columns.iter().all(|column| column.done().is_some())
    }
}

impl Sink for Written<'_> {
    fn number(&mut self, column: usize, number: u64) {
        if let Some(column) = self.columns.get_mut(column) {
            column.varint(number);
        }
    }

    fn bits(&mut self, mut raw: BitReader, count: usize) {
        let mut left = count as u32;
        while left > 0 {
            let some = left.min(32);
            self.raw.put(raw.get_long(some), some);
            left = left.wrapping_sub(some);
        }
    }
}
