//! Which calls are wanted: `rank=0-7, file=*.h5, class=write, len>=1m`.
//!
//! A filter is a list of terms, all of which a call must meet. [`Filter::from_str`] reads them; [`Filter::bind`] looks files
//! and functions up once, so that a call is held against numbers only.

mod bound;
mod parse;
mod select;
mod terms;

pub use bound::Bound;
pub use parse::Fault;
pub use select::Select;
pub use terms::{Filter, Name, Number, Term};
