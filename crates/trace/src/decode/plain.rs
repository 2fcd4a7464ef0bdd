//! Events blocks as packs have them: what was coded is read, and told again in plain numbers.

use super::{Opened, one_by_one};
use crate::block::{Header, MAX_RECORDS, PREFIX};
use crate::bytes::Put;
use crate::codec::decoder::Tables;
use crate::codec::model::Model;
use crate::codec::plain::{Lengths, Retelling, write_behind};
use crate::codec::told::Told;
use crate::codec::{ENCODING, PLAIN};

/// Room to work in: plain data, of which zeroed is a valid value.
#[repr(C)]
pub struct Room {
    tables: Tables,
    model: Model,
    retelling: Retelling,
}

impl Room {
    /// As good as zeroed memory.
    pub const NEW: Room = Room {
        tables: Tables::NEW,
        model: Model::NEW,
        retelling: Retelling::NEW,
    };
}

/// A payload of events that can be told again.
pub struct Retold<'a> {
    retelling: &'a Retelling,
    lengths: Lengths,
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
            retelling,
        } = room;
        let opened = Opened::new(coded, model).ok()?;
        retelling.clear();
        let source = Told::new(opened.coded(tables).ok()?, opened.raw, retelling);
        one_by_one(header, source, model, &mut |_| ()).ok()?;
        retelling.is_whole().then_some(Retold {
            lengths: retelling.notes().lengths(),
            retelling,
            base: opened.base,
        })
    }

    /// Bytes of its raw bits.
    pub fn raw(&self) -> usize {
        self.retelling.times().len()
    }

    /// Bytes that it takes.
    pub fn length(&self) -> usize {
        let before = PREFIX.wrapping_add(self.raw());
        self.lengths.payload(before.wrapping_add(self.base.len()))
    }

    /// Writes it to so many.
    pub fn write(&self, out: &mut [u8]) -> Option<()> {
        let (head, behind) = out.split_at_mut_checked(PREFIX.wrapping_add(self.raw()))?;
        let mut put = Put::new(head);
        put.u8(PLAIN);
        put.u32(self.raw() as u32);
        put.bytes(self.retelling.times());
        put.done()?;
        let notes = self.retelling.notes();
        write_behind(self.base, notes, self.lengths, behind).map(drop)
    }
}
