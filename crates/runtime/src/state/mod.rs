//! What is known of the process before its first call is recorded: the user's wishes, the job, the clock, where the trace
//! goes.

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
pub mod tls;

pub use striping::FUSE_SUPER_MAGIC;
