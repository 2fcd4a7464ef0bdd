//! Reading traces: any number of files as one, streamed, in memory that does not grow with the number of
//! events. Whatever is damaged, everything whole is delivered, and what was wrong is reported by file, place
//! and cause.

mod copies;
mod cut;
mod descriptor;
mod details;
mod error;
mod events;
mod group;
mod input;
mod layout;
mod merge;
mod names;
mod pack;
mod part;
pub mod place;
mod salvage;
mod segment;
mod source;
mod spawn_identity;
mod spool;
mod stretch;
mod trace;
mod unpack;
mod waiting;
mod worlds;

pub use crate::names::Op;
pub use copies::{Copied, distinct};
pub use cut::Cut;
pub use error::{Error, Problem};
pub use events::{Events, Timed};
pub use group::Group;
pub use input::files;
pub use merge::{Merged, join, join_with, merge};
pub use names::{Form, Names, limit_memory, translate_layouts};
pub use part::{Part, ProcessBlock, ProcessKey, Times};
pub use salvage::Salvaged;
pub use spool::Spool;
pub use stretch::{Blocks, Buffers, EventBlock, Outline, Stretch};
pub use trace::{Options, Trace};
