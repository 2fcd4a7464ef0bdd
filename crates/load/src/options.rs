//! What can be asked for: one definition feeds the parser, `-h`, `--help`, manual page, completions and job files.

use crate::quantity;
use clap::{ArgAction, Parser, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Every option. Names are those of the manual page, with one dash or two, with `_` or `-`.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true, args_override_self = true)]
pub struct Options {
    /// Lists all arguments with defaults and short descriptions
    #[arg(short = 'h', id = "h")]
    pub table: bool,
    /// Prints help with examples
    #[arg(long, action = ArgAction::HelpLong)]
    help: Option<bool>,

    /// Reads (r), writes (w) or both (rw)
    #[arg(long, value_enum, default_value_t = Op::R, help_heading = "What is done")]
    pub op: Op,
    /// Base filename: each file gets .filen.NNNNN behind it
    #[arg(long, value_name = "NAME", default_value = "iota", value_hint = ValueHint::AnyPath, help_heading = "What is done")]
    pub file: PathBuf,
    /// Files, worked on in parallel
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "What is done"
    )]
    pub nfiles: u32,
    /// Operations on each file, one after another [default: 1; with -time as many as there is time for]
    #[arg(long, value_name = "N", help_heading = "What is done")]
    pub nops: Option<u64>,
    /// Pieces of each operation's buffer, moved in parallel
    #[arg(
        long,
        visible_alias = "nstripes",
        value_name = "N",
        default_value_t = 1,
        help_heading = "What is done"
    )]
    pub npieces: u32,
    /// Bytes of an operation, one buffer for each file: a number, with k, m or g
    #[arg(long, value_name = "SIZE", default_value = "1m", value_parser = quantity::bytes, help_heading = "What is done")]
    pub bufsz: u64,
    /// Interface to issue transfers through
    #[arg(
        long = "io_api",
        visible_alias = "io-api",
        value_name = "API",
        default_value = "unixio",
        help_heading = "What is done"
    )]
    pub io_api: String,

    /// Does not seek before transfers
    #[arg(long, help_heading = "How the loops run")]
    pub noseek: bool,
    /// Gives a file one descriptor for all pieces, not one for each
    #[arg(long, help_heading = "How the loops run")]
    pub share: bool,
    /// Lets one piece of a file at a time seek and transfer
    #[arg(
        long = "lock_atomic",
        visible_alias = "lock-atomic",
        help_heading = "How the loops run"
    )]
    pub lock_atomic: bool,
    /// Lets no piece be more than one operation ahead of any other of its file
    #[arg(
        long = "op_sync",
        visible_alias = "op-sync",
        help_heading = "How the loops run"
    )]
    pub op_sync: bool,
    /// Gives what does not divide evenly to the lower pieces, a byte each, or to the last
    #[arg(long, value_enum, default_value_t = Remainder::Spread, help_heading = "How the loops run")]
    pub remainder: Remainder,
    /// Contention scope of the threads: the whole system, or the process
    #[arg(long, value_enum, default_value_t = Scope::Sys, help_heading = "How the loops run")]
    pub scope: Scope,
    /// Scheduling policy of the threads: other, batch, idle, fifo:PRIORITY, rr:PRIORITY [default: as inherited]
    #[arg(long, value_name = "POLICY", help_heading = "How the loops run")]
    pub sched: Option<String>,
    /// Transfers that a piece has under way at once (aio, io_uring)
    #[arg(
        long,
        visible_alias = "iodepth",
        value_name = "N",
        default_value_t = 1,
        help_heading = "How the loops run"
    )]
    pub qd: u32,

    /// Order of offsets: buffer after buffer, in random order (each once), or -stride apart
    #[arg(long, value_enum, default_value_t = Access::Sequential, help_heading = "Where and when")]
    pub access: Access,
    /// Bytes from one operation to the next (-access strided)
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes, help_heading = "Where and when")]
    pub stride: Option<u64>,
    /// Bytes of a file to stay within; operations beyond begin again at its start [default: what -nops needs]
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes, help_heading = "Where and when")]
    pub fsize: Option<u64>,
    /// Seed of random offsets, read/write mixes and patterns
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Where and when"
    )]
    pub seed: u64,
    /// Percentage of operations that read (-op rw) [default: 50]
    #[arg(
        long = "read_share",
        visible_alias = "read-share",
        value_name = "PERCENT",
        help_heading = "Where and when"
    )]
    pub read_share: Option<u8>,
    /// Ends after this time
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, help_heading = "Where and when")]
    pub time: Option<Duration>,
    /// Pause of a piece after each operation
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, help_heading = "Where and when")]
    pub think: Option<Duration>,
    /// Most bytes in a second, of all pieces together
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes, help_heading = "Where and when")]
    pub rate: Option<u64>,
    /// Most transfers in a second, of all pieces together
    #[arg(
        long = "rate_iops",
        visible_alias = "rate-iops",
        value_name = "N",
        help_heading = "Where and when"
    )]
    pub rate_iops: Option<u64>,

    /// Goes around the page cache (O_DIRECT)
    #[arg(long, help_heading = "Page cache and disk")]
    pub direct: bool,
    /// Opens files with O_SYNC or O_DSYNC
    #[arg(long, value_enum, default_value_t = OpenSync::None, help_heading = "Page cache and disk")]
    pub osync: OpenSync,
    /// Syncs never, once before close, or after every N operations of a piece
    #[arg(long, value_name = "none|end|N", default_value = "none", value_parser = fsync, help_heading = "Page cache and disk")]
    pub fsync: Fsync,
    /// Syncs data alone (fdatasync)
    #[arg(long, help_heading = "Page cache and disk")]
    pub fdatasync: bool,
    /// Drops the files' pages from the page cache first
    #[arg(
        long = "drop_cache",
        visible_alias = "drop-cache",
        help_heading = "Page cache and disk"
    )]
    pub drop_cache: bool,
    /// Writes files that are missing or too short first, untimed
    #[arg(long, help_heading = "Page cache and disk")]
    pub prepare: bool,
    /// Removes the files at the end
    #[arg(long, help_heading = "Page cache and disk")]
    pub remove: bool,

    /// Checks what is read: nothing, a word at each boundary between pieces, or that and all aligned words
    #[arg(long, value_enum, default_value_t = Test::None, help_heading = "What is told")]
    pub test: Test,
    /// Events that the table of rates for each file is made of
    #[arg(long, value_enum, default_value_t = Summary::Op, help_heading = "What is told")]
    pub summary: Summary,
    /// Events to log: all, without those of transfers, or none [default: all; with -time files]
    #[arg(long, value_enum, help_heading = "What is told")]
    pub log: Option<Log>,
    /// Form of the report
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "What is told")]
    pub format: Format,
    /// Writes the report to a file [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "What is told")]
    pub output: Option<PathBuf>,
    /// Shows no line of progress and no warnings
    #[arg(long, short, help_heading = "What is told")]
    pub quiet: bool,
    /// Writes the event log as a trace, too
    #[arg(long, value_name = "TRACE", value_hint = ValueHint::FilePath, help_heading = "What is told")]
    pub trace: Option<PathBuf>,

    /// Runs the phases of a job file; options on the command line come before those in it
    #[arg(long, value_name = "TOML", value_hint = ValueHint::FilePath, help_heading = "Other sources of work")]
    pub job: Option<PathBuf>,
    /// Repeats the calls of a trace on files of its own
    #[arg(long, value_name = "TRACE", value_hint = ValueHint::FilePath, help_heading = "Other sources of work")]
    pub replay: Option<PathBuf>,
    /// When calls are repeated: as recorded, N times as fast (N), or as fast as possible (max) [default: recorded]
    #[arg(long, value_name = "recorded|N|max", value_parser = speed, help_heading = "Other sources of work")]
    pub speed: Option<Speed>,
    /// Lets the ranks of an MPI run share their files, each in its own places (iota-load-mpi)
    #[arg(
        long = "share_files",
        visible_alias = "share-files",
        help_heading = "Other sources of work"
    )]
    pub share_files: bool,
    /// Makes transfers of mpiio collective (iota-load-mpi)
    #[arg(long, help_heading = "Other sources of work")]
    pub collective: bool,
}

/// `-op`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Op {
    /// Reads
    R,
    /// Writes
    W,
    /// Both, by `-read_share`
    Rw,
}

/// `-test`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Test {
    /// Nothing
    None,
    /// A word at each boundary between pieces
    Boundaries,
    /// These and all aligned words
    Buffer,
}

/// `-remainder`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Remainder {
    /// A byte more for each of the lower pieces
    Spread,
    /// All for the last piece
    Last,
}

/// `-scope`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// PTHREAD_SCOPE_SYSTEM
    Sys,
    /// PTHREAD_SCOPE_PROCESS
    Proc,
}

/// `-access`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Access {
    /// One buffer after another
    Sequential,
    /// Each buffer of the file once, in random order
    Random,
    /// Buffers `-stride` apart
    Strided,
}

/// `-osync`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OpenSync {
    /// Neither
    None,
    /// O_SYNC
    Sync,
    /// O_DSYNC
    Dsync,
}

/// `-summary`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Summary {
    /// Transfers of pieces
    Op,
    /// Seeks with their transfers
    AtomicOp,
    /// All operations of a piece
    Stripes,
    /// All pieces of a file
    AllStripes,
}

/// `-log`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Log {
    /// Nothing
    Off,
    /// Opens, closes, and what covers whole pieces and files
    Files,
    /// Everything
    All,
}

/// `-format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For eyes
    Text,
    /// One object
    Json,
    /// The event log, with commas
    Csv,
}

/// `-fsync`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fsync {
    /// Never
    None,
    /// Before close
    End,
    /// After so many operations
    Every(u64),
}

/// `-speed`
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speed {
    /// Times as recorded, divided by this
    Times(f64),
    /// Without pauses
    Max,
}

fn fsync(text: &str) -> Result<Fsync, String> {
    match (text, text.parse()) {
        ("none", _) => Ok(Fsync::None),
        ("end", _) => Ok(Fsync::End),
        (_, Ok(n)) if n > 0 => Ok(Fsync::Every(n)),
        _ => Err("not none, end or a number of operations".to_owned()),
    }
}

fn speed(text: &str) -> Result<Speed, String> {
    match (text, text.parse::<f64>()) {
        ("recorded", _) => Ok(Speed::Times(1.0)),
        ("max", _) => Ok(Speed::Max),
        (_, Ok(n)) if n > 0.0 && n.is_finite() => Ok(Speed::Times(n)),
        _ => Err("not recorded, max or a factor above 0".to_owned()),
    }
}

/// The options alone, without a command around them.
#[derive(Debug, Parser)]
#[command(
    name = "iota load",
    disable_help_flag = true,
    args_override_self = true
)]
struct Line {
    #[command(flatten)]
    options: Options,
}

impl Options {
    /// From words, as [`crate::dashes::doubled`] leaves them.
    ///
    /// # Errors
    /// The words are no options; help is asked for in this way as well.
    pub fn parse(words: &[OsString]) -> Result<Options, clap::Error> {
        let name = OsString::from("iota load");
        let line = Line::try_parse_from([name].iter().chain(words))?;
        Ok(line.options)
    }

    /// The definition, for what is made of it.
    pub fn command() -> clap::Command {
        <Line as clap::CommandFactory>::command()
    }

    /// What is logged.
    pub fn logged(&self) -> Log {
        let usual = if self.time.is_some() {
            Log::Files
        } else {
            Log::All
        };
        self.log.unwrap_or(usual)
    }
}
