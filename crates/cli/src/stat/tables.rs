//! Tables of the report as text.

use super::show::Page;
use super::{objects, sites};
use crate::table::Table;
use anstyle::Style;
use iota_analysis::stat::{self, By, Report, Row};
use iota_quantity::{bytes, count, many, share, time};

const BOLD: Style = Style::new().bold();

impl Page {
    pub(super) fn table(&mut self, table: &stat::Table, report: &Report) {
        if table.rows.is_empty() {
            return;
        }
        self.0.out.push('\n');
        match table.by {
            By::Op | By::Layer => self.ops(table),
            By::Ost => self.osts(table),
            By::Object => objects::table(table).print(&mut self.0.out, self.0.width),
            By::Site => sites::table(table).print(&mut self.0.out, self.0.width),
            _ => self.tallies(table, report),
        }
        self.0.more(table.count - table.rows.len() as u64);
    }

    fn ops(&mut self, table: &stat::Table) {
        let mut out = Table::new(&[
            table.by.name(),
            "calls",
            "inclusive",
            "p50",
            "p99",
            "max",
            "read",
            "written",
            "",
        ]);
        for row in &table.rows {
            let latency = row.latency.unwrap_or_default();
            out.row([
                row.name.clone(),
                count(row.calls),
                time(row.inclusive.unwrap_or(row.time)),
                time(latency.p50),
                time(latency.p99),
                time(latency.max),
                bytes(row.bytes_read),
                bytes(row.bytes_written),
                failed(row),
            ]);
        }
        out.print(&mut self.0.out, self.0.width);
    }

    fn osts(&mut self, table: &stat::Table) {
        self.0.out +=
            &format!("{BOLD}by OST{BOLD:#}, estimated from offsets and layouts (docs/LUSTRE.md)\n");
        let mut out = Table::new(&["", "transfers", "time", "read", "written", ""]);
        for row in &table.rows {
            out.row([
                row.name.clone(),
                count(row.calls),
                time(row.time),
                bytes(row.bytes_read),
                bytes(row.bytes_written),
                String::new(),
            ]);
        }
        out.print(&mut self.0.out, self.0.width);
    }

    /// Names that may be long come last.
    fn tallies(&mut self, table: &stat::Table, report: &Report) {
        let duration = report.job.duration.max(0) as u64;
        let (first, last) = match table.by {
            By::Rank => (report.job.task.word(), "I/O of run"),
            By::Thread => ("rank", "thread"),
            By::Pid => ("rank", "process"),
            By::Host => ("processes", "host"),
            By::Dir => ("files", "dir"),
            _ => (report.job.task.plural(), "file"),
        };
        // Calls of streams are not what the file system sees.
        let are_gathered = table.rows.iter().any(|row| row.reaching_kernel.is_some());
        let reaching = ["to kernel"].into_iter().filter(|_| are_gathered);
        let heads = [first, "calls"].into_iter().chain(reaching);
        let heads = heads.chain(["time", "meta", "read", "written", last]);
        let mut out = Table::new(&heads.collect::<Vec<_>>());
        for row in &table.rows {
            let (first, last) = match table.by {
                By::Rank => {
                    let part = share(row.busy.unwrap_or(0).min(duration), duration);
                    let program = row.program.as_ref();
                    let program = program.map_or(String::new(), |name| format!(" {name}"));
                    (row.name.clone(), format!("{part}{program}"))
                }
                By::Thread => {
                    let (rank, pid) = (row.rank.unwrap_or(0), row.pid.unwrap_or(0));
                    (rank.to_string(), format!("{} of process {pid}", row.name))
                }
                By::Pid => {
                    let host = row.host.as_deref().unwrap_or("-");
                    let process = format!("{} on {host}", row.name);
                    (row.rank.unwrap_or(0).to_string(), process)
                }
                By::Host => (count(row.processes.unwrap_or(0)), row.name.clone()),
                By::Dir => (count(row.files.unwrap_or(0)), row.name.clone()),
                _ => (count(row.tasks.unwrap_or(0)), family(row)),
            };
            let reaching = row.reaching_kernel.map_or("all".to_owned(), count);
            let cells = [first, count(row.calls)].into_iter();
            let cells = cells.chain(Some(reaching).filter(|_| are_gathered));
            out.row(cells.chain([
                time(row.time),
                time(row.times.unwrap_or_default().meta),
                bytes(row.bytes_read),
                bytes(row.bytes_written),
                last,
            ]));
        }
        out.print(&mut self.0.out, self.0.width);
    }
}

/// A file, or how many the files of a family are, and which is the worst
fn family(row: &Row) -> String {
    match &row.members {
        None => row.name.clone(),
        Some(of) => format!(
            "{} ({}: median {}, max {} in {})",
            row.name,
            many(of.files, "file"),
            time(of.median),
            time(of.max),
            of.worst.rsplit('/').next().unwrap_or_default(),
        ),
    }
}

fn failed(row: &Row) -> String {
    match row.failed {
        0 => String::new(),
        failed => format!("{} failed", count(failed)),
    }
}
