//! Ranks over time: what each waited for, and how many bytes it moved.

use super::plot_data::{PlotData, coloured};
use super::time::CLASSES;
use crate::aggregates::TimeCategory;
use crate::axis::{Axis, Unit, bytes};
use crate::colours::{Colour, GREY, WHITE};
use crate::figure::{Figure, Form, Panel, Shape};
use iota_analysis::TaskKind;

/// More ranks than this have less than a line each.
const LINES: i64 = 240;

/// What each rank waited for.
pub fn figure(seen: &PlotData) -> Figure {
    let tasks = seen.job.tasks.kind().plural();
    let few = seen.plan.ranks.until() - seen.plan.ranks.from <= LINES;
    let mut panel = Panel::new(
        format!("What {tasks} waited for"),
        seen.time(),
        seen.rank_axis(),
    );
    if seen.plan.wants.spans && few {
        panel.shapes = spans(seen);
    } else {
        panel.title = format!("What {tasks} waited for most in each moment; pale: part of it");
        let colours = dominant(seen);
        let columns = seen.plan.time.count;
        panel = panel.with(Shape::new(GREY, Form::Cells { columns, colours }));
    }
    for ((name, colour), busy) in CLASSES.into_iter().zip(seen.found.ranks.busy()) {
        if !seen.is_empty(busy) {
            panel = panel.telling(colour, name);
        }
    }
    let title = match seen.job.tasks.kind() {
        TaskKind::Rank => "Ranks over time",
        TaskKind::Process => "Processes over time",
    };
    seen.figure_of(title, vec![panel])
}

fn spans(seen: &PlotData) -> Vec<Shape> {
    let mut boxes: [Vec<[f64; 4]>; TimeCategory::COUNT] = Default::default();
    for span in &seen.found.spans {
        let rank = f64::from(span.rank);
        boxes[span.class as usize].push([
            span.start as f64,
            rank - 0.4,
            span.end as f64,
            rank + 0.4,
        ]);
    }
    let shapes = CLASSES.into_iter().zip(boxes);
    shapes
        .map(|((name, colour), boxes)| Shape::new(colour, Form::Boxes(boxes)).on(name))
        .collect()
}

/// The class that most time went into, the paler the less it was.
fn dominant(seen: &PlotData) -> Vec<Option<Colour>> {
    let busy = seen.found.ranks.busy();
    let room = seen.plan.time.width as f64 * seen.plan.ranks.width as f64;
    let colour = |cell: usize| {
        let times: [u64; TimeCategory::COUNT] = std::array::from_fn(|class| busy[class][cell]);
        let class = (0..TimeCategory::COUNT).max_by_key(|class| times[*class])?;
        let share = times.iter().sum::<u64>() as f64 / room;
        let share = (share.clamp(0.0, 1.0) * 8.0).ceil() / 8.0;
        (share > 0.0).then(|| WHITE.towards(CLASSES[class].1, 0.2 + 0.8 * share))
    };
    (0..busy[0].len()).map(colour).collect()
}

/// Bytes of each rank in each moment.
pub fn panel(seen: &PlotData) -> Panel {
    let [read, written] = seen.found.ranks.bytes();
    let cells: Vec<u64> = read
        .iter()
        .zip(written)
        .map(|(read, written)| read + written)
        .collect();
    let seconds = seen.plan.time.width as f64 / 1e9 * seen.plan.ranks.width as f64;
    let mut panel = Panel::new(
        format!("Bandwidth of {}", seen.job.tasks.kind().plural()),
        seen.time(),
        seen.rank_axis(),
    );
    if !seen.is_empty(&cells) {
        let say = |cell: f64| format!("{}/s", bytes(cell / seconds));
        let (colours, scale) = coloured(&cells, "", say);
        let columns = seen.plan.time.count;
        panel = panel.with(Shape::new(GREY, Form::Cells { columns, colours }));
        panel.scale = Some(scale);
    }
    panel
}

/// The same with sums over ranks above and sums over time at the right.
pub fn heatmap(seen: &PlotData) -> Figure {
    let mut above = super::time::bandwidth(seen);
    above.x = above.x.silent();
    above.y.label = format!("all {}", seen.job.tasks.kind().plural());
    let panels = vec![
        above.at(0.0, 0.0, 0.8, 0.27),
        panel(seen).at(0.0, 0.27, 0.8, 0.73),
        sums(seen).at(0.8, 0.27, 0.2, 0.73),
    ];
    let title = match seen.job.tasks.kind() {
        TaskKind::Rank => "Bandwidth by rank and time",
        TaskKind::Process => "Bandwidth by process and time",
    };
    seen.figure_of(title, panels)
}

/// Bytes of each rank, one way beside the other.
fn sums(seen: &PlotData) -> Panel {
    let ranks = &seen.found.ranks;
    let sums = ranks.bytes().each_ref().map(|cells| ranks.by_rank(cells));
    let width = seen.plan.ranks.width;
    // The last row may stand for fewer ranks.
    let last = seen.survey.ranks.last().copied().unwrap_or(0);
    let ranks_of = |row: usize| {
        let behind = i64::from(last) + 1 - seen.plan.ranks.start(row);
        width.min(behind.max(1) as u64) as f64
    };
    let each = |row: usize| (sums[0][row] + sums[1][row]) as f64 / ranks_of(row);
    let most = (0..seen.plan.ranks.count).map(each).fold(1.0, f64::max);
    let each = format!("bytes a {}", seen.job.tasks.kind().word());
    let label = if width == 1 { "bytes" } else { &each };
    let x = Axis::new(label, Unit::Bytes, 0.0, most * 1.05);
    let mut panel = Panel::new("", x, seen.rank_axis().silent());
    let mut before = vec![0.0; seen.plan.ranks.count];
    for ((name, colour), sums) in CLASSES.into_iter().zip(sums) {
        let mut boxes = Vec::new();
        for (row, sum) in sums.into_iter().enumerate().filter(|(_, sum)| *sum > 0) {
            let from = seen.plan.ranks.start(row) as f64 - 0.5;
            let until = before[row] + sum as f64 / ranks_of(row);
            let gap = if width == 1 { 0.1 } else { 0.0 };
            boxes.push([before[row], from + gap, until, from + width as f64 - gap]);
            before[row] = until;
        }
        panel = panel.with(Shape::new(colour, Form::Boxes(boxes)).on(name));
    }
    panel
}
