//! Events blocks as packs have them: what was coded is read, and told again in plain numbers.

use super::{Opened, one_by_one};
use crate::block::{Header, MAX_RECORDS};
use crate::bytes::Put;
use crate::codec::decoder::Tables;
use crate::codec::model::Model;
use crate::codec::plain::{Lengths, Sink, Told, Written, length_of};
use crate::codec::{ENCODING, PLAIN};
use crate::encode::PREFIX;

/// Room to work in: plain data, of which zeroed is a valid value.
#[repr(C)]
pub struct Room {
    tables: Tables,
    model: Model,
}

impl Room {
    /// As good as zeroed memory.
    pub const NEW: Room = Room {
        tables: Tables::NEW,
        model: Model::NEW,
    };
}

/// A payload of events that can be told again.
pub struct Retold<'a> {
    header: &'a Header,
    coded: &'a [u8],
    lengths: Lengths,
    base: &'a [u8],
}

impl<'a> Retold<'a> {
    /// `None`: it is not of the encoding that this is for, or damaged.
    pub fn new(header: &'a Header, coded: &'a [u8], room: &mut Room) -> Option<Self> {
        if coded.first() != Some(&ENCODING) || header.count as usize > MAX_RECORDS {
            return None;
        }
        let mut lengths = Lengths::default();
        let base = tell(header, coded, room, &mut lengths)?;
        Some(Retold {
            header,
            coded,
            lengths,
            base,
        })
    }

    /// Bytes of its raw bits.
    pub fn raw(&self) -> usize {
        self.lengths.raw()
    }

    fn head(&self) -> usize {
        let lengths = self.lengths.of_columns();
        let fixed = self.base.len().wrapping_add(4);
        lengths.fold(fixed, |all, length| {
            all.wrapping_add(length_of(length as u64))
        })
    }

    /// Bytes that it takes.
    pub fn length(&self) -> usize {
        let columns = self.lengths.of_columns();
        columns.fold(
            PREFIX.wrapping_add(self.raw()).wrapping_add(self.head()),
            usize::wrapping_add,
        )
    }

    /// Writes it to so many.
    pub fn write(&self, room: &mut Room, out: &mut [u8]) -> Option<()> {
        let (prefix, rest) = out.split_at_mut_checked(PREFIX)?;
        let (raw, rest) = rest.split_at_mut_checked(self.raw())?;
        let (head, columns) = rest.split_at_mut_checked(self.head())?;
        let mut put = Put::new(prefix);
        put.u8(PLAIN);
        put.u32(raw.len() as u32);
        let mut put = Put::new(head);
        put.u32(self.lengths.present());
        put.bytes(self.base);
        for length in self.lengths.of_columns() {
            put.varint(length as u64);
        }
        put.done()?;
        let mut written = Written::new(&self.lengths, columns, raw);
        tell(self.header, self.coded, room, &mut written)?;
        written.finish().then_some(())
    }
}

/// Tells what the payload has, and returns what its first event is told against.
fn tell<'a>(
    header: &Header,
    coded: &'a [u8],
    room: &mut Room,
    to: &mut impl Sink,
) -> Option<&'a [u8]> {
    let Room { tables, model } = room;
    let opened = Opened::new(coded, model).ok()?;
    let source = Told::new(opened.coded(tables).ok()?, to);
    one_by_one(header, source, model, &mut |_| ()).ok()?;
    Some(opened.base)
}
