//! `iota jobs`: many jobs as a table.

use crate::args::{self, JobsBy, JobsSort};
use crate::local_time::local;
use crate::progress::Bar;
use crate::table::Table;
use crate::text_page::TextPage;
use crate::{failure, names, output, runs, stat};
use anyhow::{Context, bail};
use iota_jobs::{Entry, FileStamp, GroupBy, GroupRow, Index, JobFiles, JobRow, find, groups};
use iota_output::{Draft, Inputs};
use iota_quantity::{bytes, count, time};
use iota_trace::read::{Options, Problem, Trace};
use iota_trace::{Nanos, glob};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The newest version of the keys of `--json`
const VERSION: u32 = 1;

/// Lists them
pub fn run(args: &args::Jobs) -> anyhow::Result<()> {
    let (found, mut problems) = find(&args.paths);
    let mut index = args
        .index
        .as_deref()
        .map_or_else(|| Ok(Index::default()), open)?;
    let (progress, mut jobs, mut is_new) = (Bar::of_traces(found.len() as u64), Vec::new(), false);
    for files in &found {
        let (name, stamps) = (names::path(&files.name), files.stamps());
        let entry = match index.get(&name, &stamps) {
            Some(known) => known.clone(),
            None => {
                let entry = read(files, stamps);
                index.add(name, entry.clone());
                is_new = true;
                entry
            }
        };
        jobs.extend(entry.jobs);
        problems.extend(entry.problems);
        progress.add(1);
    }
    progress.done();
    if let Some(path) = args.index.as_deref().filter(|_| is_new) {
        let absolute = |dir: &PathBuf| std::path::absolute(dir).unwrap_or_else(|_| dir.clone());
        let looked_at: Vec<PathBuf> = args.paths.iter().map(absolute).collect();
        index.keep(&found, |name| {
            looked_at.iter().any(|dir| Path::new(name).starts_with(dir))
        });
        write(&index, path)?;
    }
    if jobs.is_empty() && problems.is_empty() {
        bail!(
            "{}: no trace (NAME.iota) is there",
            names::path(&args.paths[0])
        );
    }
    jobs.retain(|job| is_wanted(job, args));
    sort(&mut jobs, args.sort);
    say(args, &jobs, &problems)?;
    failure::of_messages(&problems, "--json")
}

/// What an index knows; one that is not there yet knows nothing
fn open(path: &Path) -> anyhow::Result<Index> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Index::default()),
        Err(error) if error.kind() == ErrorKind::InvalidData => None,
        Err(error) => return Err(error).with_context(|| names::path(path)),
    };
    text.and_then(|text| Index::of(&text)).with_context(|| {
        format!(
            "{}: is no index of iota jobs; give another name",
            names::path(path)
        )
    })
}

/// It appears when it is whole; of two that write it, one stays
fn write(index: &Index, path: &Path) -> anyhow::Result<()> {
    let draft = Draft::beside(path, &Inputs::of([]))?;
    let mut to = BufWriter::new(&draft.file);
    let written = index.write(&mut to).and_then(|()| to.flush());
    written.with_context(|| names::path(path))?;
    drop(to);
    draft.publish(path, true)
}

/// The jobs that some files are of: usually one
fn read(files: &JobFiles, stamps: Vec<FileStamp>) -> Entry {
    let mut entry = Entry {
        files: stamps,
        jobs: Vec::new(),
        problems: Vec::new(),
    };
    let trace = match Trace::open(&files.files, Options::default()) {
        Ok(trace) => trace,
        Err(error) => {
            entry.problems.push(error.to_string());
            return entry;
        }
    };
    let runs = runs::apart(&files.files, &trace);
    if let [_] = runs[..] {
        add(&mut entry, names::path(&files.name), &trace);
        return entry;
    }
    for run in runs {
        let name = run
            .first()
            .map_or_else(String::new, |first| names::path(first));
        match Trace::open(&run, Options::default()) {
            Ok(trace) => add(&mut entry, name, &trace),
            Err(error) => entry.problems.push(error.to_string()),
        }
    }
    entry
}

fn add(entry: &mut Entry, name: String, trace: &Trace) {
    let report = stat::report(trace);
    entry
        .jobs
        .push(JobRow::of(name, &entry.files, trace, &report));
    entry
        .problems
        .extend(trace.problems().iter().map(Problem::message));
}

fn is_wanted(job: &JobRow, args: &args::Jobs) -> bool {
    let is_program = |pattern: &String| glob::matches(pattern.as_bytes(), job.program.as_bytes());
    args.user.as_ref().is_none_or(|user| *user == job.user)
        && args.program.as_ref().is_none_or(is_program)
}

fn sort(jobs: &mut [JobRow], by: JobsSort) {
    let moved = |job: &JobRow| job.bytes_read.saturating_add(job.bytes_written);
    jobs.sort_by(|a, b| {
        let order = match by {
            JobsSort::Start => b.start.cmp(&a.start),
            JobsSort::Duration => b.duration.cmp(&a.duration),
            JobsSort::Io => b.share_of_run.total_cmp(&a.share_of_run),
            JobsSort::Bytes => moved(b).cmp(&moved(a)),
            JobsSort::Cost => b.finding_cost.cmp(&a.finding_cost),
        };
        order.then_with(|| a.trace.cmp(&b.trace))
    });
}

/// The object of `--json`
#[derive(serde::Serialize)]
struct JobsJson<'a> {
    version: u32,
    jobs: &'a [JobRow],
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<&'a [GroupRow]>,
    problems: &'a [String],
}

fn say(args: &args::Jobs, jobs: &[JobRow], problems: &[String]) -> anyhow::Result<()> {
    let by = match args.by {
        JobsBy::Job => None,
        JobsBy::Program => Some(("program", GroupBy::Program)),
        JobsBy::User => Some(("user", GroupBy::User)),
    };
    let groups = by.map(|(what, by)| (what, groups(jobs, by)));
    if args.json {
        let text = serde_json::to_string_pretty(&JobsJson {
            version: VERSION,
            jobs,
            groups: groups.as_ref().map(|(_, rows)| &rows[..]),
            problems,
        })?;
        return output::print(&(text + "\n"));
    }
    let mut page = TextPage::new(output::width());
    let (table, all) = match &groups {
        None => (table_of_jobs(top(jobs, args.top)), jobs.len()),
        Some((what, rows)) => (table_of_groups(what, top(rows, args.top)), rows.len()),
    };
    table.print(&mut page.out, page.width);
    page.more((all - top_count(all, args.top)) as u64);
    output::print(&page.out)
}

fn top<T>(rows: &[T], top: usize) -> &[T] {
    &rows[..top_count(rows.len(), top)]
}

fn top_count(all: usize, top: usize) -> usize {
    if top == 0 { all } else { all.min(top) }
}

fn table_of_jobs(jobs: &[JobRow]) -> Table {
    let mut table = Table::new(&[
        "began", "user", "program", "ranks", "nodes", "run", "I/O", "read", "written", "rate/s",
        "files", "metadata", "small", "costs", "finding", "trace",
    ]);
    for job in jobs {
        let began = local(Nanos(job.start)).unwrap_or_default();
        table.row([
            began.get(..16).unwrap_or(&began).to_owned(),
            job.user.clone(),
            job.program.clone(),
            count(job.ranks.into()),
            count(job.nodes),
            time(job.duration),
            percent(job.share_of_run),
            bytes(job.bytes_read),
            bytes(job.bytes_written),
            bytes(job.bandwidth),
            count(job.files),
            percent(job.metadata_share),
            percent(job.small_share),
            some(job.finding_cost, time),
            word(&job.finding),
            job.trace.clone(),
        ]);
    }
    table
}

fn table_of_groups(what: &str, rows: &[GroupRow]) -> Table {
    let mut table = Table::new(&[
        what,
        "jobs",
        "time in I/O",
        "I/O",
        "read",
        "written",
        "slower",
        "costs",
        "finding",
    ]);
    for row in rows {
        table.row([
            row.name.clone(),
            count(row.jobs),
            time(row.io_time),
            percent(row.share_of_run),
            bytes(row.bytes_read),
            bytes(row.bytes_written),
            row.slower
                .map_or_else(|| "-".to_owned(), |slower| format!("{slower:.2}")),
            some(row.finding_cost, time),
            word(&row.finding),
        ]);
    }
    table
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn some(figure: u64, show: fn(u64) -> String) -> String {
    if figure == 0 {
        "-".to_owned()
    } else {
        show(figure)
    }
}

fn word(text: &str) -> String {
    if text.is_empty() { "-" } else { text }.to_owned()
}
