//! What can be asked for: one definition feeds the parser, `-h`, `--help`, manual page, completions and job files.

use clap::{ArgAction, Parser, ValueEnum, ValueHint};
use iota_quantity as quantity;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Every option. Names are those of the manual page, with one dash or two, with `_` or `-`.
#[derive(Clone, Debug, clap::Args)]
#[command(disable_help_flag = true, args_override_self = true)]
pub struct Options {
    /// Lists all options with their defaults
    #[arg(short = 'h', id = "h")]
    pub table: bool,
    /// Prints help with examples
    #[arg(long, action = ArgAction::HelpLong)]
    help: Option<bool>,

    /// Reads (r), writes (w) or both (rw)
    #[arg(long, value_enum, default_value_t = Op::R, help_heading = "Work")]
    pub op: Op,
    /// Base filename: each file is named NAME.filen.NNNNN
    #[arg(long, value_name = "NAME", default_value = "iota", value_hint = ValueHint::AnyPath, help_heading = "Work")]
    pub file: PathBuf,
    /// Number of files, read or written in parallel
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Work")]
    pub nfiles: u32,
    /// Operations on each file, one after another [default: 1; with -time as many as time allows]
    #[arg(long, value_name = "N", help_heading = "Work")]
    pub nops: Option<u64>,
    /// Pieces of each operation's buffer, transferred in parallel
    #[arg(
        long,
        visible_alias = "nstripes",
        value_name = "N",
        default_value_t = 1,
        help_heading = "Work"
    )]
    pub npieces: u32,
    /// Bytes of an operation, one buffer for each file: a number, with k, m or g
    #[arg(long, value_name = "SIZE", default_value = "1m", value_parser = quantity::bytes_given, help_heading = "Work")]
    pub bufsz: u64,
    /// Interface for transfers: unixio, stdio, pio, mmap, aio, io_uring or dummy; in iota-load-mpi also mpiio
    #[arg(
        long = "io_api",
        visible_alias = "io-api",
        value_name = "API",
        default_value = "unixio",
        help_heading = "Work"
    )]
    pub io_api: String,

    /// Does not seek before transfers
    #[arg(long, help_heading = "Threads and pieces")]
    pub noseek: bool,
    /// Uses one descriptor for all pieces of a file, not one for each piece
    #[arg(long, help_heading = "Threads and pieces")]
    pub share: bool,
    /// Locks a file during a seek and its transfer, so that its pieces take turns
    #[arg(
        long = "lock_atomic",
        visible_alias = "lock-atomic",
        help_heading = "Threads and pieces"
    )]
    pub lock_atomic: bool,
    /// Keeps the pieces of a file within one operation of each other
    #[arg(
        long = "op_sync",
        visible_alias = "op-sync",
        help_heading = "Threads and pieces"
    )]
    pub op_sync: bool,
    /// Where bytes go that cannot be divided evenly: one each to the first pieces, or all to the last
    #[arg(long, value_enum, default_value_t = Remainder::Spread, help_heading = "Threads and pieces")]
    pub remainder: Remainder,
    /// Contention scope of the threads: the whole system, or the process
    #[arg(long, value_enum, default_value_t = Scope::Sys, help_heading = "Threads and pieces")]
    pub scope: Scope,
    /// Scheduling policy of the threads: other, batch, idle, fifo:PRIORITY, rr:PRIORITY [default: as inherited]
    #[arg(long, value_name = "POLICY", help_heading = "Threads and pieces")]
    pub sched: Option<String>,
    /// Transfers that each piece keeps in flight (aio, io_uring)
    #[arg(
        long,
        visible_alias = "iodepth",
        value_name = "N",
        default_value_t = 1,
        help_heading = "Threads and pieces"
    )]
    pub qd: u32,

    /// Order of offsets: one buffer after another, random (each buffer once), or -stride apart
    #[arg(long, value_enum, default_value_t = Access::Sequential, help_heading = "Offsets and time")]
    pub access: Access,
    /// Bytes from one operation to the next (-access strided)
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes_given, help_heading = "Offsets and time")]
    pub stride: Option<u64>,
    /// Bytes of each file to use; after the last, operations start again at offset 0 [default: what -nops needs]
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes_given, help_heading = "Offsets and time")]
    pub fsize: Option<u64>,
    /// Seed of random offsets, read/write mixes and patterns
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        help_heading = "Offsets and time"
    )]
    pub seed: u64,
    /// Percentage of operations that read (-op rw) [default: 50]
    #[arg(
        long = "read_share",
        visible_alias = "read-share",
        value_name = "PERCENT",
        help_heading = "Offsets and time"
    )]
    pub read_share: Option<u8>,
    /// Stops after this time
    #[arg(long, value_name = "TIME", value_parser = quantity::time_given, help_heading = "Offsets and time")]
    pub time: Option<Duration>,
    /// Pause of each piece after each operation
    #[arg(long, value_name = "TIME", value_parser = quantity::time_given, help_heading = "Offsets and time")]
    pub think: Option<Duration>,
    /// Limit in bytes per second, for all pieces together
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes_given, help_heading = "Offsets and time")]
    pub rate: Option<u64>,
    /// Limit in transfers per second, for all pieces together
    #[arg(
        long = "rate_iops",
        visible_alias = "rate-iops",
        value_name = "N",
        help_heading = "Offsets and time"
    )]
    pub rate_iops: Option<u64>,

    /// Bypasses the page cache (O_DIRECT)
    #[arg(long, help_heading = "Page cache and disk")]
    pub direct: bool,
    /// Opens files with O_SYNC or O_DSYNC
    #[arg(long, value_enum, default_value_t = OpenSync::None, help_heading = "Page cache and disk")]
    pub osync: OpenSync,
    /// Calls fsync never, once before close, or after every N operations of a piece
    #[arg(long, value_name = "none|end|N", default_value = "none", value_parser = fsync, help_heading = "Page cache and disk")]
    pub fsync: Fsync,
    /// Calls fdatasync instead of fsync
    #[arg(long, help_heading = "Page cache and disk")]
    pub fdatasync: bool,
    /// First drops the pages of the files from the page cache
    #[arg(
        long = "drop_cache",
        visible_alias = "drop-cache",
        help_heading = "Page cache and disk"
    )]
    pub drop_cache: bool,
    /// First writes files that are missing or too short; this is not timed
    #[arg(long, help_heading = "Page cache and disk")]
    pub prepare: bool,
    /// Removes the files at the end
    #[arg(long, help_heading = "Page cache and disk")]
    pub remove: bool,

    /// Checks the data that is read: not at all, the key at each boundary between pieces, or also all aligned words
    #[arg(long, value_enum, default_value_t = Test::None, help_heading = "Output")]
    pub test: Test,
    /// Which events the table of rates of each file uses
    #[arg(long, value_enum, default_value_t = Summary::Op, help_heading = "Output")]
    pub summary: Summary,
    /// Which events to log: all, all but those of transfers (files), or none (off) [default: all; with -time files]
    #[arg(long, value_enum, help_heading = "Output")]
    pub log: Option<Log>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,
    /// Writes the report to a file [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Does not show progress and warnings
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
    /// Also writes the event log as a trace
    #[arg(long, value_name = "TRACE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub trace: Option<PathBuf>,

    /// Runs the phases of a job file; options on the command line override those in it
    #[arg(long, value_name = "TOML", value_hint = ValueHint::FilePath, help_heading = "Jobs, replays and MPI")]
    pub job: Option<PathBuf>,
    /// Repeats the calls of a trace, on new files
    #[arg(long, value_name = "TRACE", value_hint = ValueHint::FilePath, help_heading = "Jobs, replays and MPI")]
    pub replay: Option<PathBuf>,
    /// Speed of a replay: as recorded, N times as fast, or as fast as possible (max) [default: recorded]
    #[arg(long, value_name = "recorded|N|max", value_parser = speed, help_heading = "Jobs, replays and MPI")]
    pub speed: Option<Speed>,
    /// Makes all ranks use the same files, each rank its own parts of them (iota-load-mpi)
    #[arg(
        long = "share_files",
        visible_alias = "share-files",
        help_heading = "Jobs, replays and MPI"
    )]
    pub share_files: bool,
    /// Makes the transfers of -io_api mpiio collective (iota-load-mpi)
    #[arg(long, help_heading = "Jobs, replays and MPI")]
    pub collective: bool,
}

/// Direction of transfers (`-op`)
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Op {
    /// Reads
    R,
    /// Writes
    W,
    /// Both, by `-read_share`
    Rw,
}

/// Which data are checked (`-test`)
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Test {
    /// Nothing
    None,
    /// A word at each boundary between pieces
    Boundaries,
    /// These and all other aligned words
    Buffer,
}

/// Which pieces get the bytes that remain (`-remainder`)
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Remainder {
    /// One more byte for each of the first pieces
    Spread,
    /// All for the last piece
    Last,
}

/// Contention scope of threads (`-scope`)
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// PTHREAD_SCOPE_SYSTEM
    Sys,
    /// PTHREAD_SCOPE_PROCESS
    Proc,
}

/// Order of offsets (`-access`)
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

/// Events that rates are computed from (`-summary`)
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

/// Events that are logged (`-log`)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Log {
    /// Nothing
    Off,
    /// Opens, closes, and the events of whole pieces and files
    Files,
    /// Everything
    All,
}

/// Format of the report (`-format`)
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table for people
    Text,
    /// One JSON object
    Json,
    /// The event log, as comma-separated values
    Csv,
}

/// When files are synced (`-fsync`)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fsync {
    /// Never
    None,
    /// Before close
    End,
    /// After so many operations
    Every(u64),
}

/// Pace of a replay (`-speed`)
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

#[cfg(test)]
mod tests {
    #[test]
    fn help_names_every_interface() {
        let help = super::Options::command().render_help().to_string();
        for api in crate::api::APIS {
            let name = api.name();
            assert!(help.contains(&format!(" {name}")), "{name}");
        }
    }
}
