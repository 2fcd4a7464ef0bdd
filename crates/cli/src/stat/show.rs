//! The report as text: what it comes to, findings, tables.

use super::words::{rate, spread};
use crate::text_page::TextPage;
use anstyle::Style;
use iota_analysis::stat::{NonStorage, Percentiles, Report, SomeFiles, TransferFigures};
use iota_analysis::{Filter, Medium, TaskKind};
use iota_quantity::{bytes, count, many, nanos, share, time};

const BOLD: Style = Style::new().bold();

/// All of it, lines not longer than `width`. Shares of a trace lack the tree of calls.
pub fn page(
    report: &Report,
    lacks_tree: bool,
    traces: &[String],
    filter: &[String],
    width: Option<usize>,
) -> String {
    let mut page = Page(TextPage::new(width));
    page.0.title(traces, filter);
    page.answer(report, lacks_tree);
    let asks = Filter::all(filter).is_ok_and(|filter| filter.asks_for_startup());
    page.facts(report, asks);
    page.elsewhere(report);
    report
        .tables
        .iter()
        .for_each(|table| page.table(table, report));
    page.0.out
}

/// What comes first: how much of the run was I/O, and what is wrong with it
pub fn summary(report: &Report, width: Option<usize>) -> String {
    let mut page = Page(TextPage::new(width));
    page.answer(report, false);
    page.0.out
}

pub(super) struct Page(pub TextPage);

impl Page {
    fn answer(&mut self, report: &Report, lacks_tree: bool) {
        self.headline(report, lacks_tree);
        if report.io.calls > 0 {
            let run = report.job.duration.max(0) as u64;
            self.0
                .findings(&report.findings, run, &report.no_findings());
        }
    }

    /// How long the job ran, how much of it was I/O, and what that went into
    fn headline(&mut self, report: &Report, lacks_tree: bool) {
        let (job, io) = (&report.job, &report.io);
        let of_job = match (job.task, job.ranks_seen == u64::from(job.ranks)) {
            (TaskKind::Process, _) => many(job.processes, "process"),
            (_, true) => ranks_and_processes(many(job.ranks_seen, "rank"), job.processes),
            (_, false) => {
                let all = many(job.ranks.into(), "rank");
                let ranks = format!("{} of {all}", count(job.ranks_seen));
                ranks_and_processes(ranks, job.processes)
            }
        };
        let threads = many(job.threads, "thread");
        let text = format!("{}; {of_job}, {threads} with calls", nanos(job.duration));
        self.0.fact("job", &text);
        if io.time.total > 0 {
            let parts = io.time.parts();
            let parts = parts
                .iter()
                .map(|(what, time)| format!("{} {what}", share(*time, io.time.total)));
            let parts = parts.collect::<Vec<_>>().join(", ");
            let of_run = of_run(report);
            self.0.fact("I/O", &format!("{of_run}: {parts}"));
        }
        if lacks_tree {
            let text = "who waited for late ranks, and findings on layers above POSIX: run `iota layers` (shares have none)";
            self.0.fact("", text);
        }
        let moved = format!(
            "{} read, {} written",
            bytes(io.bytes_read),
            bytes(io.bytes_written)
        );
        self.0.fact("moved", &moved);
    }

    fn facts(&mut self, report: &Report, asks_for_startup: bool) {
        self.0.out += &format!("\n{BOLD}figures{BOLD:#}\n");
        let (job, io) = (&report.job, &report.io);
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
        if io.time.total == 0 {
            return;
        }
        let busy = io.busy.min(job.duration.max(0) as u64);
        // Bytes that nobody waited for took none of that time.
        let asynchronous = report.read.asynchronous + report.write.asynchronous;
        let unwaited = if io.time.below.wait == 0 {
            asynchronous
        } else {
            0
        };
        let moved = (io.bytes_read + io.bytes_written).saturating_sub(unwaited);
        let of_threads = format!("{} of all threads", time(io.time.total));
        self.0.fact("I/O time", &of_threads);
        self.0.fact(
            "",
            &format!(
                "at least one {} in I/O for {} of the job: {}{}",
                job.task.word(),
                share(busy, job.duration.max(0) as u64),
                time(busy),
                rate(moved, io.busy, "in that time"),
            ),
        );
        if job.tasks > 1 {
            self.0
                .fact("balance", &spread(&report.balance.time, job.duration, time));
            self.0.fact("", &spread(&report.balance.bytes, 0, bytes));
        }
        self.transfers("reads", &report.read);
        self.transfers("writes", &report.write);
        self.phases(report);
        self.files(report);
    }

    fn phases(&mut self, report: &Report) {
        for (n, line) in report.phase_lines().flatten().enumerate() {
            self.0.fact(if n == 0 { "phases" } else { "" }, &line);
        }
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
        let steps = &of.steps;
        let rate = rate(
            of.bytes.saturating_sub(of.asynchronous),
            of.time,
            "by the sum of their times",
        );
        let unwaited = match of.asynchronous {
            0 => String::new(),
            some => format!(" ({} asynchronously)", bytes(some)),
        };
        let iops = of
            .iops
            .map_or(String::new(), |iops| format!(" ({} IOPS)", count(iops)));
        let (all, moved) = (count(of.transfers), bytes(of.bytes));
        let are_gathered = of.reaching_kernel < of.transfers;
        let of_calls = if are_gathered { "" } else { &*iops };
        self.0.fact(
            label,
            &format!("{all} of {moved}{unwaited}{rate}{of_calls}"),
        );
        self.percentiles("", [&of.size, &of.latency]);
        if are_gathered {
            let (reaching, each) = (of.reaching_kernel, of.bytes / of.reaching_kernel.max(1));
            let text = format!(
                "streams gather them: some {} of {} reach the kernel{iops}",
                count(reaching),
                bytes(each)
            );
            self.0.fact("", &text);
            self.percentiles("there ", [&of.kernel_size, &of.kernel_latency]);
        }
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

    fn percentiles(&mut self, place: &str, [sizes, latencies]: [&Percentiles; 2]) {
        let line = |of: &Percentiles, show: fn(u64) -> String| {
            [of.p50, of.p95, of.p99, of.max].map(show).join(", ")
        };
        for (what, of) in [
            ("size", line(sizes, bytes)),
            ("time", line(latencies, time)),
        ] {
            let text = format!("{place}{what} p50, p95, p99, max: {of}");
            self.0.fact("", &text);
        }
    }

    fn files(&mut self, report: &Report) {
        let (own, shared) = (&report.files.own, &report.files.shared);
        let text = format!(
            "{} of one {} ({}), {} shared by several ({})",
            count(own.count),
            report.job.task.word(),
            bytes(own.bytes_read + own.bytes_written),
            count(shared.count),
            bytes(shared.bytes_read + shared.bytes_written),
        );
        let writing = match report.files.writing {
            "none" | "one rank" | "one process" => String::new(),
            "both" => "; written file-per-process and shared".to_owned(),
            writing => format!("; written as {writing}"),
        };
        self.0.fact("files", &format!("{text}{writing}"));
        let used = &report.files.used;
        let kinds = [
            (used.read, "only read"),
            (used.written, "only written"),
            (used.both, "read and written"),
            (used.neither, "neither"),
        ];
        let kinds = kinds.iter().filter(|(files, _)| *files > 0);
        let kinds = kinds.map(|(files, what)| format!("{} {what}", count(*files)));
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        self.0.fact("", &format!("of these {kinds}"));
        self.installed(&report.files.installed);
        let tasks = report.job.task.plural();
        for conflict in report.files.conflicts.iter().take(3) {
            let (ww, wr) = (&conflict.write_write, &conflict.write_read);
            let mut phrases = Vec::new();
            if ww.bytes > 0 {
                phrases.push(format!("{} written by several {tasks}", bytes(ww.bytes)));
            }
            if conflict.ordered > 0 {
                phrases.push(format!(
                    "{} written again by another {}, one after the other",
                    bytes(conflict.ordered),
                    report.job.task.word(),
                ));
            }
            if wr.bytes > 0 {
                phrases.push(format!(
                    "{} read by other {tasks} than those that wrote them",
                    bytes(wr.bytes)
                ));
            }
            if ww.blocks > 0 {
                phrases.push(format!(
                    "{} of {} written by several {tasks}, perhaps different bytes of them",
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
}

/// `12.0 % of the run on average, 40.1 % on rank 3`
fn of_run(report: &Report) -> String {
    let (job, io, time) = (&report.job, &report.io, &report.balance.time);
    let all = share(io.of_run.time, io.of_run.run);
    match job.task {
        TaskKind::Rank if job.tasks > 1 => {
            let most = share(time.max, job.duration.max(0) as u64);
            format!("{all} of the run on average, {most} on {}", time.max_of)
        }
        _ => format!("{all} of the run"),
    }
}

/// `4 ranks, 4 processes`
fn ranks_and_processes(ranks: String, processes: u64) -> String {
    format!("{ranks}, {}", many(processes, "process"))
}
