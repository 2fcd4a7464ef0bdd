//! A figure as SVG: plain elements, one path for all that has a colour, a layer of Inkscape's for each named layer.

mod heading;
mod marks;
mod tiles;
mod words;

pub use words::{lines, shortened};

use crate::axis::{Axis, Tick};
use crate::colours::Colour;
use crate::figure::{Figure, Form, Panel, Shape};
use heading::Heading;
use marks::{END, LABEL, MIDDLE, fill, line, path, text};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use words::{LETTER, escaped, short};

/// Space beside a figure's edges.
const EDGE: f64 = 16.0;
/// Height of the title and of what is around it and the subtitle.
const HEAD: f64 = 46.0;
/// Height of a line of the subtitle or of a note.
const NOTE: f64 = 16.0;

/// Draws a figure.
pub fn draw(figure: &Figure, width: f64, height: f64) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" \
         xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" \
         width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"DejaVu Sans, Verdana, sans-serif\" font-size=\"11\">\n\
         <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        escaped(&figure.title)
    );
    let head = head(&mut out, figure, width);
    let notes = notes(figure, width);
    let below = height - EDGE / 2.0 - NOTE * notes.len() as f64;
    let room = [EDGE / 2.0, head, width - EDGE, below - head];
    let places = places(&figure.panels, room[2]);
    for (panel, place) in figure.panels.iter().zip(places) {
        Frame::of(panel, place, room).draw(&mut out);
    }
    for (line, note) in (1..).zip(&notes) {
        let y = below + NOTE * f64::from(line) - 4.0;
        text(&mut out, EDGE + 8.0, y, "fill=\"#555\"", note);
    }
    out.push_str("</svg>\n");
    out
}

/// Draws title and subtitle, and says where they end.
fn head(out: &mut String, figure: &Figure, width: f64) -> f64 {
    let title = shortened(&figure.title, letters(width, 18.0));
    text(out, EDGE + 8.0, 30.0, "font-size=\"18\"", &title);
    let look = "font-size=\"12\" fill=\"#555\"";
    let mut y = 50.0;
    for line in lines(&figure.subtitle, letters(width, 12.0)) {
        text(out, EDGE + 8.0, y, look, &line);
        y += NOTE;
    }
    HEAD + y - 50.0
}

/// Two panels beside each other are at least as wide; narrower ones stand below each other.
const NARROW: f64 = 300.0;

/// Where panels stand.
fn places(panels: &[Panel], width: f64) -> Vec<[f64; 4]> {
    let is_grid = !panels.is_empty() && panels.iter().all(|panel| panel.place[2] == 0.5);
    let high = 1.0 / panels.len() as f64;
    let place = |(nth, panel): (usize, &Panel)| match is_grid && width / 2.0 < NARROW {
        true => [0.0, nth as f64 * high, 1.0, high],
        false => panel.place,
    };
    panels.iter().enumerate().map(place).collect()
}

/// Letters of a size in a line.
fn letters(width: f64, size: f64) -> usize {
    ((width - 3.0 * EDGE) / size / LETTER) as usize
}

/// The notes in lines that fit.
fn notes(figure: &Figure, width: f64) -> Vec<String> {
    let notes = figure.notes.iter();
    notes
        .flat_map(|note| lines(note, letters(width, 11.0)))
        .collect()
}

/// A panel and where its axes lie, in units of the picture.
struct Frame<'p> {
    panel: &'p Panel,
    heading: Heading<'p>,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl<'p> Frame<'p> {
    fn of(panel: &'p Panel, [left, top, width, height]: [f64; 4], room: [f64; 4]) -> Frame<'p> {
        let before = if panel.y.is_labelled { 84.0 } else { 8.0 };
        let below = if panel.x.is_labelled { 46.0 } else { 8.0 };
        let wide = (width * room[2] - before - 20.0).max(10.0);
        let heading = Heading::of(panel, wide);
        let above = heading.height();
        Frame {
            panel,
            heading,
            left: room[0] + left * room[2] + before,
            top: room[1] + top * room[3] + above,
            width: wide,
            height: (height * room[3] - above - below).max(10.0),
        }
    }

    fn x(&self, value: f64) -> f64 {
        self.left + self.panel.x.place(value) * self.width
    }

    /// An upright axis that goes down has its beginning at the top.
    fn y(&self, value: f64) -> f64 {
        self.top + (1.0 - self.panel.y.place(value)) * self.height
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }

    fn draw(&self, out: &mut String) {
        out.push_str("<g>\n");
        self.grid(out);
        let mut layer = None;
        for shape in &self.panel.shapes {
            if layer != shape.layer.as_ref() {
                self.change_layer(out, layer.is_some(), shape.layer.as_deref());
                layer = shape.layer.as_ref();
            }
            self.shape(out, shape);
        }
        self.change_layer(out, layer.is_some(), None);
        self.axes(out);
        self.heading.draw(out, self.left, self.top, self.width);
        out.push_str("</g>\n");
    }

    fn change_layer(&self, out: &mut String, is_open: bool, next: Option<&str>) {
        if is_open {
            out.push_str("</g>\n");
        }
        if let Some(name) = next {
            let name = escaped(name);
            let _ = writeln!(
                out,
                "<g inkscape:groupmode=\"layer\" inkscape:label=\"{name}\">"
            );
        }
    }

    fn x_ticks(&self) -> Vec<Tick> {
        // Labels must not touch: fewer where they are long.
        let fits = |about: &usize| {
            let ticks = self.panel.x.ticks(*about);
            let letters = ticks.iter().map(|tick| tick.text.chars().count() + 2);
            letters.sum::<usize>() as f64 * 11.0 * LETTER < self.width
        };
        let most = (self.width / 80.0).max(2.0) as usize;
        let about = (2..=most).rev().find(fits).unwrap_or(2);
        self.panel.x.ticks(about)
    }

    fn y_ticks(&self) -> Vec<Tick> {
        self.panel.y.ticks((self.height / 36.0).max(2.0) as usize)
    }

    fn grid(&self, out: &mut String) {
        let mut lines = String::new();
        for tick in self.x_ticks() {
            let (x, y) = (short(self.x(tick.value)), short(self.top));
            let _ = write!(lines, "M{x} {y}v{}", short(self.height));
        }
        for tick in self.y_ticks() {
            let (x, y) = (short(self.left), short(self.y(tick.value)));
            let _ = write!(lines, "M{x} {y}h{}", short(self.width));
        }
        let _ = writeln!(
            out,
            "<path d=\"{lines}\" stroke=\"#e4e4e4\" fill=\"none\"/>"
        );
    }

    fn axes(&self, out: &mut String) {
        let (left, bottom) = (short(self.left), short(self.bottom()));
        let (width, up) = (short(self.width), short(-self.height));
        let _ = writeln!(
            out,
            "<path d=\"M{left} {bottom}h{width}M{left} {bottom}v{up}\" stroke=\"#333\" fill=\"none\"/>"
        );
        if self.panel.x.is_labelled {
            for tick in self.x_ticks() {
                let x = self.x(tick.value);
                text(out, x, self.bottom() + 15.0, MIDDLE, &tick.text);
            }
            let x = self.left + self.width / 2.0;
            let label = self.fitted(&self.panel.x, self.width);
            text(out, x, self.bottom() + 33.0, LABEL, &label);
        }
        if self.panel.y.is_labelled {
            for tick in self.y_ticks() {
                let y = self.y(tick.value) + 4.0;
                text(out, self.left - 6.0, y, END, &tick.text);
            }
            self.y_label(out);
        }
    }

    fn y_label(&self, out: &mut String) {
        let (x, y) = (self.left - 70.0, self.top + self.height / 2.0);
        let turned = format!(
            "{LABEL} transform=\"rotate(-90 {} {})\"",
            short(x),
            short(y)
        );
        let label = self.fitted(&self.panel.y, self.height + 40.0);
        text(out, x, y, &turned, &label);
    }

    fn fitted(&self, axis: &Axis, room: f64) -> String {
        shortened(&axis.label, (room / 11.0 / LETTER) as usize)
    }

    fn shape(&self, out: &mut String, shape: &Shape) {
        let (fill, line) = (fill(shape), line(shape));
        match &shape.form {
            Form::Boxes(boxes) => path(out, &self.boxes(boxes), &fill),
            Form::Line(points) => path(out, &self.line(points), &line),
            Form::Area(points) => path(out, &self.area(points), &fill),
            Form::Dots(points) => path(out, &self.dots(points), &fill),
            Form::Cells { columns, colours } => self.cells(out, *columns, colours),
            Form::Tiles(tiles) => self.tiles(out, tiles, shape.colour),
        }
    }

    /// Boxes that would look the same are drawn once; none is too thin to be seen.
    fn boxes(&self, boxes: &[[f64; 4]]) -> String {
        let (mut drawn, mut lines) = (HashSet::new(), String::new());
        for [x0, y0, x1, y1] in boxes {
            let (left, top) = (self.x(*x0), self.y(*y1).min(self.y(*y0)));
            let wide = (self.x(*x1) - left).max(1.0);
            let high = (self.y(*y0) - self.y(*y1)).abs().max(1.0);
            let top = top.min(self.bottom() - high);
            let tenths = [left, top, wide, high].map(|value| (value * 10.0).round() as i64);
            if drawn.insert(tenths) {
                let [left, top, wide, high] = tenths.map(|value| short(value as f64 / 10.0));
                let _ = write!(lines, "M{left} {top}h{wide}v{high}h-{wide}z");
            }
        }
        lines
    }

    fn line(&self, points: &[(f64, f64)]) -> String {
        let mut lines = String::new();
        for (n, (x, y)) in points.iter().enumerate() {
            let to = if n == 0 { 'M' } else { 'L' };
            let _ = write!(lines, "{to}{} {}", short(self.x(*x)), short(self.y(*y)));
        }
        lines
    }

    fn area(&self, points: &[(f64, f64)]) -> String {
        let (Some(first), Some(last)) = (points.first(), points.last()) else {
            return String::new();
        };
        let bottom = short(self.bottom());
        let (from, to) = (short(self.x(first.0)), short(self.x(last.0)));
        let line = self.line(points);
        format!("{line}L{to} {bottom}L{from} {bottom}z")
    }

    fn dots(&self, points: &[(f64, f64)]) -> String {
        let mut lines = String::new();
        for (x, y) in points {
            let (x, y) = (self.x(*x) - 3.0, self.y(*y));
            let _ = write!(
                lines,
                "M{} {}a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
                short(x),
                short(y)
            );
        }
        lines
    }

    /// All cells of a colour are one path of strokes as thick as a row.
    fn cells(&self, out: &mut String, columns: usize, colours: &[Option<Colour>]) {
        let columns = columns.max(1);
        let rows = colours.len().div_ceil(columns).max(1);
        let (wide, high) = (self.width / columns as f64, self.height / rows as f64);
        let _ = writeln!(
            out,
            "<g transform=\"translate({} {})scale({wide:.4} {high:.4})\" fill=\"none\" shape-rendering=\"crispEdges\">",
            short(self.left),
            short(self.top)
        );
        for (colour, runs) in runs(columns, colours) {
            let _ = write!(out, "<path stroke=\"{}\" d=\"", colour.hex());
            for [row, from, many] in runs {
                let row = if self.panel.y.is_down {
                    row
                } else {
                    rows - 1 - row
                };
                let _ = write!(out, "M{from} {row}.5h{many}");
            }
            out.push_str("\"/>\n");
        }
        out.push_str("</g>\n");
    }
}

/// Row, first column and length of all runs of a colour.
fn runs(columns: usize, colours: &[Option<Colour>]) -> BTreeMap<Colour, Vec<[usize; 3]>> {
    let mut all: BTreeMap<Colour, Vec<[usize; 3]>> = BTreeMap::new();
    for (row, cells) in colours.chunks(columns).enumerate() {
        let mut from = 0;
        for run in cells.chunk_by(|left, right| left == right) {
            if let Some(colour) = run[0] {
                all.entry(colour).or_default().push([row, from, run.len()]);
            }
            from += run.len();
        }
    }
    all
}
