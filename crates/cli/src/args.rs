//! The command line, from which help, manual pages and completions are made.

mod convert;
mod plot;
mod stat;

pub use convert::{Convert, Input, Output, TransferLayer};
pub use plot::{Plot, Report};
pub use stat::{Cut, Diff, Head, Stat};

use crate::ranks::Ranks;
use clap::{Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::PathBuf;

/// Traces programs, and reads the traces: prints, summarises, joins and recovers them
#[derive(Debug, Parser)]
#[command(
    name = "iota",
    version,
    long_about = "Traces a program's I/O calls (iota run), and reads the traces that it or a program linked with iota \
        leaves behind (NAME.iota): prints their calls, summarises them, joins their parts, recovers what killed \
        processes left.",
    after_help = "A trace is one file, or several parts that a job left beside each other: \
        name any or all of them.\n\
        Exit status: 0, or 2 when something could not be read, written or understood; of iota run the command's.",
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// One variant for each command, described where its arguments are
#[derive(Debug, Subcommand)]
pub enum Command {
    Run(Run),
    Text(Text),
    Info(Info),
    Stat(Stat),
    Convert(Convert),
    Diff(Diff),
    Head(Head),
    Cut(Cut),
    Plot(Plot),
    Report(Report),
    Merge(Merge),
    Recover(Recover),
    Load(Box<Load>),
    Sql(Sql),
    Completions(Completions),
    Man(Man),
}

/// Runs a command and traces it with all processes that it starts
///
/// The command gets its terminal, its signals and its exit status as if it ran
/// alone (125: iota itself failed, 126: cannot be executed, 127: not found).
/// At the end the parts of all processes are joined to one trace, and a line
/// on standard error says where it is. An older trace is never overwritten.
/// Ranks are traced through mpiexec, srun and the like. Static and setuid
/// programs cannot be traced so.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota run -- python3 script.py          python3-PID.iota\n  \
        iota run -o build.iota -- make -j4     every process of a build\n  \
        iota run -o job.iota -- mpiexec -n 4 ./app\n  \
        iota run --files '*.h5' --files '*.nc' -- ./app\n\n\
        What is not asked for here is taken from IOTA_OUTPUT, IOTA_FILES, IOTA_SPOOL and the other variables."
)]
pub struct Run {
    /// The trace, or a directory for it; %e: program, %p: process, %h: host, %j: job [default: PROGRAM-PID.iota]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub output: Option<PathBuf>,
    /// Traces only files that match; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub files: Vec<String>,
    /// Leaves out files that match; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Writes the calls to files at 1 MB intervals, which survive whatever happens to the node
    #[arg(long)]
    pub flush: bool,
    /// Bytes that a process holds before they go to a file: a number, with k, m or g
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub buffer: Option<String>,
    /// Leaves lines, as iota text prints them, instead of a binary trace
    #[arg(long)]
    pub text: bool,
    /// Where calls wait
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub spool: Option<PathBuf>,
    /// Whether to preload the library for MPI programs
    #[arg(long, value_enum, default_value_t = Mpi::Auto)]
    pub mpi: Mpi,
    /// Says nothing unless something fails
    #[arg(short, long)]
    pub quiet: bool,
    /// The command and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND",
        value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

/// Which library to preload
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Mpi {
    /// The one that the program needs
    Auto,
    /// The one for MPI programs
    Yes,
    /// The serial one
    No,
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
/// TAB stands between the fields:
///
///     task  start  elapse  offset  op  ret  path-or-descriptor
///
/// Tasks come in order of rank, the calls of a task in order of completion.
/// start counts seconds from the job's start, elapse is in seconds. Calls that
/// open a file or name one show its path (with \t, \n, \\ and \xNN for bytes
/// that would break the line), others the descriptor; - stands where there is
/// none. Lines that begin with # describe the job.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota text run.iota | head -30          the first calls\n  \
        iota text -v run.iota --rank 0,4-7     some ranks, all columns\n  \
        iota text run.iota | grep -v '^#' | cut -f5 | sort | uniq -c"
)]
pub struct Text {
    /// Traces, or parts of one
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// Adds columns: striping, length, thread, errno, layer, call, parent, path, second path or descriptor
    #[arg(short, long)]
    pub verbose: bool,
    /// Shows times as each node's clock took them, without the offsets measured between ranks
    #[arg(long)]
    pub raw_clock: bool,
    /// Shows these ranks alone: numbers and ranges
    #[arg(long, value_name = "N[,M-K]")]
    pub rank: Option<Ranks>,
}

/// Says what a trace holds: what, where, when, how many, how complete
///
/// Reads every call, by all cores. Bytes and files are told of descriptors and
/// streams (POSIX and STDIO): what layers above them move comes down to these.
/// A call that encloses others has their time in its own.
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
    /// Prints all of it as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Lists this many functions, files and parts; 0: all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub top: usize,
}

/// Joins the parts of a trace to one file
///
/// Nothing is recoded; of a damaged part every whole block is taken. The file
/// gets its name when it is complete, and replaces none unless told to.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota merge run.0.iota run.1.iota -o run.iota\n  \
        iota merge run.iota -o all.iota    finds the parts of run.iota itself"
)]
pub struct Merge {
    /// Traces, or parts of one
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// The file to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// Replaces FILE if it is there
    #[arg(short, long)]
    pub force: bool,
}

/// Writes the traces of processes that were killed
///
/// A process that was killed leaves its spool on its node: all calls that had
/// returned are in it. Finds the spools of this user on this node that belong
/// to OUTPUT (as IOTA_OUTPUT named it) or to any output in the directory, joins
/// them with the parts beside it, and writes NAME.iota. What is in it already is
/// not added again; the trace of another run is never replaced, but the next
/// free name taken. Spools and joined parts are removed when the file is on the
/// disk. Processes that live are told and left alone.
///
/// Without OUTPUT: lists the spools.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota recover                           what is there to recover on this node\n  \
        iota recover run.iota                  writes run.iota\n  \
        iota recover .                         all outputs of this directory\n  \
        iota recover run.iota -o all.iota --keep\n  \
        pdsh -w node[1-9] -f 1 iota recover $PWD/run.iota"
)]
pub struct Recover {
    /// Outputs, or directories that they were to lie in
    #[arg(value_name = "OUTPUT-OR-DIR", value_hint = ValueHint::AnyPath)]
    pub outputs: Vec<PathBuf>,
    /// Looks for spools here, not in /dev/shm, /tmp, $TMPDIR and $IOTA_SPOOL
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub spool: Vec<PathBuf>,
    /// The file to write instead of NAME.iota
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Leaves spools and parts where they are
    #[arg(long)]
    pub keep: bool,
    /// Takes processes of other hosts for dead, whose spools lie in a shared directory
    #[arg(long)]
    pub other_hosts: bool,
    /// Lists the spools, and does nothing
    #[arg(short, long)]
    pub list: bool,
}

/// Generates I/O load, and logs what each step of it took
///
/// Works on files in parallel (-nfiles), on each file operation after operation
/// (-nops), and moves the pieces of each operation's buffer in parallel
/// (-npieces). Options may have one dash. Prints an event log: what each open,
/// seek, transfer and close took, and what covers whole pieces and files; then
/// rates, times and figures. On SIGINT and SIGTERM, and when a transfer fails,
/// it ends and prints all the same.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota load -op w -nfiles 2 -nops 4 -npieces 4 -bufsz 1m -file /scratch/x -test buffer\n  \
        iota load -op r -nfiles 2 -nops 4 -npieces 4 -bufsz 1m -file /scratch/x -test buffer\n  \
        iota load -op r -access random -bufsz 4k -fsize 1g -time 30 -prepare -direct -io_api io_uring -qd 32\n  \
        iota load -job job.toml --format json -o result.json\n  \
        iota load -replay run.iota -file /scratch/replay -speed max\n\n\
        docs/LOAD.md explains each of them. Exit status: 0, or 2; after a signal that of the signal."
)]
pub struct Load {
    /// All of them
    #[command(flatten)]
    pub options: iota_load::options::Options,
}

/// Answers a question in SQL about the calls of a trace
///
/// The table is named calls; its columns are those of iota convert to Parquet
/// (docs/TABLES.md). Traces are converted for the time of the query; .parquet
/// files and directories of --shards are asked where they lie. The query is the
/// last word, or comes from standard input; at a terminal DuckDB prompts for
/// it. DuckDB's command must be there: duckdb on PATH, or what IOTA_DUCKDB names.
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

/// Prints a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
        iota completions bash > ~/.local/share/bash-completion/completions/iota\n  \
        iota completions zsh > ~/.zfunc/_iota")]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

/// Prints manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
        iota man | man -l -\n  \
        iota man info | man -l -\n  \
        iota man --dir /usr/local/share/man/man1")]
pub struct Man {
    /// The command whose page to print
    #[arg(value_name = "COMMAND", conflicts_with = "dir")]
    pub command: Option<String>,
    /// Writes all pages to this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}
