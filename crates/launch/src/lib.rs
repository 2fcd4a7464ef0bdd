//! The command of a run: what kind of program it is, what is preloaded into it, which of its functions are probed, how a
//! launcher passes all that on, and its processes while it runs.

pub mod child;
mod demangled;
mod entries;
pub mod launcher;
pub mod library;
mod lists;
mod needed;
pub mod probes;
pub mod program;
pub mod python;
mod spawn;
mod symbols;
pub mod umask;
