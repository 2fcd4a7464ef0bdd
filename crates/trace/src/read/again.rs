//! Blocks of events as they were before they came into a pack: coded again, to the byte. So it is seen that two blocks are
//! the same though only one of them has been packed.

use crate::Event;
use crate::block::{Header, PREFIX};
use crate::bytes::Get;
use crate::codec::bits::Position;
use crate::codec::encoder::{Counts, Encoder, State, Symbols};
use crate::codec::huffman::Buffers;
use crate::codec::model::Model;
use crate::codec::plain::Plain;
use crate::codec::told::Told;
use crate::codec::{PLAIN, unzigzag};
use crate::decode::{Opened, one_by_one, split};
use crate::encode::{Base, MAX_BLOCK, payload_of};

/// The checksum that a block of events had before it was packed; `more` is what its header has behind the first 48 bytes.
/// `None`: it is as it was.
pub fn checksum(header: &Header, more: &[u8], payload: &[u8]) -> Option<u32> {
    let (events, details) = split(header, payload).ok()?;
    let before = [&coded(header, events)?, details].concat();
    Some(Header::parse(&header.sealed_longer(more, &before))?.crc)
}

/// Whether a payload that begins so is one that a pack has.
pub fn is_packed(payload: &[u8]) -> bool {
    payload.first() == Some(&PLAIN)
}

/// The payload in codes.
fn coded(header: &Header, events: &[u8]) -> Option<Vec<u8>> {
    if !is_packed(events) {
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
    let source = Told::new(from, opened.raw, &mut to);
    one_by_one(header, source, &mut model, &mut |_: &Event| ()).ok()?;
    let (count, raw) = to.finish()?;
    let (symbols, mut huffman) = (symbols.get(count)?, Box::new(Buffers::NEW));
    let length = payload_of(base, raw, symbols, &mut counts, &mut huffman, &mut payload)?;
    payload.truncate(length);
    Some(payload)
}
