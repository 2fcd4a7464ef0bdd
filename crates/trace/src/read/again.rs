//! Blocks of events as they were before they came into a pack: coded again, to the byte. So it is seen that two blocks are
//! the same though only one of them has been packed.

use crate::Event;
use crate::block::{Header, PREFIX};
use crate::bytes::Get;
use crate::codec::bits::Position;
use crate::codec::decoder::{Source, Times};
use crate::codec::encoder::{Counts, Encoder, State, Symbols};
use crate::codec::huffman::Buffers;
use crate::codec::model::Model;
use crate::codec::pace::Pace;
use crate::codec::plain::Plain;
use crate::codec::{PLAIN, Side, unzigzag};
use crate::decode::{Opened, one_by_one};
use crate::encode::{Base, MAX_BLOCK, payload_of};

/// The checksum that a block of events had before it was packed; `more` is what its header has behind the first 48 bytes.
/// `None`: it is as it was.
pub fn checksum(header: &Header, more: &[u8], payload: &[u8]) -> Option<u32> {
    let events = payload.len().checked_sub(header.details as usize)?;
    let (events, details) = payload.split_at_checked(events)?;
    let before = [&coded(header, events)?, details].concat();
    Some(Header::parse(&header.sealed_longer(more, &before))?.crc)
}

/// The payload in codes.
fn coded(header: &Header, events: &[u8]) -> Option<Vec<u8>> {
    if events.first() != Some(&PLAIN) {
        return None;
    }
    let (mut model, mut payload) = (Box::new(Model::NEW), vec![0; MAX_BLOCK]);
    let (mut symbols, mut counts) = (Box::new(Symbols::NEW), Box::new(Counts::NEW));
    let opened = Opened::new(events, &mut model).ok()?;
    let mut get = Get(opened.base);
    let base = Base {
        time: unzigzag(get.varint()?),
        call: get.varint()?,
        file: get.varint()? as u32,
    };
    let start = (State::NEW, Position::NEW);
    let mut to = Encoder::resume(&mut symbols, &mut counts, payload.get_mut(PREFIX..)?, start);
    let from = Plain::new(opened.present, opened.rest, opened.raw).ok()?;
    let source = Coding { from, to: &mut to };
    one_by_one(header, source, &mut model, &mut |_: &Event| ()).ok()?;
    let (count, raw) = to.finish()?;
    let (symbols, mut huffman) = (symbols.get(count)?, Box::new(Buffers::NEW));
    let length = payload_of(base, raw, symbols, &mut counts, &mut huffman, &mut payload)?;
    payload.truncate(length);
    Some(payload)
}

/// Plain events, of which an encoder is told all that is read.
struct Coding<'a, 'e, 's> {
    from: Plain<'a>,
    to: &'e mut Encoder<'s>,
}

impl Source for Coding<'_, '_, '_> {
    fn symbol(&mut self, column: usize) -> u32 {
        let symbol = self.from.symbol(column);
        self.to.symbol(column, symbol);
        symbol
    }

    fn number(&mut self, column: usize) -> u64 {
        let number = self.from.number(column);
        self.to.number(column, number);
        number
    }

    fn times(&mut self, pace: &mut Pace) -> Times {
        let mut before = *pace;
        let (gap, time) = self.from.times(pace);
        self.to.times(&mut before, gap, time)
    }

    fn young_times(&mut self, pace: &mut Pace) -> Times {
        let mut before = *pace;
        let (gap, time) = self.from.young_times(pace);
        self.to.young_times(&mut before, gap, time)
    }

    fn exhausted(&self) -> bool {
        self.from.exhausted()
    }
}
