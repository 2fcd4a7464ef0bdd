//! The figures of a job.

use crate::files::FileStamp;
use crate::user;
use iota_analysis::file_name;
use iota_analysis::stat::Report;
use iota_analysis::sums::per_second;
use iota_trace::Printable;
use iota_trace::read::{Part, Trace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A job, as `iota stat` has its figures. Times are in ns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobRow {
    /// Its trace.
    pub trace: String,
    /// When it began, since 1970.
    pub start: i64,
    /// Who owns the trace.
    pub user: String,
    /// What ran: the program of the ranks, or the first one of a job without MPI.
    pub program: String,
    /// As the batch system names it; empty: not known.
    pub job: String,
    /// Ranks of MPI; 1 without.
    pub ranks: u32,
    /// Hosts on which it ran.
    pub nodes: u64,
    /// Processes that were traced.
    pub processes: u64,
    /// From its first process to the end of its last one.
    pub duration: u64,
    /// Time in I/O, of all ranks or processes.
    pub io_time: u64,
    /// The part of the run that is I/O.
    pub share_of_run: f64,
    /// Bytes that were read.
    pub bytes_read: u64,
    /// Bytes that were written.
    pub bytes_written: u64,
    /// Bytes a second while I/O was in progress.
    pub bandwidth: u64,
    /// Files that were used, without those of installed software.
    pub files: u64,
    /// The part of the time in I/O that is metadata.
    pub metadata_share: f64,
    /// The part of the reads and writes that reach the kernel which is small.
    pub small_share: f64,
    /// The finding that costs most, by its kind; empty: there is none.
    pub finding: String,
    /// What the run could save at most without it.
    pub finding_cost: u64,
}

impl JobRow {
    /// That of a trace, whose files are owned as the first of these is.
    pub fn of(name: String, stamps: &[FileStamp], trace: &Trace, report: &Report) -> JobRow {
        let parts = trace.parts();
        let hosts: BTreeSet<_> = parts.iter().map(Part::host).collect();
        let (job, io) = (&report.job, &report.io);
        let moved = io.bytes_read.saturating_add(io.bytes_written);
        let transfers = [&report.read, &report.write];
        let sum = |of: fn(&&iota_analysis::stat::TransferFigures) -> u64| {
            transfers.iter().map(of).fold(0, u64::saturating_add)
        };
        let files = &report.files;
        let used = files.own.count.saturating_add(files.shared.count);
        let worst = report.findings.first();
        JobRow {
            trace: name,
            start: job.start,
            user: stamps
                .first()
                .map_or_else(String::new, |file| user::name(file.owner)),
            program: program(parts),
            job: job_id(parts),
            ranks: job.ranks,
            nodes: hosts.len() as u64,
            processes: job.processes,
            duration: job.duration.max(0) as u64,
            io_time: io.of_run.time,
            share_of_run: io.share_of_run,
            bytes_read: io.bytes_read,
            bytes_written: io.bytes_written,
            bandwidth: per_second(moved, io.busy),
            files: used.saturating_sub(files.installed.count),
            metadata_share: part(io.time.below.meta, io.time.total),
            small_share: part(sum(|of| of.small), sum(|of| of.reaching_kernel)),
            finding: worst.map_or_else(String::new, |worst| worst.kind.to_owned()),
            finding_cost: worst.map_or(0, |worst| worst.cost),
        }
    }
}

fn part(some: u64, all: u64) -> f64 {
    (some as f64 / all.max(1) as f64).min(1.0)
}

/// The program of the ranks; without MPI that of the process that began first.
fn program(parts: &[Part]) -> String {
    let is_rank = |part: &&Part| {
        part.process()
            .is_some_and(|process| process.fields().size > 1)
    };
    let first = || parts.iter().min_by_key(|part| part.time(0));
    let of = parts.iter().find(is_rank).or_else(first);
    let process = of.and_then(Part::process);
    let exe = process
        .as_ref()
        .map_or(&b""[..], |process| process.fields().exe);
    Printable(file_name(exe)).to_string()
}

fn job_id(parts: &[Part]) -> String {
    let ids = parts.iter().filter_map(|part| {
        let process = part.process()?;
        let id = process.fields().job;
        (!id.is_empty()).then(|| Printable(id).to_string())
    });
    ids.min().unwrap_or_default()
}
