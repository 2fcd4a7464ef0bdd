//! Which elements of a variable a transfer moves, and how large they are in memory.

use core::ffi::c_int;
use iota_mpi::above::{Word, size_of_type, type_at};

/// Which elements.
#[derive(Clone, Copy)]
pub enum Part {
    /// All.
    Whole,
    /// One.
    Element,
    /// As many along each dimension as stand there; null: as the variable has now.
    Block(*const i64),
    /// Several such blocks.
    Blocks(c_int, *const *const i64),
    /// Those of a datatype of MPI.
    Through(Word),
}
/// For rows.
pub const WHOLE: Part = Part::Whole;
/// For rows.
pub const ONE_ELEMENT: Part = Part::Element;

/// So many along each dimension.
pub fn block(count: *const i64) -> Part {
    Part::Block(count)
}

/// The same for each of several.
pub fn blocks(number: c_int, counts: *const *mut i64) -> Part {
    Part::Blocks(number, counts.cast())
}

/// Those of a datatype of MPI.
pub fn through(filetype: Word) -> Part {
    Part::Through(filetype)
}

/// What an element is in memory.
#[derive(Clone, Copy)]
pub enum Element {
    /// So many bytes.
    Size(u64),
    /// As the variable has it.
    AsStored,
    /// All together are so many of a datatype of MPI; MPI_DATATYPE_NULL: as the variable has them.
    OfMpi(i64, Word),
    /// The same for each of several variables.
    OfEach(*const i64, *const Word),
}
/// For rows.
pub const AS_STORED: Element = Element::AsStored;

/// Of so many bytes.
pub fn of_size(size: u32) -> Element {
    Element::Size(size.into())
}

/// So many of a datatype.
pub fn of_mpi(count: i64, datatype: Word) -> Element {
    Element::OfMpi(count, datatype)
}

/// The same for each of several variables.
pub fn of_each(counts: *const i64, datatypes: *const Word) -> Element {
    Element::OfEach(counts, datatypes)
}

/// What a transfer moves.
#[derive(Clone, Copy, Default)]
pub struct Amount {
    /// Bytes in memory.
    pub bytes: u64,
    pub elements: u64,
    /// Bytes of one in memory; 0: not known.
    pub element: u64,
}

/// The product of so many counts.
///
/// # Safety
/// So many stand there, unless that is null.
unsafe fn product(counts: *const i64, dimensions: usize) -> u64 {
    if counts.is_null() {
        return 1;
    }
    // SAFETY: one of them.
    let count = |i| unsafe { counts.add(i).read_unaligned() }.max(0) as u64;
    (0..dimensions).map(count).fold(1, u64::wrapping_mul)
}

impl Part {
    /// How many elements, of a variable with so many dimensions and `all` elements; none: not known.
    ///
    /// # Safety
    /// A call with this part has just worked on such a variable.
    pub unsafe fn elements(
        self,
        dimensions: Option<usize>,
        all: impl FnOnce() -> Option<u64>,
    ) -> Option<u64> {
        match self {
            Part::Whole => all(),
            Part::Element => Some(1),
            Part::Block(counts) if counts.is_null() => all(),
            // SAFETY: as this function's.
            Part::Block(counts) => Some(unsafe { product(counts, dimensions?) }),
            Part::Blocks(number, counts) => {
                let (number, dimensions) = (number.max(0) as usize, dimensions?);
                if counts.is_null() {
                    return Some(number as u64);
                }
                // SAFETY: as this function's.
                let one = |i| unsafe { product(counts.add(i).read_unaligned(), dimensions) };
                Some((0..number).map(one).fold(0, u64::wrapping_add))
            }
            Part::Through(_) => None,
        }
    }

    /// The same for one of several variables.
    ///
    /// # Safety
    /// A call with this part has just worked on so many variables and more.
    pub unsafe fn of(self, i: usize) -> Part {
        match self {
            Part::Blocks(_, counts) if counts.is_null() => Part::Element,
            // SAFETY: as this function's.
            Part::Blocks(_, counts) => Part::Block(unsafe { counts.add(i).read_unaligned() }),
            other => other,
        }
    }
}

impl Element {
    /// The same for one of several variables.
    ///
    /// # Safety
    /// A call with this has just worked on so many variables and more.
    pub unsafe fn of(self, i: usize) -> Element {
        match self {
            Element::OfEach(counts, types) if counts.is_null() || types.is_null() => {
                Element::AsStored
            }
            // SAFETY: as this function's. A type may be a word of 32 bits.
            Element::OfEach(counts, types) => unsafe {
                Element::OfMpi(counts.add(i).read_unaligned(), type_at(types, i))
            },
            other => other,
        }
    }

    /// What so many of these are, each of which the variable has in so many bytes.
    pub fn amount(self, part: Part, elements: Option<u64>, stored: u64) -> Amount {
        let (count, known) = (elements.unwrap_or(0), elements.is_some());
        let of = |element: u64| Amount {
            bytes: count.wrapping_mul(element),
            elements: count,
            element,
        };
        match self {
            Element::Size(size) => of(size),
            Element::AsStored | Element::OfEach(..) => of(stored),
            Element::OfMpi(items, datatype) => {
                let size = size_of_type(datatype);
                if size == 0 {
                    let through = through_size(part);
                    return if known {
                        of(stored)
                    } else {
                        Amount {
                            bytes: through,
                            ..of(stored)
                        }
                    };
                }
                let items = if items < 0 { count } else { items as u64 };
                let bytes = items.wrapping_mul(size);
                let element = bytes.checked_div(count).unwrap_or(0);
                Amount {
                    bytes,
                    elements: count,
                    element,
                }
            }
        }
    }
}

fn through_size(part: Part) -> u64 {
    match part {
        Part::Through(filetype) => size_of_type(filetype),
        Part::Whole | Part::Element | Part::Block(_) | Part::Blocks(..) => 0,
    }
}
