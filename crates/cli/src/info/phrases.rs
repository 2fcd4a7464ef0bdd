//! Facts in words.

use super::facts;
use super::summary::*;
use crate::local_time::epoch;
use crate::names::printable;
use iota_quantity::{bytes, count, digits, many, nanos};
use iota_quantity::{folded, rank_ranges};
use iota_trace::Nanos;

/// What a trace does not say
pub const NOT_KNOWN: &str = "not known";

pub fn hosts(job: &JobSummary) -> String {
    if job.hosts.iter().all(|host| host.name == printable(b"")) {
        return NOT_KNOWN.into();
    }
    let names = folded(job.hosts.iter().map(|host| host.name.clone()));
    match job.hosts.len() {
        1 => names,
        many => format!("{names} ({many})"),
    }
}

pub fn hosts_label(job: &JobSummary) -> &'static str {
    match job.hosts.len() {
        1 => "host",
        _ => "hosts",
    }
}

pub fn tasks(summary: &Summary) -> String {
    let Summary {
        job, completeness, ..
    } = summary;
    let missing = completeness
        .missing_ranks
        .iter()
        .map(|(first, last)| last - first + 1)
        .sum();
    let ranks = match missing {
        0 => many(job.ranks.into(), "rank"),
        missing => format!(
            "{} of {}",
            count(u64::from(job.ranks) - missing),
            many(job.ranks.into(), "rank")
        ),
    };
    let (processes, threads) = (many(job.processes, "process"), many(job.threads, "thread"));
    format!("{ranks}, {processes}, {threads} with calls")
}

/// `ranks 2-4, by MPI_Comm_spawn of rank 0`
pub fn spawned(spawned: &Spawned) -> String {
    let by: Vec<&str> = spawned.by.iter().map(String::as_str).collect();
    let of = match by.is_empty() {
        true => String::new(),
        false => format!(" of {}", by.join(", ")),
    };
    format!("{}, by MPI_Comm_spawn{of}", rank_ranges(&spawned.ranks))
}

pub fn clock(clock: &Clock, kinds: usize) -> String {
    let step = match clock.step {
        step if step < 1.0 => format!("{step:.3} ns"),
        step => format!("{} ns", digits(step)),
    };
    let step = match clock.step > 1.5 {
        true => format!("times are multiples of {step}"),
        false => format!("a tick is {step}"),
    };
    let of = match kinds {
        1 => String::new(),
        _ => format!(" ({})", many(clock.processes, "process")),
    };
    format!(
        "{} at {} GHz, {step}{of}",
        clock.source,
        digits(clock.hertz as f64 / 1e9)
    )
}

pub fn offsets(offsets: &Offsets) -> String {
    let Offsets {
        min,
        max,
        max_error,
        max_drift_ppb,
        processes,
    } = offsets;
    let (min, max, error) = (nanos(*min), nanos(*max), nanos(*max_error as i64));
    let of = many(*processes, "process");
    let drift = match *max_drift_ppb {
        0.0 => String::new(),
        drift => format!(", drift up to {} ppb", digits(drift)),
    };
    format!(
        "{min} to {max} from rank 0's clock, within {error}{drift}; times are corrected for this ({of})"
    )
}

pub fn calls(calls: &Calls) -> String {
    let Calls {
        captured,
        filtered,
        lost,
        failed,
        ..
    } = *calls;
    format!(
        "{} captured, {} filtered, {} lost; {} failed",
        count(captured),
        count(filtered),
        count(lost),
        count(failed)
    )
}

pub fn stored(trace: &Trace) -> String {
    let each = trace.bytes_per_call.map_or(String::new(), |each| {
        format!(", {} bytes a call", digits(each))
    });
    let files = many(trace.paths.len() as u64, "file");
    let by = trace.written_by.join(", ");
    format!(
        "{} in {files}{each}, format {}, by iota {by}",
        bytes(trace.bytes),
        trace.format
    )
}

/// What is not there
pub fn lacks(summary: &Summary) -> Vec<String> {
    let completeness = &summary.completeness;
    let mut lacks = Vec::new();
    if !completeness.missing_ranks.is_empty() {
        lacks.push(format!(
            "{} missing",
            rank_ranges(&completeness.missing_ranks)
        ));
    }
    if summary.calls.lost > 0 {
        lacks.push(format!("{} lost", many(summary.calls.lost, "call")));
    }
    if summary.calls.missed > 0 {
        lacks.push(format!(
            "{} before the tracer could start",
            many(summary.calls.missed, "call")
        ));
    }
    if completeness.damaged_calls > 0 {
        lacks.push(format!(
            "{} damaged",
            many(completeness.damaged_calls, "call")
        ));
    }
    if !completeness.problems.is_empty() {
        lacks.push(format!(
            "{} of damage, below",
            many(completeness.problems.len() as u64, "place")
        ));
    }
    lacks.extend(completeness.not_seen.iter().cloned());
    lacks.extend(completeness.unknown.iter().cloned());
    let (recovered, others): (Vec<_>, Vec<_>) =
        (summary.parts.iter()).partition(|part| part.ended == facts::RECOVERED);
    let errors = |parts: &[&Part]| parts.iter().map(|part| part.tracer_errors).sum();
    match errors(&recovered) {
        0 => {}
        n => lacks.push(format!("{} missing or damaged in spools", many(n, "place"))),
    }
    match errors(&others) {
        0 => {}
        n => lacks.push(format!(
            "{} in the tracer (IOTA_LOG says which)",
            many(n, "failure")
        )),
    }
    lacks
}

/// `4 parts, ended by MPI_Finalize`
pub fn endings(parts: &[Part]) -> String {
    let mut kinds: Vec<(&str, u64)> = Vec::new();
    for part in parts {
        match kinds.iter_mut().find(|(ended, _)| *ended == part.ended) {
            Some((_, n)) => *n += 1,
            None => kinds.push((&part.ended, 1)),
        }
    }
    let all = many(parts.len() as u64, "part");
    let each = match &kinds[..] {
        [(facts::RECOVERED, _)] => return format!("{all}, {}", facts::RECOVERED),
        [(ended, _)] => (*ended).to_owned(),
        _ => kinds
            .iter()
            .map(|(ended, n)| format!("{ended} ({n})"))
            .collect::<Vec<_>>()
            .join(", "),
    };
    format!("{all}, ended by {each}")
}

/// What ran, where and when, in a few lines: what is known of it
pub fn heading(summary: &Summary) -> Vec<(&'static str, String)> {
    let (job, time) = (&summary.job, &summary.time);
    let mut lines = Vec::new();
    lines.extend(ran(job).map(|ran| ("command", ran)));
    let ids = job.ids.join(" ");
    let hosts = Some(hosts(job)).filter(|hosts| hosts != NOT_KNOWN);
    let hosts = hosts.unwrap_or_default();
    let tasks = tasks(summary);
    lines.push(match (&ids[..], &hosts[..]) {
        ("", "") => ("ranks", tasks),
        ("", hosts) => (hosts_label(job), format!("{hosts}: {tasks}")),
        (ids, "") => ("job", format!("{ids}: {tasks}")),
        (ids, hosts) => ("job", format!("{ids} on {hosts}: {tasks}")),
    });
    if time.start != 0 {
        let start = time.start_local.clone();
        let start = start.unwrap_or_else(|| epoch(Nanos(time.start)));
        lines.push(("started", start));
    }
    lines
}

fn ran(job: &JobSummary) -> Option<String> {
    let programs = job.by_program();
    let (program, others) = programs.split_first()?;
    let program = program.first;
    let words = program.words()?;
    let more = match others.len() as u64 {
        0 => String::new(),
        others => format!(" and {}", many(others, "other program")),
    };
    let directory = match &program.directory[..] {
        "" => String::new(),
        directory => format!(", in {directory}"),
    };
    Some(format!("{words}{more}{directory}"))
}
