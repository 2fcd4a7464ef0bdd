//! Tables: rows of functions, files, ranks and whatever else `--by` may name.

use super::{ClassTimes, Percentiles, Steps};
use crate::stat::By;
use serde::Serialize;

/// Rows of one kind.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// Of which.
    pub by: By,
    /// How many there are.
    pub count: u64,
    /// Those asked for.
    pub rows: Vec<Row>,
}

/// The files of a family: how the time of each spreads, and which has most.
#[derive(Clone, Debug, Serialize)]
pub struct Members {
    /// How many.
    pub files: u64,
    /// The least time.
    pub min: u64,
    /// Half have no more.
    pub median: u64,
    /// The most time.
    pub max: u64,
    /// Which file that is.
    pub worst: String,
}

/// A row of any table; what does not apply is left out.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// Function, path, directory, layer, object, host, OST, or number of the rank, process or thread.
    pub name: String,
    /// Of a process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Of a host: how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
    /// Of a thread or process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Of a thread: its process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Of a function or object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer: Option<&'static str>,
    /// Of an object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Of a site: the function that called it, if that is always the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// Of a file: tasks that used it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<u64>,
    /// Of a process that is a task: its program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Of a family of files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<Members>,
    /// Of a directory or family: files in it; of a task: files that it used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// Of a file, or a directory of such files: it is installed software, and is listed last.
    #[serde(skip_serializing_if = "is_false")]
    pub installed: bool,
    /// Of a task: time in which any of its threads was in I/O.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy: Option<u64>,
    /// Calls that succeeded or failed.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Time of calls that threads waited for and no other call encloses: of whatever layer, but in rows of functions, layers
    /// and OSTs.
    pub time: u64,
    /// Time of calls of descriptors and streams, by what they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<ClassTimes>,
    /// Of a function: time of all its calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inclusive: Option<u64>,
    /// How long calls took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Percentiles>,
    /// What each moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Percentiles>,
    /// Steps of reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<Steps>,
    /// Steps of writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<Steps>,
    /// Calls that opened a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opens: Option<u64>,
    /// Where streams gather transfers: how many of all reach the kernel, an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reaching_kernel: Option<u64>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_false(value: &bool) -> bool {
    !value
}
