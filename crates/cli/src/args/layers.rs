//! Arguments of `iota layers`.

use clap::{ValueEnum, ValueHint};
use iota_analysis::servers::Export;
use std::path::PathBuf;

/// Shows each MPI-IO call and what it caused below: the I/O stack as a tree
///
/// For each call of MPI-IO, or of the layer that --layer names, iota finds the
/// POSIX and STDIO calls that it caused, on whichever rank and thread, and shows
/// how long each layer took: the library, the client (these calls), the file
/// servers (if --server gives traces of them). Prints findings, then calls of
/// all layers by what called them, then sums by function, file, object and
/// rank, then collective calls with who came last, what that cost the others and
/// which ranks were aggregators, then the longest calls, then file servers.
/// docs/LAYERS.md defines the figures.
///
/// --where selects calls of the layer; what they caused belongs to them.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota layers run.iota\n  \
        iota layers run.iota --by tree\n  \
        iota layers run.iota --layer hdf5 --by object\n  \
        iota layers run.iota --by collective --top 50\n  \
        iota layers run.iota --where 'file=*.h5,class=write' --by op,rank\n  \
        iota layers run.iota --server servers.iota --by server\n  \
        iota layers run.iota --json | jq '.collectives[] | {last, waiting, aggregators}'\n  \
        iota plot run.iota --kind layers -o layers.svg"
)]
pub struct Layers {
    /// Traces, or parts of one
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// Tables to print
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        value_enum,
        default_value = "tree,op,file,object,rank,collective,call,server"
    )]
    pub by: Vec<LayersBy>,
    /// The layer whose calls all tables but the tree are about: mpiio, hdf5, netcdf, pnetcdf, user. By default MPI-IO; if the
    /// trace has none, the highest of NetCDF, PnetCDF and HDF5, else user
    #[arg(long, value_name = "LAYER")]
    pub layer: Option<String>,
    /// Prints this many rows of each table; 0: all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Uses only these calls of the layer, as in 'rank=0-7,file=*.h5,class=write'; may be repeated
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub filter: Vec<String>,
    #[command(flatten)]
    pub servers: ServerArgs,
    #[command(flatten)]
    pub thresholds: super::Thresholds,
    /// Prints everything as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Uses the times of each node's own clock, not corrected by the offsets measured between ranks
    #[arg(long)]
    pub raw_clock: bool,
}

/// Traces of file servers
#[derive(Debug, Default, clap::Args)]
pub struct ServerArgs {
    /// A trace of the file servers, made by `iota run -- SERVER`: their calls are joined to those of the job; may be repeated
    #[arg(long, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub server: Vec<PathBuf>,
    /// Where servers keep what the job has below JOB_DIR; found out from the names of files if it is not given; may be repeated
    #[arg(long, value_name = "SERVER_DIR=JOB_DIR", requires = "server")]
    pub export: Vec<Export>,
}

/// A table of `iota layers`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LayersBy {
    /// Which calls called which, over all layers
    Tree,
    /// Functions
    Op,
    /// Files
    File,
    /// Datasets, variables and attributes
    #[value(alias = super::OBJECT)]
    Object,
    /// Ranks
    Rank,
    /// Collective calls
    Collective,
    /// Single calls
    Call,
    /// File servers, of traces that --server gives
    Server,
}
