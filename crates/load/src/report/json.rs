//! One object, for programs.

use super::facts::{self, FiguresAt, FileRates, Moved};
use super::result::{Form, PhaseResult, Run};
use super::rows::{Rows, millis, speed};
use serde::Serialize;
use std::io::{self, Write};

pub struct Json;

#[derive(Serialize)]
struct Report<'a> {
    invoked: &'a str,
    phases: Vec<PhaseReport<'a>>,
}

#[derive(Serialize)]
struct PhaseReport<'a> {
    name: Option<&'a str>,
    flags: &'a str,
    io_api: &'a str,
    ended: String,
    seconds: f64,
    scheduling_requested: String,
    scheduling_observed: Vec<String>,
    warnings: Vec<&'a String>,
    moved: Vec<Moved>,
    first_done: Option<FiguresAt>,
    last_done: Option<FiguresAt>,
    files: Vec<FileRates>,
    events: Vec<JsonEvent>,
}

#[derive(Serialize)]
struct JsonEvent {
    event: &'static str,
    file: Option<u32>,
    piece: Option<u32>,
    operation: Option<u32>,
    time_ms: f64,
    absolute_ms: Option<f64>,
    mb_per_s: Option<f64>,
}

impl Form for Json {
    fn write(&self, run: &Run, out: &mut dyn Write) -> io::Result<()> {
        let phases = run.phases.iter().map(phase_report).collect();
        serde_json::to_writer_pretty(
            &mut *out,
            &Report {
                invoked: run.invoked,
                phases,
            },
        )?;
        writeln!(out)
    }
}

fn phase_report<'a>(phase: &'a PhaseResult<'a>) -> PhaseReport<'a> {
    let sum = facts::sum(phase);
    let (scheduling_requested, scheduling_observed) = facts::scheduling(phase);
    let (first_done, last_done) =
        facts::done_by(phase, &sum).map_or((None, None), |[first, last]| (Some(first), Some(last)));
    PhaseReport {
        name: phase.plan.name.as_deref(),
        flags: &phase.plan.words,
        io_api: phase.plan.api.name(),
        ended: facts::ended(phase),
        seconds: phase.outcome.total.nanos() as f64 / 1e9,
        scheduling_requested,
        scheduling_observed,
        warnings: phase.plan.warnings.iter().chain(phase.notes).collect(),
        moved: facts::moved(phase, &sum),
        first_done,
        last_done,
        files: facts::file_rates(phase),
        events: events(phase),
    }
}

fn events(phase: &PhaseResult) -> Vec<JsonEvent> {
    let rows = Rows::new(phase);
    let event = |row: crate::log::Row| JsonEvent {
        event: row.kind.name(),
        file: row.file,
        piece: row.piece,
        operation: row.operation,
        time_ms: millis(&row),
        absolute_ms: rows.absolute(&row),
        mb_per_s: speed(&row),
    };
    rows.iter().map(event).collect()
}
