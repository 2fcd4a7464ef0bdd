//! What stands above a panel: its title on the left, what colours mean on the right, or below it where the two are too long
//! for a line.

use super::marks::{swatch, text};
use super::words::{GAP, LETTER, entry_width, short, shortened, wide};
use crate::colours::Colour;
use crate::figure::{Panel, Scale};
use std::fmt::Write;

/// Height of a line.
const LINE: f64 = 16.0;
/// What a letter of a title is wide, about.
const TITLE_LETTER: f64 = 13.0 * LETTER;

/// The title, and the legend in lines, the first of which stands beside the title if there is room.
pub(super) struct Heading<'p> {
    title: &'p str,
    legend: Vec<Line<'p>>,
    is_beside: bool,
}

impl<'p> Heading<'p> {
    /// For a panel of a width.
    pub fn of(panel: &'p Panel, width: f64) -> Heading<'p> {
        let legend = lines(panel, width);
        let beside = legend.first().map_or(0.0, Line::width);
        let title = panel.title.chars().count() as f64 * TITLE_LETTER;
        Heading {
            title: &panel.title,
            is_beside: beside == 0.0 || title == 0.0 || title + 10.0 + beside <= width,
            legend,
        }
    }

    /// How many there are.
    fn lines(&self) -> usize {
        self.legend.len().max(1) + usize::from(!self.is_beside)
    }

    /// With space above them and below.
    pub fn height(&self) -> f64 {
        14.0 + LINE * self.lines() as f64
    }

    /// Above a panel that begins there.
    pub fn draw(&self, out: &mut String, left: f64, top: f64, width: f64) {
        let first = top + 6.0 - LINE * self.lines() as f64;
        let title = shortened(self.title, (width / TITLE_LETTER) as usize);
        text(out, left, first, "font-size=\"13\"", &title);
        let mut y = first + if self.is_beside { 0.0 } else { LINE };
        for line in &self.legend {
            let mut x = left + width - line.width();
            for (colour, name) in line.entries {
                swatch(out, x, y, *colour);
                text(out, x + 14.0, y, "", name);
                x += entry_width(name);
            }
            if let Some(scale) = line.scale {
                draw_scale(out, x, y, scale);
            }
            y += LINE;
        }
    }
}

/// A line of what colours mean.
struct Line<'p> {
    entries: &'p [(Colour, String)],
    scale: Option<&'p Scale>,
}

impl Line<'_> {
    fn width(&self) -> f64 {
        match self.scale {
            Some(scale) => entries_width(self.entries) + scale_width(scale),
            None => (entries_width(self.entries) - GAP).max(0.0),
        }
    }
}

fn entries_width(entries: &[(Colour, String)]) -> f64 {
    entries.iter().map(|(_, name)| entry_width(name)).sum()
}

/// The legend in lines of a width, as far as that is wide enough for an entry; the scale stands behind the last.
fn lines(panel: &Panel, width: f64) -> Vec<Line<'_>> {
    let (mut lines, mut rest) = (Vec::new(), panel.legend.as_slice());
    while !rest.is_empty() {
        let fits = |count: &usize| entries_width(&rest[..*count]) - GAP <= width;
        let count = (1..=rest.len()).rev().find(fits).unwrap_or(1);
        let (entries, behind) = rest.split_at(count);
        lines.push(Line {
            entries,
            scale: None,
        });
        rest = behind;
    }
    if let Some(scale) = &panel.scale {
        let entries = lines.pop().map_or(Default::default(), |line| line.entries);
        lines.push(Line {
            entries,
            scale: Some(scale),
        });
    }
    lines
}

fn draw_scale(out: &mut String, mut x: f64, y: f64, scale: &Scale) {
    if !scale.label.is_empty() {
        text(out, x, y, "", &scale.label);
        x += wide(&scale.label) + 8.0;
    }
    text(out, x, y, "", &scale.from);
    x += wide(&scale.from) + 5.0;
    let step = 80.0 / scale.colours.len().max(1) as f64;
    for (n, colour) in scale.colours.iter().enumerate() {
        let _ = write!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"10\" fill=\"{}\"/>",
            short(x + n as f64 * step),
            short(y - 9.0),
            short(step + 0.4),
            colour.hex()
        );
    }
    text(out, x + 85.0, y, "", &scale.to);
}

pub(super) fn scale_width(scale: &Scale) -> f64 {
    let label = match wide(&scale.label) {
        0.0 => 0.0,
        label => label + 8.0,
    };
    label + wide(&scale.from) + wide(&scale.to) + 90.0
}
