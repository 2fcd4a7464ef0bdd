//! What parts say of themselves, without their events.

use super::summary::{Clock, Offsets};
use crate::names::{command, printable};
use iota_trace::clock::{Offset, TICK, span};
use iota_trace::part::{End, Process, reason, source};

/// How a part ended that was made from a spool
pub const RECOVERED: &str = "recovered";

/// How a part ended
pub fn ended(end: Option<&End>) -> String {
    let Some(end) = end else {
        return "cut off".to_owned();
    };
    match end.reason {
        reason::EXIT => "exit".to_owned(),
        reason::FINALIZE => "MPI_Finalize".to_owned(),
        reason::ABORT => "abort".to_owned(),
        reason::RECOVERED => RECOVERED.to_owned(),
        reason::EXEC => "exec".to_owned(),
        reason::SIGNAL => "fatal signal".to_owned(),
        other => format!("reason {other}"),
    }
}

/// The clock of a process
pub fn clock(process: &Process, end: Option<&End>) -> Clock {
    let name = match process.source {
        source::TSC => "TSC".to_owned(),
        source::CNTVCT => "CNTVCT".to_owned(),
        source::MONOTONIC => "CLOCK_MONOTONIC".to_owned(),
        other => format!("source {other}"),
    };
    let hertz = rate(process, end);
    let ticks = process.step.max(TICK) as f64 / TICK as f64;
    Clock {
        source: name,
        hertz: hertz.round() as u64,
        step: ticks * 1e9 / hertz,
        processes: 1,
    }
}

/// Ticks per second between the anchors, which lie further apart than those of the first estimate
fn rate(process: &Process, end: Option<&End>) -> f64 {
    match span(process.start, end.map(|end| end.end)) {
        Some((nanos, ticks)) => ticks as f64 * 1e9 / nanos as f64,
        None => process.rate.max(1) as f64,
    }
}

/// One more measured offset
pub fn offset(so_far: Option<Offsets>, offset: &Offset) -> Offsets {
    let drift = offset.drift.unsigned_abs() as f64 / 1e3;
    match so_far {
        None => Offsets {
            min: offset.nanos,
            max: offset.nanos,
            max_error: offset.error,
            max_drift_ppb: drift,
            processes: 1,
        },
        Some(known) => Offsets {
            min: known.min.min(offset.nanos),
            max: known.max.max(offset.nanos),
            max_error: known.max_error.max(offset.error),
            max_drift_ppb: known.max_drift_ppb.max(drift),
            processes: known.processes + 1,
        },
    }
}

/// Path, command line and working directory
pub type Program = (String, String, String);

/// What a process runs
pub fn program(process: &Process) -> Program {
    let text = |bytes: &[u8]| {
        if bytes.is_empty() {
            String::new()
        } else {
            printable(bytes)
        }
    };
    (text(process.exe), command(process.argv), text(process.cwd))
}
