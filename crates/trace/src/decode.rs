//! Events blocks back to events, of which loops come as one. Survives any input: what makes no sense is an error, never
//! a panic.

use crate::block::{Header, MAX_RECORDS};
use crate::bytes::Get;
use crate::codec::decoder::{Coded, Decoder, Source, Tables};
use crate::codec::details::{self, DetailsDecoder};
use crate::codec::model::{Loop, Model};
use crate::codec::plain::Plain;
use crate::codec::{EARLY, ENCODING, PLAIN, mask, unzigzag};
use crate::{Details, Event};

mod plain;

pub use crate::codec::Error;
pub use crate::codec::decoder::Times;
pub use plain::{Retold, Room};

/// Room to work in: plain data, of which zeroed is a valid value, and which needs no care between blocks.
#[repr(C)]
pub struct Scratch {
    room: DecoderMemory,
    details: details::Model,
}

/// What the events need of it.
#[repr(C)]
struct DecoderMemory {
    tables: Tables,
    model: Model,
    times: [Times; LONGEST],
}

/// Calls in a run at most.
const LONGEST: usize = mask::LONGEST as usize;

/// Calls of a thread one after another, by the first and what the others have else: times, numbers that are one apart,
/// and offsets that are a stride apart.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The first call.
    pub first: &'a Event,
    /// From one offset to the next; 0 where there is none.
    pub stride: i64,
    /// Of each call; of at least one.
    pub times: &'a [Times],
}

impl Run<'_> {
    /// The calls one by one.
    #[inline(always)]
    pub fn each(&self, mut each: impl FnMut(&Event)) {
        let [_, more @ ..] = self.times else { return };
        each(self.first);
        let mut event = *self.first;
        for (start, end) in more {
            event.offset = event.offset.wrapping_add(self.stride);
            event.id = event.id.wrapping_add(1);
            (event.start, event.end) = (*start, *end);
            each(&event);
        }
    }
}

impl Scratch {
    /// As good as zeroed memory.
    pub const NEW: Scratch = Scratch {
        room: DecoderMemory {
            tables: Tables::NEW,
            model: Model::NEW,
            times: [(0, 0); LONGEST],
        },
        details: details::Model::NEW,
    };
}

/// Calls `each` with the events of an events block, in completion order. After an error, what `each` saw stands.
///
/// # Errors
/// The block is damaged.
pub fn events(
    header: &Header,
    payload: &[u8],
    scratch: &mut Scratch,
    mut each: impl FnMut(&Event),
) -> Result<(), Error> {
    runs(header, payload, scratch, |run| run.each(&mut each))
}

/// The same, each with its details.
///
/// # Errors
/// The block is damaged.
pub fn detailed(
    header: &Header,
    payload: &[u8],
    scratch: &mut Scratch,
    mut each: impl FnMut(&Event, &[Details]),
) -> Result<(), Error> {
    let (events, behind) = split(header, payload)?;
    let mut told = DetailsDecoder::new(behind, &mut scratch.details);
    runs_in(header, events, &mut scratch.room, |run| {
        run.each(|event| each(event, told.of(event)));
    })?;
    told.whole()
}

/// The events of a payload, and the details behind them.
pub(crate) fn split<'a>(header: &Header, payload: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), Error> {
    let events = payload.len().checked_sub(header.details as usize);
    let parts = events.and_then(|events| payload.split_at_checked(events));
    parts.ok_or(Error::Details)
}

/// The same with as many at once as are alike.
///
/// # Errors
/// The block is damaged.
#[inline(always)]
pub fn runs(
    header: &Header,
    payload: &[u8],
    scratch: &mut Scratch,
    each: impl FnMut(Run),
) -> Result<(), Error> {
    let (events, _) = split(header, payload)?;
    runs_in(header, events, &mut scratch.room, each)
}

#[inline(always)]
fn runs_in(
    header: &Header,
    payload: &[u8],
    room: &mut DecoderMemory,
    mut each: impl FnMut(Run),
) -> Result<(), Error> {
    if header.count as usize > MAX_RECORDS {
        return Err(Error::Count);
    }
    let DecoderMemory {
        tables,
        model,
        times,
    } = room;
    let opened = Opened::new(payload, model)?;
    if opened.encoding == PLAIN {
        return plain_runs(header, &opened, model, &mut each);
    }
    let (mut side, mut left) = (Decoder::new(opened.coded(tables)?), header.count);
    while left > 0 {
        let again = if side.pass() { model.repeating() } else { None };
        let count = if let Some(mut again) = again {
            let wanted = side.passes(again.alike(left)) as usize;
            let (mut first, stride) = (next(header.ids.thread, &again), again.next.stride);
            let times = side.repeat(&mut again, times.get_mut(..wanted).unwrap_or_default());
            if let Some((start, end)) = times.first() {
                (first.start, first.end) = (*start, *end);
                each(Run {
                    first: &first,
                    stride,
                    times,
                });
            }
            if times.len() != wanted {
                return Err(Error::Short);
            }
            model.leave_loop(&again);
            wanted as u32
        } else {
            let event = one(header.ids.thread, &mut side, model)?;
            each(Run {
                first: &event,
                stride: 0,
                times: &[(event.start, event.end)],
            });
            1
        };
        left = left.wrapping_sub(count);
    }
    Ok(())
}

/// The next call of a loop, but for its times.
fn next(thread: u32, again: &Loop) -> Event {
    let mut event = Event {
        thread,
        offset: again.next.offset,
        id: again.next.id,
        ..Event::default()
    };
    again.key.describe(&mut event);
    event
}

/// The next event, which is not of a loop.
#[inline(always)]
fn one<S: Source>(thread: u32, side: &mut Decoder<S>, model: &mut Model) -> Result<Event, Error> {
    let mut event = Event {
        thread,
        ..Event::default()
    };
    model.event(side, &mut event);
    side.whole()?;
    Ok(event)
}

/// Events that a pack had. There are few of them: small parts have few.
#[inline(never)]
fn plain_runs(
    header: &Header,
    opened: &Opened,
    model: &mut Model,
    each: &mut dyn FnMut(Run),
) -> Result<(), Error> {
    let source = Plain::new(opened.present, opened.rest, opened.raw)?;
    let mut each = |event: &Event| {
        each(Run {
            first: event,
            stride: 0,
            times: &[(event.start, event.end)],
        });
    };
    one_by_one(header, source, model, &mut each)
}

/// All events of a source, without a shorter way for loops.
pub(crate) fn one_by_one(
    header: &Header,
    source: impl Source,
    model: &mut Model,
    each: &mut dyn FnMut(&Event),
) -> Result<(), Error> {
    let mut side = Decoder::new(source);
    for _ in 0..header.count {
        side.pass();
        each(&one(header.ids.thread, &mut side, model)?);
    }
    Ok(())
}

/// What stands before the columns.
pub(crate) struct Opened<'a> {
    pub encoding: u8,
    pub raw: &'a [u8],
    /// A bit for each column.
    pub present: u32,
    /// What the first event is told against.
    pub base: &'a [u8],
    pub rest: Get<'a>,
}

impl<'a> Opened<'a> {
    /// Reads it, and sets up the model.
    pub fn new(payload: &'a [u8], model: &mut Model) -> Result<Opened<'a>, Error> {
        let mut get = Get(payload);
        let encoding = get.u8().ok_or(Error::Short)?;
        if !matches!(encoding, ENCODING | EARLY | PLAIN) {
            return Err(Error::Encoding(encoding));
        }
        let raw = get.u32().and_then(|len| get.bytes(len as usize));
        let raw = raw.ok_or(Error::Short)?;
        let present = get.u32().ok_or(Error::Short)?;
        let all = get.0;
        base(&mut get, model, encoding == EARLY).ok_or(Error::Short)?;
        let base = all.get(..all.len().wrapping_sub(get.0.len()));
        Ok(Opened {
            encoding,
            raw,
            present,
            base: base.unwrap_or_default(),
            rest: get,
        })
    }

    /// Learns the codes.
    fn coded<'t: 'a>(&self, tables: &'t mut Tables) -> Result<Coded<'a>, Error> {
        let mut get = self.rest;
        tables.read(self.present, &mut get)?;
        Ok(Coded::new(tables, get.0, self.raw))
    }
}

fn base(get: &mut Get, model: &mut Model, is_early: bool) -> Option<()> {
    let (time, call, file) = (unzigzag(get.varint()?), get.varint()?, get.varint()?);
    *model = Model::NEW;
    if is_early {
        model.start_early(time, call, file as u32);
    } else {
        model.start(time, call, file as u32);
    }
    Some(())
}
