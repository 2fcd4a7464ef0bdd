//! The arguments of `iota convert`.

use crate::ranks::Ranks;
use clap::ValueHint;
use std::path::PathBuf;

/// Writes a trace in another format, or other formats as a trace
///
/// Out of a trace: text, csv, parquet, perfetto (for ui.perfetto.dev), otf2 (a
/// directory, for Vampir and otf2-print; needs libotf2 3.x), dxt (as
/// darshan-dxt-parser prints it), ioplots (rank op offset length start end; one
/// log a file). Into a trace (-o NAME.iota): ioplots, text of iota, what
/// darshan-dxt-parser prints, and what strace -f -ttt -T writes. The file gets
/// its name when it is whole; - writes to standard output.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota convert run.iota -o run.parquet\n  \
        iota convert run.iota -o shards --to parquet --shards 64\n  \
        iota convert run.iota --rank 0-7 -o run.pftrace     open it in ui.perfetto.dev\n  \
        iota convert run.iota -o run.otf2                   open run.otf2/traces.otf2 in Vampir\n  \
        iota convert run.iota --to csv -o - | head\n  \
        iota convert run.iota --file '*.nc' -o nc.ioplots\n  \
        strace -f -ttt -T -y -o app.strace ./app; iota convert app.strace -o app.iota"
)]
pub struct Convert {
    /// Traces, or parts of one; or one log of another format
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// What to write; its ending tells the format
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub output: PathBuf,
    /// The format to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<Output>,
    /// The format that is read, where it cannot be told by the first lines
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub from: Option<Input>,
    /// These ranks alone: numbers and ranges
    #[arg(long, value_name = "N[,M-K]")]
    pub rank: Option<Ranks>,
    /// These calls alone: `file=*.h5,class=write,dur>1ms`; may be repeated
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub wanted: Vec<String>,
    /// ioplots: the transfers of the file that matches, as one log; of a log that is read: the file it is of
    #[arg(long, value_name = "FILE")]
    pub file: Option<String>,
    /// ioplots: transfers of this layer
    #[arg(long, value_enum, value_name = "LAYER", default_value_t = TransferLayer::Posix)]
    pub layer: TransferLayer,
    /// parquet: a directory of at most N files, each of neighbouring ranks
    #[arg(long, value_name = "N")]
    pub shards: Option<std::num::NonZero<u32>>,
    /// Takes times as each node's clock took them, without the offsets measured between ranks
    #[arg(long)]
    pub raw_clock: bool,
    /// Writes more than a gigabyte without asking for a filter
    #[arg(short, long)]
    pub yes: bool,
    /// Replaces FILE if it is there
    #[arg(short, long)]
    pub force: bool,
}

/// Formats that are written
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Output {
    /// Lines, as iota text -v prints them
    Text,
    /// Comma-separated values
    Csv,
    /// Columns for DuckDB, Spark, Dask, Polars
    Parquet,
    /// For ui.perfetto.dev and trace_processor
    Perfetto,
    /// An archive (a directory) for Vampir, otf2-print and what else reads OTF2
    Otf2,
    /// As darshan-dxt-parser prints transfers
    Dxt,
    /// rank op offset length start end
    Ioplots,
    /// A trace
    Iota,
}

/// Formats that are read
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Input {
    /// A trace
    Iota,
    /// Lines of iota text, with -v or without
    Text,
    /// What strace -f -ttt -T writes, better with -y
    Strace,
    /// What darshan-dxt-parser prints
    Dxt,
    /// rank op offset length start end
    Ioplots,
}

/// Layers that have transfers
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TransferLayer {
    /// Descriptors
    Posix,
    /// Streams
    Stdio,
    /// MPI-IO
    MpiIo,
}
