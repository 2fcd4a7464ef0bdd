//! What one pass over a trace finds, and what its parts say of themselves, as its summary.

use super::facts;
use super::layouts::{Layout, Lustre};
use super::summary::*;
use super::tally::{OfFile, Tally};
use super::unseen::{self, Uncalled};
use crate::local_time::local;
use crate::names::{path, printable};
use crate::waited;
use iota_analysis::processes::{Bounds, Processes};
use iota_analysis::{self as analysis, FileId, Medium, TaskId, is_installed};
use iota_quantity::{gaps, ranges};
use iota_trace::part::Process;
use iota_trace::read::{Part as TracePart, Problem, Trace as Read};
use iota_trace::{block, text};
use std::cmp::Reverse;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What has come together so far
#[derive(Default)]
struct Collected {
    summary: Summary,
    /// Files in the order in which their parts come
    paths: Vec<PathBuf>,
    known_paths: HashSet<PathBuf>,
    versions: BTreeSet<String>,
    jobs: BTreeSet<String>,
    programs: BTreeMap<facts::Program, u64>,
    /// Host, process and program
    were: HashSet<(String, u32, facts::Program)>,
    hosts: BTreeMap<String, u64>,
    ranks: BTreeSet<u64>,
    spawned: BTreeSet<u64>,
    /// The threads of each
    processes: BTreeMap<(String, u32), BTreeSet<u32>>,
    in_trace: u64,
}

/// By layer and name
type Functions = BTreeMap<(u8, Vec<u8>), Totals>;

/// Reads all of it; `top` files are kept, all if 0
pub fn summary(job: &analysis::Job, top: usize) -> Summary {
    summed(job, &Tally::of(job), top)
}

/// What can be said without reading events: nothing of times, functions and files. Where something is damaged, they are
/// read to count what is left.
pub fn outline(job: &analysis::Job) -> Summary {
    let tally = match job.trace.is_damaged() {
        true => Tally::of(job),
        false => Tally::outlined(job),
    };
    summed(job, &tally, 1)
}

fn summed(job: &analysis::Job, tally: &Tally, top: usize) -> Summary {
    let mut collected = Collected::default();
    for part in job.trace.parts() {
        collected.part(job, part, tally.found(part.place()));
    }
    let mut summary = collected.finish(job);
    let functions = named(job, tally, &mut summary.calls);
    summary.layers = layers(&functions);
    summary.functions = in_order(&functions);
    summary.files = files(job, tally, top);
    summary.time.share_of_run = share_of_run(job, tally);
    summary.process_tree = Processes::of(job.trace, tally.own(), Bounds::top(top));
    summary.lustre = layouts(job, tally);
    summary
}

/// As `iota stat` has it, but that threads of a process which overlap count one by one, up to all of its time
fn share_of_run(job: &analysis::Job, tally: &Tally) -> Option<f64> {
    if job.tasks.are_processes() && job.tasks.count() > 1 {
        return None;
    }
    let mut by_task: BTreeMap<TaskId, u64> = BTreeMap::new();
    for (part, time) in tally.outermost() {
        let of_task = by_task.entry(job.process(part).task).or_default();
        *of_task = of_task.saturating_add(time);
    }
    let duration = job.duration.max(0) as u64;
    let in_io: u64 = by_task.values().map(|time| *time.min(&duration)).sum();
    let run = duration.saturating_mul(by_task.len() as u64);
    (run > 0).then(|| in_io as f64 / run as f64)
}

impl Collected {
    fn part(&mut self, job: &analysis::Job, part: &TracePart, found: u64) {
        let block = part.process();
        let process = block.as_ref().map(|block| block.fields());
        if let Some(process) = &process {
            self.process(part, process);
        }
        let ranks = &mut self.summary.job.ranks;
        *ranks = (*ranks).max(part.job_ranks(process.as_ref()));
        let threads = job.threads(part.place());
        self.place(part, process.as_ref(), threads);
        self.calls(part, found);
        self.listed(job.trace, part, (found, threads.len() as u64));
    }

    fn process(&mut self, part: &TracePart, process: &Process) {
        let job = &mut self.summary.job;
        job.only_files = filter(process.files).or(job.only_files.take());
        job.exclude_files = filter(process.exclude).or(job.exclude_files.take());
        if part.is_spawned() {
            self.spawned.insert(part.rank().into());
            let by = &mut job.spawned.get_or_insert_default().by;
            let spawner = (!process.spawner.is_empty()).then(|| printable(process.spawner));
            let rank = part.spawner().map(|rank| format!("rank {rank}"));
            by.extend(rank.or(spawner));
        }
        self.versions.insert(printable(process.version));
        // Without a batch system a process id stands for the job's.
        if !process.job.is_empty() && process.job != part.pid().to_string().as_bytes() {
            self.jobs.insert(printable(process.job));
        }
        self.clock(facts::clock(process, part.end()));
    }

    fn clock(&mut self, clock: Clock) {
        let clocks = &mut self.summary.time.clocks;
        let same = |known: &&mut Clock| {
            known.source == clock.source && (known.step - clock.step).abs() < 0.05
        };
        match clocks.iter_mut().find(same) {
            Some(known) => known.processes += 1,
            None => clocks.push(clock),
        }
    }

    fn place(&mut self, part: &TracePart, process: Option<&Process>, threads: &[u32]) {
        if self.known_paths.insert(part.file().to_owned()) {
            self.paths.push(part.file().to_owned());
        }
        self.ranks.insert(part.rank().into());
        let host = printable(part.host());
        let program = process.map(facts::program).unwrap_or_default();
        // A process may have several parts, and counts once, and once for each program that it was.
        let was = (host.clone(), part.pid(), program.clone());
        if self.were.insert(was) {
            *self.programs.entry(program).or_default() += 1;
        }
        let process = self.processes.entry((host.clone(), part.pid()));
        if let Entry::Vacant(_) = process {
            *self.hosts.entry(host).or_default() += 1;
        }
        process.or_default().extend(threads);
        if let Some(offset) = part.end().and_then(|end| end.offset) {
            let offsets = &mut self.summary.time.offsets;
            *offsets = Some(facts::offset(offsets.take(), &offset));
        }
    }

    fn calls(&mut self, part: &TracePart, found: u64) {
        let calls = &mut self.summary.calls;
        let end = part.end().copied().unwrap_or_default();
        calls.captured += end.captured.max(found);
        calls.filtered += end.filtered;
        calls.lost += end.lost;
        calls.missed += end.missed;
        self.in_trace += found;
    }

    fn listed(&mut self, trace: &Read, part: &TracePart, (calls, threads): (u64, u64)) {
        let end = part.end().copied().unwrap_or_default();
        let ended = part.ended().map(|ended| ended.0);
        let start = trace.start().0;
        self.summary.parts.push(Part {
            rank: part.rank(),
            pid: part.pid(),
            host: printable(part.host()),
            threads,
            calls,
            filtered: end.filtered,
            lost: end.lost,
            tracer_errors: end.errors,
            start: start + part.time(0).0,
            end: ended.map(|ended| start + ended),
            ended: facts::ended(part.end()),
            file: path(part.file()),
        });
    }

    fn finish(mut self, job: &analysis::Job) -> Summary {
        let trace = job.trace;
        let mut summary = std::mem::take(&mut self.summary);
        summary.trace = self.trace(summary.calls.captured);
        summary.time.start = trace.start().0;
        summary.time.start_local = local(trace.start());
        summary.time.duration = job.duration;
        summary.time.waited = waited::of(trace);
        summary.completeness = self.completeness(trace, &summary);
        self.job(&mut summary.job, first(trace));
        summary
    }

    fn trace(&self, captured: u64) -> Trace {
        let size = |path: &Path| fs::metadata(path).map_or(0, |data| data.len());
        let bytes = self.paths.iter().map(|path| size(path)).sum::<u64>();
        Trace {
            paths: self.paths.iter().map(|file| path(file)).collect(),
            bytes,
            bytes_per_call: (captured > 0).then(|| bytes as f64 / captured as f64),
            format: block::VERSION,
            written_by: self.versions.iter().cloned().collect(),
        }
    }

    /// The program with which the job began comes first.
    fn job(self, job: &mut JobSummary, first: Option<facts::Program>) {
        let program = |((path, command, directory), processes)| ProgramSummary {
            path,
            command,
            directory,
            processes,
        };
        let host = |(name, processes)| Host { name, processes };
        job.ids = self.jobs.into_iter().collect();
        if let Some(spawned) = &mut job.spawned {
            spawned.ranks = ranges(self.spawned.iter().copied());
        }
        job.processes = self.processes.len() as u64;
        job.threads = self
            .processes
            .values()
            .map(|threads| threads.len() as u64)
            .sum();
        let mut programs: Vec<_> = self.programs.into_iter().collect();
        programs.sort_by_key(|(program, _)| first.as_ref() != Some(program));
        job.programs = programs.into_iter().map(program).collect();
        job.hosts = self.hosts.into_iter().map(host).collect();
    }

    fn completeness(&self, trace: &Read, summary: &Summary) -> Completeness {
        let missing = gaps(&self.ranks, summary.job.ranks.into());
        let problems: Vec<_> = trace.problems().iter().map(Problem::message).collect();
        let damaged = summary.calls.captured - self.in_trace;
        let lost = summary.calls.lost + summary.calls.missed;
        let waiting = iota_recover::of_trace(trace);
        let mut not_seen = unseen::messages(trace);
        not_seen.extend(
            waiting
                .message()
                .map(|message| format!("{message} ({})", waiting.remedy())),
        );
        let has_failed = summary.parts.iter().any(|part| part.tracer_errors > 0);
        let is_whole = missing.is_empty() && problems.is_empty() && lost + damaged == 0;
        let unknown = unseen::reasons_for_doubt(trace);
        let complete = match (is_whole && !has_failed && not_seen.is_empty(), &unknown[..]) {
            (false, _) => Verdict::No,
            (true, []) => Verdict::Yes,
            (true, _) => Verdict::Unknown,
        };
        Completeness {
            complete,
            missing_ranks: missing,
            damaged_calls: damaged,
            waiting_calls: waiting.calls,
            not_seen,
            uncalled: Uncalled::of(trace),
            unknown,
            problems,
        }
    }
}

/// The program with which the job began.
fn first(trace: &Read) -> Option<facts::Program> {
    let part = analysis::processes::first(trace)?;
    let process = trace.parts().get(part as usize)?.process()?;
    Some(facts::program(&process.fields()))
}

fn filter(globs: &[u8]) -> Option<String> {
    (!globs.is_empty()).then(|| printable(globs))
}

/// Functions of the same layer and name as one; `calls` takes their sums.
fn named(job: &analysis::Job, tally: &Tally, calls: &mut Calls) -> Functions {
    let mut named = Functions::new();
    for (op, totals) in tally.functions() {
        let function = job.ops.get(op);
        let name = match &function.name[..] {
            b"" => b"-",
            name => name,
        };
        let of = named.entry((function.layer, name.to_owned())).or_default();
        of.add(totals);
        calls.failed += totals.failed;
        if function.is_io {
            calls.bytes_read += totals.bytes_read;
            calls.bytes_written += totals.bytes_written;
        }
    }
    named
}

fn layers(functions: &Functions) -> Vec<Layer> {
    let mut layers: BTreeMap<u8, Totals> = BTreeMap::new();
    for ((layer, _), totals) in functions {
        layers.entry(*layer).or_default().add(totals);
    }
    let layer = |(layer, totals)| Layer {
        layer: text::layer(layer).to_owned(),
        totals,
    };
    layers.into_iter().map(layer).collect()
}

/// Those with the most time first
fn in_order(functions: &Functions) -> Vec<Function> {
    let function = |((layer, name), totals): (&(u8, Vec<u8>), &Totals)| Function {
        function: printable(name),
        layer: text::layer(*layer).to_owned(),
        totals: *totals,
    };
    let mut all: Vec<_> = functions.iter().map(function).collect();
    all.sort_by(|a, b| (b.totals.inclusive, &a.function).cmp(&(a.totals.inclusive, &b.function)));
    all
}

/// What all layouts together are; none where no file has one
fn layouts(job: &analysis::Job, tally: &Tally) -> Option<Lustre> {
    let mut all = Lustre::default();
    let used = tally.files().filter_map(|(file, _)| job.files.layout(file));
    used.for_each(|layout| all.add(layout));
    (all.files > 0).then_some(all)
}

/// Those with the most bytes first, then with the most calls; files of installations, if nothing is written to them, behind
/// all others
fn files(job: &analysis::Job, tally: &Tally, top: usize) -> Files {
    let weight = |of: &OfFile| {
        let Totals {
            calls,
            bytes_read,
            bytes_written,
            ..
        } = of.totals;
        (bytes_read.saturating_add(bytes_written), calls)
    };
    let path = |file| job.files.path(file);
    let place = |file: FileId, of: &OfFile| match () {
        () if !of.is_of_program() || Medium::of(path(file)) != Medium::Storage => Place::Elsewhere,
        () if of.totals.bytes_written == 0 && is_installed(path(file)) => Place::Installed,
        () => Place::Program,
    };
    let all = tally.files();
    let mut all: Vec<_> = all.map(|(id, of)| (place(id, of), id, of)).collect();
    all.sort_unstable_by(|a, b| {
        let key = |one: &(Place, FileId, &OfFile)| (one.0, Reverse(weight(one.2)));
        (key(a), path(a.1)).cmp(&(key(b), path(b.1)))
    });
    let count = |of: Place| all.iter().filter(|(place, ..)| *place == of).count() as u64;
    let file = |&(place, file, of): &(Place, FileId, &OfFile)| File {
        place,
        path: printable(path(file)),
        tasks: of.tasks,
        layout: job.files.layout(file).map(Layout::of),
        totals: of.totals,
    };
    let kept = if top == 0 { all.len() } else { top };
    Files {
        count: all.len() as u64,
        installed: count(Place::Installed),
        elsewhere: count(Place::Elsewhere),
        users: job.tasks.kind().plural(),
        top: all.iter().take(kept).map(file).collect(),
    }
}
