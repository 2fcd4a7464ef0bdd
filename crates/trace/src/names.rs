//! Names blocks: what the file and op ids of the events behind them stand for.

use crate::block::{self, HEADER_SIZE, Header, Ids, kind};
use crate::bytes::{Get, Put};
use iota_calls::{Effects, FormInfo, Kind, Layer, OpInfo};

const FILE: u8 = 1;
/// As early traces have it.
const OP_WITHOUT_EFFECTS: u8 = 2;
const LAYOUT: u8 = 3;
/// From this tag on the length of the rest follows, so that a reader passes over those that it does not know.
const OP: u8 = 4;
const FORM: u8 = 5;
const TEXT: u8 = 6;
const UNKNOWN: u8 = 7;

/// No attribute is longer.
pub const LONGEST: usize = 1 << 16;
/// Equal bytes that end a run of different ones: fewer cost more than they save.
const RUN: usize = 4;

/// Writes one block of names into a slice. The names outlive the writer, which compares each with the one before.
pub struct Writer<'o, 'n> {
    put: Put<'o>,
    before: &'n [u8],
    layout_before: &'n [u8],
    count: u32,
}

impl<'o, 'n> Writer<'o, 'n> {
    /// An empty block in `out`.
    pub fn new(out: &'o mut [u8]) -> Self {
        let mut put = Put::new(out);
        put.bytes(&[0; HEADER_SIZE]);
        Writer {
            put,
            before: &[],
            layout_before: &[],
            count: 0,
        }
    }

    /// A path's bytes. `false`: it did not fit, and the block is as before.
    pub fn file(&mut self, id: u32, path: &'n [u8]) -> bool {
        let shared = self
            .before
            .iter()
            .zip(path)
            .take_while(|(a, b)| a == b)
            .count();
        let rest = path.get(shared..).unwrap_or(&[]);
        let fits = self.entry(|put| {
            put.u8(FILE);
            put.varint(u64::from(id));
            put.varint(shared as u64);
            text(put, rest);
        });
        if fits {
            self.before = path;
        }
        fits
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

impl From<&OpInfo> for Op<'static> {
    fn from(info: &OpInfo) -> Self {
        Op {
            name: info.name.as_bytes(),
            layer: info.layer as u8,
            kind: info.kind as u8,
            effects: info.effects.byte(),
        }
    }
}

/// One name as it stands in the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name<'a> {
    /// The path of file `id`: the first `shared` bytes of the path before it, then `rest`.
    File {
        /// As events name it.
        id: u32,
        /// Bytes in common with the path before it in the block.
        shared: usize,
        /// The bytes after those.
        rest: &'a [u8],
    },
    /// A function.
    Op {
        /// As events name it.
        id: u16,
        /// What it is.
        op: Op<'a>,
        /// Whether its effects were told.
        has_effects: bool,
    },
    /// A file's layout on Lustre.
    Layout {
        /// As events name the file.
        file: u32,
        /// What differs from the layout before it in the block.
        layout: Differences<'a>,
    },
    /// What the numbers of a form mean.
    Form {
        /// As details name it.
        id: u16,
        /// Its name.
        name: &'a [u8],
        /// Its fields.
        fields: Fields<'a>,
    },
    /// A text.
    Text {
        /// As details name it.
        id: u32,
        /// Its bytes.
        bytes: &'a [u8],
    },
}

/// The fields of a form: of each the unit, `iota_calls::Unit` as a byte, and the name. Up to the first that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields<'a>(&'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let mut get = Get(self.0);
        let field = (get.u8()?, slice(&mut get)?);
        self.0 = get.0;
        Some(field)
    }
}

/// A layout as it stands in the block: what differs from the one before it, which has zeros behind its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Differences<'a> {
    /// Bytes of the layout.
    pub length: usize,
    runs: &'a [u8],
}

impl<'a> Differences<'a> {
    fn read(get: &mut Get<'a>) -> Option<Self> {
        let length = small(get)?;
        let (whole, mut at) = (get.0, 0usize);
        while at < length {
            let same: usize = small(get)?;
            let run = slice(get)?;
            at = at.checked_add(same)?.checked_add(run.len())?;
        }
        let runs = whole.get(..whole.len().wrapping_sub(get.0.len()))?;
        (at == length && length <= LONGEST).then_some(Differences { length, runs })
    }

    /// Makes `layout`, which holds the one before and is as long as this one, this one.
    pub fn apply(&self, layout: &mut [u8]) {
        let (mut get, mut at) = (Get(self.runs), 0usize);
        while let (Some(same), Some(run)) = (small::<usize>(&mut get), slice(&mut get)) {
            let from = at.wrapping_add(same);
            at = from.wrapping_add(run.len());
            if let Some(place) = layout.get_mut(from..at) {
                place.iter_mut().zip(run).for_each(|(to, from)| *to = *from);
            }
        }
    }
}

/// The names of a block's payload, up to the first that makes no sense.
pub struct Names<'a>(Get<'a>);

impl<'a> Names<'a> {
    /// Of a names block's payload.
    pub fn new(payload: &'a [u8]) -> Self {
        Names(Get(payload))
    }

    /// Whether all of the payload was read.
    pub fn complete(&self) -> bool {
        self.0.0.is_empty()
    }
}

impl<'a> Iterator for Names<'a> {
    type Item = Name<'a>;

    fn next(&mut self) -> Option<Name<'a>> {
        let mut get = self.0;
        let name = loop {
            break match get.u8()? {
                FILE => Name::File {
                    id: small(&mut get)?,
                    shared: small::<u32>(&mut get)? as usize,
                    rest: slice(&mut get)?,
                },
                OP_WITHOUT_EFFECTS => Name::Op {
                    id: small(&mut get)?,
                    op: Op {
                        layer: get.u8()?,
                        kind: get.u8()?,
                        effects: 0,
                        name: slice(&mut get)?,
                    },
                    has_effects: false,
                },
                LAYOUT => Name::Layout {
                    file: small(&mut get)?,
                    layout: Differences::read(&mut get)?,
                },
                OP => {
                    let mut rest = Get(slice(&mut get)?);
                    Name::Op {
                        id: small(&mut rest)?,
                        op: Op {
                            layer: rest.u8()?,
                            kind: rest.u8()?,
                            effects: rest.u8()?,
                            name: rest.0,
                        },
                        has_effects: true,
                    }
                }
                FORM => {
                    let mut rest = Get(slice(&mut get)?);
                    Name::Form {
                        id: small(&mut rest)?,
                        name: slice(&mut rest)?,
                        fields: Fields(rest.0),
                    }
                }
                TEXT => {
                    let mut rest = Get(slice(&mut get)?);
                    Name::Text {
                        id: small(&mut rest)?,
                        bytes: rest.0,
                    }
                }
                UNKNOWN.. => {
                    slice(&mut get)?;
                    self.0 = get;
                    continue;
                }
                0 => return None,
            };
        };
        self.0 = get;
        Some(name)
    }
}

fn small<T: TryFrom<u64>>(get: &mut Get) -> Option<T> {
    T::try_from(get.varint()?).ok()
}

fn slice<'a>(get: &mut Get<'a>) -> Option<&'a [u8]> {
    let len = small(get)?;
    get.bytes(len)
}

#[cfg(test)]
mod tests;
