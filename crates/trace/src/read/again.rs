//! Blocks of events that are in plain numbers, as packs have them, in codes: to the byte as they were, or would have been,
//! without a pack. So it is seen that two blocks are the same though only one of them has been packed.

use super::source::Source;
use crate::Event;
use crate::block::{HEADER_SIZE, Header, MAX_RECORDS, PREFIX};
use crate::bytes::Get;
use crate::codec::bits::Position;
use crate::codec::collected::{Counts, Symbols};
use crate::codec::encoder::{Encoder, State};
use crate::codec::huffman::Buffers;
use crate::codec::model::Model;
use crate::codec::plain::Plain;
use crate::codec::told::Told;
use crate::codec::{PLAIN, unzigzag};
use crate::decode::{Opened, one_by_one, split};
use crate::encode::{Base, MAX_BLOCK, payload_of};

/// Whether a block of events is in plain numbers, by a byte of it.
pub(super) fn is_plain(source: &Source, at: u64, header: &Header) -> bool {
    let mut encoding = [0];
    source.read(at + u64::from(header.header_len), &mut encoding);
    encoding == [PLAIN]
}

/// The block of events at `at` in codes; `None` if it is in codes, or damaged, or has more events than our own writers put
/// into one.
pub(super) fn block(source: &Source, at: u64, header: &Header) -> Option<Vec<u8>> {
    if header.count as usize > MAX_RECORDS || !is_plain(source, at, header) {
        return None;
    }
    let mut block = vec![0; header.block_len() as usize];
    if source.read(at, &mut block) < block.len() {
        return None;
    }
    let (head, payload) = block.split_at_checked(header.header_len.into())?;
    let (events, details) = split(header, payload).ok()?;
    let (more, before) = (
        head.get(HEADER_SIZE..)?,
        [&coded(header, events)?, details].concat(),
    );
    let head = header.sealed_longer(more, &before);
    Some([&head[..], more, &before].concat())
}

/// The payload in codes.
fn coded(header: &Header, events: &[u8]) -> Option<Vec<u8>> {
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
