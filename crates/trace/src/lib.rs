//! The `.iota` trace format, as docs/design/format.md specifies it to the byte.
//!
//! The core promises what a hook needs: no std, no allocation, no formatting machinery, no path that
//! panics, and no input on which it fails other than by saying so. It turns a thread's [`Record`]s
//! into blocks ([`encode`]), blocks into [`Event`]s ([`decode`]) and events into lines ([`text`]).
//! The feature `std` adds `read`: a trace of any number of files and parts, streamed; and `write`: a trace of calls that
//! something else recorded.
#![cfg_attr(not(any(feature = "std", test)), no_std)]

mod atomics;
pub mod block;
mod bytes;
pub mod clock;
mod columns;
pub mod counter;
pub mod crc;
mod decimal;
pub mod decode;
pub mod deflate;
pub mod details;
pub mod encode;
pub mod errno;
mod event;
pub mod fnv;
pub mod glob;
pub mod lustre;
mod mark;
pub mod names;
pub mod pack;
pub mod part;
pub mod patches;
mod places;
mod printable;
#[cfg(feature = "std")]
pub mod read;
mod record;
pub mod spool;
#[cfg(feature = "std")]
pub mod stack;
pub mod text;
pub mod unlocked_atomic;
#[cfg(feature = "std")]
pub mod write;

pub use clock::{Clock, Nanos, Step};
pub use details::Details;
pub use event::{Event, Second};
pub use mark::JobMark;
#[cfg(feature = "std")]
pub use printable::one_line;
pub use printable::{Printable, Sink, is_harmless};
pub use record::{OP_DETAILS, OP_MORE, OP_NONE, Record, flags};
