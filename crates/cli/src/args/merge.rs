//! Arguments of the commands that write the parts of a trace anew.

use clap::ValueHint;
use std::path::PathBuf;

/// Joins the parts of a trace to one file
///
/// Calls are not encoded again; small parts are compressed together. Of a
/// damaged part, all blocks that are intact are copied. The file gets its name
/// when it is complete. An existing file is not replaced without --force.
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
    /// Replaces FILE if it exists
    #[arg(short, long)]
    pub force: bool,
}

/// Looks up the functions and lines of the stacks in a trace
///
/// A trace that was made with iota run --stacks has them already. A program
/// that was linked with iota and ran with IOTA_STACKS=1 leaves addresses. This
/// command looks them up in the program and its libraries, which must be here,
/// the same as when they ran, and writes the trace with the result to a new
/// file. What it cannot find stays an address.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota symbols app-1234.iota -o app.iota    of a run with IOTA_STACKS=1\n  \
        iota stat app.iota --by site"
)]
pub struct Symbols {
    #[command(flatten)]
    pub merge: Merge,
}
