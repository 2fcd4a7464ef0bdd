//! The arguments of `iota jobs`.

use clap::{ValueEnum, ValueHint};
use std::path::PathBuf;

/// Lists jobs: a row of figures for each trace below some directories
///
/// When each job ran, whose it was, how much of its run was I/O, what it moved,
/// and the finding that costs it most. --by program and --by user add them up,
/// those first that could save most; slower compares the later half of a
/// program's jobs with the earlier half. With --index, traces that have not
/// changed are not read again; the index is lines of JSON, which DuckDB, pandas
/// and Spark read as well, and may be removed at any time.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota jobs /scratch/traces\n  \
        iota jobs /scratch/traces --index jobs.json --sort cost\n  \
        iota jobs /scratch/traces --by program             which programs waste most\n  \
        iota jobs . --user alice --program 'lmp*' --json"
)]
pub struct Jobs {
    /// Directories of traces, or traces
    #[arg(required = true, value_name = "DIR", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// A row for each
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = JobsBy::Job)]
    pub by: JobsBy,
    /// The order of jobs
    #[arg(long, value_enum, value_name = "KEY", default_value_t = JobsSort::Start)]
    pub sort: JobsSort,
    /// Only jobs of this user
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Only jobs of programs whose names match
    #[arg(long, value_name = "GLOB")]
    pub program: Option<String>,
    /// Keeps figures of jobs in this file, and reads only traces that are new or have changed
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub index: Option<PathBuf>,
    /// Lists this many; 0: all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    pub top: usize,
    /// Prints everything as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// What has a row
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JobsBy {
    /// Each job
    Job,
    /// Jobs of one program
    Program,
    /// Jobs of one user
    User,
}

/// What jobs are sorted by, the largest first
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JobsSort {
    /// When they began
    Start,
    /// How long they ran
    Duration,
    /// The part of the run that is I/O
    Io,
    /// Bytes read and written
    Bytes,
    /// What they could save
    Cost,
}
