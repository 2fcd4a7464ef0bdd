//! The command line, from which help, manual pages and completions are made.

mod convert;
mod jobs;
mod layers;
mod merge;
mod plot;
mod shell;
mod stat;
mod thresholds;
mod wraps;

pub use convert::{Convert, Input, Output};
pub use jobs::{Jobs, JobsBy, JobsSort};
pub use layers::{Layers, LayersBy, ServerArgs};
pub use merge::{Merge, Symbols};
pub use plot::{Plot, Report};
pub use shell::{Completions, Man};
pub use stat::{Cut, Diff, Head, Stat};
pub use thresholds::Thresholds;
pub use wraps::Wraps;

use crate::ranks::Ranks;
use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as _, FromArgMatches, Parser, Subcommand, ValueHint};
use iota_analysis::Filter;
use iota_analysis::stat::By;
use std::ffi::OsString;
use std::path::PathBuf;

/// Traces the I/O of programs, and prints, summarises, joins and recovers the traces
#[derive(Debug, Parser)]
#[command(
    name = "iota",
    version,
    long_about = "Traces the I/O calls of a program (iota run) and reads traces (NAME.iota), whether iota run wrote \
        them or a program linked with iota: prints their calls, summarises them, joins their parts, and recovers the \
        traces of killed processes.",
    after_help = "A trace is one file, or several files in one directory, each with a part of it. \
        Name any or all of these files.\n\
        Exit status: 0, or 2 if something could not be read, written or understood. iota run exits with the status of \
        its command.",
    max_term_width = 100
)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// The value of one of these words, which completions offer
fn word<T: Clone + Send + Sync + 'static>(
    all: impl IntoIterator<Item = (&'static str, T)>,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<(&'static str, T)> = all.into_iter().collect();
    let names: Vec<&'static str> = all.iter().map(|(name, _)| *name).collect();
    PossibleValuesParser::new(names).try_map(move |word| {
        let found = all.iter().find(|(name, _)| *name == word);
        found.map(|(_, value)| value.clone()).ok_or("no such word")
    })
}

/// What tables of objects are also asked for as; iota's own names are in docs/GLOSSARY.md
const OBJECT: &str = "dataset";

/// What a table has a row for
fn by() -> impl TypedValueParser<Value = By> {
    let names = By::ALL.map(|by| match by {
        By::Object => PossibleValue::new(by.name()).alias(OBJECT),
        _ => PossibleValue::new(by.name()),
    });
    PossibleValuesParser::new(names).map(|word| {
        let found = By::ALL.into_iter().find(|by| by.name() == word);
        found.unwrap_or(By::Object)
    })
}

/// One variant for each command, described where its arguments are
#[derive(Debug, Subcommand)]
pub enum Command {
    Run(Run),
    Text(Text),
    Info(Info),
    Stat(Stat),
    Layers(Layers),
    Convert(Convert),
    Diff(Diff),
    Jobs(Jobs),
    Head(Head),
    Cut(Cut),
    Plot(Plot),
    Report(Report),
    Merge(Merge),
    Symbols(Symbols),
    Recover(Recover),
    Load(Box<Load>),
    Sql(Sql),
    Wraps(Wraps),
    Completions(Completions),
    Man(Man),
}

/// Runs a command and traces it with all processes that it starts
///
/// The command uses the terminal and gets signals as if it ran without iota.
/// iota run exits with its status (125: iota itself failed, 126: the command
/// cannot be executed, 127: not found). At the end iota joins the parts of all
/// processes to one trace, and prints its name on standard error. An older
/// trace is never overwritten. Ranks that mpiexec, srun or another launcher
/// starts are traced too. Static programs cannot be preloaded; iota run follows
/// their system calls by ptrace, which costs more. Setuid programs are not
/// traced.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota run -- python3 script.py          python3-PID.iota\n  \
        iota run -o build.iota -- make -j4     every process of a build\n  \
        iota run --stat -- ./app               and where its time went\n  \
        iota run -o job.iota --report job.html -- mpiexec -n 4 ./app\n  \
        iota run --files '*.h5' --files '*.nc' -- ./app\n\n\
        Options that are not given are taken from IOTA_OUTPUT, IOTA_FILES, IOTA_SPOOL and the other variables."
)]
pub struct Run {
    /// The trace to write, or a directory for it; %e: program, %p: process, %h: host, %j: job [default: PROGRAM-PID.iota]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub output: Option<PathBuf>,
    /// Traces only files that match; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub files: Vec<String>,
    /// Does not trace files that match; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Also records calls of these functions, whatever library they are of; may be repeated
    #[arg(long, value_name = "GLOB,...")]
    pub probe: Vec<String>,
    /// Also records calls of these functions of Python, by module and name (train.load_batch); may be repeated
    #[arg(long, value_name = "GLOB,...")]
    pub python_probe: Vec<String>,
    /// Also records from which lines of the program calls are made. Compiled programs need debugging information (-g) for
    /// that, programs of Python nothing
    #[arg(long)]
    pub stacks: bool,
    /// Writes the calls to files, 1 MiB at a time, so that they survive if the node fails
    #[arg(long)]
    pub flush: bool,
    /// Bytes that each process buffers before it writes them to a file: a number, with k, m or g
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub buffer: Option<String>,
    /// Writes lines, as iota text prints them, instead of a binary trace
    #[arg(long)]
    pub text: bool,
    /// Directory for the files that keep the calls until the trace is written
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub spool: Option<PathBuf>,
    /// Also records, by ptrace, the system calls that programs make without the C library, and those of programs that
    /// cannot be preloaded; for a static command this is the default
    #[arg(long, overrides_with = "no_follow")]
    pub follow: bool,
    /// Does not do so
    #[arg(long, overrides_with = "follow")]
    pub no_follow: bool,
    /// Shows at the end how much of the run was I/O, and what is wrong with it, on standard error: the begin of what iota stat
    /// prints
    #[arg(long, conflicts_with = "text")]
    pub stat: bool,
    /// Also writes the page of iota report
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "text")]
    pub report: Option<PathBuf>,
    /// Prints nothing unless something fails
    #[arg(short, long)]
    pub quiet: bool,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND",
        value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

impl Run {
    /// These words, read without all that other commands take, which would be most of the work. `None`: another command, or
    /// the whole command line has something to say of them.
    pub fn alone(words: &[OsString]) -> Option<Run> {
        let words = words.get(1..)?;
        words.first().filter(|word| *word == "run")?;
        let command = Run::augment_args(clap::Command::new("run"));
        let found = command.try_get_matches_from(words).ok()?;
        Run::from_arg_matches(&found).ok()
    }
}

fn size(text: &str) -> Result<String, String> {
    let digits = text.strip_suffix(['k', 'K', 'm', 'M', 'g', 'G']);
    match digits.unwrap_or(text).parse::<u64>() {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err("not a number of bytes, such as 4194304 or 4m".to_owned()),
    }
}

/// Prints a trace, one line for each call
///
/// A TAB separates the fields:
///
///     task  start  elapse  offset  op  ret  path-or-descriptor
///
/// Tasks are in order of rank, and the calls of a task in order of completion.
/// start is in seconds since the start of the job, elapse is in seconds. Calls
/// that open or name a file show its path (with \t, \n, \\ and \xNN for bytes
/// that would break the line). Other calls show the descriptor, or - if they
/// have none. Lines that begin with # describe the job.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota text run.iota | head -30          the first calls\n  \
        iota text -v run.iota --rank 0,4-7     some ranks, all columns\n  \
        iota text run.iota --where 'dur>10ms'  slow calls\n  \
        iota text run.iota | grep -v '^#' | cut -f5 | sort | uniq -c"
)]
pub struct Text {
    /// Traces, or parts of one
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// Adds columns: lustre, len, thread, errno, layer, id, parent, path, path2/fd2, pid, details
    #[arg(short, long)]
    pub verbose: bool,
    /// Shows the times of each node's own clock, not corrected by the offsets measured between ranks
    #[arg(long)]
    pub raw_clock: bool,
    /// Shows only these ranks: numbers and ranges
    #[arg(long, value_name = "N[,M-K]")]
    pub rank: Option<Ranks>,
    /// Shows only these calls, as in 'file=*.h5,class=write'; may be repeated
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub filter: Vec<String>,
}

/// Summarises a trace: programs, hosts, times, counts, and what is missing
///
/// Reads every call, on all cores. Bytes and files are those of the POSIX and
/// STDIO layers; transfers of the layers above end in calls of these two. The
/// time of a call includes the time of the calls inside it.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota info run.iota\n  \
        iota info --top 50 run.iota            longer tables\n  \
        iota info --json run.iota | jq .layers"
)]
pub struct Info {
    /// Traces, or parts of one
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// Prints everything as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Lists this many functions, files and parts; 0: all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub top: usize,
}

/// Writes the traces of processes that were killed
///
/// A process that is killed leaves its spool on its node, with all calls that
/// had returned. iota recover finds the spools of this user on this node that
/// belong to OUTPUT (as IOTA_OUTPUT named it) or to any output in DIR, joins
/// them with the parts beside OUTPUT, and writes NAME.iota. Calls that are in
/// it already are not added again. The trace of another run is never replaced;
/// the next free name is used instead. Spools and joined parts are removed once
/// the file is on the disk. Processes that are still running are reported and
/// skipped.
///
/// Without OUTPUT, lists the spools.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota recover                           lists what can be recovered on this node\n  \
        iota recover run.iota                  writes run.iota\n  \
        iota recover .                         all outputs of this directory\n  \
        iota recover run.iota -o all.iota --keep\n  \
        pdsh -w node[1-9] -f 1 iota recover $PWD/run.iota"
)]
pub struct Recover {
    /// Outputs, or directories of outputs
    #[arg(value_name = "OUTPUT-OR-DIR", value_hint = ValueHint::AnyPath)]
    pub outputs: Vec<PathBuf>,
    /// Looks for spools in DIR, not in /dev/shm, /tmp, $TMPDIR and $IOTA_SPOOL
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub spool: Vec<PathBuf>,
    /// The file to write instead of NAME.iota
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Does not remove spools and parts
    #[arg(long)]
    pub keep: bool,
    /// Treats processes of other hosts, whose spools are in a shared directory, as dead
    #[arg(long)]
    pub other_hosts: bool,
    /// Only lists the spools
    #[arg(short, long)]
    pub list: bool,
}

/// Generates I/O load, and logs the time of each step
///
/// Reads or writes several files in parallel (-nfiles). On each file, one
/// operation follows another (-nops). Each operation transfers one buffer, in
/// pieces that are transferred in parallel (-npieces). Options may begin with
/// one dash. Prints an event log with the time of each open, seek, transfer and
/// close, and of whole pieces and files; then rates, times and statistics. On
/// SIGINT, SIGTERM and SIGHUP, and when a transfer fails, it stops, and still
/// prints them.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota load -op w -nfiles 2 -nops 4 -npieces 4 -bufsz 1m -file /scratch/x -test buffer\n  \
        iota load -op r -nfiles 2 -nops 4 -npieces 4 -bufsz 1m -file /scratch/x -test buffer\n  \
        iota load -op r -access random -bufsz 4k -fsize 1g -time 30 -prepare -direct -io_api io_uring -qd 32\n  \
        iota load -job job.toml --format json -o result.json\n  \
        iota load -replay run.iota -file /scratch/replay -speed max\n\n\
        docs/LOAD.md explains each option. Exit status: 0, or 2 if something failed; SIGINT, SIGTERM \
        and SIGHUP end the process as usual once the results are printed."
)]
pub struct Load {
    /// Shared with job files and iota-load-mpi
    #[command(flatten)]
    pub options: iota_load::options::Options,
}

/// Runs an SQL query on the calls of a trace
///
/// The table is named calls; its columns are those of iota convert to Parquet
/// (docs/TABLES.md). Traces are converted for the time of the query; .parquet
/// files, and directories that --shards wrote, are queried directly. The query
/// is the last argument, or comes from standard input; at a terminal DuckDB
/// prompts for it. DuckDB must be installed: duckdb on PATH, or what
/// IOTA_DUCKDB names.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    override_usage = "iota sql [OPTIONS] <TRACE>... ['QUERY']",
    after_help = "Examples:\n  \
        iota sql run.iota 'select op, count(*), sum(dur) / 1e9 from calls group by op order by 3 desc'\n  \
        iota sql shards/ --csv 'select rank, sum(bytes_written) from calls group by rank' > ranks.csv\n  \
        iota sql run.iota 'describe calls'\n  \
        iota sql run.iota                      asks for queries"
)]
pub struct Sql {
    /// Traces, or parts of one; or .parquet files; or directories of them; then the query
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::AnyPath)]
    pub words: Vec<PathBuf>,
    /// Prints comma-separated values, not a box
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Prints an array of JSON objects, one for each row
    #[arg(long)]
    pub json: bool,
}

/// The filter of all `--where`
pub fn filter(expressions: &[String]) -> anyhow::Result<Filter> {
    Filter::all(expressions).map_err(|fault| anyhow!("--where {fault}"))
}
