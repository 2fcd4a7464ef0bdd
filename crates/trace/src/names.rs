//! Names blocks: what the file and op ids of the events behind them stand for.

mod parse;

pub use parse::{Differences, Fields, Name, NamesReader};

use crate::block::{self, HEADER_SIZE, Header, Ids, kind};
use crate::bytes::Put;
use iota_calls::{Effects, FormInfo, Kind, Layer, OpInfo};

const FILE: u8 = 1;
const LAYOUT: u8 = 2;
/// From this tag on the length of the rest follows, so that a reader passes over those that it does not know.
const OP: u8 = 3;
const FORM: u8 = 4;
const TEXT: u8 = 5;
/// A path whose id is the one after that of the path before it.
const NEXT: u8 = 6;
/// The functions at an address of a stack.
const FRAMES: u8 = 7;
const UNKNOWN: u8 = 8;

/// No attribute is longer.
pub const LONGEST: usize = 1 << 16;
/// Equal bytes that end a run of different ones: fewer cost more than they save.
const RUN: usize = 4;

/// Writes one block of names into a slice. The names outlive the writer, which compares each with the one before.
pub struct NamesWriter<'o, 'n> {
    put: Put<'o>,
    before: &'n [u8],
    /// Its id, and whether that stands in the block.
    id_before: Option<(u32, bool)>,
    layout_before: &'n [u8],
    count: u32,
}

impl<'o, 'n> NamesWriter<'o, 'n> {
    /// An empty block in `out`.
    pub fn new(out: &'o mut [u8]) -> Self {
        let mut put = Put::new(out);
        put.bytes(&[0; HEADER_SIZE]);
        NamesWriter {
            put,
            before: &[],
            id_before: None,
            layout_before: &[],
            count: 0,
        }
    }

    /// A path's bytes. `false`: it did not fit, and the block is as before.
    pub fn file(&mut self, id: u32, path: &'n [u8]) -> bool {
        let before = self.id_before;
        let follows = before.is_some_and(|(before, _)| before.wrapping_add(1) == id);
        // A reader that does not know the tag of the path before this one has not seen it.
        let is_seen = follows || before.is_none_or(|(_, is_written)| is_written);
        let (shared, rest) = self.shared(path, is_seen);
        let fits = self.entry(|put| {
            if follows {
                put.u8(NEXT);
                put.varint(rest.len().wrapping_add(digits(shared)) as u64);
                put.varint(shared);
                return put.bytes(rest);
            }
            put.u8(FILE);
            put.varint(u64::from(id));
            put.varint(shared);
            text(put, rest);
        });
        if fits {
            self.before = path;
            self.id_before = Some((id, !follows));
        }
        fits
    }

    /// How many bytes of a path are those of the one before it, and the others.
    fn shared<'p>(&self, path: &'p [u8], is_seen: bool) -> (u64, &'p [u8]) {
        let before = if is_seen { self.before } else { &[] };
        let pairs = before.iter().zip(path);
        let shared = pairs.take_while(|(a, b)| a == b).count();
        (shared as u64, path.get(shared..).unwrap_or(&[]))
    }

    /// A function. `false`: it did not fit.
    pub fn op(&mut self, id: u16, op: Op) -> bool {
        self.entry(|put| {
            put.u8(OP);
            let before = digits(id.into()).wrapping_add(3);
            put.varint(op.name.len().wrapping_add(before) as u64);
            put.varint(u64::from(id));
            put.bytes(&[op.layer, op.kind, op.effects]);
            put.bytes(op.name);
        })
    }

    /// What the numbers of a form mean. `false`: it did not fit.
    pub fn form(&mut self, id: u16, form: &FormInfo) -> bool {
        let fields = form.fields.iter();
        let fields = fields.map(|field| (field.unit as u8, field.name.as_bytes()));
        self.form_of(id, form.name.as_bytes(), fields)
    }

    /// The same of a form by its name, and of each field the unit and the name.
    pub fn form_of<'f>(
        &mut self,
        id: u16,
        name: &[u8],
        fields: impl Iterator<Item = (u8, &'f [u8])> + Clone,
    ) -> bool {
        let text_size = |text: &[u8]| digits(text.len() as u64).wrapping_add(text.len());
        let sizes = fields
            .clone()
            .map(|(_, name)| text_size(name).wrapping_add(1));
        let size = sizes.fold(text_size(name), usize::wrapping_add);
        self.entry(|put| {
            put.u8(FORM);
            put.varint(size.wrapping_add(digits(id.into())) as u64);
            put.varint(u64::from(id));
            text(put, name);
            for (unit, name) in fields {
                put.u8(unit);
                text(put, name);
            }
        })
    }

    /// A text that details refer to. `false`: it did not fit.
    pub fn text(&mut self, id: u32, bytes: &[u8]) -> bool {
        self.entry(|put| {
            put.u8(TEXT);
            put.varint(bytes.len().wrapping_add(digits(id.into())) as u64);
            put.varint(u64::from(id));
            put.bytes(bytes);
        })
    }

    /// The functions at an address of a stack. `false`: they did not fit.
    pub fn frames(&mut self, bytes: &[u8]) -> bool {
        self.entry(|put| {
            put.u8(FRAMES);
            text(put, bytes);
        })
    }

    /// How a file lies on Lustre: its layout as the file system gives it. `false`: it did not fit.
    pub fn layout(&mut self, file: u32, layout: &'n [u8]) -> bool {
        let before = self.layout_before;
        let fits = self.entry(|put| {
            put.u8(LAYOUT);
            put.varint(u64::from(file));
            put.varint(layout.len() as u64);
            differences(put, before, layout);
        });
        if fits {
            self.layout_before = layout;
        }
        fits
    }

    fn entry(&mut self, write: impl FnOnce(&mut Put)) -> bool {
        let at = self.put.at();
        write(&mut self.put);
        if self.put.short() {
            self.put.back(at);
            return false;
        }
        self.count = self.count.wrapping_add(1);
        true
    }

    /// Names in the block so far.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Bytes of the whole block, if `out` had room for its header.
    pub fn finish(self, ids: Ids) -> Option<usize> {
        let payload_len = self.put.done()?.checked_sub(HEADER_SIZE)?;
        block::seal(
            Header::new(kind::NAMES, ids, self.count),
            payload_len,
            self.put.into_inner(),
        )
    }
}

/// Files of one directory have layouts that differ in a few bytes.
fn differences(put: &mut Put, before: &[u8], layout: &[u8]) {
    let is_same = |at: usize| before.get(at).unwrap_or(&0) == layout.get(at).unwrap_or(&0);
    let mut at = 0usize;
    while at < layout.len() {
        let same = (at..layout.len()).take_while(|at| is_same(*at)).count();
        let from = at.wrapping_add(same);
        let ends = |at: usize| (at..at.wrapping_add(RUN)).all(is_same);
        let length = (from..layout.len()).take_while(|at| !ends(*at)).count();
        put.varint(same as u64);
        at = from.wrapping_add(length);
        text(put, layout.get(from..at).unwrap_or(&[]));
    }
}

/// Bytes of a number as a varint.
fn digits(number: u64) -> usize {
    let bits = 64u32.wrapping_sub((number | 1).leading_zeros());
    bits.div_ceil(7) as usize
}

fn text(put: &mut Put, text: &[u8]) {
    put.varint(text.len() as u64);
    put.bytes(text);
}

/// A function as a trace tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Op<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// `iota_calls::Layer`.
    pub layer: u8,
    /// `iota_calls::Kind`.
    pub kind: u8,
    /// `iota_calls::Effects` as a byte.
    pub effects: u8,
}

impl<'a> Op<'a> {
    /// A function that the user named, of which nothing else is known.
    pub fn of_user(name: &'a [u8]) -> Op<'a> {
        Op {
            name,
            layer: Layer::User as u8,
            kind: Kind::Other as u8,
            effects: Effects::NONE.byte(),
        }
    }
}

impl From<OpInfo> for Op<'static> {
    fn from(info: OpInfo) -> Self {
        Op {
            name: info.name.as_bytes(),
            layer: info.layer as u8,
            kind: info.kind as u8,
            effects: info.effects.byte(),
        }
    }
}

#[cfg(test)]
mod tests;
