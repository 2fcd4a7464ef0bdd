//! The calls of a block as columns.
//!
//! A block has the *templates* of its calls, which of them each call has, and for each template the *columns* of what
//! differs from call to call: length, result, offset, file and two times. Templates of few calls share their columns.

pub mod bits;
pub mod calls;
pub mod decoder;
pub mod encoder;
mod error;
mod groups;
pub mod numbers;
mod rows;
pub mod sequence;
pub mod state;
pub mod template;
mod zigzag;

pub use error::ColumnError;
pub use zigzag::{unzigzag, zigzag};

/// The number of this encoding.
pub const ENCODING: u8 = 5;

/// Calls of a template that has columns of its own, at least.
pub const OWN: usize = 24;

/// The columns that all calls have, in their order.
pub mod column {
    pub const LENGTH: usize = 0;
    pub const RET: usize = 1;
    pub const OFFSET: usize = 2;
    pub const FILE: usize = 3;
    /// From the end of the call before to the start; of a call that encloses others, from its start to that of the first.
    pub const BEFORE: usize = 4;
    /// From the start to the end; of a call that encloses others, from the end of the last.
    pub const AFTER: usize = 5;
    pub const COUNT: usize = 6;
}

/// Columns of the second half of calls that have one: its file, descriptor and offset, as those of a first half are written,
/// and its argument.
pub const SECOND: usize = 4;
