//! Names as they stand in a block.

use super::*;
use crate::bytes::Get;

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
    /// The functions at an address of a stack, a line for each, see `stack`.
    Frames(&'a [u8]),
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
pub struct NamesReader<'a> {
    rest: Get<'a>,
    /// The id of the last path.
    last: u32,
}

impl<'a> NamesReader<'a> {
    /// Of a names block's payload.
    pub fn new(payload: &'a [u8]) -> Self {
        NamesReader {
            rest: Get(payload),
            last: 0,
        }
    }

    /// Whether all of the payload was read.
    pub fn complete(&self) -> bool {
        self.rest.0.is_empty()
    }
}

impl<'a> Iterator for NamesReader<'a> {
    type Item = Name<'a>;

    fn next(&mut self) -> Option<Name<'a>> {
        let mut get = self.rest;
        let name = loop {
            break match get.u8()? {
                FILE => Name::File {
                    id: small(&mut get)?,
                    shared: small::<u32>(&mut get)? as usize,
                    rest: slice(&mut get)?,
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
                FRAMES => Name::Frames(slice(&mut get)?),
                NEXT => {
                    let mut rest = Get(slice(&mut get)?);
                    Name::File {
                        id: self.last.checked_add(1)?,
                        shared: small::<u32>(&mut rest)? as usize,
                        rest: rest.0,
                    }
                }
                UNKNOWN.. => {
                    slice(&mut get)?;
                    self.rest = get;
                    continue;
                }
                0 => return None,
            };
        };
        if let Name::File { id, .. } = name {
            self.last = id;
        }
        self.rest = get;
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
