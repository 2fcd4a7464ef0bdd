//! How tables are asked for.

use crate::thresholds::Thresholds;
use serde::Serialize;

/// How tables are made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which ones.
    pub by: Vec<By>,
    /// How many rows; 0: all.
    pub top: usize,
    /// Which rows come first.
    pub sort: Sort,
    /// What must be reached for a finding.
    pub thresholds: Thresholds,
    /// Whether a filter chose the calls: then findings are weighed against the time of these, not of the run.
    pub is_filtered: bool,
}

/// What a table has a row for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Each function.
    Op,
    /// Each file.
    File,
    /// Each file, and each family of files whose paths differ only in numbers.
    Family,
    /// Each rank.
    Rank,
    /// Each thread.
    Thread,
    /// Each process.
    Pid,
    /// Each host.
    Host,
    /// Each directory that files lie in.
    Dir,
    /// Each layer.
    Layer,
    /// Each dataset, variable and attribute.
    Object,
    /// Each line of the program that made calls.
    Site,
    /// Each OST: an estimate.
    Ost,
}

impl By {
    /// Every one.
    pub const ALL: [By; 12] = [
        By::Op,
        By::File,
        By::Family,
        By::Rank,
        By::Thread,
        By::Pid,
        By::Host,
        By::Dir,
        By::Layer,
        By::Object,
        By::Site,
        By::Ost,
    ];

    /// As it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            By::Op => "op",
            By::File => "file",
            By::Family => "family",
            By::Rank => "rank",
            By::Thread => "thread",
            By::Pid => "pid",
            By::Host => "host",
            By::Dir => "dir",
            By::Layer => "layer",
            By::Object => "object",
            By::Site => "site",
            By::Ost => "ost",
        }
    }
}

/// What tables are sorted by, the greatest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// By time that threads waited.
    Time,
    /// By bytes read and written.
    Bytes,
    /// By number of calls.
    Calls,
    /// Failed calls.
    Failed,
    /// Names and numbers, the first one first.
    Name,
}

impl Sort {
    /// Every one.
    pub const ALL: [Sort; 5] = [
        Sort::Time,
        Sort::Bytes,
        Sort::Calls,
        Sort::Failed,
        Sort::Name,
    ];

    /// As it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Time => "time",
            Sort::Bytes => "bytes",
            Sort::Calls => "calls",
            Sort::Failed => "failed",
            Sort::Name => "name",
        }
    }
}
