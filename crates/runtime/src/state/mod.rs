//! What is known of the process before its first call is recorded: the user's wishes, the job, the clock, where the trace
//! goes.
//!
//! What each process uses lies in the section `.bss.iota_start`, and so in few pages of memory.

pub mod awaited;
pub mod clock;
pub mod early;
pub mod environment;
pub mod job;
pub mod log;
pub mod node;
pub mod output;
pub mod phase;
pub mod settings;
pub mod spawns;
mod striping;
pub mod texts;
pub mod tls;

pub use striping::FUSE_SUPER_MAGIC;
