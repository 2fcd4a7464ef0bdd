//! Replay: the calls of a recording again, by as many threads, on files of their own. Who has recordings turns them
//! into a [`Script`].

mod act;
mod buffers;
mod function;
mod maker;
mod run;
mod script;
mod stage;
mod words;

pub use function::Function;
pub use run::{Replay, Replayed};
pub use script::{Call, File, Recorded, ReplayHandle, Script};
pub use stage::Tally;
pub use words::check;
