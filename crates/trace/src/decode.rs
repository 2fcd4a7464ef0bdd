//! Events blocks back to events. Survives any input: what makes no sense is an error, never a panic.

use crate::block::Header;
use crate::bytes::Get;
use crate::codec::decoder::{Decoder, Tables};
use crate::codec::model::{Loop, Model, Next};
use crate::codec::{COLUMNS, Side, unzigzag};
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
    tables: Tables,
    model: Model,
}

impl Scratch {
    /// As good as zeroed memory.
    pub const NEW: Scratch = Scratch {
        tables: Tables::NEW,
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
    let (mut side, mut left) = (open(payload, tables, model)?, header.count);
    while left > 0 {
        let again = if side.pass() { model.repeating() } else { None };
        if let Some(mut again) = again {
            let count = side.passes(left);
            for _ in 0..count {
                let event = repeated(header.ids.thread, &mut side, &mut again);
                side.whole()?;
                each(&event);
            }
            model.repeated(&again);
            left = left.wrapping_sub(count);
        } else {
            let mut event = Event {
                thread: header.ids.thread,
                ..Event::default()
            };
            model.event(&mut side, &mut event);
            side.whole()?;
            each(&event);
            left = left.wrapping_sub(1);
        }
    }
    Ok(())
}

/// The next event of a loop.
#[inline(always)]
fn repeated(thread: u32, side: &mut Decoder, again: &mut Loop) -> Event {
    let Next {
        offset, id, end, ..
    } = again.next;
    let mut event = Event {
        thread,
        offset,
        id,
        ..Event::default()
    };
    again.key.describe(&mut event);
    let (gap, time) = side.times(&mut again.class, 0, 0);
    event.start = end.wrapping_add(gap);
    event.end = event.start.wrapping_add(time);
    again.next.advance(event.end);
    event
}

/// Reads what stands before the codes, and sets up tables and model.
fn open<'a>(
    payload: &'a [u8],
    tables: &'a mut Tables,
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
    let present = get.u32().ok_or(Error::Short)?;
    base(&mut get, model).ok_or(Error::Short)?;
    tables.read(present, &mut get)?;
    Ok(Decoder::new(tables, get.0, raw))
}

fn base(get: &mut Get, model: &mut Model) -> Option<()> {
    let (time, call) = (unzigzag(get.varint()?), get.varint()?);
    model.start(time, call, get.varint()? as u32);
    Some(())
}
