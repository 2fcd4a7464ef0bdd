//! What `iota plot` and `iota report` take.

use clap::ValueHint;
use std::path::PathBuf;

/// Draws a plot of a trace: SVG, PNG, PDF, or in the terminal
///
/// A plot shows single calls if there are up to 100,000, and densities if there
/// are more, so that it stays small however large the trace is. In an SVG, each
/// rank (or kind of call) is a layer of Inkscape. Calls and bytes are those of
/// the POSIX and STDIO layers unless --layer names another layer. Offsets are
/// those of the file with half of all bytes or more; if there is none, those of
/// all files. --file selects other files.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota plot run.iota                              an overview, in the terminal\n  \
        iota plot run.iota --kind offset -o offset.pdf  offsets over time, for a paper\n  \
        iota plot run.iota --kind map --file '*.h5' -o map.png\n  \
        iota plot run.iota --kind rank --where 'rank=0-7,during=1s..2s'\n  \
        iota plot run.iota --kind list                  lists the kinds"
)]
pub struct Plot {
    /// Traces, or parts of one
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// What to draw; list prints all kinds
    #[arg(short, long, value_name = "KIND", value_parser = super::word(kinds()), default_value = "overview")]
    pub kind: Drawn,
    /// The .svg, .png or .pdf file to write [default: the terminal]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Replaces FILE if it exists
    #[arg(short, long)]
    pub force: bool,
    /// Uses only files that match
    #[arg(long, value_name = "GLOB")]
    pub file: Option<String>,
    /// Uses only calls of this layer: posix, stdio, mpi-io, ...
    #[arg(long, value_name = "LAYER")]
    pub layer: Option<String>,
    /// Uses only these calls, as in 'rank=0-7,file=*.h5,class=write'; may be repeated
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub filter: Vec<String>,
    #[command(flatten)]
    pub servers: super::ServerArgs,
    /// The title of the plot
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Width of the plot
    #[arg(long, value_name = "N", default_value_t = 1200, value_parser = clap::value_parser!(u16).range(300..=8000))]
    pub width: u16,
    /// Height of the plot [default: 700, less for a shallow tree]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(200..=8000))]
    pub height: Option<u16>,
    /// Pixels of a PNG for each unit of width and height
    #[arg(long, value_name = "N", default_value_t = 2.0, value_parser = zoom)]
    pub zoom: f32,
}

/// A kind of picture; none: the list of them
#[derive(Clone, Copy, Debug)]
pub struct Drawn(pub Option<iota_plot::Kind>);

fn kinds() -> impl Iterator<Item = (&'static str, Drawn)> {
    let all = iota_plot::Kind::ALL.iter();
    let drawn = all.map(|(kind, name, _)| (*name, Drawn(Some(*kind))));
    drawn.chain([("list", Drawn(None))])
}

fn zoom(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(zoom) if (0.25..=8.0).contains(&zoom) => Ok(zoom),
        _ => Err("not a number from 0.25 to 8".to_owned()),
    }
}

/// Makes an HTML report of a trace: one file, which needs no network
///
/// The page has findings first, then plots that zoom together, then tables of
/// files, ranks and functions for the time that the plots show. It is smaller
/// than 5 MB however large the trace is.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota report run.iota -o run.html\n  \
        iota report run.iota -o h5.html --where 'file=*.h5'\n  \
        iota report run.iota --threshold small-bytes=1m"
)]
pub struct Report {
    /// Traces, or parts of one
    #[arg(required = true, value_name = "TRACE", value_hint = ValueHint::FilePath)]
    pub traces: Vec<PathBuf>,
    /// The page to write [default: the name of the first trace, with .html, in this directory]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Replaces FILE if it exists
    #[arg(short, long)]
    pub force: bool,
    /// Uses only these calls, as in 'rank=0-7,file=*.h5,class=write'; may be repeated
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub filter: Vec<String>,
    #[command(flatten)]
    pub thresholds: super::Thresholds,
    /// The title of the page
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
}
