//! The tree as text: what it comes to, findings, tables.

use super::cells::{rate, some};
use super::json::LayersJson;
use super::{server_table, tree};
use crate::args::LayersBy;
use crate::table::Table;
use crate::text_page::TextPage;
use iota_analysis::layers::{CallRow, CollectiveRow, Figures, LayerReport, LayerRow};
use iota_quantity::{self as units, bytes, count, digits, many, share, time};

/// All of it, lines not longer than `width`
pub fn page(said: &LayersJson, by: &[LayersBy], width: Option<usize>) -> String {
    let mut page = TextPage::new(width);
    page.title(said.traces, said.filter);
    let report = said.report;
    if report.total.figures.calls == 0 {
        page.fact(report.layer, "no calls");
    } else {
        facts(&mut page, report);
        let none = match report.minor {
            0 => "no findings",
            _ => "no findings; --all shows those that cost the run little",
        };
        page.findings(&report.findings, said.duration.max(0) as u64, none);
    }
    let has_servers = report.total.figures.server > 0;
    for by in by {
        match by {
            LayersBy::Tree => tree::table(&mut page, report),
            LayersBy::Op => rows(&mut page, "op", &report.ops, report.counts[0], has_servers),
            LayersBy::File => rows(
                &mut page,
                "file",
                &report.files,
                report.counts[1],
                has_servers,
            ),
            LayersBy::Object => rows(
                &mut page,
                "object",
                &report.objects,
                report.counts[5],
                has_servers,
            ),
            LayersBy::Rank => ranks(&mut page, report),
            LayersBy::Collective => collectives(&mut page, report),
            LayersBy::Call => calls(&mut page, &report.calls, report.counts[4], has_servers),
            LayersBy::Server => server_table::table(&mut page, &report.servers, report.counts[6]),
        }
    }
    page.out
}

fn facts(page: &mut TextPage, report: &LayerReport) {
    let (total, of) = (&report.total, &report.total.figures);
    let mut phrases = vec![many(total.ranks, total.task.word()), many(of.calls, "call")];
    let sorts = [
        (of.collective, "collective"),
        (of.in_flight, "in flight"),
        (of.failed, "failed"),
    ];
    let sorts = sorts.iter().filter(|(n, _)| *n > 0);
    phrases.extend(sorts.map(|(n, what)| format!("{} {what}", count(*n))));
    page.fact(report.layer, &phrases.join(", "));
    page.fact("moved", &moved(of));
    page.fact("time", &times(report));
    if of.in_flight > 0 {
        let mut text = format!(
            "{} from start to completion, while the program went on",
            time(of.flight_time)
        );
        if of.flight_client > 0 {
            text += &format!("; {} in sub-calls", time(of.flight_client));
        }
        page.fact("in flight", &text);
    }
    page.fact("sub-calls", &sub_calls(of));
    if of.rate_sum > 0 {
        page.fact("rates", &rates(report.layer, of.rate_sum, of.rate_wall));
        page.fact("", &rates("sub-calls", of.sub_rate_sum, of.sub_rate_wall));
    }
    limits(page, report);
}

fn moved(of: &Figures) -> String {
    let above = format!("{} read, {} written", bytes(of.read), bytes(of.written));
    let below = format!(
        "{} read, {} written",
        bytes(of.sub_read),
        bytes(of.sub_written)
    );
    let factor = of.amplification.map_or(String::new(), |factor| {
        format!(": {} times as much", digits(factor))
    });
    format!("{above}; by sub-calls {below}{factor}")
}

fn times(report: &LayerReport) -> String {
    let (of, waiting) = (&report.total.figures, report.total.waiting);
    let in_sub_calls = of.client.saturating_sub(of.flight_client);
    let mut text = format!(
        "{} of all {}: {} inside {}, {} in sub-calls",
        time(of.time),
        report.total.task.plural(),
        time(of.library),
        inside(report.layer),
        time(in_sub_calls),
    );
    // In functions that begin or complete transfers in flight
    let rest = of
        .time
        .saturating_sub(of.library)
        .saturating_sub(in_sub_calls);
    if of.in_flight > 0 && rest > 0 {
        text += &format!(
            ", {} beginning and completing transfers in flight",
            time(rest)
        );
    }
    if of.server > 0 {
        text += &format!(" ({} of them in servers)", time(of.server));
    }
    if waiting > 0 {
        let share = share(waiting, of.time);
        text += &format!(
            "; {} ({share}) waiting for ranks that came late",
            time(waiting)
        );
    }
    text
}

/// Where the time is that is not in sub-calls
fn inside(layer: &str) -> String {
    match layer {
        "MPI-IO" => "the MPI library".to_owned(),
        "USER" => "the functions and the libraries below".to_owned(),
        layer => format!("{layer} and the libraries below"),
    }
}

fn sub_calls(of: &Figures) -> String {
    let mut text = format!(
        "{}, {} of them reads or writes",
        count(of.sub_calls),
        count(of.sub_transfers)
    );
    if of.overlapping > 0 {
        text += &format!(
            "; those of {} overlap, and count while at least one is under way",
            many(of.overlapping, "call")
        );
    }
    if of.inferred > 0 {
        text += &format!(
            "; {} tied by file and time only (inferred)",
            count(of.inferred)
        );
    }
    if of.read_first > 0 {
        text += &format!(
            "; under {} the file was read first: {}",
            many(of.read_first, "write"),
            bytes(of.read_first_bytes)
        );
    }
    text
}

fn rates(of: &str, sum: u64, wall: u64) -> String {
    format!(
        "{of}: {}/s as the sum over what ran in parallel, {}/s by wall time",
        bytes(sum),
        bytes(wall)
    )
}

fn limits(page: &mut TextPage, report: &LayerReport) {
    let limits = &report.limits;
    if limits.collectives_one_in > 1 {
        page.fact(
            "note",
            &format!(
                "too many collective calls to keep all: waiting, aggregators and the table of collective calls are of one in {}",
                count(limits.collectives_one_in)
            ),
        );
    }
    if limits.orphans > 0 {
        let text = format!(
            "{} whose caller is not in the trace",
            many(limits.orphans, "call")
        );
        page.fact("note", &text);
    }
    if limits.lost > 0 {
        let text = format!(
            "{} could not be tied: too many calls were in flight",
            many(limits.lost, "sub-call")
        );
        page.fact("note", &text);
    }
}

fn factor(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), digits)
}

fn rows(page: &mut TextPage, what: &str, rows: &[LayerRow], all: u64, has_servers: bool) {
    let is_file = what == "file";
    let first = if is_file { "ranks" } else { what };
    let last = if what == "op" { "" } else { "file" };
    let mut heads = vec![first, "calls", "time", "library", "client"];
    heads.extend(has_servers.then_some("server"));
    heads.extend(["moved", "below", "times", "sum", "wall", last]);
    let mut out = Table::new(&heads);
    for row in rows {
        let of = &row.figures;
        let mut cells = vec![
            match row.ranks {
                Some(ranks) if is_file => count(ranks.into()),
                _ => row.name.clone(),
            },
            count(of.calls),
            time(of.time.max(of.flight_time)),
            some(of.library, time),
            some(of.client, time),
        ];
        cells.extend(has_servers.then(|| some(of.server, time)));
        cells.extend([
            bytes(of.read + of.written),
            bytes(of.sub_read + of.sub_written),
            factor(of.amplification),
            rate(of.rate_sum),
            rate(of.rate_wall),
            match &row.file {
                _ if is_file => row.name.clone(),
                Some(file) => file.clone(),
                None => notes(of),
            },
        ]);
        out.row(cells);
    }
    page.table(&out, all - rows.len() as u64);
}

fn notes(of: &Figures) -> String {
    let phrases = [
        (of.in_flight, "in flight"),
        (of.failed, "failed"),
        (of.overlapping, "overlap"),
        (of.inferred, "inferred"),
        (of.read_first, "read first"),
    ];
    let phrases = phrases.iter().filter(|(n, _)| *n > 0);
    let phrases: Vec<String> = phrases
        .map(|(n, what)| format!("{} {what}", count(*n)))
        .collect();
    phrases.join(", ")
}

fn ranks(page: &mut TextPage, report: &LayerReport) {
    let (rows, all) = (&report.ranks, report.counts[2]);
    let heads = [
        report.total.task.word(),
        "calls",
        "time",
        "library",
        "client",
        "waited",
        "last",
        "cost",
        "moved",
        "below",
        "",
    ];
    let mut out = Table::new(&heads);
    for row in rows {
        let of = &row.figures;
        let note = some(row.aggregated, |n| format!("aggregator of {}", count(n)));
        out.row([
            row.rank.to_string(),
            count(of.calls),
            time(of.time.max(of.flight_time)),
            some(of.library, time),
            some(of.client, time),
            some(row.waited, time),
            some(row.last, count),
            some(row.cost, time),
            bytes(of.read + of.written),
            bytes(of.sub_read + of.sub_written),
            note,
        ]);
    }
    page.table(&out, all - rows.len() as u64);
}

fn collectives(page: &mut TextPage, report: &LayerReport) {
    let rows = &report.collectives;
    let heads = [
        "collective",
        "at",
        "ranks",
        "time",
        "client",
        "last",
        "by",
        "waiting",
        "aggregators",
        "moved",
        "below",
        "file",
    ];
    let mut out = Table::new(&heads);
    for row in rows {
        out.row([
            row.op.clone(),
            time(row.start.max(0) as u64),
            of_ranks(row),
            time(row.time),
            some(row.client, time),
            row.last
                .map_or("-".to_owned(), |rank| format!("rank {rank}")),
            some(row.spread, time),
            some(row.waiting, time),
            units::ranks(&row.aggregators),
            bytes(row.bytes),
            bytes(row.sub_read + row.sub_written),
            row.file.clone(),
        ]);
    }
    page.table(&out, report.counts[3] - rows.len() as u64);
}

/// `4`, or `3 of 4`
fn of_ranks(row: &CollectiveRow) -> String {
    match u64::from(row.of) {
        of if of == 0 || of == row.ranks => count(row.ranks),
        of => format!("{} of {}", count(row.ranks), count(of)),
    }
}

fn calls(page: &mut TextPage, rows: &[CallRow], all: u64, has_servers: bool) {
    let mut heads = vec!["call", "at", "rank", "time", "library", "client"];
    heads.extend(has_servers.then_some("server"));
    heads.extend(["sub-calls", "moved", "below", "file"]);
    let mut out = Table::new(&heads);
    for row in rows {
        let overlaps = if row.overlaps { "*" } else { "" };
        let mut cells = vec![
            row.op.clone(),
            time(row.start.max(0) as u64),
            row.rank.to_string(),
            time(row.time),
            row.library.map_or("-".to_owned(), time),
            some(row.client, time) + overlaps,
        ];
        cells.extend(has_servers.then(|| some(row.server, time)));
        cells.extend([
            some(row.sub_calls, count),
            bytes(row.bytes),
            bytes(row.sub_read + row.sub_written),
            row.file.clone(),
        ]);
        out.row(cells);
    }
    page.table(&out, all.saturating_sub(rows.len() as u64));
    if rows.iter().any(|row| row.overlaps) {
        page.out += "* sub-calls overlap: the time in which at least one was under way\n";
    }
}
