//! The event log as rows: what threads logged, and what covers whole pieces, files and all of it, in the order of ends.

use super::PhaseResult;
use crate::engine::Worked;
use crate::log::{Event, Kind, NONE, Row, Span, around};
use crate::options::Log;
use iota_quantity as quantity;

/// The rows of a phase.
pub struct Rows<'a> {
    phase: &'a PhaseResult<'a>,
    covering: Vec<Row>,
    /// When a row ended, its thread (one more than there are: the covering ones), its place there
    order: Vec<(u64, u32, u32)>,
    origin: u64,
}

impl<'a> Rows<'a> {
    /// In order.
    pub fn new(phase: &'a PhaseResult<'a>) -> Rows<'a> {
        let workers = &phase.outcome.workers;
        let covering = if phase.plan.options.logged() == Log::Off {
            Vec::new()
        } else {
            covering(phase)
        };
        let logged = workers.iter().zip(0..).flat_map(|(worker, thread)| {
            worker
                .events
                .iter()
                .zip(0..)
                .map(move |(event, at)| (event.end, thread, at))
        });
        let last = workers.len() as u32;
        let mut order: Vec<_> = logged
            .chain(
                covering
                    .iter()
                    .zip(0..)
                    .map(|(row, at)| (row.span.end, last, at)),
            )
            .collect();
        order.sort_unstable();
        let first = workers
            .iter()
            .flat_map(|worker| &worker.events)
            .map(|event| event.start)
            .min();
        Rows {
            phase,
            covering,
            order,
            origin: first.unwrap_or(0),
        }
    }

    /// One after another, the total last.
    pub fn iter(&self) -> impl Iterator<Item = Row> {
        self.order.iter().map(|(_, thread, at)| {
            match self.phase.outcome.workers.get(*thread as usize) {
                Some(worker) => self.row(worker, &worker.events[*at as usize]),
                None => self.covering[*at as usize],
            }
        })
    }

    fn row(&self, worker: &Worked, event: &Event) -> Row {
        let moves = matches!(event.kind, Kind::Op | Kind::AtomicOp);
        Row {
            kind: event.kind,
            file: Some(self.phase.plan.first_file + worker.file),
            piece: Some(worker.piece),
            operation: (event.operation != NONE).then_some(event.operation),
            span: Span {
                start: event.start,
                end: event.end,
            },
            bytes: moves.then_some(event.moved.into()),
        }
    }

    /// Milliseconds since the first event of the log; none for the total, which began before it.
    pub fn absolute(&self, row: &Row) -> Option<f64> {
        (row.kind != Kind::Total).then(|| row.span.start.saturating_sub(self.origin) as f64 / 1e6)
    }
}

/// A row's time in milliseconds.
pub fn millis(row: &Row) -> f64 {
    row.span.nanos() as f64 / 1e6
}

/// A row's MB/s.
pub fn speed(row: &Row) -> Option<f64> {
    quantity::mb_per_s(row.bytes?, row.span.nanos())
}

/// The workers of each file.
pub fn files<'a>(phase: &'a PhaseResult<'a>) -> impl Iterator<Item = &'a [Worked]> {
    phase.outcome.workers.chunk_by(|a, b| a.file == b.file)
}

/// Of a piece's operations.
pub fn of_piece(worker: &Worked) -> Option<(Span, u64)> {
    Some((worker.worked?, worker.sum.all_bytes()))
}

/// Of all operations of a file.
pub fn of_pieces(workers: &[Worked]) -> Option<(Span, u64)> {
    let all: Vec<_> = workers.iter().filter_map(of_piece).collect();
    Some((
        around(all.iter().map(|(span, _)| *span))?,
        all.iter().map(|(_, bytes)| bytes).sum(),
    ))
}

fn covering(phase: &PhaseResult) -> Vec<Row> {
    let mut rows = Vec::new();
    for workers in files(phase) {
        let file = Some(phase.plan.first_file + workers[0].file);
        for worker in workers {
            rows.extend(
                of_piece(worker).map(|found| row(Kind::Stripes, file, Some(worker.piece), found)),
            );
        }
        let worked = of_pieces(workers);
        rows.extend(worked.map(|found| row(Kind::AllStripes, file, None, found)));
        let spans = workers
            .iter()
            .flat_map(|worker| [worker.opened, worker.worked, worker.closed]);
        if let Some(span) = around(spans.flatten()) {
            rows.push(row(
                Kind::File,
                file,
                None,
                (span, worked.map_or(0, |(_, bytes)| bytes)),
            ));
        }
    }
    let bytes = phase
        .outcome
        .workers
        .iter()
        .map(|worker| worker.sum.all_bytes())
        .sum();
    rows.push(row(Kind::Total, None, None, (phase.outcome.total, bytes)));
    rows
}

fn row(kind: Kind, file: Option<u32>, piece: Option<u32>, (span, bytes): (Span, u64)) -> Row {
    Row {
        kind,
        file,
        piece,
        operation: None,
        span,
        bytes: Some(bytes),
    }
}
