//! Bytes that came from a trace, as text that a terminal can be trusted with: on one line, without anything that moves,
//! hides or turns round what stands beside it.

use crate::bytes::Put;

/// Bytes as one line of text: TAB, newline and backslash by their letters; control characters, marks that change the
/// direction or the end of a line, characters that nobody sees, and what is not UTF-8 as `\xNN`; `-` for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printable<'a>(pub &'a [u8]);

impl Printable<'_> {
    /// Writes the text.
    pub fn put(self, to: &mut impl Sink) {
        if self.0.is_empty() {
            return to.put(b"-");
        }
        for chunk in self.0.utf8_chunks() {
            valid(to, chunk.valid());
            chunk.invalid().iter().for_each(|byte| hex(to, *byte));
        }
    }
}

#[cfg(feature = "std")]
impl Printable<'_> {
    /// A file's path as text, without a `./` at its beginning
    pub fn path(path: &std::path::Path) -> String {
        let plain = path.strip_prefix(".").ok();
        let plain = plain.filter(|plain| !plain.as_os_str().is_empty());
        Printable(plain.unwrap_or(path).as_os_str().as_encoded_bytes()).to_string()
    }
}

/// A message on one line: names of files in it, and what a trace says, may hold anything.
#[cfg(feature = "std")]
pub fn one_line(text: &str) -> String {
    let escape = |c: char| match is_harmless(c) {
        true => c.to_string(),
        false => c.escape_default().to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(feature = "std")]
impl std::fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = Vec::with_capacity(self.0.len());
        self.put(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

/// The same between double quotes, with those within as `\x22`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoted<'a>(pub &'a [u8]);

impl Quoted<'_> {
    /// Writes the text.
    pub fn put(self, to: &mut impl Sink) {
        to.put(b"\"");
        if !self.0.is_empty() {
            Printable(self.0).put(&mut WithoutQuotes(to));
        }
        to.put(b"\"");
    }
}

struct WithoutQuotes<'s, S>(&'s mut S);

impl<S: Sink> Sink for WithoutQuotes<'_, S> {
    fn put(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'"' => self.0.put(b"\\x22"),
                byte => self.0.put(core::slice::from_ref(byte)),
            }
        }
    }
}

/// Where text goes.
pub trait Sink {
    /// Takes bytes.
    fn put(&mut self, bytes: &[u8]);
}

impl Sink for Put<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.bytes(bytes);
    }
}

#[cfg(feature = "std")]
impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Whether a character may stand in a line as it is. Not: control characters (C0, DEL, C1), U+061C, U+180E, U+200B to
/// U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF, U+FFF9 to U+FFFB, U+E0000 to U+E007F.
pub const fn is_harmless(letter: char) -> bool {
    !matches!(
        letter,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// As many letters at once as need no change.
fn valid(to: &mut impl Sink, text: &str) {
    let (mut rest, mut kept) = (text.as_bytes(), 0usize);
    for letter in text.chars() {
        let length = letter.len_utf8();
        if is_harmless(letter) && letter != '\\' {
            kept = kept.wrapping_add(length);
            continue;
        }
        let (before, from) = rest.split_at_checked(kept).unwrap_or_default();
        let (own, behind) = from.split_at_checked(length).unwrap_or_default();
        to.put(before);
        escaped(to, own);
        (rest, kept) = (behind, 0);
    }
    to.put(rest);
}

fn escaped(to: &mut impl Sink, letter: &[u8]) {
    match letter {
        b"\t" => to.put(b"\\t"),
        b"\n" => to.put(b"\\n"),
        b"\\" => to.put(b"\\\\"),
        bytes => bytes.iter().for_each(|byte| hex(to, *byte)),
    }
}

fn hex(to: &mut impl Sink, byte: u8) {
    let digit = |nibble: u8| {
        if nibble < 10 {
            b'0'.wrapping_add(nibble)
        } else {
            b'a'.wrapping_add(nibble.wrapping_sub(10))
        }
    };
    to.put(&[b'\\', b'x', digit(byte >> 4), digit(byte & 15)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let mut out = [0; 200];
        let mut put = Put::new(&mut out);
        Printable(text.as_bytes()).put(&mut put);
        let length = put.done().unwrap();
        String::from_utf8(out[..length].to_vec()).unwrap()
    }

    #[test]
    fn nothing_leaves_its_line() {
        assert_eq!(shown(""), "-");
        assert_eq!(shown("/a b/\u{e4}\t\n\\"), "/a b/\u{e4}\\t\\n\\\\");
        assert_eq!(
            shown("\u{1b}[31m\u{7f}\u{9b}x"),
            "\\x1b[31m\\x7f\\xc2\\x9bx"
        );
        assert_eq!(shown("\u{202e}fdp.exe"), "\\xe2\\x80\\xaefdp.exe");
        assert_eq!(
            shown("a\u{2028}b\u{2066}"),
            "a\\xe2\\x80\\xa8b\\xe2\\x81\\xa6"
        );
        assert_eq!(
            shown("\u{feff}\u{e0041}"),
            "\\xef\\xbb\\xbf\\xf3\\xa0\\x81\\x81"
        );
        let harmless = "\u{5e9}\u{5dc}\u{4e2d}\u{1f600}\u{e9}";
        assert_eq!(shown(harmless), harmless);
    }
}
