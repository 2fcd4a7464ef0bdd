//! The report as text: what it comes to, findings, tables.

use super::objects;
use super::words::{rate, spread, times};
use crate::table::Table;
use crate::text_page::TextPage;
use anstyle::Style;
use iota_analysis::stat::{By, Finding, NonStorage, Report, Row, SomeFiles, TransferFigures};
use iota_analysis::{Filter, Medium};
use iota_quantity::{bytes, count, many, nanos, share, time};

const BOLD: Style = Style::new().bold();

/// What is known of calls of MPI-IO, and of what they caused
pub struct Tree<'a> {
    /// How many there are
    pub calls: u64,
    /// None: nobody looked
    pub findings: Option<&'a [Finding]>,
}

/// All of it, lines not longer than `width`
pub fn page(
    report: &Report,
    tree: &Tree,
    traces: &[String],
    filter: &[String],
    width: Option<usize>,
) -> String {
    let mut page = Page(TextPage::new(width));
    page.0.title(traces, filter);
    let asks = Filter::all(filter).is_ok_and(|filter| filter.asks_for_startup());
    page.facts(report, asks);
    page.elsewhere(report);
    page.shares(tree);
    if report.io.calls > 0 {
        page.0.findings(&report.findings, report.job.ranks_seen);
        page.tree(tree, report.job.ranks_seen);
    }
    report
        .tables
        .iter()
        .for_each(|table| page.table(table, report));
    page.0.out
}

struct Page(TextPage);

impl Page {
    /// Findings on MPI-IO
    fn tree(&mut self, tree: &Tree, ranks: u64) {
        let found = tree.findings.unwrap_or_default();
        if !found.is_empty() {
            let title = "findings on layers above POSIX (iota layers has more)";
            self.0.titled(title, found, ranks);
        }
    }

    /// Where these are, if they are not here
    fn shares(&mut self, tree: &Tree) {
        if tree.calls > 0 && tree.findings.is_none() {
            let calls = many(tree.calls, "call");
            let text = format!("{calls}; for their findings run `iota layers` (shares have none)");
            self.0.fact("MPI-IO", &text);
        }
    }

    fn facts(&mut self, report: &Report, asks_for_startup: bool) {
        let (job, io) = (&report.job, &report.io);
        let ranks = match job.ranks_seen == u64::from(job.ranks) {
            true => many(job.ranks_seen, "rank"),
            false => format!(
                "{} of {}",
                count(job.ranks_seen),
                many(job.ranks.into(), "rank")
            ),
        };
        let (processes, threads) = (many(job.processes, "process"), many(job.threads, "thread"));
        self.0.fact(
            "job",
            &format!(
                "{}; {ranks}, {processes}, {threads} with calls",
                nanos(job.duration)
            ),
        );
        let failed = if io.failed > 0 {
            format!(", {} failed", count(io.failed))
        } else {
            String::new()
        };
        // The trace of a serial program has none of these.
        let startup = if job.ranks > 1 && !asks_for_startup {
            "; without those that MPI made for itself in MPI_Init and MPI_Finalize (--where startup)"
        } else {
            ""
        };
        self.0
            .fact("calls", &format!("{}{failed}{startup}", count(io.calls)));
        self.0.fact(
            "moved",
            &format!(
                "{} read, {} written",
                bytes(io.bytes_read),
                bytes(io.bytes_written)
            ),
        );
        if io.time.total == 0 {
            return;
        }
        self.0.fact("I/O time", &times(&io.time));
        let busy = io.busy.min(job.duration.max(0) as u64);
        // Bytes that nobody waited for took none of that time.
        let asynchronous = report.read.asynchronous + report.write.asynchronous;
        let unwaited = if io.time.wait == 0 { asynchronous } else { 0 };
        let moved = (io.bytes_read + io.bytes_written).saturating_sub(unwaited);
        self.0.fact(
            "",
            &format!(
                "at least one rank in I/O for {} of the job: {}{}",
                share(busy, job.duration.max(0) as u64),
                time(busy),
                rate(moved, io.busy, "in that time"),
            ),
        );
        if job.ranks_seen > 1 {
            self.0.fact(
                "per rank",
                &spread(&report.balance.time, job.duration, time),
            );
            self.0.fact("", &spread(&report.balance.bytes, 0, bytes));
        }
        self.transfers("reads", &report.read);
        self.transfers("writes", &report.write);
        self.files(report);
    }

    /// What everything else leaves out.
    fn elsewhere(&mut self, report: &Report) {
        let NonStorage { pipes, system } = &report.elsewhere;
        let all = [
            (pipes, "pipes, sockets and terminals", Medium::Pipes),
            (system, "devices and files of the kernel", Medium::System),
        ];
        let mut label = "left out";
        for (sums, what, medium) in all.into_iter().filter(|(sums, ..)| sums.calls > 0) {
            let phrase = format!(
                "{} on {what}: {}, {} (--where on={})",
                many(sums.calls, "call"),
                time(sums.time),
                bytes(sums.bytes()),
                medium.name(),
            );
            self.0.fact(label, &phrase);
            label = "";
        }
    }

    fn transfers(&mut self, label: &str, of: &TransferFigures) {
        if of.transfers == 0 {
            return;
        }
        let (size, latency, steps) = (&of.size, &of.latency, &of.steps);
        let rate = rate(
            of.bytes.saturating_sub(of.asynchronous),
            of.time,
            "by the sum of their times",
        );
        let unwaited = match of.asynchronous {
            0 => String::new(),
            some => format!(" ({} asynchronously)", bytes(some)),
        };
        let (all, moved) = (count(of.transfers), bytes(of.bytes));
        self.0
            .fact(label, &format!("{all} of {moved}{unwaited}{rate}"));
        let sizes = [size.p50, size.p95, size.p99, size.max]
            .map(bytes)
            .join(", ");
        self.0
            .fact("", &format!("size p50, p95, p99, max: {sizes}"));
        let latencies = [latency.p50, latency.p95, latency.p99, latency.max]
            .map(time)
            .join(", ");
        self.0
            .fact("", &format!("time p50, p95, p99, max: {latencies}"));
        let kinds = [
            ("consecutive", steps.consecutive),
            ("sequential", steps.sequential),
            ("strided", steps.strided),
            ("random", steps.random),
        ];
        let all = kinds.iter().map(|(_, n)| n).sum::<u64>();
        let phrases = kinds
            .iter()
            .filter(|(_, n)| *n > 0)
            .map(|(kind, n)| format!("{} {kind}", share(*n, all)));
        let mut phrases: Vec<String> = phrases.collect();
        if of.unaligned > 0 {
            let (part, to) = (share(of.unaligned, of.transfers), bytes(of.alignment));
            phrases.push(format!("{part} not aligned to {to}"));
        }
        if !phrases.is_empty() {
            self.0.fact("", &phrases.join(", "));
        }
    }

    fn files(&mut self, report: &Report) {
        let (own, shared) = (&report.files.own, &report.files.shared);
        let text = format!(
            "{} of one rank ({}), {} shared by several ({})",
            count(own.count),
            bytes(own.bytes_read + own.bytes_written),
            count(shared.count),
            bytes(shared.bytes_read + shared.bytes_written),
        );
        let writing = match report.files.writing {
            "none" | "one rank" => String::new(),
            "both" => "; written file-per-process and shared".to_owned(),
            writing => format!("; written as {writing}"),
        };
        self.0.fact("files", &format!("{text}{writing}"));
        self.installed(&report.files.installed);
        for conflict in report.files.conflicts.iter().take(3) {
            let (ww, wr) = (&conflict.write_write, &conflict.write_read);
            let mut phrases = Vec::new();
            if ww.bytes > 0 {
                phrases.push(format!("{} written by several ranks", bytes(ww.bytes)));
            }
            if wr.bytes > 0 {
                phrases.push(format!(
                    "{} read by other ranks than those that wrote them",
                    bytes(wr.bytes)
                ));
            }
            if ww.blocks > 0 {
                phrases.push(format!(
                    "{} of {} written by several ranks, perhaps different bytes of them",
                    many(ww.blocks, "block"),
                    bytes(ww.block)
                ));
            }
            if !phrases.is_empty() {
                self.0
                    .fact("", &format!("{}: {}", conflict.file, phrases.join(", ")));
            }
        }
    }

    fn installed(&mut self, of: &SomeFiles) {
        if of.count > 0 {
            let (files, read) = (many(of.count, "file"), bytes(of.bytes_read));
            let phrase = format!("{files} of installed software ({read}, {})", time(of.time));
            self.0.fact("", &format!("{phrase}, listed last"));
        }
    }

    fn table(&mut self, table: &iota_analysis::stat::Table, report: &Report) {
        if table.rows.is_empty() {
            return;
        }
        self.0.out.push('\n');
        match table.by {
            By::Op | By::Layer => self.ops(table),
            By::Ost => self.osts(table),
            By::Object => objects::table(table).print(&mut self.0.out, self.0.width),
            _ => self.tallies(table, report),
        }
        self.0.more(table.count - table.rows.len() as u64);
    }

    fn ops(&mut self, table: &iota_analysis::stat::Table) {
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

    fn osts(&mut self, table: &iota_analysis::stat::Table) {
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
    fn tallies(&mut self, table: &iota_analysis::stat::Table, report: &Report) {
        let duration = report.job.duration.max(0) as u64;
        let (first, last) = match table.by {
            By::Rank => ("rank", "I/O of run"),
            By::Thread => ("rank", "thread"),
            By::Pid => ("rank", "process"),
            By::Host => ("processes", "host"),
            By::Dir => ("files", "dir"),
            _ => ("ranks", "file"),
        };
        let mut out = Table::new(&[first, "calls", "time", "meta", "read", "written", last]);
        for row in &table.rows {
            let (first, last) = match table.by {
                By::Rank => (
                    row.name.clone(),
                    share(row.busy.unwrap_or(0).min(duration), duration),
                ),
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
                _ => (count(row.ranks.unwrap_or(0)), row.name.clone()),
            };
            out.row([
                first,
                count(row.calls),
                time(row.time),
                time(row.times.unwrap_or_default().meta),
                bytes(row.bytes_read),
                bytes(row.bytes_written),
                last,
            ]);
        }
        out.print(&mut self.0.out, self.0.width);
    }
}

fn failed(row: &Row) -> String {
    match row.failed {
        0 => String::new(),
        failed => format!("{} failed", count(failed)),
    }
}
