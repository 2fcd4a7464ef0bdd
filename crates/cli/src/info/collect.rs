//! One pass over a trace, as many parts at a time as there are cores, to its summary.

use super::facts;
use super::layouts::{Layout, Lustre};
use super::summary::*;
use super::tally::{self, Tally, is_io};
use super::unseen;
use crate::hosts::{gaps, ranges};
use crate::local_time::local;
use crate::names::{path, printable};
use crate::{failure, recover, waited};
use iota_trace::lustre;
use iota_trace::part::Process;
use iota_trace::read::{Part as TracePart, Trace as Read};
use iota_trace::{block, text};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

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
    layers: BTreeMap<u8, Totals>,
    functions: HashMap<(u8, Vec<u8>), Totals>,
    /// In boxes, because a map has room for up to twice as many
    files: HashMap<Vec<u8>, Box<OfFile>>,
    last: i64,
    in_trace: u64,
}

/// A file's calls so far; parts come by rank.
#[derive(Default)]
struct OfFile {
    totals: Totals,
    ranks: u64,
    last_rank: Option<u32>,
    layout: Option<Vec<u8>>,
}

/// Reads all of it; `top` files are kept, all if 0
pub fn summary(trace: &Read, top: usize) -> Summary {
    collected(trace, Tally::of).finish(trace, top)
}

/// What can be said without reading events: nothing of times, functions and files
pub fn outline(trace: &Read) -> Summary {
    collected(trace, Tally::counted).finish(trace, 1)
}

fn collected(trace: &Read, tally: fn(&TracePart) -> Tally) -> Collected {
    let mut collected = Collected::default();
    let cores = available_parallelism().map_or(1, NonZero::get);
    for some in trace.parts().chunks(cores) {
        for (part, tally) in some.iter().zip(tally::each(some, tally)) {
            collected.part(trace, part, &tally);
        }
    }
    collected
}

impl Collected {
    fn part(&mut self, trace: &Read, part: &TracePart, tally: &Tally) {
        let block = part.process();
        let process = block.as_ref().map(|block| block.fields());
        if let Some(process) = &process {
            self.process(part, process);
        }
        self.place(part, tally);
        self.calls(part, tally);
        self.functions(tally);
        self.files(part.rank(), tally);
        self.listed(trace, part, tally);
    }

    fn process(&mut self, part: &TracePart, process: &Process) {
        let job = &mut self.summary.job;
        job.ranks = job.ranks.max(process.size);
        job.only_files = filter(process.files).or(job.only_files.take());
        job.exclude_files = filter(process.exclude).or(job.exclude_files.take());
        if part.is_spawned() {
            self.spawned.insert(part.rank().into());
            let by = &mut job.spawned.get_or_insert_default().by;
            by.extend((!process.spawner.is_empty()).then(|| printable(process.spawner)));
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

    fn place(&mut self, part: &TracePart, tally: &Tally) {
        if self.known_paths.insert(part.file().to_owned()) {
            self.paths.push(part.file().to_owned());
        }
        self.ranks.insert(part.rank().into());
        // A process that had not heard of its job's size yet may have heard of its rank.
        let ranks = &mut self.summary.job.ranks;
        *ranks = (*ranks).max(part.rank().saturating_add(1));
        let host = printable(part.host());
        let program = part.process().map(|block| facts::program(&block.fields()));
        let program = program.unwrap_or_default();
        // A process may have several parts, and counts once, and once for each program that it was.
        let was = (host.clone(), part.pid(), program.clone());
        if self.were.insert(was) {
            *self.programs.entry(program).or_default() += 1;
        }
        let process = self.processes.entry((host.clone(), part.pid()));
        if let Entry::Vacant(_) = process {
            *self.hosts.entry(host).or_default() += 1;
        }
        process.or_default().extend(tally.threads());
        if let Some(offset) = part.end().and_then(|end| end.offset) {
            let offsets = &mut self.summary.time.offsets;
            *offsets = Some(facts::offset(offsets.take(), &offset));
        }
    }

    fn calls(&mut self, part: &TracePart, tally: &Tally) {
        let calls = &mut self.summary.calls;
        let found = tally.found;
        let end = part.end().copied().unwrap_or_default();
        calls.captured += end.captured.max(found);
        calls.filtered += end.filtered;
        calls.lost += end.lost;
        calls.missed += end.missed;
        self.in_trace += found;
    }

    fn functions(&mut self, tally: &Tally) {
        let calls = &mut self.summary.calls;
        for (id, totals) in tally.functions() {
            let op = tally.names.op(id);
            let (layer, name) = op.map_or((u8::MAX, b"-".as_slice()), |op| (op.layer, op.name));
            self.layers.entry(layer).or_default().add(totals);
            self.functions
                .entry((layer, name.to_owned()))
                .or_default()
                .add(totals);
            calls.failed += totals.failed;
            if is_io(Some(layer)) {
                calls.bytes_read += totals.bytes_read;
                calls.bytes_written += totals.bytes_written;
            }
        }
    }

    fn files(&mut self, rank: u32, tally: &Tally) {
        for (id, totals) in tally.files() {
            let Some(path) = tally.names.file(id) else {
                continue;
            };
            if !self.files.contains_key(path) {
                self.files.insert(path.to_owned(), Box::default());
            }
            if let Some(file) = self.files.get_mut(path) {
                file.totals.add(totals);
                file.ranks += u64::from(file.last_rank != Some(rank));
                file.last_rank = Some(rank);
                if let Some(lustre::Layout(layout)) = tally.names.layout(id) {
                    file.layout = Some(layout.to_owned());
                }
            }
        }
    }

    fn listed(&mut self, trace: &Read, part: &TracePart, tally: &Tally) {
        let end = part.end().copied().unwrap_or_default();
        let ended = part.ended().map(|ended| ended.0);
        let last = tally.span.map(|(_, last)| last);
        self.last = self.last.max(ended.max(last).unwrap_or_default());
        let start = trace.start().0;
        self.summary.parts.push(Part {
            rank: part.rank(),
            pid: part.pid(),
            host: printable(part.host()),
            threads: tally.threads().len() as u64,
            calls: tally.found,
            filtered: end.filtered,
            lost: end.lost,
            tracer_errors: end.errors,
            start: start + part.time(0).0,
            end: ended.map(|ended| start + ended),
            ended: facts::ended(part.end()),
            file: path(part.file()),
        });
    }

    fn finish(mut self, trace: &Read, top: usize) -> Summary {
        let mut summary = std::mem::take(&mut self.summary);
        summary.trace = self.trace(summary.calls.captured);
        summary.time.start = trace.start().0;
        summary.time.start_local = local(trace.start());
        summary.time.duration = self.last;
        summary.time.waited = waited::of(trace);
        summary.completeness = self.completeness(trace, &summary);
        summary.layers = layers(&self.layers);
        summary.functions = functions(&self.functions);
        summary.files = files(&self.files, top);
        summary.lustre = layouts(&self.files);
        self.job(&mut summary.job);
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

    fn job(self, job: &mut Job) {
        let program = |((path, command, directory), processes)| Program {
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
        job.programs = self.programs.into_iter().map(program).collect();
        job.hosts = self.hosts.into_iter().map(host).collect();
    }

    fn completeness(&self, trace: &Read, summary: &Summary) -> Completeness {
        let missing = gaps(&self.ranks, summary.job.ranks.into());
        let problems: Vec<_> = trace.problems().iter().map(failure::told).collect();
        let damaged = summary.calls.captured - self.in_trace;
        let lost = summary.calls.lost + summary.calls.missed;
        let waiting = recover::of_trace(trace);
        let mut not_seen = unseen::told(trace);
        not_seen.extend(
            waiting
                .told()
                .map(|told| format!("{told} ({})", waiting.remedy())),
        );
        let has_failed = summary.parts.iter().any(|part| part.tracer_errors > 0);
        let is_whole = missing.is_empty() && problems.is_empty() && lost + damaged == 0;
        Completeness {
            complete: is_whole && !has_failed && not_seen.is_empty(),
            missing_ranks: missing,
            damaged_calls: damaged,
            waiting_calls: waiting.calls,
            not_seen,
            problems,
        }
    }
}

fn filter(globs: &[u8]) -> Option<String> {
    (!globs.is_empty()).then(|| printable(globs))
}

fn layers(layers: &BTreeMap<u8, Totals>) -> Vec<Layer> {
    let layer = |(layer, totals): (&u8, &Totals)| Layer {
        layer: text::layer(*layer).to_owned(),
        totals: *totals,
    };
    layers.iter().map(layer).collect()
}

/// Those with the most time first
fn functions(functions: &HashMap<(u8, Vec<u8>), Totals>) -> Vec<Function> {
    let function = |((layer, name), totals): (&(u8, Vec<u8>), &Totals)| Function {
        function: printable(name),
        layer: text::layer(*layer).to_owned(),
        totals: *totals,
    };
    let mut all: Vec<_> = functions.iter().map(function).collect();
    all.sort_by(|a, b| (b.totals.time, &a.function).cmp(&(a.totals.time, &b.function)));
    all
}

/// What all layouts together are; none where no file has one
fn layouts(files: &HashMap<Vec<u8>, Box<OfFile>>) -> Option<Lustre> {
    let mut all = Lustre::default();
    for blob in files.values().filter_map(|file| file.layout.as_deref()) {
        all.add(lustre::Layout(blob));
    }
    (all.files > 0).then_some(all)
}

/// Those with the most bytes first, then with the most calls
fn files(files: &HashMap<Vec<u8>, Box<OfFile>>, top: usize) -> Files {
    let weight = |totals: &Totals| {
        (
            totals.bytes_read.saturating_add(totals.bytes_written),
            totals.calls,
        )
    };
    let mut all: Vec<(&[u8], &OfFile)> = files
        .iter()
        .map(|(path, file)| (&**path, &**file))
        .collect();
    all.sort_by(|a, b| (weight(&b.1.totals), a.0).cmp(&(weight(&a.1.totals), b.0)));
    let file = |&(path, file): &(&[u8], &OfFile)| File {
        path: printable(path),
        ranks: file.ranks,
        layout: file
            .layout
            .as_deref()
            .map(|blob| Layout::of(lustre::Layout(blob))),
        totals: file.totals,
    };
    let kept = if top == 0 { all.len() } else { top };
    Files {
        count: all.len() as u64,
        top: all.iter().take(kept).map(file).collect(),
    }
}
