//! How large transfers are, how long calls take, and how one goes with the other.

use super::plot_data::{PlotData, coloured};
use super::time::CLASSES;
use crate::aggregates::bins::log;
use crate::aggregates::{Direction, SlowCall};
use crate::axis::{Axis, Unit};
use crate::colours::{Colour, GREY};
use crate::figure::{Figure, Form, Panel, Shape};
use iota_quantity::{bytes, count, nanos, time};

/// Stragglers that are named.
const NAMED: usize = 3;
/// What must be seen.
const STRAGGLER: Colour = Colour(213, 94, 0);

pub fn figure(seen: &PlotData) -> Figure {
    let panels = vec![
        sizes(seen).at(0.0, 0.0, 0.5, 0.5),
        shares(
            seen,
            "Share of bytes in transfers up to a size",
            Unit::Bytes,
            &of_bytes(seen),
        )
        .at(0.5, 0.0, 0.5, 0.5),
        latencies(seen).at(0.0, 0.5, 0.5, 0.5),
        shares(
            seen,
            "Share of calls up to a latency",
            Unit::Time,
            &of_latencies(seen),
        )
        .at(0.5, 0.5, 0.5, 0.5),
    ];
    seen.figure_of("Sizes and latencies", panels)
}

type Histograms<'a> = Vec<(&'static str, Colour, &'a [u64])>;

fn of_bytes<'a>(seen: &'a PlotData) -> Histograms<'a> {
    histograms(&seen.found.sizes.bytes)
}

fn of_latencies<'a>(seen: &'a PlotData) -> Histograms<'a> {
    histograms(&seen.found.sizes.latencies)
}

fn histograms(bins: &[Vec<u64>]) -> Histograms<'_> {
    let all = CLASSES.into_iter().zip(bins);
    let some = all.filter(|(_, bins)| bins.iter().any(|bin| *bin > 0));
    some.map(|((name, colour), bins)| (name, colour, bins.as_slice()))
        .collect()
}

/// Transfers by size.
pub fn sizes(seen: &PlotData) -> Panel {
    histogram(
        "Transfers by size",
        "size of a transfer",
        Unit::Bytes,
        &histograms(&seen.found.sizes.calls),
    )
}

/// Calls by latency.
pub fn latencies(seen: &PlotData) -> Panel {
    histogram(
        "Calls by latency",
        "time of a call",
        Unit::Time,
        &of_latencies(seen),
    )
}

/// The bins that hold anything, with a power of two more on both sides.
fn range(all: &Histograms) -> (usize, usize) {
    let holds = |bin: &usize| all.iter().any(|(_, _, bins)| bins[*bin] > 0);
    let first = (0..log::COUNT).find(holds).unwrap_or(0);
    let last = (0..log::COUNT).rev().find(holds).unwrap_or(40);
    (first.saturating_sub(4), (last + 5).min(log::COUNT))
}

fn x_axis(label: &str, unit: Unit, (first, last): (usize, usize)) -> Axis {
    Axis::log(label, unit, log::start(first), log::start(last))
}

fn histogram(title: &str, label: &str, unit: Unit, all: &Histograms) -> Panel {
    let range = range(all);
    let most = all
        .iter()
        .flat_map(|(_, _, bins)| *bins)
        .max()
        .copied()
        .unwrap_or(1);
    let y = Axis::new("calls", Unit::Count, 0.0, most as f64 * 1.05);
    let mut panel = Panel::new(title, x_axis(label, unit, range), y);
    for (name, colour, bins) in all {
        let values = bins[range.0..range.1].iter().map(|bin| *bin as f64);
        let points = log_steps(range.0, values);
        panel = panel
            .with(
                Shape::new(*colour, Form::Area(points.clone()))
                    .faint(0.35)
                    .on(*name),
            )
            .with(Shape::new(*colour, Form::Line(points)).on(*name))
            .telling(*colour, *name);
    }
    panel
}

fn log_steps(first: usize, values: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
    let values = (first..).zip(values);
    let points =
        values.flat_map(|(bin, value)| [(log::start(bin), value), (log::start(bin + 1), value)]);
    points.collect()
}

/// Which share of all has come by each bin.
fn shares(_: &PlotData, title: &str, unit: Unit, all: &Histograms) -> Panel {
    let range = range(all);
    let label = if unit == Unit::Bytes {
        "size of a transfer"
    } else {
        "time of a call"
    };
    let y = Axis::new("", Unit::Share, 0.0, 1.0);
    let mut panel = Panel::new(title, x_axis(label, unit, range), y);
    for (name, colour, bins) in all {
        let sum = bins.iter().sum::<u64>() as f64;
        let mut seen = 0;
        let points = (range.0..range.1).map(|bin| {
            seen += bins[bin];
            (log::start(bin + 1), seen as f64 / sum)
        });
        let points = std::iter::once((log::start(range.0), 0.0))
            .chain(points)
            .collect();
        panel = panel
            .with(Shape::new(*colour, Form::Line(points)).on(*name))
            .telling(*colour, *name);
    }
    panel
}

/// Latency by size, with the stragglers marked and the worst named.
pub fn latency(seen: &PlotData) -> Figure {
    let sizes = &seen.found.sizes;
    let (columns, rows) = used(&sizes.both);
    let mut cells = Vec::new();
    for row in rows.0..rows.1 {
        cells.extend(
            (columns.0..columns.1).map(|column| u64::from(sizes.both[column * log::COUNT + row])),
        );
    }
    let x = x_axis("size of a transfer", Unit::Bytes, columns);
    let y = x_axis("time of a call", Unit::Time, rows);
    let mut panel = Panel::new("", x, y);
    if !seen.is_empty(&cells) {
        let (colours, scale) = coloured(&cells, "transfers", |n| count(n as u64));
        let columns = columns.1 - columns.0;
        panel = panel.with(Shape::new(GREY, Form::Cells { columns, colours }));
        panel.scale = Some(scale);
    }
    let stragglers = sizes.stragglers();
    let dots = stragglers
        .iter()
        .map(|call| (call.bytes as f64, call.elapse as f64));
    panel = panel
        .with(Shape::new(STRAGGLER, Form::Dots(dots.collect())).on("stragglers"))
        .telling(STRAGGLER, "straggler");
    let mut figure = seen.figure_of("Latency by size", vec![panel]);
    let note = "Stragglers took ten times as long as half of the transfers of about their size.";
    figure.notes.push(note.to_owned());
    figure
        .notes
        .extend(stragglers.iter().take(NAMED).map(|call| named(seen, call)));
    figure
}

fn used(both: &[u32]) -> ((usize, usize), (usize, usize)) {
    let (mut columns, mut rows) = (vec![0; log::COUNT], vec![0; log::COUNT]);
    for (column, cells) in both.chunks(log::COUNT).enumerate() {
        for (row, cell) in cells.iter().enumerate() {
            columns[column] += u64::from(*cell);
            rows[row] += u64::from(*cell);
        }
    }
    let of = |bins: &[u64]| range(&vec![("", GREY, bins)]);
    (of(&columns), of(&rows))
}

fn named(seen: &PlotData, call: &SlowCall) -> String {
    let way = if call.way == Direction::Read {
        "read"
    } else {
        "wrote"
    };
    let name = crate::svg::shortened(&seen.name(call.file), 60);
    format!(
        "{}: {} {way} {} at {}, {name}",
        time(call.elapse),
        seen.job.tasks.described(call.rank),
        bytes(call.bytes),
        nanos(call.start),
    )
}
