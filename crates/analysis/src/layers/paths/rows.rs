//! The paths as rows: what `iota layers` prints, and what its JSON has.

use super::{Branch, BranchFiles, BranchKey, Forest, PathSum, Paths};
use crate::servers::ServerTies;
use crate::sums::{add, per_second, sum};
use crate::{Job, NO_OBJECT, Site, SiteId};
use iota_calls::Layer;
use iota_trace::{Printable, text};
use serde::Serialize;
use std::collections::BTreeMap;

/// Calls with less than this share of all time are folded.
const SMALL: f64 = 0.005;

/// Calls of the same callers; times in ns.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PathRow {
    /// The function.
    pub name: String,
    /// Its dataset, variable or attribute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Its layer.
    pub layer: &'static str,
    /// The file, if they are all on one.
    pub file: Option<String>,
    /// Processes that made some.
    pub processes: u64,
    /// Calls.
    pub calls: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that are tied to their caller by file and time.
    pub inferred: u64,
    /// Time that threads spent in the functions.
    pub time: u64,
    /// That without the time in what they called.
    pub own: u64,
    /// From start to completion of those for which no thread waited.
    pub flight_time: u64,
    /// Bytes read.
    #[serde(rename = "bytes_read")]
    pub read: u64,
    /// Bytes written.
    #[serde(rename = "bytes_written")]
    pub written: u64,
    /// Bytes that calls of descriptors and streams below read.
    pub sub_read: u64,
    /// Bytes that these wrote.
    pub sub_written: u64,
    /// Bytes that one thread moved in a second.
    pub rate: u64,
    /// What they called, the longest first.
    pub below: Vec<PathRow>,
    /// What is not known of that.
    pub folded: Folded,
}

/// Calls that are not listed apart.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Folded {
    /// Rows.
    pub rows: u64,
    /// Calls.
    pub calls: u64,
    /// Their time.
    pub time: u64,
}

impl Paths<'_> {
    /// Calls that nobody called, the longest first; `top` below each call, all with 0. With `only` those that the filter
    /// left out are not among them, nor those that have nothing to do with calls that pass.
    pub fn rows(&self, only: bool, top: usize) -> (Vec<PathRow>, Folded) {
        let maker = Maker {
            job: self.job,
            layer: self.layer,
            servers: self.servers,
        };
        let mut rows = maker.roots(&self.roots, !only);
        let all = sum(rows.iter().map(|row| row.weight()));
        let least = match top {
            0 => 0,
            _ => (all as f64 * SMALL) as u64,
        };
        let folded = fold(&mut rows, top, least);
        (rows, folded)
    }
}

/// Leaves the longest rows; the others are summed up.
fn fold(rows: &mut Vec<PathRow>, top: usize, least: u64) -> Folded {
    rows.sort_by(|a, b| {
        let key = |row: &PathRow| std::cmp::Reverse(row.weight());
        (key(a), &a.name, &a.object).cmp(&(key(b), &b.name, &b.object))
    });
    let large = rows.partition_point(|row| row.weight() >= least);
    let mut left = if top == 0 { large } else { large.min(top) };
    // A row takes no more room than what would be said instead.
    if left + 1 == rows.len() {
        left += 1;
    }
    let mut folded = Folded::default();
    for row in rows.drain(left..) {
        folded.rows += 1;
        folded.calls += row.calls;
        add(&mut folded.time, row.weight());
    }
    for row in rows {
        row.folded = fold(&mut row.below, top, least);
    }
    folded
}

struct Maker<'a> {
    job: &'a Job<'a>,
    layer: u8,
    servers: Option<&'a ServerTies>,
}

impl Maker<'_> {
    fn rows(&self, forest: &Forest, inside: bool) -> Vec<PathRow> {
        let rows = forest.iter();
        rows.filter_map(|(step, branch)| self.row(step, branch, inside))
            .collect()
    }

    /// Calls that nobody called, those that a line of the program made below that.
    fn roots(&self, forest: &Forest, inside: bool) -> Vec<PathRow> {
        let mut by_site: BTreeMap<SiteId, Vec<PathRow>> = BTreeMap::new();
        for (step, branch) in forest {
            let rows = by_site.entry(step.site).or_default();
            rows.extend(self.row(step, branch, inside));
        }
        let mut roots = Vec::new();
        for (site, rows) in by_site {
            match self.job.sites.get(site).filter(|_| !rows.is_empty()) {
                Some(site) => roots.push(PathRow::of_site(site, rows)),
                None => roots.extend(rows),
            }
        }
        roots
    }

    /// A row, unless nothing of it passes the filter; `inside`: it is below what passes.
    fn row(&self, step: &BranchKey, branch: &Branch, inside: bool) -> Option<PathRow> {
        let function = self.job.ops.get(step.op);
        let server = step.server.checked_sub(1);
        let passes = function.layer == self.layer && !step.left_out && server.is_none();
        let below = self.rows(&branch.below, inside || passes);
        if !inside && (step.left_out || !passes && below.is_empty()) {
            return None;
        }
        let sum = &branch.sum;
        let [sub_read, sub_written] = self.bytes_below(branch);
        let objects = &self.job.objects;
        let object = || Printable(objects.name(step.object)).to_string();
        Some(PathRow {
            name: match server.zip(self.servers) {
                Some((server, servers)) => servers.name(server).to_owned(),
                None => Printable(&function.name).to_string(),
            },
            object: (step.object != NO_OBJECT).then(object),
            layer: match server {
                Some(_) => text::layer(Layer::Server as u8),
                None => text::layer(function.layer),
            },
            file: match sum.files {
                BranchFiles::One(file) => Some(Printable(self.job.files.path(file)).to_string()),
                _ => None,
            },
            processes: sum.processes,
            calls: sum.calls,
            failed: sum.failed,
            inferred: sum.inferred,
            time: sum.time,
            own: own(branch),
            flight_time: sum.flight,
            read: sum.moved[0],
            written: sum.moved[1],
            sub_read,
            sub_written,
            rate: per_second(sum.bytes(), sum.time.max(sum.flight)),
            below,
            folded: Folded::default(),
        })
    }

    /// Bytes that calls of descriptors and streams moved, those aside that others of these made.
    fn bytes_below(&self, branch: &Branch) -> [u64; 2] {
        let mut all = [0; 2];
        for (step, below) in &branch.below {
            let moved = match self.job.ops.get(step.op).is_library {
                true => self.bytes_below(below),
                false => below.sum.moved,
            };
            add(&mut all[0], moved[0]);
            add(&mut all[1], moved[1]);
        }
        all
    }
}

/// Time of calls without what they called.
fn own(branch: &Branch) -> u64 {
    let within = |below: &Branch| below.sum.time.saturating_sub(below.sum.beside);
    let within = sum(branch.below.values().map(within));
    branch.sum.time.saturating_sub(within)
}

impl PathSum {
    fn bytes(&self) -> u64 {
        sum(self.moved)
    }
}

impl PathRow {
    /// A line of the program, above what it called.
    fn of_site(site: &Site, below: Vec<PathRow>) -> PathRow {
        let all = |of: fn(&PathRow) -> u64| sum(below.iter().map(of));
        let is_library = |row: &PathRow| {
            ![Layer::Posix, Layer::Stdio]
                .iter()
                .any(|layer| text::layer(*layer as u8) == row.layer)
        };
        // Bytes that a library moved, it moved by calls below it.
        let bytes = |own: fn(&PathRow) -> u64, under: fn(&PathRow) -> u64| {
            let of = |row: &PathRow| {
                if is_library(row) {
                    under(row)
                } else {
                    own(row)
                }
            };
            sum(below.iter().map(of))
        };
        let (time, flight_time) = (all(|row| row.time), all(|row| row.flight_time));
        let (read, written) = (all(|row| row.read), all(|row| row.written));
        let file = below.first().and_then(|row| row.file.clone());
        let is_one = below.iter().all(|row| row.file == file);
        PathRow {
            name: site.name(),
            layer: text::layer(Layer::User as u8),
            file: file.filter(|_| is_one),
            processes: below.iter().map(|row| row.processes).max().unwrap_or(0),
            calls: all(|row| row.calls),
            failed: all(|row| row.failed),
            inferred: all(|row| row.inferred),
            time,
            flight_time,
            read,
            written,
            sub_read: bytes(|row| row.read, |row| row.sub_read),
            sub_written: bytes(|row| row.written, |row| row.sub_written),
            rate: per_second(read.saturating_add(written), time.max(flight_time)),
            below,
            ..PathRow::default()
        }
    }

    /// What it is sorted by.
    pub fn weight(&self) -> u64 {
        self.time.max(self.flight_time)
    }
}
