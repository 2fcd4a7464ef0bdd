//! Formats that a trace is written in: a file here for each, and one trait.

pub mod arrow;
pub mod csv;
pub mod darshan;
pub mod dftracer;
pub mod dxt;
mod grouped;
pub mod ioplots;
pub mod otf2;
pub mod parquet;
pub mod perfetto;
pub mod text;
mod transfer;

use super::job::Job;
use super::target::Target;

/// A format of one file, or stream
pub trait Format {
    /// Bytes that a call takes, about
    fn bytes_per_call(&self) -> u64;

    /// Whether a terminal can show it
    fn is_text(&self) -> bool {
        true
    }

    /// Writes all calls of a job
    fn write(&self, job: &Job, to: &mut Target) -> anyhow::Result<()>;
}

/// Bytes that are written at once
const PIECE: usize = 1 << 20;
/// Calls of a stretch that is worth a thread
const STRETCH: u64 = 1 << 18;
