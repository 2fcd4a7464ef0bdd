//! OSTs over time, and the load of each: an estimate, by the layouts that the files had when they were opened.

use super::plot_data::{PlotData, coloured};
use super::time::CLASSES;
use crate::aggregates::Bins;
use crate::axis::{Axis, Unit, bytes};
use crate::colours::GREY;
use crate::figure::{Figure, Form, Panel, Shape};

/// Rows that a picture has room for.
const ROWS: usize = 120;

pub fn figure(seen: &PlotData) -> Figure {
    let osts = &seen.plan.osts;
    let rows = Bins::over(0, osts.len() as i64, ROWS);
    let panels = vec![
        cells(seen, &rows).at(0.0, 0.0, 0.75, 1.0),
        loads(seen, &rows).at(0.75, 0.0, 0.25, 1.0),
    ];
    let mut figure = seen.figure_of("OSTs over time, an estimate", panels);
    let note = "The OST of a byte is taken from the layout of its file; caches and read-ahead are ignored.";
    figure.notes.push(note.to_owned());
    if seen.found.osts.elsewhere > 0 {
        let bytes = iota_quantity::bytes(seen.found.osts.elsewhere);
        figure.notes.push(format!(
            "{bytes} are outside the layouts that the trace has."
        ));
    }
    figure
}

/// By OST numbers where none is left out, else by places among them.
fn axis(seen: &PlotData, rows: &Bins) -> Axis {
    let osts = &seen.plan.osts;
    let (first, last) = (osts[0], osts[osts.len() - 1]);
    let is_dense = (last - first) as usize + 1 == osts.len();
    let label = match is_dense {
        true => "OST".to_owned(),
        false => format!("place among the OSTs in use ({first} to {last})"),
    };
    let from = if is_dense { f64::from(first) } else { 0.0 };
    Axis::new(
        label,
        Unit::Index,
        from - 0.5,
        from + rows.until() as f64 - 0.5,
    )
}

fn cells(seen: &PlotData, rows: &Bins) -> Panel {
    let columns = seen.plan.time.count;
    let mut sums = vec![0; rows.count * columns];
    for (ost, bytes) in seen.found.osts.bytes.chunks(columns).enumerate() {
        let row = rows.at(ost as i64) * columns;
        sums[row..row + columns]
            .iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to += from);
    }
    let seconds = seen.plan.time.width as f64 / 1e9 * rows.width as f64;
    let mut panel = Panel::new("Bandwidth of OSTs", seen.time(), axis(seen, rows));
    if !seen.is_empty(&sums) {
        let (colours, scale) = coloured(&sums, "", |cell| format!("{}/s", bytes(cell / seconds)));
        panel = panel.with(Shape::new(GREY, Form::Cells { columns, colours }));
        panel.scale = Some(scale);
    }
    panel
}

fn loads(seen: &PlotData, rows: &Bins) -> Panel {
    let [read, written] = &seen.found.osts.loads;
    let y = axis(seen, rows).silent();
    let bottom = y.from;
    let most = read
        .iter()
        .zip(written)
        .map(|(read, written)| read + written)
        .max()
        .unwrap_or(0);
    let x = Axis::new("bytes", Unit::Bytes, 0.0, most as f64 * 1.05);
    let mut panel = Panel::new("Load", x, y);
    let mut before = vec![0.0; read.len()];
    for ((name, colour), loads) in CLASSES.into_iter().zip([read, written]) {
        let mut boxes = Vec::new();
        for (ost, load) in loads.iter().enumerate() {
            let (from, until) = (bottom + ost as f64, before[ost] + *load as f64);
            boxes.push([before[ost], from + 0.1, until, from + 0.9]);
            before[ost] = until;
        }
        panel = panel
            .with(Shape::new(colour, Form::Boxes(boxes)).on(name))
            .telling(colour, name);
    }
    panel
}
