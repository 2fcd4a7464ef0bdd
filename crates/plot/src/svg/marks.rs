//! Elements of an SVG, and how they look.

use super::words::{escaped, short};
use crate::colours::{Colour, GREY};
use crate::figure::Shape;
use std::fmt::Write;

pub(super) const MIDDLE: &str = "text-anchor=\"middle\" fill=\"#333\"";
pub(super) const END: &str = "text-anchor=\"end\" fill=\"#333\"";
pub(super) const LABEL: &str = "text-anchor=\"middle\"";

pub(super) fn fill(shape: &Shape) -> String {
    let colour = shape.colour.hex();
    match shape.opacity {
        1.0 => format!("fill=\"{colour}\""),
        some => format!("fill=\"{colour}\" fill-opacity=\"{some}\""),
    }
}

pub(super) fn line(shape: &Shape) -> String {
    let colour = shape.colour.hex();
    format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-linejoin=\"round\"")
}

pub(super) fn path(out: &mut String, lines: &str, look: &str) {
    if !lines.is_empty() {
        let _ = writeln!(out, "<path {look} d=\"{lines}\"/>");
    }
}

pub(super) fn swatch(out: &mut String, x: f64, y: f64, colour: Colour) {
    let (x, y) = (short(x), short(y - 9.0));
    let colour = colour.hex();
    let edge = GREY.hex();
    let _ = write!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"10\" height=\"10\" fill=\"{colour}\" stroke=\"{edge}\" stroke-width=\".5\"/>"
    );
}

pub(super) fn text(out: &mut String, x: f64, y: f64, look: &str, words: &str) {
    if words.is_empty() {
        return;
    }
    let (x, y) = (short(x), short(y));
    let space = if look.is_empty() { "" } else { " " };
    let words = escaped(words);
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\"{space}{look}>{words}</text>");
}
