//! A file row by row: what was read, written, overwritten and never touched.

use super::PlotData;
use crate::aggregates::{Direction, TransferMark};
use crate::axis::{Axis, Unit};
use crate::colours::{Colour, GREY, PALE, READ, WRITE};
use crate::figure::{Figure, Form, Panel, Shape};
use iota_quantity::{bytes, count};

/// Read and written.
const BOTH: Colour = Colour(0, 158, 115);
/// Written more than once.
const AGAIN: Colour = Colour(0, 0, 0);

/// What became of the bytes of a cell.
#[derive(Clone, Copy, Default)]
struct Cell {
    read: u64,
    written: u64,
    again: u64,
}

pub fn figure(seen: &PlotData) -> Figure {
    let cells = match seen.plan.wants.marks {
        true => exact(seen),
        false => bounded(seen),
    };
    let title = format!("File map: {}", seen.focus_name());
    let mut figure = seen.figure_of(&title, vec![panel(seen, &cells)]);
    figure.notes.push(said(seen, &cells));
    figure
}

fn panel(seen: &PlotData, cells: &[Cell]) -> Panel {
    let (width, columns) = (seen.plan.cells.width, seen.plan.columns);
    let row = width * columns as u64;
    let rows = cells.len().div_ceil(columns);
    let x = Axis::new(
        format!("offset within a row of {}", bytes(row)),
        Unit::Bytes,
        0.0,
        row as f64,
    );
    let y = Axis::new(
        "offset of the row",
        Unit::Bytes,
        0.0,
        (row * rows as u64) as f64,
    );
    let mut colours: Vec<Option<Colour>> = cells
        .iter()
        .map(|cell| Some(colour(*cell, width)))
        .collect();
    colours.resize(rows * columns, None);
    let cells = Shape::new(GREY, Form::Cells { columns, colours });
    Panel::new("", x, y.down())
        .with(cells)
        .telling(READ, "read")
        .telling(WRITE, "written")
        .telling(BOTH, "both")
        .telling(AGAIN, "overwritten")
        .telling(PALE, "hole")
}

/// Paler where only part of the cell is touched.
fn colour(cell: Cell, width: u64) -> Colour {
    let full = match cell {
        Cell { again: 1.., .. } => AGAIN,
        Cell {
            read: 1..,
            written: 1..,
            ..
        } => BOTH,
        Cell { written: 1.., .. } => WRITE,
        Cell { read: 1.., .. } => READ,
        _ => return PALE,
    };
    let most = cell.read.max(cell.written) as f64 / width as f64;
    PALE.towards(full, 0.4 + 0.6 * (most.min(1.0) * 4.0).ceil() / 4.0)
}

/// By the sums of cells: overwritten is what had more written than it has room for.
fn bounded(seen: &PlotData) -> Vec<Cell> {
    let read = seen.found.coverage.bytes(Direction::Read);
    let written = seen.found.coverage.bytes(Direction::Write);
    let width = seen.plan.cells.width;
    let cells = read.into_iter().zip(written).map(|(read, written)| Cell {
        read: read.min(width),
        written: written.min(width),
        again: written.saturating_sub(width),
    });
    cells.collect()
}

/// To the byte, by all transfers.
fn exact(seen: &PlotData) -> Vec<Cell> {
    let mut cells = vec![Cell::default(); seen.plan.cells.count];
    for way in [Direction::Read, Direction::Write] {
        let marks = seen.found.marks.iter().filter(|mark| mark.way == way);
        for (from, until, depth) in depths(marks) {
            share(seen, &mut cells, from, until, |cell, bytes| match way {
                Direction::Read => cell.read += bytes,
                Direction::Write => {
                    cell.written += bytes;
                    cell.again += if depth > 1 { bytes } else { 0 };
                }
            });
        }
    }
    cells
}

fn share(seen: &PlotData, cells: &mut [Cell], from: i64, until: i64, add: impl Fn(&mut Cell, u64)) {
    let bins = &seen.plan.cells;
    let (first, last) = (bins.at(from), bins.at(until - 1));
    for (at, cell) in cells.iter_mut().enumerate().take(last + 1).skip(first) {
        let (start, end) = (bins.start(at).max(from), bins.start(at + 1).min(until));
        add(cell, end.abs_diff(start));
    }
}

/// Ranges that are touched, and by how many transfers.
fn depths<'m>(marks: impl Iterator<Item = &'m TransferMark>) -> Vec<(i64, i64, i64)> {
    let ends = marks.flat_map(|mark| [(mark.offset, 1), (mark.until(), -1)]);
    let mut ends: Vec<(i64, i64)> = ends.collect();
    ends.sort_unstable();
    let mut depth = 0;
    let ranges = ends.windows(2).map(|pair| {
        depth += pair[0].1;
        (pair[0].0, pair[1].0, depth)
    });
    ranges
        .filter(|(from, until, depth)| from < until && *depth > 0)
        .collect()
}

fn said(seen: &PlotData, cells: &[Cell]) -> String {
    let end = seen.plan.cells.until().min(
        seen.survey
            .files
            .values()
            .map(|of| of.end)
            .max()
            .unwrap_or(0),
    );
    let touched: u64 = cells.iter().map(|cell| cell.read.max(cell.written)).sum();
    let again: u64 = cells.iter().map(|cell| cell.again).sum();
    let cell = bytes(seen.plan.cells.width);
    match seen.plan.wants.marks {
        true => format!(
            "A cell is {cell}. Overwritten: {}; never touched before byte {}: about {}.",
            bytes(again),
            count(end as u64),
            bytes((end as u64).saturating_sub(touched))
        ),
        false => format!(
            "A cell is {cell}; only sums of cells are known. Overwritten: at least {}.",
            bytes(again)
        ),
    }
}
