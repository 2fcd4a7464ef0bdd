//! What is reported besides the log: rates of each file, figures of each direction, first and last done.

use super::PhaseResult;
use super::rows::{files, of_piece, of_pieces};
use crate::engine::{Worked, failure};
use crate::options::Summary;
use crate::stats::{Rates, Sum};
use iota_quantity as quantity;
use serde::Serialize;

/// Of a file, by the events that `-summary` names.
#[derive(Debug, Serialize)]
pub struct FileRates {
    pub file: u32,
    pub path: String,
    pub min_mb_per_s: Option<f64>,
    pub mean_mb_per_s: Option<f64>,
    pub max_mb_per_s: Option<f64>,
}

/// Of one direction.
#[derive(Debug, Serialize)]
pub struct Moved {
    pub direction: &'static str,
    pub transfers: u64,
    pub bytes: u64,
    pub mb_per_s: Option<f64>,
    pub transfers_per_s: Option<f64>,
    pub latency_ns: Latencies,
}

/// Times of transfers.
#[derive(Debug, Serialize)]
pub struct Latencies {
    pub min: u64,
    pub mean: f64,
    pub max: u64,
    pub percentiles: Vec<(f64, u64)>,
    /// Upper ends of steps in ns, and how many transfers are in each
    pub histogram: Vec<(u64, u64)>,
}

/// The figures when the first piece had nothing more to do, or the last.
#[derive(Debug, Serialize)]
pub struct FiguresAt {
    pub seconds: f64,
    pub bytes: u64,
    pub transfers: u64,
    pub mb_per_s: Option<f64>,
}

const PERCENTILES: [f64; 8] = [1.0, 25.0, 50.0, 75.0, 90.0, 99.0, 99.9, 99.99];

/// A line for each file.
pub fn file_rates(phase: &PhaseResult) -> Vec<FileRates> {
    let summary = phase.plan.options.summary;
    let of = |workers: &[Worked]| {
        let rates = rates(summary, workers);
        let known = |value: f64| (rates.count > 0).then_some(value);
        let file = workers[0].file;
        FileRates {
            file: phase.plan.first_file + file,
            path: phase.plan.paths[file as usize].display().to_string(),
            min_mb_per_s: known(rates.min),
            mean_mb_per_s: known(rates.mean()),
            max_mb_per_s: known(rates.max),
        }
    };
    files(phase).map(of).collect()
}

fn rates(summary: Summary, workers: &[Worked]) -> Rates {
    let kept = |which: usize| {
        workers
            .iter()
            .map(|worker| worker.rates[which])
            .fold(Rates::NONE, Rates::and)
    };
    let mut rates = Rates::NONE;
    match summary {
        Summary::Op => return kept(0),
        Summary::AtomicOp => return kept(1),
        Summary::Stripes => {
            let spans = workers.iter().filter_map(of_piece);
            spans.for_each(|(span, bytes)| rates.add(bytes, span.nanos()));
        }
        Summary::AllStripes => {
            let spans = of_pieces(workers).into_iter();
            spans.for_each(|(span, bytes)| rates.add(bytes, span.nanos()));
        }
    }
    rates
}

/// The sum of all pieces.
pub fn sum(phase: &PhaseResult) -> Sum {
    phase
        .outcome
        .workers
        .iter()
        .fold(Sum::default(), |mut all, worker| {
            all.merge(&worker.sum);
            all
        })
}

/// Reads and writes, as far as there were any.
pub fn moved(phase: &PhaseResult, sum: &Sum) -> Vec<Moved> {
    let nanos = phase.outcome.total.nanos();
    let of = |(which, direction): (usize, &'static str)| {
        let (transfers, bytes, latency) =
            (sum.transfers[which], sum.bytes[which], &sum.latency[which]);
        let (min, mean, max) = latency.spread();
        (transfers > 0).then(|| Moved {
            direction,
            transfers,
            bytes,
            mb_per_s: quantity::mb_per_s(bytes, nanos),
            transfers_per_s: (nanos > 0).then(|| transfers as f64 * 1e9 / nanos as f64),
            latency_ns: Latencies {
                min,
                mean,
                max,
                percentiles: PERCENTILES
                    .map(|percent| (percent, latency.percentile(percent)))
                    .into(),
                histogram: latency.histogram(),
            },
        })
    };
    ["read", "write"]
        .into_iter()
        .enumerate()
        .filter_map(of)
        .collect()
}

/// When the first piece, and when the last one had nothing more to do.
pub fn done_by(phase: &PhaseResult, sum: &Sum) -> Option<[FiguresAt; 2]> {
    let (first, began) = (phase.outcome.first_done?, phase.outcome.total.start);
    let ends = phase
        .outcome
        .workers
        .iter()
        .filter_map(|worker| Some(worker.worked?.end));
    let last = ends.max()?;
    let by = |at: u64, bytes: u64, transfers: u64| FiguresAt {
        seconds: at.saturating_sub(began) as f64 / 1e9,
        bytes,
        transfers,
        mb_per_s: quantity::mb_per_s(bytes, at.saturating_sub(began)),
    };
    Some([
        by(first.at.min(last), first.bytes, first.transfers),
        by(last, sum.all_bytes(), sum.all_transfers()),
    ])
}

/// What was asked of the scheduler, and what threads had.
pub fn scheduling(phase: &PhaseResult) -> (String, Vec<String>) {
    let options = &phase.plan.options;
    let scope = if options.scope == crate::options::Scope::Sys {
        "sys"
    } else {
        "proc"
    };
    let requested = format!(
        "scope {scope}, policy {}",
        options.sched.as_deref().unwrap_or("as inherited")
    );
    let mut observed: Vec<String> = phase
        .outcome
        .workers
        .iter()
        .map(|worker| worker.observed.to_string())
        .collect();
    observed.sort();
    observed.dedup();
    (requested, observed)
}

/// How it ended.
pub fn ended(phase: &PhaseResult) -> String {
    failure::ended(phase.outcome.failures().next(), phase.outcome.signal)
}
