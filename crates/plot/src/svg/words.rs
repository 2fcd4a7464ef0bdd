//! Numbers and texts as an SVG has them, and how wide they are.

use crate::png::FONT;
use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, MetadataProvider};

/// What a letter of size 1 is wide, about.
pub(super) const LETTER: f64 = 0.6;
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

/// A number with one digit behind the point at most.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0")
        .unwrap_or(&text)
        .replace("-0.", "-.")
}

/// A text of at most so many letters, the middle left out, with any number that would lose digits.
pub fn shortened(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let (mut before, mut behind) = (kept / 2, letters.len() - (kept - kept / 2));
    let is_of_number = |at: usize| {
        let is_digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
        let is_point = matches!(letters.get(at), Some('.' | ','));
        is_digit(at) || (is_point && at > 0 && is_digit(at - 1) && is_digit(at + 1))
    };
    while before > 0 && is_of_number(before - 1) && is_of_number(before) {
        before -= 1;
    }
    while behind < letters.len() && is_of_number(behind - 1) && is_of_number(behind) {
        behind += 1;
    }
    let start: String = letters[..before].iter().collect();
    let end: String = letters[behind..].iter().collect();
    format!("{start}\u{2026}{end}")
}

/// A text in lines of at most so many letters: broken between its parts, where these are too long between words.
pub fn lines(text: &str, most: usize) -> Vec<String> {
    broken(text, &[" \u{b7} ", " "], most)
}

fn broken(text: &str, separators: &[&str], most: usize) -> Vec<String> {
    let Some((separator, finer)) = separators.split_first() else {
        return vec![shortened(text, most)];
    };
    let mut lines: Vec<String> = Vec::new();
    for piece in text.split(separator) {
        let wide = |line: &str| [line, separator, piece].map(|of| of.chars().count());
        match lines.last_mut() {
            Some(line) if wide(line).iter().sum::<usize>() <= most => {
                line.push_str(separator);
                line.push_str(piece);
            }
            _ => lines.extend(broken(piece, finer, most)),
        }
    }
    lines
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
        assert_eq!(lines("a  b ", 9), ["a  b "]);
        assert_eq!([short(1.04), short(-0.04), short(2.55)], ["1", "-0", "2.5"]);
    }

    #[test]
    fn numbers_in_narrow_places_are_whole_or_not_there() {
        let subtitle = "1 rank \u{b7} 2,000 calls \u{b7} 62.5 MiB read \u{b7} 1 file";
        assert_eq!(lines(subtitle, 52), [subtitle]);
        let narrow = ["1 rank \u{b7} 2,000 calls", "62.5 MiB read \u{b7} 1 file"];
        assert_eq!(lines(subtitle, 26), narrow);
        assert_eq!(
            lines("2,000 calls \u{b7} 7 s", 9),
            ["2,000", "calls", "7 s"]
        );
        assert_eq!(
            lines("/a/long/path is it", 9),
            ["/a/l\u{2026}path", "is it"]
        );
        assert_eq!(shortened("a 62.5 MiB", 8), "a \u{2026} MiB");
        assert_eq!(shortened("12,345 files of it", 9), "\u{2026}f it");
        assert_eq!(shortened("a. b. c. 1.5", 9), "a. b\u{2026} 1.5");
    }
}
