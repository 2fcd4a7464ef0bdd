//! The reading side: gives the model the fields that it did not foretell.

use super::bits::{BitReader, low};
use super::error::Error;
use super::huffman::{MAX_BITS, Sorted, Table};
use super::model::{Key, Keys, Loop};
use super::pace::Pace;
use super::side::Side;
use super::symbols::{column, key, main, mask};
use super::token::{LONG, WITH_RAW, join, known, raw_bits};
use super::zigzag::unzigzag;
use crate::Event;
use crate::bytes::Get;

/// Start and end of a call, in clock steps since the part's origin.
pub type Times = (i64, i64);

/// The code of each column.
#[repr(C)]
pub struct Tables {
    columns: [Table; column::COUNT],
    sorted: Sorted,
}

impl Tables {
    pub const NEW: Tables = Tables {
        columns: [Table::NEW; column::COUNT],
        sorted: Sorted::NEW,
    };

    /// Learns the codes of the columns that are there.
    pub fn read(&mut self, present: u32, get: &mut Get) -> Result<(), Error> {
        if present >> column::COUNT != 0 {
            return Err(Error::Table);
        }
        for (i, table) in self.columns.iter_mut().enumerate() {
            if present >> (i & 31) & 1 != 0 {
                table.read(get, &mut self.sorted).ok_or(Error::Table)?;
            } else {
                table.clear();
            }
        }
        Ok(())
    }
}

/// Where the fields come from that the model did not foretell.
pub trait Source {
    /// How many raw bits were read.
    fn place(&self) -> usize;
    /// The next symbol of a column.
    fn symbol(&mut self, column: usize) -> u32;
    /// The next number of one.
    fn number(&mut self, column: usize) -> u64;
    /// The next gap and duration.
    fn times(&mut self, pace: &mut Pace) -> Times;
    /// The same of a young key.
    fn young_times(&mut self, pace: &mut Pace) -> Times;
    /// Whether more was read than there is.
    fn exhausted(&self) -> bool;
}

/// Codes of symbols, and raw bits beside them.
#[derive(Clone, Copy)]
pub struct Coded<'a> {
    tables: &'a Tables,
    codes: BitReader<'a>,
    /// The codes that come next, as far as [`stands_behind`] says.
    word: u64,
    raw: BitReader<'a>,
}

/// Whether a column's code is in the word that began with its mask: no more than four of each of the two masks.
const fn stands_behind(column: usize) -> bool {
    matches!(
        column,
        // MASK
        column::KEY | column::OP | column::FD | column::LENGTH
        // RARE
        | column::FILE | column::ERRNO | column::FLAGS | column::WHENCE
    )
}

const _: () = assert!((1 + 4) * MAX_BITS <= BitReader::PEEKED);

impl<'a> Coded<'a> {
    pub fn new(tables: &'a Tables, codes: &'a [u8], raw: &'a [u8]) -> Self {
        Coded {
            tables,
            codes: BitReader::new(codes),
            word: 0,
            raw: BitReader::new(raw),
        }
    }

    #[inline(always)]
    fn joined(&mut self, token: u32) -> u64 {
        match token {
            0..WITH_RAW => u64::from(token),
            WITH_RAW..LONG => {
                let (top, bits) = known(token);
                let raw = low(self.raw.peek(), bits);
                self.raw.skip(bits);
                top << bits | raw
            }
            _ => {
                let (raw, number) = long(self.raw, token);
                self.raw = raw;
                number
            }
        }
    }
}

/// The number of a token with more raw bits than are peeked.
#[cold]
#[inline(never)]
fn long(mut raw: BitReader, token: u32) -> (BitReader, u64) {
    let bits = raw.get_long(raw_bits(token));
    (raw, join(token, bits))
}

impl Source for Coded<'_> {
    fn place(&self) -> usize {
        self.raw.place()
    }

    #[inline(always)]
    fn symbol(&mut self, column: usize) -> u32 {
        let Some(table) = self.tables.columns.get(column) else {
            return 0;
        };
        if !stands_behind(column) {
            self.word = self.codes.peek();
        }
        let entry = table.look_up(self.word);
        self.word >>= entry.length();
        self.codes.skip(entry.length());
        entry.symbol()
    }

    #[inline(always)]
    fn number(&mut self, column: usize) -> u64 {
        let token = self.symbol(column);
        self.joined(token)
    }

    #[inline(always)]
    fn times(&mut self, pace: &mut Pace) -> Times {
        self.raw.times(pace)
    }

    #[inline(always)]
    fn young_times(&mut self, pace: &mut Pace) -> Times {
        self.raw.young_times(pace)
    }

    #[inline(always)]
    fn exhausted(&self) -> bool {
        self.codes.exhausted() || self.raw.exhausted()
    }
}

#[derive(Clone, Copy)]
pub struct Decoder<S> {
    source: S,
    /// Events still to come that are as expected.
    run: u32,
    main: u32,
    rare: u32,
}

impl<S: Source> Decoder<S> {
    pub fn new(source: S) -> Self {
        Decoder {
            source,
            run: 0,
            main: 0,
            rare: 0,
        }
    }

    /// Whether all that was read was there.
    #[inline(always)]
    pub fn whole(&self) -> Result<(), Error> {
        if self.source.exhausted() {
            Err(Error::Short)
        } else {
            Ok(())
        }
    }

    /// Whether the next event is as expected in all but its times.
    #[inline(always)]
    pub fn pass(&mut self) -> bool {
        if self.run == 0 {
            self.main = self.source.symbol(column::MASK);
            self.run = self.main.saturating_sub(mask::RUN);
        }
        let passes = self.run > 0;
        if passes {
            self.main = 0;
            self.run = self.run.wrapping_sub(1);
        }
        passes
    }

    /// Takes all events of the run that has begun, the first of which was passed: how many, at most `left`.
    pub fn passes(&mut self, left: u32) -> u32 {
        let count = self.run.wrapping_add(1).min(left);
        self.run = self.run.wrapping_sub(count.wrapping_sub(1));
        count
    }

    #[inline(always)]
    fn signed(&mut self, column: usize) -> i64 {
        unzigzag(self.source.number(column))
    }
}

impl<S: Source + Copy> Decoder<S> {
    /// The times of the next calls of a loop, which are told alike: of those that are there.
    #[inline(always)]
    pub fn repeat<'t>(&mut self, again: &mut Loop, times: &'t mut [Times]) -> &'t [Times] {
        let (source, whole) = match again.young {
            0 => repeat(self.source, again, times),
            _ => repeat_young(self.source, again, times),
        };
        self.source = source;
        times.get(..whole).unwrap_or_default()
    }
}

/// The times of the next calls of a loop; returns how many are there. By copies, as all that is not inlined: what stands
/// in registers shall stay there.
#[inline(never)]
fn repeat<S: Source>(source: S, again: &mut Loop, times: &mut [Times]) -> (S, usize) {
    repeat_by(source, again, times, S::times)
}

#[cold]
#[inline(never)]
fn repeat_young<S: Source>(source: S, again: &mut Loop, times: &mut [Times]) -> (S, usize) {
    again.young = again.young.saturating_sub(times.len() as u8);
    repeat_by(source, again, times, S::young_times)
}

#[inline(always)]
fn repeat_by<S: Source>(
    mut source: S,
    again: &mut Loop,
    times: &mut [Times],
    next: impl Fn(&mut S, &mut Pace) -> Times,
) -> (S, usize) {
    let mut pace = again.pace;
    let (mut end, mut whole) = (again.next.end, 0usize);
    for place in times.iter_mut() {
        let (gap, time) = next(&mut source, &mut pace);
        if source.exhausted() {
            break;
        }
        let start = end.wrapping_add(gap);
        end = start.wrapping_add(time);
        *place = (start, end);
        whole = whole.wrapping_add(1);
    }
    again.pace = pace;
    again.next.go_on(whole, end);
    (source, whole)
}

impl<S: Source> Side for Decoder<S> {
    const BRANCHLESS: bool = true;

    #[inline(always)]
    fn begin(&mut self) {}

    #[inline(always)]
    fn key(&mut self, keys: &Keys, expected: u8, fd: i32, _: (u16, i32)) -> Option<(u16, i32)> {
        if self.main & main::KEY == 0 {
            return None;
        }
        let op = keys.get(expected).op();
        Some(match self.source.symbol(column::KEY) {
            key::SAME_FD => (op, fd),
            key::SAME_OP => (op, self.signed(column::FD) as i32),
            key::NEW => (
                self.source.number(column::OP) as u16,
                self.signed(column::FD) as i32,
            ),
            at => (keys.get(at as u8).op(), keys.get(at as u8).fd()),
        })
    }

    #[inline(always)]
    fn as_before(&mut self, key: &Key, e: &mut Event) -> bool {
        let before = self.main & main::AS_BEFORE == 0;
        if before {
            key.describe(e);
        }
        before
    }

    #[inline(always)]
    fn field(&mut self, bit: u32, column: usize, expected: i64, base: i64, _: i64) -> i64 {
        if self.main & bit == 0 {
            expected
        } else {
            base.wrapping_add(self.signed(column))
        }
    }

    #[inline(always)]
    fn offset(&mut self, expected: i64, length: u64, _: i64) -> i64 {
        if self.main & main::EXTENTS != 0 {
            expected.wrapping_add(self.signed(column::EXTENTS).wrapping_mul(length as i64))
        } else if self.main & main::OFFSET != 0 {
            expected.wrapping_add(self.signed(column::OFFSET))
        } else {
            expected
        }
    }

    #[inline(always)]
    fn begin_rare(&mut self) {
        self.rare = if self.main & main::RARE == 0 {
            0
        } else {
            self.source.symbol(column::RARE)
        };
    }

    #[inline(always)]
    fn rare(&mut self, bit: u32, column: usize, expected: i64, base: i64, _: i64) -> i64 {
        if self.rare & bit == 0 {
            expected
        } else {
            base.wrapping_add(self.signed(column))
        }
    }

    #[inline(always)]
    fn end_rare(&mut self) {}

    #[inline(always)]
    fn actual(&self, _: impl FnOnce() -> i64) -> i64 {
        0
    }

    #[inline(always)]
    fn end(&mut self) {}

    #[inline(always)]
    fn always(&mut self, column: usize, _: i64) -> i64 {
        self.source.number(column) as i64
    }

    #[inline(always)]
    fn times(&mut self, pace: &mut Pace, _: i64, _: i64) -> (i64, i64) {
        self.source.times(pace)
    }

    #[inline(always)]
    fn young_times(&mut self, pace: &mut Pace, _: i64, _: i64) -> (i64, i64) {
        self.source.young_times(pace)
    }
}
