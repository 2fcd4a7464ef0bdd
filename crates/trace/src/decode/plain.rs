//! Events blocks as packs have them: what was coded is read, and told again in plain numbers.

use super::{Opened, one_by_one};
use crate::block::{Header, MAX_RECORDS, PREFIX};
use crate::bytes::Put;
use crate::codec::decoder::Tables;
use crate::codec::model::Model;
use crate::codec::plain::{Notes, length_of};
use crate::codec::told::Told;
use crate::codec::{ENCODING, PLAIN};

/// Room to work in: plain data, of which zeroed is a valid value.
#[repr(C)]
pub struct Room {
    tables: Tables,
    model: Model,
    notes: Notes,
}

impl Room {
    /// As good as zeroed memory.
    pub const NEW: Room = Room {
        tables: Tables::NEW,
        model: Model::NEW,
        notes: Notes::NEW,
    };
}

/// A payload of events that can be told again.
pub struct Retold<'a> {
    notes: &'a Notes,
    base: &'a [u8],
}

impl<'a> Retold<'a> {
    /// `None`: it is not of the encoding that this is for, or damaged, or longer than those in a pack.
    pub fn new(header: &Header, coded: &'a [u8], room: &'a mut Room) -> Option<Self> {
        if coded.first() != Some(&ENCODING) || header.count as usize > MAX_RECORDS {
            return None;
        }
        let Room {
            tables,
            model,
            notes,
        } = room;
        let opened = Opened::new(coded, model).ok()?;
        notes.clear();
        let source = Told::new(opened.coded(tables).ok()?, opened.raw, notes);
        one_by_one(header, source, model, &mut |_| ()).ok()?;
        let base = opened.base;
        notes.are_whole().then_some(Retold { notes, base })
    }

    /// Bytes of its raw bits.
    pub fn raw(&self) -> usize {
        self.notes.times().len()
    }

    fn head(&self) -> usize {
        let fixed = self.base.len().wrapping_add(4);
        self.notes.lengths().fold(fixed, |all, length| {
            all.wrapping_add(length_of(length as u64))
        })
    }

    /// Bytes that it takes.
    pub fn length(&self) -> usize {
        let before = PREFIX.wrapping_add(self.raw()).wrapping_add(self.head());
        self.notes.lengths().fold(before, usize::wrapping_add)
    }

    /// Writes it to so many.
    pub fn write(&self, out: &mut [u8]) -> Option<()> {
        let (head, columns) =
            out.split_at_mut_checked(PREFIX.wrapping_add(self.raw()).wrapping_add(self.head()))?;
        let mut put = Put::new(head);
        put.u8(PLAIN);
        put.u32(self.raw() as u32);
        put.bytes(self.notes.times());
        put.u32(self.notes.present());
        put.bytes(self.base);
        for length in self.notes.lengths() {
            put.varint(length as u64);
        }
        put.done()?;
        self.notes.write(columns)
    }
}
