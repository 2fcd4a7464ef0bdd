//! What the page's program draws from, as JSON.

use crate::layout::Layout;
use crate::second_pass::SecondPass;
use crate::windows::{Rows, Windows};
use iota_analysis::{Job, TaskId, TaskKind, processes, stat};
use iota_plot::aggregates::bins::log;
use iota_plot::aggregates::{Aggregates, Bins, Focus, Plan, Survey};
use iota_plot::printable;
use iota_plot::svg::shortened;
use iota_quantity::{BYTES, TIMES, bytes, count, many, nanos, share};
use serde::Serialize;

/// The sums that plots show.
#[derive(Serialize)]
pub struct Data {
    units: Units,
    time: Axis,
    ranks: Axis,
    last_rank: u32,
    /// What a row of ranks is: one, and several.
    task: [&'static str; 2],
    /// Names of processes that are such rows; none where they are ranks.
    processes: Vec<String>,
    /// By file, by function, by rank.
    rows: [Rows; 3],
    files: Vec<String>,
    ops: Vec<String>,
    /// Time by class, all ranks together.
    busy: Vec<Vec<u64>>,
    /// Of the files in focus first, then of those that can be picked.
    offsets: Vec<Offsets>,
    /// Transfers by moment and size: cells and their calls in turn.
    sizes: [Vec<u64>; 2],
    /// Calls by moment and latency.
    latencies: [Vec<u64>; stat::TimeCategory::COUNT],
    /// Size bin, latency bin, transfers.
    both: Vec<(usize, usize, u32)>,
    /// Where bins of sizes and latencies begin.
    log: Vec<f64>,
    stragglers: Vec<SlowCall>,
    osts: Osts,
}

/// Units as the command has them.
#[derive(Serialize)]
struct Units {
    bytes: [&'static str; BYTES.len()],
    times: [&'static str; TIMES.len()],
}

#[derive(Serialize)]
struct Axis {
    from: i64,
    width: u64,
    count: usize,
}

#[derive(Serialize)]
struct Offsets {
    of: String,
    axis: Axis,
    read: Vec<u64>,
    written: Vec<u64>,
}

#[derive(Serialize)]
struct SlowCall {
    elapse: u64,
    start: i64,
    /// Whose it was.
    of: String,
    file: String,
    bytes: u64,
}

#[derive(Serialize)]
struct Osts {
    names: Vec<u32>,
    bytes: Vec<u64>,
}

/// Letters of a command in the title.
const TITLE: usize = 60;
/// More processes than this have no names in plots.
const TASKS: u32 = 2000;
/// OSTs of more than this are not shown over time.
const OSTS: usize = 200;

impl From<Bins> for Axis {
    fn from(bins: Bins) -> Axis {
        Axis {
            from: bins.from,
            width: bins.width,
            count: bins.count,
        }
    }
}

impl Data {
    pub fn of(job: &Job, of: (&Survey, &Plan, &Layout), all: SecondPass) -> Data {
        let ((survey, plan, layout), found) = (of, &all.sums);
        let mut places = vec![offsets(job, survey, plan, found)];
        places.extend(picked(job, layout, &all.windows));
        let windows = all.windows;
        let name = |id: &u32| printable(job.files.path(*id));
        let last_rank = survey.ranks.last().copied().unwrap_or(0);
        let process = |task: TaskId| {
            let (pid, program) = (job.tasks.pid(task), job.tasks.program(task));
            format!(
                "{} {}",
                pid.unwrap_or_default(),
                program.unwrap_or_default()
            )
        };
        let op = |id: &u16| printable(&job.ops.get(*id).name);
        Data {
            units: Units {
                bytes: BYTES,
                times: TIMES.map(|(_, name)| name),
            },
            time: plan.time.into(),
            ranks: plan.ranks.into(),
            last_rank,
            task: [job.tasks.kind().word(), job.tasks.kind().plural()],
            processes: match job.tasks.kind() {
                TaskKind::Rank => Vec::new(),
                TaskKind::Process if last_rank < TASKS => (0..=last_rank).map(process).collect(),
                TaskKind::Process => Vec::new(),
            },
            files: layout.files.iter().map(name).collect(),
            ops: layout.ops.iter().map(op).collect(),
            busy: found
                .ranks
                .busy()
                .iter()
                .map(|cells| found.ranks.by_time(cells))
                .collect(),
            offsets: places,
            sizes: all.histograms.sizes(),
            latencies: all.histograms.latencies(),
            both: both(found),
            log: (0..=log::COUNT).map(log::start).collect(),
            stragglers: stragglers(job, found),
            osts: osts(plan, found),
            rows: [windows.files, windows.ops, windows.ranks],
        }
    }
}

fn offsets(job: &Job, survey: &Survey, plan: &Plan, found: &Aggregates) -> Offsets {
    let [read, written] = found.offsets.bytes.clone();
    Offsets {
        of: match plan.focus {
            Focus::File(file) => printable(job.files.path(file)),
            Focus::All => many(survey.files.len() as u64, "file"),
        },
        axis: plan.offsets.into(),
        read,
        written,
    }
}

/// Those of files that can be picked.
fn picked<'a>(
    job: &'a Job,
    layout: &'a Layout,
    windows: &'a Windows,
) -> impl Iterator<Item = Offsets> + 'a {
    let all = layout.picks.iter().zip(&windows.places.cells);
    all.map(|(pick, [read, written])| Offsets {
        of: printable(job.files.path(pick.file)),
        axis: pick.offsets.into(),
        read: read.clone(),
        written: written.clone(),
    })
}

fn both(found: &Aggregates) -> Vec<(usize, usize, u32)> {
    let cells = found
        .sizes
        .both
        .iter()
        .enumerate()
        .filter(|(_, calls)| **calls > 0);
    cells
        .map(|(cell, calls)| (cell / log::COUNT, cell % log::COUNT, *calls))
        .collect()
}

fn stragglers(job: &Job, found: &Aggregates) -> Vec<SlowCall> {
    let row = |call: iota_plot::aggregates::SlowCall| SlowCall {
        elapse: call.elapse,
        start: call.start,
        of: job.tasks.described(call.rank),
        file: printable(job.files.path(call.file)),
        bytes: call.bytes,
    };
    found.sizes.stragglers().into_iter().map(row).collect()
}

fn osts(plan: &Plan, found: &Aggregates) -> Osts {
    let few = plan.osts.len() <= OSTS;
    Osts {
        names: if few { plan.osts.clone() } else { Vec::new() },
        bytes: if few {
            found.osts.bytes.clone()
        } else {
            Vec::new()
        },
    }
}

/// The command of the process with which the job began, if it is known.
pub fn command(job: &Job) -> Option<String> {
    let first = processes::first(job.trace);
    let part = first.and_then(|part| job.trace.parts().get(part as usize));
    let process = part.and_then(|part| part.process())?;
    let of = process.fields();
    let is_known = !(of.argv.is_empty() && of.exe.is_empty());
    is_known.then(|| shortened(&processes::brief(of.argv, of.exe), TITLE))
}

/// The line at the top: of the command, or else of the files that were read.
pub fn title(command: Option<&str>, traces: &[String]) -> String {
    let traces = || shortened(&traces.join(", "), TITLE);
    format!("I/O of {}", command.map_or_else(traces, str::to_owned))
}

/// What the page begins with.
pub fn facts(figures: &stat::Report) -> Vec<(&'static str, String)> {
    let (job, io) = (&figures.job, &figures.io);
    let of_run = share(io.of_run.time, io.of_run.run);
    let most = &figures.balance.time;
    let in_io = match job.task {
        TaskKind::Rank if job.tasks > 1 => {
            let part = share(most.max, job.duration.max(0) as u64);
            format!("{of_run} (most: {part}, {})", most.max_of)
        }
        _ => of_run,
    };
    let mut facts = vec![("run time", nanos(job.duration)), ("of it in I/O", in_io)];
    facts.extend([
        ("read", bytes(io.bytes_read)),
        ("written", bytes(io.bytes_written)),
        (job.task.plural(), count(job.tasks)),
        ("calls", count(io.calls)),
    ]);
    facts
}

/// A part of the time in I/O.
pub struct IoPart {
    /// That of the style sheet: its first word.
    pub class: &'static str,
    pub name: &'static str,
    pub share: String,
    pub percent: f64,
}

/// What the I/O goes into.
pub fn parts(figures: &stat::Report) -> Vec<IoPart> {
    let time = &figures.io.time;
    let part = |(name, of): (&'static str, u64)| IoPart {
        class: name.split(' ').next().unwrap_or_default(),
        name,
        share: share(of, time.total),
        percent: of as f64 * 100.0 / time.total.max(1) as f64,
    };
    time.parts().into_iter().map(part).collect()
}

/// When tasks read and when they wrote: sentences.
pub fn phases(figures: &stat::Report) -> Vec<String> {
    let capital = |line: String| line[..1].to_uppercase() + &line[1..];
    let lines = figures.phase_lines();
    lines.map(|of| capital(of.join("; ")) + ".").collect()
}

/// A sentence on installed software, which is listed last.
pub fn behind(installed: &stat::SomeFiles) -> Option<String> {
    let (files, read) = (many(installed.count, "file"), bytes(installed.bytes_read));
    let time = nanos(installed.time as i64);
    (installed.count > 0)
        .then(|| format!("{files} of installed software ({read}, {time}), listed last."))
}

#[derive(Serialize)]
struct All<'a> {
    data: &'a Data,
    tables: &'a [stat::Table],
}

/// JSON that may stand in a script element: `<` would begin a tag there.
pub fn script(data: &Data, figures: &stat::Report) -> Result<String, serde_json::Error> {
    let tables = &figures.tables;
    let text = serde_json::to_string(&All { data, tables })?;
    Ok(text
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029"))
}
