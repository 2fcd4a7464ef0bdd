//! Numbers and texts as an SVG has them, and how wide they are.

use super::LETTER;
use crate::figure::Scale;
use crate::png::FONT;
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// Between entries of a legend.
pub(super) const GAP: f64 = 12.0;

/// The width of a text of size 11 in the font that pictures ask for; others are about as wide.
pub(super) fn wide(words: &str) -> f64 {
    let Ok(font) = FontRef::new(FONT) else {
        return words.chars().count() as f64 * 11.0 * LETTER;
    };
    let (letters, all) = (font.charmap(), LocationRef::default());
    let em = f64::from(font.metrics(Size::unscaled(), all).units_per_em);
    let widths = font.glyph_metrics(Size::unscaled(), all);
    let width = |letter: char| {
        let glyph = letters.map(letter).unwrap_or_default();
        f64::from(widths.advance_width(glyph).unwrap_or_default())
    };
    words.chars().map(width).sum::<f64>() / em * 11.0
}

/// A swatch, a name, and the gap behind them.
pub(super) fn entry_width(name: &str) -> f64 {
    wide(name) + 14.0 + GAP
}

pub(super) fn scale_width(scale: &Scale) -> f64 {
    let label = match wide(&scale.label) {
        0.0 => 0.0,
        label => label + 8.0,
    };
    label + wide(&scale.from) + wide(&scale.to) + 90.0
}

/// A number with one digit behind the point at most.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0")
        .unwrap_or(&text)
        .replace("-0.", "-.")
}

/// A text of at most so many letters, the middle left out.
pub fn shortened(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let (before, behind) = (kept / 2, kept - kept / 2);
    let start: String = letters[..before].iter().collect();
    let end: String = letters[letters.len() - behind..].iter().collect();
    format!("{start}\u{2026}{end}")
}

/// A text that XML may hold.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        assert_eq!(
            escaped("<b a=\"1\">&\t\u{202e}"),
            "&lt;b a=&quot;1&quot;&gt;&amp;\u{fffd}\u{fffd}"
        );
        assert_eq!(shortened("abcdefgh", 5), "ab\u{2026}gh");
        assert_eq!(shortened("abc", 0), "\u{2026}");
        assert_eq!([short(1.04), short(-0.04), short(2.55)], ["1", "-0", "2.5"]);
    }
}
