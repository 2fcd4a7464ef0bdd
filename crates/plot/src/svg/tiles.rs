//! Boxes with names in them, which say more when pointed at.

use super::Frame;
use super::words::{LETTER, escaped, short};
use crate::colours::Colour;
use crate::figure::Tile;
use std::fmt::Write;

/// A letter's height, with some space.
const LINE: f64 = 13.0;
/// Space beside a name.
const SIDE: f64 = 3.0;

impl Frame<'_> {
    pub(super) fn tiles(&self, out: &mut String, tiles: &[Tile], colour: Colour) {
        let _ = writeln!(out, "<g fill=\"{}\">", colour.hex());
        let ink = colour.ink().hex();
        tiles.iter().for_each(|tile| self.tile(out, tile, &ink));
        out.push_str("</g>\n");
    }

    /// Edges are rounded, not widths: a box within another stays within.
    fn tile(&self, out: &mut String, tile: &Tile, ink: &str) {
        let round = |value: f64| (value * 10.0).round() / 10.0;
        let [x0, y0, x1, y1] = tile.area;
        let [left, right] = [x0, x1].map(|x| round(self.x(x)));
        let [top, bottom] = [y0, y1].map(|y| round(self.y(y)));
        let (top, high) = (top.min(bottom), (bottom - top).abs());
        let wide = right - left;
        let gap = if wide > 2.0 { 0.5 } else { 0.0 };
        let tooltip: Vec<String> = tile.tooltip.iter().map(|line| escaped(line)).collect();
        let _ = write!(
            out,
            "<g><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            tooltip.join("\n"),
            short(left),
            short(top),
            short(wide - gap),
            short((high - 1.0).max(1.0)),
        );
        let most = ((wide - 2.0 * SIDE) / 11.0 / LETTER).max(0.0);
        let label = tile.label(if high < LINE { 0 } else { most as usize });
        if !label.is_empty() {
            let (x, y) = (short(left + SIDE), short(top + high / 2.0 + 4.0));
            let label = escaped(&label);
            let _ = write!(
                out,
                "<text x=\"{x}\" y=\"{y}\" fill=\"{ink}\">{label}</text>"
            );
        }
        out.push_str("</g>\n");
    }
}
