//! `iota plot`: a picture of a trace, in a file or in the terminal.

use crate::args::Plot;
use crate::inputs::{self, Opened};
use crate::progress::Bar;
use crate::{failure, names, output, servers};
use anyhow::{Context, anyhow, bail};
use iota_analysis::filter::Filter;
use iota_analysis::{Job, Progress as Done};
use iota_output::Inputs;
use iota_output::{Draft, free};
use iota_plot::figure::Figure;
use iota_plot::terminal::{self, Look};
use iota_plot::{Kind, Missing, Scope, callers, pdf, png, svg};
use iota_trace::read::Options;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows and columns of a terminal that does not tell them
const ROWS: usize = 40;
const COLUMNS: usize = 100;

/// Height of a picture, in its units
const HEIGHT: f64 = 700.0;

/// What a picture is drawn as
enum PictureFormat {
    Svg,
    Png,
    Pdf,
}

/// Draws what is asked for
pub fn run(args: &Plot) -> anyhow::Result<()> {
    let Some(kind) = args.kind.0 else {
        return list();
    };
    if !args.servers.server.is_empty() && !matches!(kind, Kind::Layers | Kind::Tree) {
        bail!("--server: only the kinds layers and tree show servers");
    }
    let format = args.output.as_deref().map(format).transpose()?;
    let mut scope = Scope {
        filter: filter(args)?,
        servers: None,
    };
    let Opened { trace, inputs } = inputs::open_beside(
        &args.traces,
        &args.servers.server,
        Options::default(),
        args.output.as_deref(),
    )?;
    let of_servers = servers::open(&args.servers)?;
    if let Some(path) = &args.output {
        free(path, args.force)?;
    }
    let job = Job::of(&trace).counting(&scope.filter);
    scope.servers = servers::join(&args.servers, &of_servers, &job)?.map(Arc::new);
    let figure = shown(|progress| iota_plot::figure(&job, &scope, kind, progress));
    let mut figure = figure.map_err(|missing| none(&args.traces, &missing))?;
    if let Some(title) = &args.title {
        figure.title = title.clone();
    }
    match (&args.output, format) {
        (Some(path), Some(format)) => {
            let picture = drawn(&figure, args, &format)?;
            write(path, &inputs, args.force, &picture)?;
        }
        _ => print(&figure, height(&figure, args) / HEIGHT)?,
    }
    failure::of(&servers::problems(&trace, &of_servers))
}

fn list() -> anyhow::Result<()> {
    let rows = Kind::ALL
        .iter()
        .map(|(_, name, what)| format!("{name:<11} {what}\n"));
    output::print(&rows.collect::<String>())
}

fn format(path: &Path) -> anyhow::Result<PictureFormat> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => Ok(PictureFormat::Svg),
        Some("png") => Ok(PictureFormat::Png),
        Some("pdf") => Ok(PictureFormat::Pdf),
        _ => bail!(
            "{}: give it a name that ends with .svg, .png or .pdf",
            names::path(path)
        ),
    }
}

fn filter(args: &Plot) -> anyhow::Result<Filter> {
    let file = args.file.iter().map(|glob| format!("file={glob}"));
    let layer = args.layer.iter().map(|layer| format!("layer={layer}"));
    let chosen = parsed("--where", args.filter.iter().cloned())?
        .and(parsed("--file", file)?)
        .and(parsed("--layer", layer)?);
    Ok(chosen.of_program().on_storage())
}

/// An empty picture would not say what is missing, and a filter that leaves nothing is likely a slip
pub fn none(traces: &[PathBuf], missing: &Missing) -> anyhow::Error {
    let traces: Vec<_> = traces.iter().map(|path| names::path(path)).collect();
    anyhow!(
        "{}: {missing}; iota stat --by rank,file,op shows what there is",
        traces.join(" ")
    )
}

/// What an option chooses
pub fn parsed(option: &str, all: impl Iterator<Item = String>) -> anyhow::Result<Filter> {
    let all: Vec<String> = all.collect();
    Filter::all(&all).map_err(|fault| anyhow!("{option} {fault}"))
}

/// Does the work, and shows how far it is where that takes long
pub fn shown<T>(work: impl FnOnce(&(dyn Fn(Done) + Sync)) -> T) -> T {
    let shown = Bar::of(0);
    let result = work(&|at: Done| shown.at(at.done, at.all));
    shown.done();
    result
}

fn drawn(figure: &Figure, args: &Plot, format: &PictureFormat) -> anyhow::Result<Vec<u8>> {
    let height = args.height.map_or_else(|| height(figure, args), f64::from);
    let picture = svg::draw(figure, args.width.into(), height);
    match format {
        PictureFormat::Svg => Ok(picture.into_bytes()),
        PictureFormat::Png => Ok(png::render(&picture, args.zoom)?),
        PictureFormat::Pdf => Ok(pdf::render(&picture, &figure.title)?),
    }
}

/// Levels of a tree need not fill a page
fn height(figure: &Figure, args: &Plot) -> f64 {
    match args.kind.0 {
        Some(Kind::Tree) => callers::height(figure, HEIGHT),
        _ => HEIGHT,
    }
}

/// A file that appears when it is whole
pub fn write(path: &Path, inputs: &Inputs, force: bool, bytes: &[u8]) -> anyhow::Result<()> {
    let draft = Draft::beside(path, inputs)?;
    (&draft.file)
        .write_all(bytes)
        .with_context(|| names::path(path))?;
    draft.publish(path, force)
}

/// In a part of the terminal's rows
fn print(figure: &Figure, part: f64) -> anyhow::Result<()> {
    let (columns, rows) = output::size().unwrap_or((COLUMNS, ROWS));
    let rows = (rows as f64 * part) as usize;
    let look = match output::has_colours() {
        true => Look::Colours,
        false => Look::Plain,
    };
    output::print(&terminal::draw(figure, columns, rows, look))
}
