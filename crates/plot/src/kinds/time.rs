//! Bandwidth and calls under way, over time.

use super::plot_data::{PlotData, steps};
use crate::aggregates::TimeCategory;
use crate::axis::{Axis, Unit};
use crate::colours::{Colour, META, READ, SYNC, WAIT, WRITE};
use crate::figure::{Figure, Form, Panel, Shape};

/// Names and colours of what time goes into.
pub const CLASSES: [(&str, Colour); TimeCategory::COUNT] = [
    ("read", READ),
    ("write", WRITE),
    ("sync", SYNC),
    ("metadata", META),
    ("async", WAIT),
];

pub fn figure(seen: &PlotData) -> Figure {
    let panels = vec![
        bandwidth(seen).at(0.0, 0.0, 1.0, 0.5),
        concurrency(seen).at(0.0, 0.5, 1.0, 0.5),
    ];
    seen.figure_of("Throughput and concurrency", panels)
}

/// Bytes a second, each way.
pub fn bandwidth(seen: &PlotData) -> Panel {
    let ranks = &seen.found.ranks;
    let seconds = seen.plan.time.width as f64 / 1e9;
    let rates = ranks.bytes().each_ref().map(|cells| {
        let sums = ranks.by_time(cells).into_iter();
        sums.map(|bytes| bytes as f64 / seconds).collect::<Vec<_>>()
    });
    let most = rates.iter().flatten().copied().fold(1.0, f64::max);
    let y = Axis::new("bandwidth", Unit::Rate, 0.0, most * 1.05);
    let mut panel = Panel::new("Bandwidth", seen.time(), y);
    for ((name, colour), rates) in CLASSES.into_iter().zip(rates) {
        if rates.iter().any(|rate| *rate > 0.0) {
            let points = steps(&seen.plan.time, rates);
            let area = Shape::new(colour, Form::Area(points.clone())).faint(0.35);
            let line = Shape::new(colour, Form::Line(points));
            panel = panel
                .with(area.on(name))
                .with(line.on(name))
                .telling(colour, name);
        }
    }
    panel
}

/// Threads that wait for a call, one class upon the other.
pub fn concurrency(seen: &PlotData) -> Panel {
    let ranks = &seen.found.ranks;
    let width = seen.plan.time.width as f64;
    let mut sums = vec![0.0; seen.plan.time.count];
    let mut shapes = Vec::new();
    let y = |most| Axis::new("calls under way", Unit::Count, 0.0, most);
    let mut panel = Panel::new("Calls under way, averaged", seen.time(), y(1.0));
    for ((name, colour), cells) in CLASSES.into_iter().zip(ranks.busy()) {
        let busy = ranks.by_time(cells);
        if busy.iter().any(|busy| *busy > 0) {
            sums.iter_mut()
                .zip(busy)
                .for_each(|(sum, busy)| *sum += busy as f64 / width);
            let points = steps(&seen.plan.time, sums.iter().copied());
            shapes.push(Shape::new(colour, Form::Area(points)).on(name));
            panel = panel.telling(colour, name);
        }
    }
    // The highest is drawn first, the others before it.
    panel.shapes = shapes.into_iter().rev().collect();
    panel.y = y(sums.iter().copied().fold(1.0, f64::max) * 1.05);
    panel
}
