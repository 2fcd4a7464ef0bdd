//! Traces in the formats of other tools: a file here for each format, and one trait.

mod arrow;
pub mod columns;
mod csv;
mod darshan;
mod dftracer;
mod dictionary;
mod dxt;
mod grouped;
pub mod ioplots;
mod job;
pub mod otf2;
mod parquet;
mod perfetto;
mod pieces;
pub mod task;
mod text;
mod transfer;

pub use arrow::Arrow;
pub use csv::Csv;
pub use darshan::Darshan;
pub use dftracer::Dftracer;
pub use dxt::Dxt;
pub use job::{Job, Row};
pub use parquet::Parquet;
pub use perfetto::Perfetto;
pub use text::TextFormat;

use iota_output::OutputFile;

/// A format of one file, or stream
pub trait Format {
    /// Bytes that a call takes, about
    fn bytes_per_call(&self) -> u64;

    /// Whether a terminal can show it
    fn is_text(&self) -> bool {
        true
    }

    /// Writes all calls of a job
    ///
    /// # Errors
    ///
    /// It cannot be written, or the job has what the format cannot say.
    fn write(&self, job: &Job, to: &mut OutputFile) -> anyhow::Result<()>;
}

/// Bytes that are written at once
const PIECE: usize = 1 << 20;
/// Calls of a stretch that is worth a thread
const STRETCH: u64 = 1 << 18;
