//! Offsets over time: which rank moved which bytes when, and which bytes several ranks touch.

use super::PlotData;
use crate::aggregates::{Bins, Sharing, TransferMark, overlaps};
use crate::axis::{Axis, Unit};
use crate::colours::{Colour, FEW_RANKS, GREY, PALE, READ, WHITE, WRITE, among};
use crate::figure::{Figure, Form, Panel, Scale, Shape};
use iota_analysis::TaskId;
use iota_quantity::many;

/// Layers of a picture; with more ranks several share one.
const LAYERS: usize = 64;
/// What several ranks write.
const CLASH: Colour = Colour(204, 121, 167);
/// What one writes and others read.
const MIXED: Colour = Colour(240, 190, 70);

pub fn figure(seen: &PlotData) -> Figure {
    let title = format!("Offsets over time: {}", seen.focus_name());
    let mut figure = seen.figure_of(&title, vec![panel(seen)]);
    if !seen.plan.wants.marks {
        let few = many(crate::aggregates::MOST_MARKS as u64, "transfer");
        figure
            .notes
            .push(format!("More than {few}: shown as densities."));
    }
    figure
}

/// Whether colours tell ranks, which they do where all transfers go one way.
fn tells_ranks(seen: &PlotData) -> bool {
    let [read, written] = seen.survey.bytes();
    seen.survey.ranks.len() > 1 && (read == 0 || written == 0)
}

pub fn panel(seen: &PlotData) -> Panel {
    let until = seen.plan.offsets.until().max(1) as f64;
    let y = Axis::new("offset in the file", Unit::Bytes, 0.0, until);
    let mut panel = Panel::new("", seen.time(), y);
    panel = match seen.plan.wants.marks {
        true => marks(seen, panel),
        false => density(seen, panel),
    };
    match tells_ranks(seen) {
        true => with_ranks(seen, panel),
        false => panel.telling(READ, "read").telling(WRITE, "write"),
    }
}

fn with_ranks(seen: &PlotData, mut panel: Panel) -> Panel {
    let (first, last) = (seen.plan.ranks.from as u64, last_rank(seen));
    let count = last - first + 1;
    if count <= FEW_RANKS {
        let name = |at| seen.job.tasks.described((first + at) as TaskId);
        return (0..count).fold(panel, |panel, at| panel.telling(among(at, count), name(at)));
    }
    panel.scale = Some(Scale {
        label: seen.job.tasks.kind().word().into(),
        from: first.to_string(),
        to: last.to_string(),
        colours: (0..16).map(|at| among(at * count / 16, count)).collect(),
    });
    panel
}

fn last_rank(seen: &PlotData) -> u64 {
    seen.survey.ranks.last().copied().unwrap_or(0).into()
}

/// A box for each transfer, a layer for each rank or some of them.
fn marks(seen: &PlotData, mut panel: Panel) -> Panel {
    let (first, last) = (seen.plan.ranks.from, last_rank(seen) as i64);
    let groups = Bins::over(first, last + 1, LAYERS);
    let mut boxes: Vec<[Vec<[f64; 4]>; 2]> = vec![Default::default(); groups.count];
    for mark in &seen.found.marks {
        boxes[groups.at(mark.rank.into())][mark.way as usize].push(area(mark));
    }
    let by_rank = tells_ranks(seen);
    for (group, ways) in boxes.into_iter().enumerate() {
        let layer = layer(seen, &groups, group, last);
        let at = groups.start(group).abs_diff(first);
        let rank = among(at, last.abs_diff(first) + 1);
        for (way, boxes) in [READ, WRITE].into_iter().zip(ways) {
            if !boxes.is_empty() {
                let colour = if by_rank { rank } else { way };
                let shape = Shape::new(colour, Form::Boxes(boxes));
                panel = panel.with(shape.on(layer.as_str()));
            }
        }
    }
    panel
}

fn area(mark: &TransferMark) -> [f64; 4] {
    [
        mark.start as f64,
        mark.offset as f64,
        mark.end as f64,
        mark.until() as f64,
    ]
}

fn layer(seen: &PlotData, groups: &Bins, group: usize, last: i64) -> String {
    let (from, until) = (groups.start(group), (groups.start(group + 1) - 1).min(last));
    match from == until {
        true => seen.job.tasks.described(from as TaskId),
        false => format!("{} {from}-{until}", seen.job.tasks.kind().plural()),
    }
}

/// A colour for each cell: whose or which way its bytes are, the paler the fewer.
fn density(seen: &PlotData, panel: Panel) -> Panel {
    let offsets = &seen.found.offsets;
    let [read, written] = &offsets.bytes;
    let most = read
        .iter()
        .zip(written)
        .map(|(read, written)| read + written)
        .max();
    let most = most.unwrap_or(1).max(2) as f64;
    let by_rank = tells_ranks(seen);
    let (first, count) = (seen.plan.ranks.from as u64, last_rank(seen) + 1);
    let colour = |cell: usize| {
        let sum = read[cell] + written[cell];
        if sum == 0 {
            return None;
        }
        let share = (sum as f64).ln() / most.ln();
        let full = match by_rank {
            true => {
                let rank = offsets.ranks[cell] / offsets.calls[cell].max(1);
                let steps = (rank.saturating_sub(first)) * 64 / (count - first).max(1);
                among(steps * (count - first) / 64, count - first)
            }
            false => {
                let share = written[cell] as f64 / sum as f64;
                READ.towards(WRITE, (share * 4.0).round() / 4.0)
            }
        };
        let pale = (share.clamp(0.0, 1.0) * 6.0).ceil() / 6.0;
        Some(WHITE.towards(full, 0.3 + 0.7 * pale))
    };
    let colours = (0..read.len()).map(colour).collect();
    let columns = seen.plan.time.count;
    panel.with(Shape::new(GREY, Form::Cells { columns, colours }))
}

/// Bytes that several ranks touch, at least one of them writing, behind all transfers.
pub fn conflicts(seen: &PlotData) -> Figure {
    let exact = seen.plan.wants.marks;
    let shared = match exact {
        true => overlaps(&seen.found.marks),
        false => seen.found.owners.shared(),
    };
    let mut panel = panel(seen);
    panel.shapes.splice(0..0, bands(seen, &shared));
    panel = panel
        .telling(CLASH, "several write")
        .telling(MIXED, "written and read");
    let title = format!(
        "Overlaps between {}: {}",
        seen.job.tasks.kind().plural(),
        seen.focus_name()
    );
    let mut figure = seen.figure_of(&title, vec![panel]);
    figure
        .notes
        .push(said(&shared, exact, seen.plan.blocks.width));
    figure
}

fn bands(seen: &PlotData, shared: &[Sharing]) -> Vec<Shape> {
    let (from, until) = (seen.plan.time.from as f64, seen.plan.time.until() as f64);
    let of = |several: bool| {
        let shared = shared.iter().filter(|range| range.several_write == several);
        let boxes = shared.map(|range| [from, range.start as f64, until, range.end as f64]);
        boxes.collect::<Vec<_>>()
    };
    let band = |colour: Colour, several| {
        Shape::new(colour.towards(PALE, 0.35), Form::Boxes(of(several))).on("overlaps")
    };
    vec![band(MIXED, false), band(CLASH, true)]
}

fn said(shared: &[Sharing], exact: bool, block: u64) -> String {
    let length: u64 = shared
        .iter()
        .map(|range| range.end.abs_diff(range.start))
        .sum();
    let ranges = many(shared.len() as u64, "range");
    match (shared.first(), exact) {
        (None, _) => "No bytes are touched by several ranks of which one writes.".to_owned(),
        (Some(first), true) => format!(
            "{ranges} of {} together are touched by several ranks, at least one of them writing; the first from byte {} to {}.",
            iota_quantity::bytes(length),
            iota_quantity::count(first.start.max(0) as u64),
            iota_quantity::count(first.end.max(0) as u64)
        ),
        (Some(_), false) => format!(
            "{ranges} of {} together, counted in blocks of {}: they include blocks of which ranks touch different bytes.",
            iota_quantity::bytes(length),
            iota_quantity::bytes(block)
        ),
    }
}
