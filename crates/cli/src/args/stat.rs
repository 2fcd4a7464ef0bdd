//! Arguments of the commands that choose calls, count them and compare them.

use clap::ValueHint;
use iota_analysis::Share;
use iota_analysis::stat::{By, Sort};
use std::path::PathBuf;

/// Shows where the time went: findings first, then tables
///
/// Reads every call once, on all cores. Times in tables are those of calls that
/// a thread waited for and that are not inside another call, so that they add
/// up. Calls, bytes and times are those of the POSIX and STDIO layers, with
/// --where layer=mpiio those of MPI-IO.
///
/// --shard I/N reads one share of the trace, from 0/N to (N-1)/N, and writes
/// the result to a file. --merge joins these files; the output is exactly that
/// of iota stat without --shard, but without the findings on layers above
/// POSIX, such as MPI-IO.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota stat run.iota\n  \
        iota stat run.iota --by file --sort bytes --top 50\n  \
        iota stat run.iota --where 'rank=0-63,class=write' --by rank,dir\n  \
        iota stat run.iota --threshold small-bytes=1m --threshold worth=5%\n  \
        iota stat run.iota --json | jq '.findings[].what'\n  \
        srun -n 16 sh -c 'iota stat run.iota --shard $SLURM_PROCID/16 -o $SLURM_PROCID.stat'\n  \
        iota stat --merge *.stat"
)]
pub struct Stat {
    /// Traces, or parts of one; with --merge, the files that --shard wrote
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// Tables to print
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = super::by(), default_value = "op,site,family,rank")]
    pub by: Vec<By>,
    /// Prints this many rows of each table; 0: all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Sorts tables by this figure
    #[arg(long, value_name = "FIGURE", value_parser = super::word(Sort::ALL.map(|sort| (sort.name(), sort))), default_value = "time")]
    pub sort: Sort,
    /// Uses only these calls, as in 'rank=0-7,file=*.h5,class=write'; may be repeated
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub filter: Vec<String>,
    /// Prints everything as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Uses the times of each node's own clock, not corrected by the offsets measured between ranks
    #[arg(long)]
    pub raw_clock: bool,
    #[command(flatten)]
    pub thresholds: super::Thresholds,
    /// Reads share I of N, counted from 0, and writes the result to -o FILE
    #[arg(long, value_name = "I/N", value_parser = shard, requires = "output", conflicts_with_all = ["merge", "json"])]
    pub shard: Option<Share>,
    /// Joins the files that --shard wrote
    #[arg(long, conflicts_with_all = ["filter", "raw_clock", "threshold", "all"])]
    pub merge: bool,
    /// The file that --shard writes
    #[arg(short, long, value_name = "FILE", requires = "shard", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Replaces FILE if it exists
    #[arg(short, long, requires = "output")]
    pub force: bool,
}

fn shard(text: &str) -> Result<Share, String> {
    let numbers = text
        .split_once('/')
        .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    match numbers {
        Some((index, count)) if index < count => Ok(Share { index, count }),
        Some((_, count)) if count > 0 => Err(format!(
            "shares of {count} are numbered from 0 to {}",
            count - 1
        )),
        _ => Err("give a share and their number, as in 0/8".to_owned()),
    }
}

/// Shows what changed between two runs: by function, file and rank
///
/// Reads both traces as iota stat does. Rows with the greatest change of time
/// come first. Files with the same path are compared with each other.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota diff before.iota after.iota\n  \
        iota diff before.iota after.iota --by dir --where class=write --json"
)]
pub struct Diff {
    /// The trace of the first run
    #[arg(value_name = "BEFORE", value_hint = ValueHint::FilePath)]
    pub before: PathBuf,
    /// The trace of the second run
    #[arg(value_name = "AFTER", value_hint = ValueHint::FilePath)]
    pub after: PathBuf,
    /// Tables to print
    #[arg(long, value_name = "WHAT", value_delimiter = ',', value_parser = super::by(), default_value = "op,file,rank")]
    pub by: Vec<By>,
    /// Prints this many rows of each table; 0: all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Uses only these calls; may be repeated
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub filter: Vec<String>,
    /// Prints everything as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Prints the first calls of all ranks together
///
/// Lines are those of iota text, in the order in which calls began.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota head run.iota\n  \
        iota head run.iota -n 100 -v --where 'file=*.h5,during>=60'"
)]
pub struct Head {
    /// Traces, or parts of one
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// Prints this many calls
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub calls: usize,
    /// Adds columns, as iota text does
    #[arg(short, long)]
    pub verbose: bool,
    /// Uses only these calls; may be repeated
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub filter: Vec<String>,
}

/// Copies selected calls of a trace to a new trace
///
/// Processes, clocks and names are kept. The file gets its name when it is
/// complete. An existing file is not replaced without --force.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota cut run.iota --where rank=0-15 -o some.iota\n  \
        iota cut run.iota --where 'during=60..90,file=/scratch/*' -o minute.iota"
)]
pub struct Cut {
    /// Traces, or parts of one
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// Copies only these calls, as in 'rank=0-7,file=*.h5,class=write'; may be repeated
    #[arg(long = "where", value_name = "EXPRESSION", required = true)]
    pub filter: Vec<String>,
    /// The file to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Replaces FILE if it exists
    #[arg(short, long)]
    pub force: bool,
}
