//! Events blocks back to events. Survives any input: what makes no sense is an error, never a panic.

use crate::block::Header;
use crate::bytes::Get;
use crate::codec::bits::BitReader;
use crate::codec::huffman::Table;
use crate::codec::model::Model;
use crate::codec::token::{join, raw_bits};
use crate::codec::{COLUMNS, Seen, Side, column, main, unzigzag};
use crate::{Event, encode};

/// Why a block's payload was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It ends before its last event.
    Short,
    /// Its events are in an encoding that this version does not know.
    Encoding(u8),
    /// A code table makes no sense.
    Table,
    /// More events are announced than a block can have.
    Count,
}

impl Error {
    /// In words.
    pub const fn cause(self) -> &'static str {
        match self {
            Error::Short => "events end too early",
            Error::Encoding(_) => "events in an encoding that this version does not know",
            Error::Table => "a code table of the events makes no sense",
            Error::Count => "more events announced than a block can have",
        }
    }
}

/// Room to work in: plain data, of which zeroed is a valid value, and which needs no care between blocks.
#[repr(C)]
pub struct Scratch {
    tables: [Table; column::COUNT],
    model: Model,
}

impl Scratch {
    /// As good as zeroed memory.
    pub const NEW: Scratch = Scratch {
        tables: [Table::NEW; column::COUNT],
        model: Model::NEW,
    };
}

/// Calls `each` with the events of an events block, in completion order. After an error, what `each` saw stands.
pub fn events(
    header: &Header,
    payload: &[u8],
    scratch: &mut Scratch,
    mut each: impl FnMut(&Event),
) -> Result<(), Error> {
    if header.count as usize > encode::MAX_RECORDS {
        return Err(Error::Count);
    }
    let Scratch { tables, model } = scratch;
    let mut side = open(payload, tables, model)?;
    for _ in 0..header.count {
        let mut event = Event {
            thread: header.ids.thread,
            ..Event::default()
        };
        model.event(&mut side, &mut event);
        side.whole()?;
        each(&event);
    }
    Ok(())
}

/// Reads what stands before the codes, and sets up tables and model.
fn open<'a>(
    payload: &'a [u8],
    tables: &'a mut [Table; column::COUNT],
    model: &mut Model,
) -> Result<Decoder<'a>, Error> {
    let mut get = Get(payload);
    match get.u8().ok_or(Error::Short)? {
        COLUMNS => {}
        other => return Err(Error::Encoding(other)),
    }
    let raw = get
        .u32()
        .and_then(|len| get.bytes(len as usize))
        .ok_or(Error::Short)?;
    base(&mut get, model).ok_or(Error::Short)?;
    read_tables(&mut get, tables)?;
    Ok(Decoder {
        tables,
        codes: BitReader::new(get.0),
        raw: BitReader::new(raw),
        main: 0,
        rare: 0,
    })
}

fn base(get: &mut Get, model: &mut Model) -> Option<()> {
    let (time, call) = (unzigzag(get.varint()?), get.varint()?);
    model.start(time, call, get.varint()? as u32);
    Some(())
}

fn read_tables(get: &mut Get, tables: &mut [Table; column::COUNT]) -> Result<(), Error> {
    let present = get.varint().ok_or(Error::Short)?;
    if present >> column::COUNT != 0 {
        return Err(Error::Table);
    }
    for (i, table) in tables.iter_mut().enumerate() {
        if present >> (i & 63) & 1 != 0 {
            table.read(get).ok_or(Error::Table)?;
        } else {
            table.clear();
        }
    }
    Ok(())
}

struct Decoder<'a> {
    tables: &'a [Table; column::COUNT],
    codes: BitReader<'a>,
    raw: BitReader<'a>,
    main: u32,
    rare: u32,
}

impl Decoder<'_> {
    fn whole(&self) -> Result<(), Error> {
        if self.codes.exhausted() || self.raw.exhausted() {
            Err(Error::Short)
        } else {
            Ok(())
        }
    }

    #[inline(always)]
    fn symbol(&mut self, column: usize) -> u32 {
        let Some(table) = self.tables.get(column) else {
            return 0;
        };
        let (symbol, length) = table.look_up(self.codes.peek());
        self.codes.skip(length);
        symbol
    }

    #[inline(always)]
    fn number(&mut self, column: usize) -> u64 {
        let token = self.symbol(column);
        match raw_bits(token) {
            0 => u64::from(token),
            bits => join(token, self.raw.get_long(bits)),
        }
    }
}

impl Side for Decoder<'_> {
    #[inline(always)]
    fn begin(&mut self) {
        self.main = self.symbol(column::MASK);
    }

    #[inline(always)]
    fn field(&mut self, bit: u32, column: usize, expected: i64, base: i64, _: i64) -> i64 {
        if self.main & bit == 0 {
            expected
        } else {
            base.wrapping_add(unzigzag(self.number(column)))
        }
    }

    #[inline(always)]
    fn op(&mut self, expected: u16, seen: &mut Seen, _: u16) -> u16 {
        if self.main & main::OP == 0 {
            return expected;
        }
        let place = self.number(column::OP) as usize;
        if place > 0 {
            return seen.at(place.wrapping_sub(1)).unwrap_or(0);
        }
        let op = self.number(column::NEW_OP) as u16;
        seen.add(op);
        op
    }

    #[inline(always)]
    fn offset(&mut self, expected: i64, length: u64, _: i64) -> i64 {
        if self.main & main::EXTENTS != 0 {
            let extents = unzigzag(self.number(column::EXTENTS));
            expected.wrapping_add(extents.wrapping_mul(length as i64))
        } else if self.main & main::OFFSET != 0 {
            expected.wrapping_add(unzigzag(self.number(column::OFFSET)))
        } else {
            expected
        }
    }

    #[inline(always)]
    fn begin_rare(&mut self) {
        self.rare = if self.main & main::RARE == 0 {
            0
        } else {
            self.symbol(column::RARE)
        };
    }

    #[inline(always)]
    fn rare(&mut self, bit: u32, column: usize, expected: i64, _: i64) -> i64 {
        if self.rare & bit == 0 {
            expected
        } else {
            expected.wrapping_add(unzigzag(self.number(column)))
        }
    }

    #[inline(always)]
    fn end_rare(&mut self) {}

    #[inline(always)]
    fn always(&mut self, column: usize, _: i64) -> i64 {
        self.number(column) as i64
    }

    #[inline(always)]
    fn end(&mut self) {}
}
