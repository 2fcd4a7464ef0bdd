//! A figure in characters, for a terminal far away: braille dots for shapes, shades for cells, 256 colours; where there are
//! no colours, a character for each.

mod marks;

use crate::axis::Axis;
use crate::colours::Colour;
use crate::figure::{Figure, Form, Panel, Shape, Tile};
use crate::svg::{lines, shortened};
use anstyle::{Ansi256Color, Color, Style};
use marks::{Marks, SHADES, shade};
use std::fmt::Write;

/// Columns left of the axis.
const LEFT: usize = 11;
/// Dots of a character, across and up.
const ACROSS: usize = 2;
const UP: usize = 4;

/// What tells one series from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Colours, by escape sequences.
    Colours,
    /// Characters.
    Plain,
}

/// Draws a figure, panel below panel.
pub fn draw(figure: &Figure, width: usize, height: usize, look: Look) -> String {
    let width = width.clamp(40, 400);
    let mut out = String::new();
    let bold = Style::new().bold();
    let title = clean(&figure.title, width);
    let _ = match look {
        Look::Colours => writeln!(out, "{bold}{title}{bold:#}"),
        Look::Plain => writeln!(out, "{title}"),
    };
    write_lines(&mut out, &figure.subtitle, width);
    let many = figure.panels.len().max(1);
    let rows = (height.saturating_sub(3) / many)
        .saturating_sub(5)
        .clamp(6, 60);
    let marks = (look == Look::Plain).then(|| Marks::of(figure));
    for panel in &figure.panels {
        Canvas::of(panel, marks.as_ref(), width - LEFT - 2, rows).write(panel, &mut out);
    }
    for note in &figure.notes {
        write_lines(&mut out, note, width);
    }
    out
}

/// A text in as many lines as it takes.
fn write_lines(out: &mut String, text: &str, width: usize) {
    for line in lines(&plain(text), width) {
        let _ = writeln!(out, "{line}");
    }
}

/// Nothing that a terminal would obey,
fn plain(text: &str) -> String {
    let plain = text.chars();
    let plain = plain.map(|c| if c.is_control() { '\u{fffd}' } else { c });
    plain.collect()
}

/// and no more than fits.
fn clean(text: &str, width: usize) -> String {
    shortened(&plain(text), width)
}

/// One character of the drawing.
#[derive(Clone, Copy, Default)]
struct CharCell {
    dots: u8,
    shade: Option<char>,
    /// A letter upon the colour.
    letter: Option<char>,
    colour: Option<Colour>,
}

struct Canvas<'p> {
    panel: &'p Panel,
    /// What stands for colours, if there are none.
    marks: Option<&'p Marks>,
    width: usize,
    height: usize,
    places: Vec<CharCell>,
}

impl<'p> Canvas<'p> {
    fn of(panel: &'p Panel, marks: Option<&'p Marks>, width: usize, height: usize) -> Canvas<'p> {
        let places = vec![CharCell::default(); width * height];
        let mut canvas = Canvas {
            panel,
            marks,
            width,
            height,
            places,
        };
        panel.shapes.iter().for_each(|shape| canvas.shape(shape));
        canvas
    }

    fn shape(&mut self, shape: &Shape) {
        match &shape.form {
            Form::Boxes(boxes) => {
                for [x0, y0, x1, y1] in boxes {
                    self.fill((*x0, *y0), (*x1, *y1), shape.colour);
                }
            }
            Form::Line(points) => self.line(points, shape.colour),
            Form::Area(points) => self.area(points, shape.colour),
            Form::Dots(points) => {
                for point in points {
                    self.fill(*point, *point, shape.colour);
                }
            }
            Form::Cells { columns, colours } => self.cells(*columns, colours),
            Form::Tiles(tiles) => tiles.iter().for_each(|tile| self.tile(tile, shape.colour)),
        }
    }

    fn x(&self, value: f64) -> usize {
        let dots = self.width * ACROSS;
        ((self.panel.x.place(value) * dots as f64) as usize).min(dots - 1)
    }

    /// Dots from the top.
    fn y(&self, value: f64) -> usize {
        let dots = self.height * UP;
        (((1.0 - self.panel.y.place(value)) * dots as f64) as usize).min(dots - 1)
    }

    fn dot(&mut self, x: usize, y: usize, colour: Colour) {
        // Braille counts its dots down two columns of three, then along the last row.
        const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let place = &mut self.places[y / UP * self.width + x / ACROSS];
        place.dots |= BITS[y % UP][x % ACROSS];
        place.colour = Some(colour);
    }

    fn fill(&mut self, from: (f64, f64), to: (f64, f64), colour: Colour) {
        let (left, right) = (self.x(from.0), self.x(to.0));
        let (one, other) = (self.y(from.1), self.y(to.1));
        for y in one.min(other)..=one.max(other) {
            (left..=right).for_each(|x| self.dot(x, y, colour));
        }
    }

    fn line(&mut self, points: &[(f64, f64)], colour: Colour) {
        let (bottom, is_marked) = (self.panel.y.from, self.mark(colour).is_some());
        for pair in points.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            // A mark is as high as a row: at the bottom it would look like more than nothing.
            if is_marked && from.1 <= bottom && to.1 <= bottom {
                continue;
            }
            let (left, right) = (self.x(from.0), self.x(to.0));
            let (start, end) = (self.y(from.1) as f64, self.y(to.1) as f64);
            let steps = left
                .abs_diff(right)
                .max((start - end).abs() as usize)
                .max(1);
            for step in 0..=steps {
                let share = step as f64 / steps as f64;
                let x = left as f64 + (right as f64 - left as f64) * share;
                self.dot(x as usize, (start + (end - start) * share) as usize, colour);
            }
        }
    }

    fn area(&mut self, points: &[(f64, f64)], colour: Colour) {
        let bottom = self.panel.y.from;
        for pair in points
            .windows(2)
            .filter(|pair| pair[0].1 > bottom && pair[0].1 == pair[1].1)
        {
            self.fill((pair[0].0, bottom), pair[1], colour);
        }
    }

    /// The colour of the cell in the middle of each character; the darker it is the fuller the shade.
    fn cells(&mut self, columns: usize, colours: &[Option<Colour>]) {
        let rows = colours.len().div_ceil(columns.max(1)).max(1);
        for place in 0..self.places.len() {
            let (x, y) = (place % self.width, place / self.width);
            let from_top = (
                y * rows / self.height,
                ((y + 1) * rows).div_ceil(self.height),
            );
            let (column, last) = (
                x * columns / self.width,
                ((x + 1) * columns).div_ceil(self.width),
            );
            let rows = (from_top.0..from_top.1).map(|row| {
                if self.panel.y.is_down {
                    row
                } else {
                    rows - 1 - row
                }
            });
            let cells =
                rows.flat_map(|row| (column..last).map(move |column| row * columns + column));
            let some = cells.filter_map(|cell| colours.get(cell).copied().flatten());
            // Of the cells that a character stands for the darkest is seen.
            if let Some(colour) = some.min_by_key(|colour| colour.light()) {
                self.places[place].shade = Some(shade(colour));
                self.places[place].colour = Some(colour);
            }
        }
    }

    /// Characters with the colour behind them or its mark beside them, an edge on the left, the name on the first line.
    fn tile(&mut self, tile: &Tile, colour: Colour) {
        let [x0, y0, x1, y1] = tile.area;
        let column = |x| (self.panel.x.place(x) * self.width as f64).round() as usize;
        let row = |y| ((1.0 - self.panel.y.place(y)) * self.height as f64).round() as usize;
        let (left, right, top, bottom) = (column(x0), column(x1), row(y0), row(y1));
        let label = clean(&tile.label(right.saturating_sub(left + 1)), self.width);
        let fill = self.mark(colour).unwrap_or(' ');
        for y in top..bottom {
            let name = if y == top { label.as_str() } else { "" };
            let letters = name.chars().chain(std::iter::repeat(fill));
            let letters = std::iter::once('\u{258f}').chain(letters);
            for (x, letter) in (left..right).zip(letters) {
                self.places[y * self.width + x] = CharCell {
                    letter: Some(letter),
                    colour: Some(colour),
                    ..CharCell::default()
                };
            }
        }
    }

    fn write(&self, panel: &Panel, out: &mut String) {
        self.title(panel, out);
        let labels = self.y_labels();
        for (row, places) in self.places.chunks(self.width).enumerate() {
            let _ = write!(out, "{:>LEFT$}\u{2502}", labels[row]);
            places.iter().for_each(|place| self.put(out, *place));
            out.push('\n');
        }
        let _ = writeln!(
            out,
            "{:>LEFT$}\u{2514}{}",
            "",
            "\u{2500}".repeat(self.width)
        );
        let _ = writeln!(out, "{:>LEFT$} {}", "", self.x_labels(&panel.x));
        let _ = writeln!(
            out,
            "{:>LEFT$} {:^2$}",
            "",
            clean(&panel.x.label, self.width),
            self.width
        );
    }

    fn title(&self, panel: &Panel, out: &mut String) {
        let _ = write!(
            out,
            "\n{:>LEFT$} {}",
            clean(&panel.y.label, 24),
            clean(&panel.title, self.width / 2)
        );
        for (colour, name) in &panel.legend {
            out.push_str("  ");
            self.put(out, swatch(*colour));
            let _ = write!(out, " {}", clean(name, 20));
        }
        if let Some(scale) = &panel.scale {
            let _ = write!(
                out,
                "  {} {} ",
                clean(&scale.label, 20),
                clean(&scale.from, 20)
            );
            for colour in scale.colours.iter().step_by(2) {
                self.put(out, swatch(*colour));
            }
            let _ = write!(out, " {}", clean(&scale.to, 20));
        }
        out.push('\n');
    }

    fn y_labels(&self) -> Vec<String> {
        let mut labels = vec![String::new(); self.height];
        for tick in self.panel.y.ticks((self.height / 3).max(2)) {
            labels[self.y(tick.value) / UP] = clean(&tick.text, LEFT);
        }
        labels
    }

    fn x_labels(&self, axis: &Axis) -> String {
        let mut line = vec![' '; self.width];
        let mut free = 0;
        for tick in axis.ticks((self.width / 14).max(2)) {
            let text: Vec<char> = tick.text.chars().collect();
            let from = (self.x(tick.value) / ACROSS).saturating_sub(text.len() / 2);
            if from >= free && from + text.len() <= self.width {
                line[from..from + text.len()].copy_from_slice(&text);
                free = from + text.len() + 1;
            }
        }
        line.into_iter().collect()
    }

    /// What stands for a colour.
    fn mark(&self, colour: Colour) -> Option<char> {
        self.marks?.mark(self.panel, colour)
    }

    fn put(&self, out: &mut String, place: CharCell) {
        let form = place.form();
        let style = match (place.colour, self.marks, place.letter) {
            (Some(colour), Some(_), None) if form != ' ' => {
                return out.push(self.mark(colour).unwrap_or(form));
            }
            (Some(ground), None, Some(_)) => style(ground.ink()).bg_color(Some(nearest(ground))),
            (Some(colour), None, None) if form != ' ' => style(colour),
            _ => return out.push(form),
        };
        let _ = write!(out, "{style}{form}{style:#}");
    }
}

impl CharCell {
    fn form(self) -> char {
        match self {
            CharCell {
                letter: Some(letter),
                ..
            } => letter,
            CharCell { dots: 1.., .. } => {
                char::from_u32(0x2800 + u32::from(self.dots)).unwrap_or(' ')
            }
            CharCell { shade, .. } => shade.unwrap_or(' '),
        }
    }
}

/// All of a character in a colour.
fn swatch(colour: Colour) -> CharCell {
    CharCell {
        shade: Some(SHADES[3]),
        colour: Some(colour),
        ..CharCell::default()
    }
}

fn style(colour: Colour) -> Style {
    Style::new().fg_color(Some(nearest(colour)))
}

/// The nearest of the 216 colours that every terminal has.
fn nearest(colour: Colour) -> Color {
    let sixth = |value: u8| (u16::from(value) * 5 + 127) / 255;
    let cube = 16 + 36 * sixth(colour.0) + 6 * sixth(colour.1) + sixth(colour.2);
    Ansi256Color(cube as u8).into()
}
