//! The page's section on calls of layers above POSIX, and what they caused.

use iota_analysis::layers::{
    CollectiveRow, Figures, Folded, LayerReport, PathRow, Stack, layer_of,
};
use iota_analysis::thresholds::Thresholds;
use iota_analysis::{Job, Pass, Progress};
use iota_plot::{Scope, callers, svg, tree};
use iota_quantity::{bytes, count, digits, time};

/// Rows of each table.
const ROWS: usize = 25;
/// Width and height of a picture.
const PICTURE: (f64, f64) = (1130.0, 420.0);

/// What the section shows.
pub struct Tree {
    /// The layer whose calls are reported.
    pub layer: &'static str,
    /// Names and values.
    pub facts: Vec<(&'static str, String)>,
    /// As SVG: which calls called which, time of each layer, throughput of sub-calls.
    pub pictures: Vec<String>,
    /// Which calls called which, functions, ranks, collective calls.
    pub tables: Vec<Table>,
    /// All figures.
    pub report: LayerReport,
}

/// A table whose first column is text.
pub struct Table {
    pub title: &'static str,
    pub heads: &'static [&'static str],
    pub rows: Vec<Line>,
    /// Rows that are left out.
    pub more: u64,
}

/// A row of a table.
pub struct Line {
    /// How far its first column is indented.
    pub depth: usize,
    pub cells: Vec<String>,
}

impl From<Vec<String>> for Line {
    fn from(cells: Vec<String>) -> Line {
        Line { depth: 0, cells }
    }
}

/// Reads the trace once more, if it has calls of such layers; `None`: none passes.
pub fn find(
    job: &Job,
    scope: &Scope,
    thresholds: &Thresholds,
    progress: &(dyn Fn(Progress) + Sync),
) -> Option<Tree> {
    if !job.ops.all().iter().any(|function| function.is_library) {
        return None;
    }
    let wanted = scope.filter.bind(job);
    let pass = Pass::of(job).of_processes(&scope.filter).progress(progress);
    let found = Stack::read(&pass, job, &wanted, layer_of(job), true, None);
    let report = found.report(job, &scope.filter, ROWS, thresholds);
    (!found.layers.is_empty()).then(|| Tree::of(job, scope, report, &found))
}

impl Tree {
    fn of(job: &Job, scope: &Scope, report: LayerReport, found: &Stack) -> Tree {
        let (rows, _) = found.paths.rows(!scope.filter.is_empty(), 0);
        let found = &found.layers;
        let (width, height) = PICTURE;
        let pictures = [
            callers::figure(job, &rows),
            tree::layers(job, found),
            tree::pairs(job, found),
        ];
        Tree {
            layer: report.layer,
            facts: facts(&report),
            pictures: pictures
                .iter()
                .zip([callers::height(&pictures[0], height), height, height])
                .map(|(figure, height)| svg::draw(figure, width, height))
                .collect(),
            tables: vec![
                callers(&report),
                ops(&report),
                ranks(&report),
                collectives(&report),
            ],
            report,
        }
    }
}

fn facts(report: &LayerReport) -> Vec<(&'static str, String)> {
    let of = &report.total.figures;
    let moved = format!("{} read, {} written", bytes(of.read), bytes(of.written));
    let below = format!(
        "{} read, {} written",
        bytes(of.sub_read),
        bytes(of.sub_written)
    );
    let mut facts = vec![
        ("calls", count(of.calls)),
        ("moved", moved),
        ("by sub-calls", below),
        ("time, all ranks", time(of.time)),
        ("in the library", time(of.library)),
        ("in sub-calls", time(of.client)),
    ];
    if report.total.waiting > 0 {
        facts.push(("waiting for late ranks", time(report.total.waiting)));
    }
    if of.inferred > 0 {
        facts.push(("sub-calls tied by file and time", count(of.inferred)));
    }
    facts
}

/// Rows of the tree one below the other, indented.
fn callers(report: &LayerReport) -> Table {
    let mut rows = Vec::new();
    indented(&mut rows, &report.tree, report.tree_folded, 0);
    Table {
        title: "Who called what",
        heads: &[
            "call",
            "calls",
            "processes",
            "time",
            "own time",
            "moved",
            "moved below",
        ],
        rows,
        more: 0,
    }
}

fn indented(out: &mut Vec<Line>, rows: &[PathRow], folded: Folded, depth: usize) {
    for row in rows {
        let object = row.object.as_ref();
        let object = object.map_or(String::new(), |object| format!(" [{object}]"));
        let cells = vec![
            format!("{}{object}", row.name),
            count(row.calls),
            count(row.processes),
            time(row.weight()),
            some(row.own),
            bytes(row.read.saturating_add(row.written)),
            bytes(row.sub_read.saturating_add(row.sub_written)),
        ];
        out.push(Line { depth, cells });
        indented(out, &row.below, row.folded, depth + 1);
    }
    if folded.rows > 0 {
        let name = format!("and {} more", count(folded.rows));
        let none = String::new;
        let (calls, time) = (count(folded.calls), time(folded.time));
        let cells = vec![name, calls, none(), time, none(), none(), none()];
        out.push(Line { depth, cells });
    }
}

fn ops(report: &LayerReport) -> Table {
    let row = |of: &Figures, name: &str| {
        vec![
            name.to_owned(),
            count(of.calls),
            time(of.time.max(of.flight_time)),
            some(of.library),
            some(of.client),
            bytes(of.read + of.written),
            bytes(of.sub_read + of.sub_written),
            of.amplification.map_or("-".to_owned(), digits),
        ]
    };
    let rows = report.ops.iter().map(|op| row(&op.figures, &op.name));
    Table {
        title: "By function",
        heads: &[
            "function",
            "calls",
            "time",
            "library",
            "sub-calls",
            "moved",
            "moved below",
            "times",
        ],
        rows: rows.map(Line::from).collect(),
        more: report.counts[0] - report.ops.len() as u64,
    }
}

fn ranks(report: &LayerReport) -> Table {
    let rows = report.ranks.iter().map(|row| {
        let of = &row.figures;
        vec![
            format!("rank {}", row.rank),
            count(of.calls),
            time(of.time.max(of.flight_time)),
            some(of.library),
            some(of.client),
            some(row.waited),
            count(row.last),
            some(row.cost),
            count(row.aggregated),
        ]
    });
    Table {
        title: "By rank",
        heads: &[
            "rank",
            "calls",
            "time",
            "library",
            "sub-calls",
            "waited",
            "came last",
            "cost others",
            "aggregator of",
        ],
        rows: rows.map(Line::from).collect(),
        more: report.counts[2] - report.ranks.len() as u64,
    }
}

fn collectives(report: &LayerReport) -> Table {
    let row = |row: &CollectiveRow| {
        vec![
            row.op.clone(),
            time(row.start.max(0) as u64),
            count(row.ranks),
            time(row.time),
            some(row.client),
            row.last.map_or("-".to_owned(), |rank| rank.to_string()),
            some(row.waiting),
            iota_quantity::ranks(&row.aggregators),
            bytes(row.bytes),
            bytes(row.sub_read + row.sub_written),
        ]
    };
    Table {
        title: "Collective calls",
        heads: &[
            "call",
            "at",
            "ranks",
            "time",
            "sub-calls",
            "last rank",
            "waiting",
            "aggregators",
            "moved",
            "moved below",
        ],
        rows: report.collectives.iter().map(row).map(Line::from).collect(),
        more: report.counts[3] - report.collectives.len() as u64,
    }
}

/// A time that is none if it is 0.
pub fn some(ns: u64) -> String {
    match ns {
        0 => "-".to_owned(),
        ns => time(ns),
    }
}
