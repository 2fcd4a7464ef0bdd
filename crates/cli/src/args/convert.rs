//! The arguments of `iota convert`.

use crate::ranks::Ranks;
use clap::ValueHint;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use iota_calls::Layer;
use std::path::PathBuf;

/// Converts a trace to another format, or a log of another tool to a trace
///
/// From a trace to: text, csv, parquet, arrow (a stream, for pyarrow, Polars and
/// others), perfetto (for ui.perfetto.dev), otf2 (a directory, for Vampir and
/// otf2-print; needs libotf2 3.x), darshan (a log, for darshan-parser and
/// PyDarshan), dftracer (.pfw.gz, for DFTracer's analyzer), dxt (as
/// darshan-dxt-parser prints it), ioplots (rank op offset length start end; one
/// log for each file). To a trace (-o NAME.iota) from: ioplots, the output of
/// iota text, of darshan-dxt-parser, and of strace -f -ttt -T. The file gets
/// its name when it is complete. -o - writes to standard output.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota convert run.iota -o run.parquet\n  \
        iota convert run.iota -o shards --to parquet --shards 64\n  \
        iota convert run.iota --rank 0-7 -o run.pftrace     open it in ui.perfetto.dev\n  \
        iota convert run.iota --server servers.iota -o run.pftrace\n  \
        iota convert run.iota -o run.otf2                   open run.otf2/traces.otf2 in Vampir\n  \
        iota convert run.iota -o run.darshan                python3 -m darshan summary run.darshan\n  \
        iota convert run.iota --to csv --columns rank,op,path,dur -o - | head\n  \
        iota convert run.iota --file '*.nc' -o nc.ioplots\n  \
        strace -f -ttt -T -y -o app.strace ./app; iota convert app.strace -o app.iota"
)]
pub struct Convert {
    /// Traces, or parts of one; or a log of another tool
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// The file to write; the end of its name (.csv, .parquet, ...) selects the format
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub output: PathBuf,
    /// The format to write, if the name of FILE does not say
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: Option<Output>,
    /// The format of the log, if its first lines do not show it
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub from: Option<Input>,
    /// Only these ranks: numbers and ranges
    #[arg(long, value_name = "N[,M-K]")]
    pub rank: Option<Ranks>,
    /// Only these calls, as in `file=*.h5,class=write,dur>1ms`; may be repeated
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub wanted: Vec<String>,
    /// Writing ioplots: the file whose transfers to write (a pattern); reading ioplots: the file that the log is about
    #[arg(long, value_name = "FILE")]
    pub file: Option<String>,
    /// ioplots and dxt: writes the transfers of this layer
    #[arg(long, value_name = "LAYER", value_parser = transfer_layer(), default_value = "posix")]
    pub layer: Layer,
    /// csv, parquet and arrow: writes only these columns, in this order
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// parquet: writes a directory of at most N files, each with a range of ranks
    #[arg(long, value_name = "N")]
    pub shards: Option<std::num::NonZero<u32>>,
    #[command(flatten)]
    pub servers: super::layers::ServerArgs,
    /// Uses the times of each node's own clock, not corrected by the offsets measured between ranks
    #[arg(long)]
    pub raw_clock: bool,
    /// Writes more than a gigabyte even if no calls or ranks are selected
    #[arg(short, long)]
    pub yes: bool,
    /// Replaces FILE if it exists
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
    /// The same columns as a stream of Arrow's IPC format, for pyarrow, Polars, DuckDB, R
    Arrow,
    /// For ui.perfetto.dev and trace_processor
    Perfetto,
    /// An archive (a directory) for Vampir, otf2-print and other readers of OTF2
    Otf2,
    /// A log for darshan-parser, PyDarshan and other readers of Darshan's logs
    Darshan,
    /// Events of DFTracer, compressed if FILE ends with .pfw.gz
    Dftracer,
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
    /// The output of strace -f -ttt -T, preferably with -y
    Strace,
    /// The output of darshan-dxt-parser
    Dxt,
    /// rank op offset length start end
    Ioplots,
}

/// Layers that have transfers
fn transfer_layer() -> impl TypedValueParser<Value = Layer> {
    let names = [
        PossibleValue::new("posix").help("Descriptors"),
        PossibleValue::new("stdio").help("Streams"),
        PossibleValue::new("mpi-io").alias("mpiio").help("MPI-IO"),
    ];
    PossibleValuesParser::new(names).map(|word| match &*word {
        "stdio" => Layer::Stdio,
        "mpi-io" | "mpiio" => Layer::MpiIo,
        _ => Layer::Posix,
    })
}
