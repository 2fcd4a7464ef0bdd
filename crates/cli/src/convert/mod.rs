//! `iota convert`: a trace in the formats of other tools, and theirs as a trace.
//!
//! The output appears under its name when it is whole. One that would be very large is not written unasked.

mod from;

use crate::args::{self, Input, Output};
use crate::inputs::{self, Opened};
use crate::progress::Bar;
use crate::ranks::Ranks;
use crate::text::header;
use crate::{failure, names, servers};
use anyhow::{Context, bail};
use iota_analysis::servers::ServerTies;
use iota_analysis::{Filter, NO_FILE};
use iota_export::{Arrow, Csv, Darshan, Dftracer, Dxt, Parquet, Perfetto, TextFormat};
use iota_export::{Format, Job, columns, ioplots, otf2};
use iota_output::{Inputs, OutputDirectory, OutputFile};
use iota_quantity as units;
use iota_trace::glob;
use iota_trace::read::Options;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Outputs that may become larger need a filter or `--yes`
const LARGE: u64 = 1 << 30;

const NO_SHARDS: &str = "--shards: only parquet is written in shards";

/// Converts
pub fn run(args: &args::Convert) -> anyhow::Result<()> {
    match output(args)? {
        Output::Iota => from::run(args),
        output => out_of_trace(args, output),
    }
}

/// The format that `--to` or the end of the file name selects
fn output(args: &args::Convert) -> anyhow::Result<Output> {
    let ending = args.output.extension().and_then(OsStr::to_str);
    Ok(match (args.to, ending) {
        (Some(output), _) => output,
        (None, Some("txt" | "text")) => Output::Text,
        (None, Some("csv")) => Output::Csv,
        (None, Some("parquet")) => Output::Parquet,
        (None, Some("arrows")) => Output::Arrow,
        (None, Some("pftrace" | "perfetto" | "perfetto-trace")) => Output::Perfetto,
        (None, Some("darshan")) => Output::Darshan,
        (None, Some("pfw")) => Output::Dftracer,
        (None, Some("gz")) if is_packed(args) => Output::Dftracer,
        (None, Some("dxt")) => Output::Dxt,
        (None, Some("ioplots")) => Output::Ioplots,
        (None, Some("otf2")) => Output::Otf2,
        (None, Some("iota")) => Output::Iota,
        _ => bail!(
            "{}: its name does not end like that of a known format; use --to text, csv, parquet, arrow, perfetto, otf2, darshan, dftracer, dxt, ioplots or iota",
            names::path(&args.output)
        ),
    })
}

/// Whether events of DFTracer are to be compressed
fn is_packed(args: &args::Convert) -> bool {
    let name = args.output.as_os_str().as_encoded_bytes();
    name.ends_with(b".pfw.gz")
}

fn out_of_trace(args: &args::Convert, output: Output) -> anyhow::Result<()> {
    if args.from.is_some_and(|from| from != Input::Iota) {
        bail!(
            "--from: a log of another tool must become a trace first; use -o NAME.iota, then convert NAME.iota"
        );
    }
    let has_columns = matches!(output, Output::Csv | Output::Parquet | Output::Arrow);
    if !args.columns.is_empty() && !has_columns {
        bail!("--columns: only csv, parquet and arrow have columns");
    }
    columns::named(&args.columns)?;
    let chosen = Chosen {
        raw_clock: args.raw_clock,
        ranks: args.rank.as_ref(),
        wanted: &args.wanted,
    };
    let opened = chosen.open(&args.traces, Some(&args.output))?;
    if !args.servers.server.is_empty() && output != Output::Perfetto {
        bail!(
            "--server: only perfetto shows servers; iota layers has them in text, pictures and JSON"
        );
    }
    let of_servers = servers::open(&args.servers)?;
    chosen.convert(&opened, |job| match output {
        Output::Ioplots => logs(args, job, &opened.inputs),
        Output::Otf2 => archive(args, job, &opened.inputs),
        _ => {
            let ties = servers::join(&args.servers, &of_servers, job.all)?;
            let format = format(args, output, job, ties.as_ref())?;
            formatted(args, job, &opened.inputs, &*format)
        }
    })
}

/// `iota text` of some calls
pub fn lines(args: &args::Text) -> anyhow::Result<()> {
    let chosen = Chosen {
        raw_clock: args.raw_clock,
        ranks: args.rank.as_ref(),
        wanted: &args.filter,
    };
    let opened = chosen.open(&args.traces, None)?;
    let verbose = args.verbose;
    chosen.convert(&opened, |job| {
        let mut target = OutputFile::new(Path::new("-"), &opened.inputs, false)?;
        text(job, verbose).write(job, &mut target)
    })
}

/// Which calls the options choose
struct Chosen<'a> {
    raw_clock: bool,
    ranks: Option<&'a Ranks>,
    wanted: &'a [String],
}

impl Chosen<'_> {
    fn open(&self, traces: &[PathBuf], output: Option<&Path>) -> anyhow::Result<Opened> {
        let raw_clock = self.raw_clock;
        inputs::open(traces, Options { raw_clock }, output)
    }

    /// Has them converted
    fn convert(
        &self,
        Opened { trace, .. }: &Opened,
        convert: impl FnOnce(&Job) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let wanted = Filter::all(self.wanted).context("--where")?;
        let all = iota_analysis::Job::of(trace);
        let (progress, wanted) = (Bar::of_calls(all.event_count()), wanted.bind(&all));
        let ranks = |rank| self.ranks.is_none_or(|ranks| ranks.contains(rank));
        let further = |calls| progress.add(calls);
        let job = Job::new(&all, self.raw_clock, ranks, &wanted, &further);
        if let Some(ranks) = self.ranks.filter(|_| job.parts().is_empty()) {
            bail!(
                "--rank {ranks}: none of these is in the trace, which has {}",
                header::ranks(trace)
            );
        }
        convert(&job)?;
        progress.done();
        failure::of(&trace.problems())
    }
}

fn format<'s>(
    args: &args::Convert,
    output: Output,
    job: &Job,
    servers: Option<&'s ServerTies>,
) -> anyhow::Result<Box<dyn Format + 's>> {
    if args.shards.is_some() && output != Output::Parquet {
        bail!(NO_SHARDS);
    }
    let columns = columns::named(&args.columns)?;
    Ok(match output {
        Output::Text => Box::new(text(job, true)),
        Output::Csv => Box::new(Csv { columns }),
        Output::Parquet => Box::new(Parquet { columns }),
        Output::Arrow => Box::new(Arrow { columns }),
        Output::Perfetto => Box::new(Perfetto { servers }),
        Output::Darshan => Box::new(Darshan),
        Output::Dftracer => Box::new(Dftracer {
            is_packed: is_packed(args),
        }),
        Output::Dxt => Box::new(Dxt { layer: args.layer }),
        Output::Otf2 | Output::Ioplots | Output::Iota => {
            bail!("{output:?} is not written through a Format")
        }
    })
}

/// Lines as `iota text` prints them
fn text(job: &Job, verbose: bool) -> TextFormat {
    TextFormat {
        verbose,
        header: header::lines(job.all.trace, verbose, job.raw_clock),
    }
}

fn formatted(
    args: &args::Convert,
    job: &Job,
    inputs: &Inputs,
    format: &dyn Format,
) -> anyhow::Result<()> {
    allowed(args, job, format.bytes_per_call())?;
    match args.shards {
        Some(shards) => sharded(args, job, inputs, format, shards.get() as usize),
        None => one(args, job, inputs, format),
    }
}

/// A log of the file that is asked for, or of the only one; else a directory of them
fn logs(args: &args::Convert, job: &Job, inputs: &Inputs) -> anyhow::Result<()> {
    let (layer, path) = (args.layer, |file: u32| job.all.files.path(file));
    let mut files = ioplots::files(job, layer)?;
    if let Some(glob) = &args.file {
        files.retain(|file| glob::one(glob.as_bytes(), path(*file)));
        let named: Vec<_> = files
            .iter()
            .take(3)
            .map(|file| names::printable(path(*file)))
            .collect();
        match files.len() {
            0 => bail!("--file {glob}: no file that matches has transfers of this layer"),
            1 => {}
            n => bail!(
                "--file {glob}: matches {}, {} among them",
                units::many(n as u64, "file"),
                named.join(", ")
            ),
        }
    }
    match files.first() {
        Some(_) if files.len() > 1 && args.output == Path::new("-") => {
            bail!(
                "{} have transfers, and each needs a log of its own; select one with --file",
                units::many(files.len() as u64, "file")
            )
        }
        Some(_) if files.len() > 1 => {
            let directory = OutputDirectory::new(&args.output, inputs)?;
            ioplots::fill(job, layer, &directory)?;
            directory.publish()
        }
        file => {
            let file = file.copied().unwrap_or(NO_FILE);
            formatted(args, job, inputs, &ioplots::IoplotsLog { layer, file })
        }
    }
}

/// An archive, which is a directory
fn archive(args: &args::Convert, job: &Job, inputs: &Inputs) -> anyhow::Result<()> {
    if args.shards.is_some() {
        bail!(NO_SHARDS);
    }
    if args.output == Path::new("-") {
        bail!("an OTF2 archive is a directory; give its name with -o");
    }
    allowed(args, job, otf2::BYTES_PER_CALL)?;
    let directory = OutputDirectory::instead(&args.output, inputs, args.force, otf2::is_archive)?;
    otf2::write(job, &directory)?;
    directory.publish()
}

/// Whether so much output is wanted
fn allowed(args: &args::Convert, job: &Job, bytes_per_call: u64) -> anyhow::Result<()> {
    let bytes = job.calls().saturating_mul(bytes_per_call);
    if bytes > LARGE && !args.yes && args.rank.is_none() && args.wanted.is_empty() {
        bail!(
            "{} would take about {}; select some with --where or --rank, or use --yes",
            units::many(job.calls(), "call"),
            units::bytes(bytes)
        );
    }
    Ok(())
}

fn one(
    args: &args::Convert,
    job: &Job,
    inputs: &Inputs,
    format: &dyn Format,
) -> anyhow::Result<()> {
    let mut target = OutputFile::new(&args.output, inputs, args.force)?;
    if target.is_terminal() && !format.is_text() {
        bail!("standard output is a terminal, and this format is binary; give a file with -o");
    }
    format.write(job, &mut target)?;
    target.publish()
}

/// A directory of files, each of neighbouring ranks
fn sharded(
    args: &args::Convert,
    job: &Job,
    inputs: &Inputs,
    format: &dyn Format,
    shards: usize,
) -> anyhow::Result<()> {
    let directory = OutputDirectory::new(&args.output, inputs)?;
    for shard in job.shards(shards) {
        let ranks = (shard.parts().first(), shard.parts().last());
        let (Some(first), Some(last)) = ranks else {
            continue;
        };
        let name = format!("ranks-{:06}-{:06}.parquet", first.rank(), last.rank());
        let mut target = OutputFile::new(&directory.draft().join(&name), inputs, false)?;
        format.write(&shard, &mut target)?;
        target.publish()?;
    }
    directory.publish()
}
