//! The Input Output Test Apparatus: a load generator that nests files (in parallel), operations on them (in series) and
//! pieces of each operation's buffer (in parallel), and logs what each took.
//!
//! Promises: whatever can be known to be wrong is said before any file is made; what was measured is reported however the
//! load ends; transfers of the C library's interfaces go through its symbols, where tracers see them. It knows nothing
//! of traces: who has one gives it a plan, or takes its log.

pub mod api;
mod cache;
pub mod dashes;
pub mod engine;
pub mod job;
mod load;
pub mod log;
mod moment;
pub mod options;
mod outputs;
mod pattern;
pub mod plan;
mod prepare;
mod random;
pub mod replay;
mod report;
pub mod stats;
mod sys;
pub mod table;

pub use job::one_line;
pub use load::{Done, Load};
