//! The tracer's life in a process: its start, whose calls it records, and the part of the trace that it leaves.

mod current;
mod describe;
mod entry;
mod finish;
mod leave;
mod lines;
pub mod rank;
mod sealed;
mod start;

pub use current::current;
pub use entry::ends_with_handlers;
pub use finish::finish;
pub use sealed::Reason;
