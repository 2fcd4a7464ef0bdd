//! The details of a block's calls, behind its events. They cost calls without details nothing: what encodes and decodes
//! events knows nothing of them. As there, a model foretells what comes, and what it gets wrong is written.

mod decoder;
mod model;
mod written;

pub use decoder::DetailsDecoder;
pub use model::Model;
pub use written::Written;

/// Bits of what begins the details of a call that are not all foretold; above them is a bit for each field.
mod head {
    pub const GAP: u32 = 1;
    pub const FORM: u32 = 2;
    /// The first field's bit.
    pub const FIELDS: u32 = 2;
}

/// Which call has details.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Whose {
    /// Its place in the block, from 0.
    pub index: u32,
    pub op: u16,
    pub file: u32,
}
