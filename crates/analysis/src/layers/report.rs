//! What was found out, as figures: text, JSON, plots and findings are made of it.

use super::collective::CollectiveWait;
use super::figures::*;
use super::layer_cost::LayerCost;
use super::names::Names;
use super::paths::Folded;
use super::{FileFacts, Gathered, Layers, Node, ObjectFacts, ObjectKey, Sum, SyncPoints, finding};
use crate::sums::{add, per_second, sum as total};
use crate::thresholds::Thresholds;
use crate::{FileId, Job, NO_FILE, NO_OBJECT, OpId, TaskId};
use iota_trace::text;
use std::collections::HashMap;

/// The newest version of the report's keys.
const VERSION: u32 = 1;

/// Waiting by rank.
#[derive(Clone, Copy, Debug, Default)]
struct Waits {
    waited: u64,
    last: u64,
    cost: u64,
    aggregated: u64,
}

impl LayerReport {
    /// Of all that was found out; tables have `top` rows, all with 0. Where a filter chose the calls, findings are weighed
    /// against the time of these, not of the run.
    pub fn of(
        found: &Layers,
        job: &Job,
        top: usize,
        thresholds: &Thresholds,
        is_filtered: bool,
    ) -> LayerReport {
        let names = Names(job);
        let waits = waits(found);
        let (ops, op_count) = cut(ops(found, &names), top, |row| row.figures.weight());
        let (files, file_count) = cut(files(found, &names), top, |row| row.figures.weight());
        let (objects, object_count) = cut(objects(found, &names), top, |row| row.figures.weight());
        let ranks = ranks(found, job, &waits);
        let rank_count = ranks.len() as u64;
        let late = ranks.iter().filter(|row| row.cost > 0);
        let late = late
            .max_by_key(|row| (row.cost, std::cmp::Reverse(row.rank)))
            .cloned();
        let collectives = cut(collectives(found), top, |(_, one)| {
            let (start, end) = one.span();
            end.wrapping_sub(start).max(0) as u64
        });
        let calls = cut(found.longest(), top, |node| node.span());
        let mut report = LayerReport {
            version: VERSION,
            layer: text::layer(found.layer),
            total: totals(found, job, &waits),
            findings: Vec::new(),
            minor: 0,
            tree: Vec::new(),
            tree_folded: Folded::default(),
            ops,
            files,
            objects,
            ranks: cut(ranks, top, |row| row.figures.time).0,
            collectives: collectives
                .0
                .into_iter()
                .map(|(id, one)| collective(id, one, &names))
                .collect(),
            calls: calls.0.into_iter().map(|node| call(node, &names)).collect(),
            servers: Vec::new(),
            counts: [
                op_count,
                file_count,
                rank_count,
                collectives.1,
                0,
                object_count,
                0,
            ],
            limits: limits(found),
            late: None,
            sync_points: SyncPoints::of(found, job.ranks),
            together: found
                .tasks
                .iter()
                .map(|(task, sum)| (*task, sum.together))
                .collect(),
        };
        report.late = late;
        report.counts[4] = report.total.figures.calls;
        let run = LayerCost::of(found, job, is_filtered);
        (report.findings, report.minor) = finding::all(found, &report, &names, thresholds, &run);
        report
    }
}

impl Figures {
    fn of(sum: &Sum) -> Figures {
        let (wall, wall_resolution) = sum.wall.length();
        let (moved, below) = (total(sum.moved), total(sum.below));
        Figures {
            calls: sum.calls,
            failed: sum.failed,
            collective: sum.collective,
            in_flight: sum.flying,
            asked: sum.asked,
            read: sum.moved[0],
            written: sum.moved[1],
            time: sum.time,
            flight_time: sum.flight,
            flight_client: sum.flight_client,
            library: sum.library,
            client: sum.client,
            client_sum: sum.client_sum,
            overlapping: sum.overlapping,
            server: sum.server,
            sub_calls: sum.sub_calls,
            sub_transfers: sum.sub_transfers.iter().sum(),
            sub_read: sum.below[0],
            sub_written: sum.below[1],
            sub_elsewhere: total(sum.elsewhere),
            inferred: sum.inferred,
            amplification: amplification(below, moved),
            read_first: sum.read_first.calls,
            read_first_bytes: sum.read_first.bytes,
            rate_sum: sum.rate,
            rate_wall: per_second(moved, wall),
            wall,
            wall_resolution,
            sub_rate_sum: sum.rate_below,
            sub_rate_wall: per_second(below, sum.wall_below.length().0),
        }
    }

    fn weight(&self) -> u64 {
        self.time.max(self.flight_time)
    }
}

fn amplification(below: u64, above: u64) -> Amplification {
    (above > 0).then(|| below as f64 / above as f64)
}

/// The first rows by weight, and how many there are; those of equal weight keep their order.
fn cut<T>(mut rows: Vec<T>, top: usize, weight: impl Fn(&T) -> u64) -> (Vec<T>, u64) {
    let count = rows.len() as u64;
    rows.sort_by_key(|row| std::cmp::Reverse(weight(row)));
    if top > 0 {
        rows.truncate(top);
    }
    (rows, count)
}

fn totals(found: &Layers, job: &Job, waits: &HashMap<u32, Waits>) -> Totals {
    let mut all = Sum::default();
    let mut ops: Vec<_> = found.ops.iter().collect();
    ops.sort_by_key(|(op, _)| **op);
    ops.iter()
        .for_each(|(_, sum)| all.merge(sum, found.duration()));
    (all.rate, all.rate_below) = (
        total(found.tasks.values().map(|sum| sum.rate)),
        total(found.tasks.values().map(|sum| sum.rate_below)),
    );
    Totals {
        ranks: found.tasks.len() as u64,
        task: job.tasks.kind(),
        figures: Figures::of(&all),
        waiting: total(waits.values().map(|waits| waits.waited)),
        longest_waiting: waits.values().map(|waits| waits.waited).max().unwrap_or(0),
    }
}

fn ops(found: &Layers, names: &Names) -> Vec<LayerRow> {
    let row = |(op, sum): (&OpId, &Sum)| LayerRow {
        name: names.op(*op),
        figures: Figures::of(sum),
        ..LayerRow::default()
    };
    let mut rows: Vec<LayerRow> = found.ops.iter().map(row).collect();
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows
}

fn files(found: &Layers, names: &Names) -> Vec<LayerRow> {
    let row = |(file, facts): (&FileId, &FileFacts)| LayerRow {
        name: names.file(*file),
        ranks: Some(facts.ranks),
        aggregators: Some(facts.doers),
        hints: facts.hints.as_ref().map(|hints| hints.0.clone()),
        figures: Figures::of(&facts.sum),
        ..LayerRow::default()
    };
    let used = found.files.iter();
    let used = used.filter(|(file, facts)| **file != NO_FILE && facts.sum.calls > 0);
    let mut rows: Vec<LayerRow> = used.map(row).collect();
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows
}

fn objects(found: &Layers, names: &Names) -> Vec<LayerRow> {
    let row = |((file, object), facts): (&ObjectKey, &ObjectFacts)| LayerRow {
        name: names.object(*object),
        file: Some(names.file(*file)),
        ranks: Some(facts.ranks),
        chunk: (facts.chunk > 0).then_some(facts.chunk),
        figures: Figures::of(&facts.sum),
        ..LayerRow::default()
    };
    let used = found
        .objects
        .iter()
        .filter(|(_, facts)| facts.sum.calls > 0);
    let mut rows: Vec<LayerRow> = used.map(row).collect();
    rows.sort_by(|a, b| (&a.name, &a.file).cmp(&(&b.name, &b.file)));
    rows
}

fn ranks(found: &Layers, job: &Job, waits: &HashMap<u32, Waits>) -> Vec<RankRow> {
    let row = |(task, sum): (&TaskId, &Sum)| {
        let waits = waits.get(task).copied().unwrap_or_default();
        RankRow {
            rank: job.tasks.pid(*task).unwrap_or(*task),
            figures: Figures::of(sum),
            waited: waits.waited,
            last: waits.last,
            cost: waits.cost,
            aggregated: waits.aggregated,
        }
    };
    let mut rows: Vec<RankRow> = found.tasks.iter().map(row).collect();
    rows.sort_by_key(|row| row.rank);
    rows
}

fn waits(found: &Layers) -> HashMap<u32, Waits> {
    let mut waits: HashMap<u32, Waits> = HashMap::new();
    for one in found.collectives.all.values() {
        for rank in one.aggregators() {
            waits.entry(rank).or_default().aggregated += 1;
        }
        let Some(CollectiveWait {
            last,
            arrival,
            cost,
            ..
        }) = one.waiting()
        else {
            continue;
        };
        for share in one.shares.iter().filter(|share| !share.flying) {
            add(
                &mut waits.entry(share.rank).or_default().waited,
                share.waited(arrival),
            );
        }
        if cost > 0 {
            let last = waits.entry(last).or_default();
            last.last += 1;
            add(&mut last.cost, cost);
        }
    }
    waits
}

/// In the order in which they began.
fn collectives<'f>(found: &'f Layers) -> Vec<(u64, &'f Gathered)> {
    let mut all: Vec<(u64, &Gathered)> = found
        .collectives
        .all
        .iter()
        .map(|((_, id), one)| (*id, one))
        .collect();
    all.sort_by_key(|(id, one)| (one.span(), *id));
    all
}

fn collective(id: u64, one: &Gathered, names: &Names) -> CollectiveRow {
    let (start, end) = one.span();
    let time = end.wrapping_sub(start).max(0) as u64;
    let waiting = one.waiting();
    let bytes = total(one.shares.iter().map(|share| share.bytes));
    let below = [0, 1].map(|way| total(one.shares.iter().map(|share| share.below[way])));
    let span = |share: &super::RankShare| share.end.wrapping_sub(share.start).max(0) as u64;
    let longest =
        |of: &dyn Fn(&super::RankShare) -> u64| one.shares.iter().map(of).max().unwrap_or(0);
    CollectiveRow {
        id: format!("{id:#x}"),
        op: names.op(one.op),
        file: names.file(one.file),
        ranks: one.shares.len() as u64,
        of: one.ranks,
        start,
        time,
        longest: longest(&span),
        client: longest(&|share| share.client),
        server: longest(&|share| share.server),
        last: waiting
            .filter(|waiting| waiting.cost > 0)
            .map(|waiting| waiting.last),
        spread: waiting.map_or(0, |waiting| {
            waiting.arrival.wrapping_sub(waiting.first).max(0) as u64
        }),
        waiting: waiting.map_or(0, |waiting| waiting.cost),
        aggregators: one.aggregators(),
        bytes,
        sub_read: below[0],
        sub_written: below[1],
        amplification: amplification(total(below), bytes),
        rate_sum: total(
            one.shares
                .iter()
                .map(|share| per_second(share.bytes, span(share))),
        ),
        rate_wall: per_second(bytes, time),
    }
}

fn call(node: &Node, names: &Names) -> CallRow {
    let [sub_read, sub_written] = node.bytes_below();
    CallRow {
        rank: node.rank,
        thread: node.thread,
        call: node.id,
        op: names.op(node.op),
        file: names.file(node.file),
        object: (node.object != NO_OBJECT).then(|| names.object(node.object)),
        start: node.start,
        time: node.span(),
        in_flight: node.begun.is_some(),
        collective: (node.collective != 0).then(|| format!("{:#x}", node.collective)),
        offset: Some(node.offset).filter(|offset| *offset >= 0),
        extent: node.extent,
        bytes: node.bytes(),
        library: node.library(),
        client: node.below.client(),
        overlaps: node.below.overlaps(),
        server: node.below.server,
        sub_calls: node.below.calls,
        sub_read,
        sub_written,
    }
}

fn limits(found: &Layers) -> Exactness {
    Exactness {
        collectives_one_in: 1 << found.collectives.level,
        collectives_kept: found.collectives.all.len() as u64,
        nested: found.nested,
        orphans: 0,
        lost: found.lost,
    }
}
