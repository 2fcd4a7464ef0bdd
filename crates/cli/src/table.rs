//! Tables of plain text: numbers to the right, the last column as long as the terminal allows.

use anstyle::Style;

const BOLD: Style = Style::new().bold();
const GAP: usize = 2;

/// A table under construction
pub struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    /// What is left of the last column where it has no room
    cut: fn(&str, Option<usize>) -> String,
}

impl Table {
    /// The first and the last column are text, those between are numbers
    pub fn new(heads: &[&str]) -> Table {
        let heads = heads.iter().map(|&head| head.to_owned()).collect();
        Table {
            heads,
            rows: Vec::new(),
            cut: shortened,
        }
    }

    /// The same, with commands in the last column, whose beginnings tell them apart
    pub fn of_commands(heads: &[&str]) -> Table {
        let cut = begun;
        Table {
            cut,
            ..Table::new(heads)
        }
    }

    /// One more row, as long as the heads
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Whether it has no row
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Appends the table to `out`, its lines not longer than `width`
    pub fn print(&self, out: &mut String, width: Option<usize>) {
        let widths = self.widths();
        let taken: usize = widths[..widths.len() - 1].iter().map(|w| w + GAP).sum();
        let room = width.map(|width| width.saturating_sub(taken).max(16));
        let cut = |text: &str| (self.cut)(text, room);
        line(out, &self.heads, &widths, &cut, BOLD);
        for row in &self.rows {
            line(out, row, &widths, &cut, Style::new());
        }
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.heads.iter().map(|head| len(head)).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(len(cell));
            }
        }
        widths
    }
}

fn line(
    out: &mut String,
    cells: &[String],
    widths: &[usize],
    cut: &dyn Fn(&str) -> String,
    style: Style,
) {
    let mut text = String::new();
    let last = cells.len() - 1;
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let pad = " ".repeat(width - len(cell));
        match column {
            0 if last > 0 => text += &format!("{cell}{pad}"),
            c if c == last => text += &cut(cell),
            _ => text += &format!("{pad}{cell}"),
        }
        if column < last {
            text += &" ".repeat(GAP);
        }
    }
    *out += &format!("{style}{}{style:#}\n", text.trim_end());
}

/// The end of a text is what tells paths apart
pub fn shortened(text: &str, room: Option<usize>) -> String {
    let Some(room) = room.filter(|&room| len(text) > room) else {
        return text.to_owned();
    };
    let skip = len(text) - room.saturating_sub(1);
    format!("\u{2026}{}", text.chars().skip(skip).collect::<String>())
}

/// The beginning of a text, as far as there is room
fn begun(text: &str, room: Option<usize>) -> String {
    let Some(room) = room.filter(|&room| len(text) > room) else {
        return text.to_owned();
    };
    let kept: String = text.chars().take(room.saturating_sub(1)).collect();
    format!("{kept}\u{2026}")
}

fn len(text: &str) -> usize {
    text.chars().count()
}
