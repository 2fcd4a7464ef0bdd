//! `iota-load-mpi`: `iota load` on every rank of an MPI program. All ranks start together, rank 0 prints what each of
//! them did, and what they did together.

mod mpi;
mod mpiio;

use anyhow::{Context, bail, ensure};
use iota_load::api::{APIS, Api};
use iota_load::engine::{Hooks, stop};
use iota_load::options::{Format, Options};
use iota_load::plan::World;
use iota_load::{Done, Load, dashes, table};
use iota_quantity as quantity;
use mpi::Mpi;
use std::fs::File;
use std::io::Write;
use std::process::ExitCode;

/// Something could not be done
const FAILED: u8 = 2;

struct Ranks<'a>(&'a Mpi);

impl Hooks for Ranks<'_> {
    fn agree(&self, well: bool) -> bool {
        self.0.all(well)
    }
}

fn main() -> ExitCode {
    let mpi = Mpi::start();
    let result = load(&mpi);
    // Who has failed says so; all end alike, so that no launcher has to guess.
    if let Err(error) = &result {
        eprintln!("iota: rank {}: {error:#}", mpi.world().rank);
    }
    let well = mpi.all(result.is_ok());
    mpi.end();
    match (well, stop::signal()) {
        (_, Some(signal)) => ExitCode::from(128 + signal as u8),
        (true, None) => ExitCode::SUCCESS,
        (false, None) => ExitCode::from(FAILED),
    }
}

fn load(mpi: &Mpi) -> anyhow::Result<()> {
    let words = dashes::doubled(std::env::args_os().skip(1));
    let options = Options::parse(&words);
    if options.as_ref().is_ok_and(|options| options.table) {
        return mpi.on_first(|| print(table::table().as_bytes()));
    }
    let planned = options
        .map_err(iota_load::one_line)
        .and_then(|options| plan(mpi, &options, &words));
    // A mistake is the same on all ranks, mostly: rank 0 tells it then.
    if !mpi.all(planned.is_ok()) {
        return mpi.reported_once(planned.map(drop));
    }
    let load = planned?;
    if mpi.world().rank == 0 {
        load.warnings()
            .for_each(|warning| eprintln!("iota: warning: {warning}"));
    }
    let out = output(mpi, &load.options);
    if !mpi.all(out.is_ok()) {
        return mpi.reported_once(out.map(drop));
    }
    let (done, ran) = load.run(&Ranks(mpi));
    let mut report = Vec::new();
    load.report(&done, &mut report)?;
    print_all(mpi, &load, &done, &report, out?)?;
    ran?;
    match done.iter().flat_map(|done| done.outcome.failures()).next() {
        Some(failure) => bail!("{failure}"),
        None => Ok(()),
    }
}

/// The file that rank 0 writes the report to, so that an output that cannot be written is known before the load.
fn output(mpi: &Mpi, options: &Options) -> anyhow::Result<Option<File>> {
    let path = options.output.as_ref().filter(|_| mpi.world().rank == 0);
    path.map(|path| File::create(path).with_context(|| path.display().to_string()))
        .transpose()
}

fn plan(mpi: &Mpi, options: &Options, words: &[std::ffi::OsString]) -> anyhow::Result<Load> {
    ensure!(
        options.trace.is_none(),
        "-trace: not available here; trace the ranks with iota run"
    );
    ensure!(
        options.replay.is_none(),
        "-replay: not available here; use iota load, which replays each rank with threads"
    );
    let world: World = mpi.world();
    let apis: Vec<&'static dyn Api> = APIS
        .into_iter()
        .chain([&mpiio::Mpiio as &dyn Api])
        .collect();
    let load = Load::new(words, world, &apis)?;
    for plan in load
        .phases
        .iter()
        .filter(|plan| plan.api.name() == mpiio::NAME)
    {
        mpi.allows(plan.threads())?;
        // Opens of a shared file are collective, and threads would make them in any order.
        let alone = plan.paths.len() == 1 && plan.descriptors() == 1;
        ensure!(
            !plan.options.share_files || alone,
            "-share_files with -io_api mpiio: use one file (-nfiles 1), and -share if it has several pieces"
        );
    }
    Ok(load)
}

/// The reports of all ranks, in order, and a line for all of them together.
fn print_all(
    mpi: &Mpi,
    load: &Load,
    done: &[Done],
    report: &[u8],
    to: Option<File>,
) -> anyhow::Result<()> {
    let totals: Vec<(u64, u64)> = load
        .phases
        .iter()
        .enumerate()
        .map(|(at, _)| mpi.total(done.get(at)))
        .collect();
    let reports = mpi.gather(report)?;
    if mpi.world().rank > 0 {
        return Ok(());
    }
    let mut out = Vec::new();
    match load.options.format {
        Format::Json => {
            let texts: Vec<&str> = reports
                .iter()
                .filter_map(|report| std::str::from_utf8(report).ok())
                .collect();
            writeln!(out, "[\n{}]", texts.join(","))?;
        }
        Format::Text | Format::Csv => {
            for (rank, report) in reports.iter().enumerate() {
                writeln!(out, "# rank {rank} of {}", reports.len())?;
                out.extend_from_slice(report);
            }
        }
    }
    if load.options.format == Format::Text {
        for (bytes, nanos) in totals {
            let rate = quantity::mb_per_s(bytes, nanos).unwrap_or(0.0);
            writeln!(
                out,
                "# all ranks: {} in {:.6} s, {rate:.2} MB/s",
                quantity::bytes(bytes),
                nanos as f64 / 1e9
            )?;
        }
    }
    match to {
        Some(mut file) => file.write_all(&out).context("-output"),
        None => print(&out),
    }
}

fn print(text: &[u8]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
