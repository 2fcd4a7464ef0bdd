//! The tree: which calls called which, over all layers, as an indented table.

use super::cells::{rate, some};
use crate::table::Table;
use crate::text_page::TextPage;
use iota_analysis::layers::{Folded, LayerReport, PathRow};
use iota_quantity::{bytes, count, time};

/// Prints it
pub fn table(page: &mut TextPage, report: &LayerReport) {
    let heads = [
        "tree",
        "calls",
        "processes",
        "time",
        "own",
        "moved",
        "below",
        "rate",
        "",
    ];
    let mut out = Table::new(&heads);
    rows(&mut out, &report.tree, report.tree_folded, 0);
    page.table(&out, 0);
}

fn rows(out: &mut Table, all: &[PathRow], more: Folded, depth: usize) {
    for row in all {
        out.row(cells(row, depth));
        rows(out, &row.below, row.folded, depth + 1);
    }
    if more.rows > 0 {
        let mut cells = vec![String::new(); 9];
        cells[0] = format!("{}and {}", indent(depth), count(more.rows) + " more");
        cells[1] = count(more.calls);
        cells[3] = time(more.time);
        out.row(cells);
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

fn cells(row: &PathRow, depth: usize) -> Vec<String> {
    let object = row.object.as_ref();
    let object = object.map_or(String::new(), |object| format!(" [{object}]"));
    let moved = row.read.saturating_add(row.written);
    let below = row.sub_read.saturating_add(row.sub_written);
    vec![
        format!("{}{}{object}", indent(depth), row.name),
        count(row.calls),
        count(row.processes),
        time(row.weight()),
        time(row.own),
        some(moved, bytes),
        some(below, bytes),
        rate(row.rate),
        notes(row),
    ]
}

fn notes(row: &PathRow) -> String {
    let phrases = [(row.failed, "failed"), (row.inferred, "inferred")];
    let phrases = phrases.iter().filter(|(n, _)| *n > 0);
    let mut phrases: Vec<String> = phrases
        .map(|(n, what)| format!("{} {what}", count(*n)))
        .collect();
    if row.flight_time > row.time {
        phrases.push("in flight".to_owned());
    }
    phrases.extend(row.file.clone());
    phrases.join(", ")
}
