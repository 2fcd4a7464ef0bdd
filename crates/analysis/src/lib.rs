//! Reading a trace once, whatever its size, and finding out everything at the same time.
//!
//! [`Job`] gives files and functions numbers that hold in all parts of the trace, [`Filter`] says which calls are wanted,
//! and [`Pass`] hands every call to an [`Accumulator`], by as many threads as there are cores. Memory grows with what the
//! accumulator keeps, never with the number of calls.
//!
//! # Writing an accumulator
//!
//! ```
//! use iota_analysis::{Accumulator, Call, Filter, Job, Pass};
//! # fn open() -> Result<iota_trace::read::Trace, iota_trace::read::Error> {
//! #     iota_trace::read::Trace::open(&["/nowhere.iota".into()], Default::default())
//! # }
//!
//! /// Bytes written to each file.
//! #[derive(Default)]
//! struct Written(std::collections::HashMap<u32, u64>);
//!
//! impl Accumulator for Written {
//!     fn add(&mut self, call: &Call) {
//!         if call.moved.written > 0 {
//!             *self.0.entry(call.file).or_default() += call.moved.written;
//!         }
//!     }
//!
//!     fn merge(&mut self, later: Written) {
//!         for (file, bytes) in later.0 {
//!             *self.0.entry(file).or_default() += bytes;
//!         }
//!     }
//! }
//!
//! if let Ok(trace) = open() {
//!     let job = Job::of(&trace);
//!     let filter: Filter = "rank=0-7,class=write".parse().unwrap();
//!     let written = Pass::of(&job).only(&filter).run(Written::default);
//!     for (file, bytes) in &written.0 {
//!         println!("{}\t{bytes}", iota_trace::Printable(job.files.path(*file)));
//!     }
//! }
//! ```
//!
//! Two accumulators in one pass are a pair of them, `(A, B)`. What must be known:
//!
//! - The trace is cut into *units* of some half a million calls: a stretch of one part, or several small parts. Each unit is
//!   added to an accumulator of its own, so a new one should cost little, and these are merged, always in the same way:
//!   the result is the same with any number of threads, and when shares of the trace are read by several machines
//!   ([`Pass::share`]), to the digit, even if what `merge` does depends on the order (sums of floating point numbers).
//! - Within a unit the calls of a thread come in the order in which they ended, a block of some thousand at a time
//!   ([`Accumulator::thread`] says whose come next), parts one after the other by rank and time. In `merge`, `later` holds
//!   what follows in this order: what depends on the call before (is this transfer consecutive?) is kept open at both
//!   ends of the accumulator and joined there.
//! - [`Accumulator::process_complete`] says that all calls of a part have come, so that what was kept open for it can be let go.
//! - An accumulator with [`Accumulator::DETAILS`] gets calls of blocks with details one by one ([`Accumulator::add_detailed`]).
//! - Calls that a loop makes come as one ([`Accumulator::run`]): what need not look at each takes them at once.
//! - Hash maps are for what is rare. What must be fast keeps a vector by [`Call::op`] or looks its place up when
//!   [`Accumulator::part`] or [`Accumulator::thread`] is called.

mod accumulator;
mod call;
pub mod filter;
mod job;
pub mod layers;
mod moved;
mod numbers;
mod pass;
pub mod processes;
pub mod servers;
pub mod stat;
pub mod sums;
pub mod thresholds;
mod time_category;
mod tree;
mod units;

pub use accumulator::Accumulator;
pub use call::{Call, CallDetails, Fields, Process, Run};
pub use filter::Filter;
pub use job::{
    ById, FileId, Files, Function, Ids, Job, Media, Medium, NO_FILE, NO_OBJECT, NO_SITE, ObjectId,
    Objects, OpId, Ops, Site, SiteId, Sites, TaskId, TaskKind, Tasks, file_name, is_installed,
};
pub use moved::{Meter, Moved};
pub use numbers::ByNumber;
pub use pass::{Pass, Progress, Share, ShareResult};
