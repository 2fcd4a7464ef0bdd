//! `iota diff`: what changed between two runs.

use crate::args::Diff;
use crate::args::filter;
use crate::stat;
use crate::table::{Table, shortened};
use crate::{failure, inputs, names, output};
use anstyle::Style;
use iota_analysis::Job;
use iota_analysis::stat::{By, Facts, Further, Options, Report, Row, Sort};
use iota_analysis::thresholds::Thresholds;
use iota_quantity::{bytes, count, many, time};
use iota_trace::read;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

const BOLD: Style = Style::new().bold();

/// Reads both traces and prints the differences
pub fn run(args: &Diff) -> anyhow::Result<()> {
    let filter = filter(&args.filter)?;
    let (before, mut problems) = report(&args.before, &filter, args)?;
    let (after, more) = report(&args.after, &filter, args)?;
    problems.extend(more);
    let difference = Difference::of(args, &before, &after);
    match args.json {
        true => output::print(&(serde_json::to_string_pretty(&difference)? + "\n"))?,
        false => output::print(&page(&difference, output::width()))?,
    }
    failure::of(&problems)
}

fn report(
    path: &Path,
    filter: &iota_analysis::Filter,
    args: &Diff,
) -> anyhow::Result<(Report, Vec<read::Problem>)> {
    let trace = inputs::opened(&[path.to_owned()], read::Options::default())?;
    let job = Job::of(&trace).counting(filter);
    let (stat, facts): (_, Facts) = stat::read(&job, filter, &Thresholds::default());
    let options = Options {
        by: args.by.clone(),
        top: 0,
        sort: Sort::Name,
        thresholds: Thresholds::default(),
        is_filtered: filter.is_chosen(),
    };
    Ok((
        Report::of(&stat, &facts, Further::default(), &options),
        trace.problems(),
    ))
}

/// Two runs, figure by figure
#[derive(Serialize)]
struct Difference {
    before: String,
    after: String,
    totals: Vec<Figure>,
    tables: Vec<Changes>,
}

/// A figure of both
#[derive(Serialize)]
struct Figure {
    name: &'static str,
    unit: &'static str,
    before: u64,
    after: u64,
}

/// The rows of a table that are not the same
#[derive(Serialize)]
struct Changes {
    by: By,
    count: u64,
    rows: Vec<Change>,
}

/// A row of both; a run that has none has zeros
#[derive(Serialize)]
struct Change {
    name: String,
    before: Option<Sums>,
    after: Option<Sums>,
}

/// What is compared
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize)]
struct Sums {
    calls: u64,
    failed: u64,
    time: u64,
    bytes_read: u64,
    bytes_written: u64,
}

impl Sums {
    fn of(row: &Row) -> Sums {
        Sums {
            calls: row.calls,
            failed: row.failed,
            time: row.time,
            bytes_read: row.bytes_read,
            bytes_written: row.bytes_written,
        }
    }

    fn and(self, other: Sums) -> Sums {
        Sums {
            calls: self.calls + other.calls,
            failed: self.failed + other.failed,
            time: self.time + other.time,
            bytes_read: self.bytes_read + other.bytes_read,
            bytes_written: self.bytes_written + other.bytes_written,
        }
    }

    fn moved(self) -> u64 {
        self.bytes_read + self.bytes_written
    }
}

impl Difference {
    fn of(args: &Diff, before: &Report, after: &Report) -> Difference {
        let figure = |name, unit, of: &dyn Fn(&Report) -> u64| Figure {
            name,
            unit,
            before: of(before),
            after: of(after),
        };
        let totals = vec![
            figure("run time", "ns", &|report| {
                report.job.duration.max(0) as u64
            }),
            figure("ranks", "", &|report| report.job.ranks_seen),
            figure("calls", "", &|report| report.io.calls),
            figure("failed calls", "", &|report| report.io.failed),
            figure("bytes read", "B", &|report| report.io.bytes_read),
            figure("bytes written", "B", &|report| report.io.bytes_written),
            figure("I/O time of all ranks", "ns", &|report| {
                report.io.time.total
            }),
            figure("in libraries", "ns", &|report| report.io.time.library),
            figure("reading", "ns", &|report| report.io.time.below.read),
            figure("writing", "ns", &|report| report.io.time.below.write),
            figure("syncing", "ns", &|report| report.io.time.below.sync),
            figure("metadata", "ns", &|report| report.io.time.below.meta),
            figure("I/O time of the busiest rank", "ns", &|report| {
                report.balance.time.max
            }),
        ];
        let both = before.tables.iter().zip(&after.tables);
        Difference {
            before: names::path(&args.before),
            after: names::path(&args.after),
            totals,
            tables: both
                .map(|(before, after)| changes(before.by, &before.rows, &after.rows, args.top))
                .collect(),
        }
    }
}

fn changes(by: By, before: &[Row], after: &[Row], top: usize) -> Changes {
    let mut rows: BTreeMap<String, (Option<Sums>, Option<Sums>)> = BTreeMap::new();
    for row in before {
        add(&mut rows.entry(key(by, row)).or_default().0, row);
    }
    for row in after {
        add(&mut rows.entry(key(by, row)).or_default().1, row);
    }
    // A row without calls is as none.
    let changed = rows
        .into_iter()
        .filter(|(_, (before, after))| before.unwrap_or_default() != after.unwrap_or_default());
    let mut rows: Vec<Change> = changed
        .map(|(name, (before, after))| Change {
            name,
            before,
            after,
        })
        .collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.weight()));
    let count = rows.len() as u64;
    if top > 0 {
        rows.truncate(top);
    }
    Changes { by, count, rows }
}

/// Rows with the same key count together: a rank may have several processes, each with a thread 0.
fn add(sums: &mut Option<Sums>, row: &Row) {
    *sums = Some(sums.unwrap_or_default().and(Sums::of(row)));
}

/// Numbers of threads mean something in their process alone. Ids of processes change from run to run, their programs do not.
fn key(by: By, row: &Row) -> String {
    match (by, row.rank, &row.program) {
        (By::Thread, Some(rank), _) => format!("{rank}: {}", row.name),
        (By::Rank, _, Some(program)) => program.clone(),
        (By::Object, ..) => {
            let file = row.file.as_deref().unwrap_or_default();
            format!("{} {} {file}", row.name, row.layer.unwrap_or_default())
        }
        _ => row.name.clone(),
    }
}

impl Change {
    fn both(&self) -> (Sums, Sums) {
        (
            self.before.unwrap_or_default(),
            self.after.unwrap_or_default(),
        )
    }

    fn weight(&self) -> (u64, u64, u64) {
        let (a, b) = self.both();
        (
            a.time.abs_diff(b.time),
            a.moved().abs_diff(b.moved()),
            a.calls.abs_diff(b.calls),
        )
    }
}

fn page(difference: &Difference, width: Option<usize>) -> String {
    let title = format!("{} -> {}", difference.before, difference.after);
    let mut out = format!("{BOLD}{}{BOLD:#}\n", shortened(&title, width));
    let mut table = Table::new(&["", "before", "after", "change", ""]);
    for figure in difference
        .totals
        .iter()
        .filter(|figure| figure.before > 0 || figure.after > 0)
    {
        let text = |value| match figure.unit {
            "ns" => time(value),
            "B" => bytes(value),
            _ => count(value),
        };
        let (before, after) = (figure.before, figure.after);
        table.row([
            figure.name.to_owned(),
            text(before),
            text(after),
            changed(before, after, text),
            ratio(before, after),
        ]);
    }
    table.print(&mut out, width);
    for changes in &difference.tables {
        rows(&mut out, changes, width);
    }
    out
}

fn rows(out: &mut String, changes: &Changes, width: Option<usize>) {
    if changes.rows.is_empty() {
        *out += &format!("\nno {} differs\n", changes.by.name());
        return;
    }
    out.push('\n');
    let mut table = Table::new(&[
        "time",
        "before",
        "after",
        "calls",
        "moved",
        changes.by.name(),
    ]);
    for row in &changes.rows {
        let (a, b) = row.both();
        let only = match (row.before, row.after) {
            (Some(_), None) => " (only before)",
            (None, Some(_)) => " (only after)",
            _ => "",
        };
        table.row([
            changed(a.time, b.time, time),
            time(a.time),
            time(b.time),
            changed(a.calls, b.calls, count),
            changed(a.moved(), b.moved(), bytes),
            format!("{}{only}", row.name),
        ]);
    }
    table.print(out, width);
    let more = changes.count - changes.rows.len() as u64;
    if more > 0 {
        *out += &format!("and {} (--top 0 shows all)\n", many(more, "more row"));
    }
}

/// By how much, with a sign
fn changed(before: u64, after: u64, text: impl Fn(u64) -> String) -> String {
    match after.abs_diff(before) {
        0 => "=".to_owned(),
        more if after > before => format!("+{}", text(more)),
        less => format!("-{}", text(less)),
    }
}

fn ratio(before: u64, after: u64) -> String {
    match before {
        _ if before == after => String::new(),
        0 => String::new(),
        _ => format!("x {:.2}", after as f64 / before as f64),
    }
}
